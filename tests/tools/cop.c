/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cop.c - achcop: restarts, signals, pid files, reports of the child, no leftovers
 */
#include "tool.h"

static const char *achcop;

#define SLEEPER "exec sleep 300"

static int lines(const char *path)
{
    const char *p = tool_read(path);
    int n = 0;

    for (; *p; p++)
        n += *p == '\n';
    return n;
}

static void exit_statuses(void)
{
    CHECK(TOOL_RUN(achcop, "--", "true") == 0);
    CHECK(TOOL_RUN(achcop, "--", "sh", "-c", "exit 7") == 7);
    CHECK(TOOL_RUN(achcop, "--", "sh", "-c", "kill -KILL $$") == 128 + SIGKILL);
    CHECK(TOOL_RUN(achcop, "--", "./no-such-program") == 127);
    CHECK(strstr(tool_read("err"), "no-such-program") != NULL);
    CHECK(TOOL_RUN(achcop, "-r", "-d", "--", "./no-such-program") == 127);
    CHECK(TOOL_RUN(achcop) == 2);
    CHECK(TOOL_RUN(achcop, "--grace", "x", "--", "true") == 2);
}

static void restarts(void)
{
    CHECK(TOOL_RUN(achcop, "-r", "--delay", "0.001", "--max-restarts", "3", "-o", "runs", "--",
                   "sh", "-c", "echo run; exit 3") == 3);
    CHECK(lines("runs") == 4);
    CHECK(strstr(tool_read("err"), "giving up") != NULL);
    /* After exit status 0, -r does not restart the program; --always does. */
    CHECK(TOOL_RUN(achcop, "-r", "-o", "good", "--", "echo", "run") == 0);
    CHECK(lines("good") == 1);
    CHECK(TOOL_RUN(achcop, "--always", "--delay", "0", "--max-restarts", "2", "-o", "always", "--",
                   "echo", "run") == 0);
    CHECK(lines("always") == 3);
    CHECK(strstr(tool_read("err"), "ended after 2 restarts") != NULL);
}

/* The delay grows: six restarts from 20 ms take at least 20+40+80+100+100+100 ms. */
static void backs_off(void)
{
    uint64_t begin = check_now_ns();

    CHECK(TOOL_RUN(achcop, "-r", "--delay", "0.02", "--max-delay", "0.1", "--max-restarts", "6",
                   "--", "false") == 1);
    CHECK(check_now_ns() - begin >= 440000000u);
}

static void hangup_restarts(void)
{
    pid_t cop = TOOL_START(achcop, "-P", "cop.pid", "-p", "child.pid", "--", "sh", "-c", SLEEPER);
    pid_t first, second;

    TOOL_UNTIL((first = tool_pid("child.pid")) > 0);
    CHECK(tool_pid("cop.pid") == cop);
    tool_kill(cop, SIGHUP);
    TOOL_UNTIL((second = tool_pid("child.pid")) > 0 && second != first);
    CHECK(!tool_alive(first));
    CHECK(tool_alive(second));
    tool_kill(cop, SIGTERM);
    CHECK(tool_wait(cop) == 0);
    CHECK(!tool_alive(second));
    CHECK(tool_size("cop.pid") < 0);
    CHECK(tool_size("child.pid") < 0);
}

static void killed_child_returns(void)
{
    pid_t cop = TOOL_START(achcop, "-r", "--max-restarts", "9", "--delay", "0.001", "-p",
                           "child.pid", "--", "sh", "-c", SLEEPER);
    pid_t first, second;

    TOOL_UNTIL((first = tool_pid("child.pid")) > 0);
    tool_kill(first, SIGKILL);
    TOOL_UNTIL((second = tool_pid("child.pid")) > 0 && second != first);
    CHECK(tool_alive(second));
    tool_kill(cop, SIGINT);
    CHECK(tool_wait(cop) == 0);
    CHECK(!tool_alive(second));
}

static void stubborn_child(void)
{
    pid_t cop = TOOL_START(achcop, "--grace", "0.1", "-p", "child.pid", "-o", "ready", "--", "sh",
                           "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done");
    pid_t child = 0;

    TOOL_UNTIL(tool_size("ready") > 0 && (child = tool_pid("child.pid")) > 0);
    tool_kill(cop, SIGTERM);
    CHECK(tool_wait(cop) == 0);
    CHECK(!tool_alive(child));
}

/* Without --grace a program has all the time that it needs to park. */
static void patient(void)
{
    pid_t cop = TOOL_START(achcop, "-o", "log", "--", "sh", "-c",
                           "trap 'sleep 6; echo parked; exit 0' TERM; echo ready; "
                           "while :; do sleep 0.05; done");

    TOOL_UNTIL(tool_size("log") > 0);
    tool_kill(cop, SIGTERM);
    CHECK(tool_wait(cop) == 0);
    CHECK(strstr(tool_read("log"), "parked") != NULL);
}

static void one_cop_per_file(void)
{
    pid_t cop =
        TOOL_START(achcop, "-t", "-P", "cop.pid", "-p", "child.pid", "--", "sh", "-c", SLEEPER);
    pid_t child;

    TOOL_UNTIL((child = tool_pid("child.pid")) > 0);
    CHECK(TOOL_RUN(achcop, "-P", "cop.pid", "--", "true") == 1);
    CHECK(strstr(tool_read("err"), "another achcop is running") != NULL);
    CHECK(TOOL_RUN(achcop, "-p", "child.pid", "--", "true") == 1);
    CHECK(tool_pid("cop.pid") == cop);
    CHECK(tool_pid("child.pid") == child);
    /* Pid files of a killed cop do not stop the next one. With -t the child died with its cop. */
    tool_kill(cop, SIGKILL);
    CHECK(tool_wait(cop) == 128 + SIGKILL);
    TOOL_UNTIL(waitpid(child, NULL, WNOHANG) == child || !tool_alive(child));
    CHECK(TOOL_RUN(achcop, "-P", "cop.pid", "-p", "child.pid", "--", "true") == 0);
    CHECK(tool_size("cop.pid") < 0);
}

/* A process that may read a pid file can neither lock out the next cop nor admit a second one. */
static void readers_lock_nobody_out(void)
{
    pid_t cop;
    int reader;

    CHECK(TOOL_RUN(achcop, "-P", "cop.pid", "--", "true") == 0);
    REQUIRE(close(open("cop.pid", O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) == 0);
    reader = tool_lock_as_reader("cop.pid");
    cop = TOOL_START(achcop, "-t", "-P", "cop.pid", "-p", "child.pid", "--", "sh", "-c", SLEEPER);
    TOOL_UNTIL(tool_pid("child.pid") > 0);
    CHECK(tool_pid("cop.pid") == cop);
    CHECK(TOOL_RUN(achcop, "-P", "cop.pid", "--", "true") == 1);
    close(reader);
    CHECK(TOOL_RUN(achcop, "-P", "cop.pid", "--", "true") == 1);
    tool_kill(cop, SIGTERM);
    CHECK(tool_wait(cop) == 0);
}

/* -P and -p must not name the same file, even in different words. */
static void one_file_for_both(void)
{
    CHECK(TOOL_RUN(achcop, "-P", "x", "-p", "x", "--", "true") == 2);
    CHECK(strstr(tool_read("err"), "both name 'x'") != NULL);
    CHECK(TOOL_RUN(achcop, "-P", "x", "-p", "./x", "--", "true") == 2);
    CHECK(tool_size("x") < 0);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");

    REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* A file that is not a pid file is refused before the program starts, and not changed. */
static void no_pid_file(const char *option)
{
    static const char data[] = "12 of what somebody needs\n";
    struct stat st;

    REQUIRE(mkfifo("fifo", 0666) == 0);
    write_file("data", data);
    CHECK(TOOL_RUN(achcop, option, "fifo", "-o", "ran", "--", "echo", "run") == 1);
    CHECK(strstr(tool_read("err"), "not a regular file") != NULL);
    CHECK(lstat("fifo", &st) == 0 && S_ISFIFO(st.st_mode));
    CHECK(TOOL_RUN(achcop, option, "data", "-o", "ran", "--", "echo", "run") == 1);
    CHECK(strstr(tool_read("err"), "not a pid file") != NULL);
    CHECK(strcmp(tool_read("data"), data) == 0);
    write_file("data", "1234567890123456789\n");
    CHECK(TOOL_RUN(achcop, option, "data", "-o", "ran", "--", "echo", "run") == 1);
    write_file("data", "12\n");
    REQUIRE(link("data", "other") == 0);
    CHECK(TOOL_RUN(achcop, option, "data", "-o", "ran", "--", "echo", "run") == 1);
    CHECK(strstr(tool_read("err"), "other hard links") != NULL);
    unlink("other");
    if (geteuid() == 0) { /* only root can change the owner */
        REQUIRE(chown("data", 52004, 52004) == 0);
        CHECK(TOOL_RUN(achcop, option, "data", "-o", "ran", "--", "echo", "run") == 1);
        CHECK(strstr(tool_read("err"), "belongs to another user") != NULL);
    }
    CHECK(strcmp(tool_read("data"), "12\n") == 0);
    CHECK(tool_size("ran") == 0);
    unlink("fifo");
    unlink("data");
    unlink("ran");
}

/* A cop whose pid file was removed does not remove the pid file of another cop. */
static void file_of_another(void)
{
    pid_t first = TOOL_START(achcop, "-P", "cop.pid", "--", "sh", "-c", SLEEPER), second;

    TOOL_UNTIL(tool_pid("cop.pid") == first);
    CHECK(unlink("cop.pid") == 0);
    second = TOOL_START(achcop, "-P", "cop.pid", "--", "sh", "-c", SLEEPER);
    TOOL_UNTIL(tool_pid("cop.pid") == second);
    tool_kill(first, SIGTERM);
    CHECK(tool_wait(first) == 0);
    CHECK(tool_pid("cop.pid") == second);
    tool_kill(second, SIGTERM);
    CHECK(tool_wait(second) == 0);
    CHECK(tool_size("cop.pid") < 0);
}

/* If the pid file cannot be written, as on a full disk, nothing is left running. */
static void full_disk(const char *option)
{
    char command[512];

    snprintf(command, sizeof(command),
             "trap '' XFSZ; ulimit -f 0; exec %s -r %s full.pid -- sh -c '" SLEEPER "'", achcop,
             option);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 1);
    CHECK(tool_size("full.pid") < 0);
}

static void verbose(void)
{
    pid_t cop = TOOL_START(achcop, "-v", "-p", "child.pid", "--", "sh", "-c", SLEEPER);

    TOOL_UNTIL(tool_pid("child.pid") > 0);
    tool_kill(cop, SIGTERM);
    CHECK(tool_wait(cop) == 0);
    CHECK(strstr(tool_read("err"), "runs as process") != NULL);
    CHECK(strstr(tool_read("err"), "was ended by signal 15") != NULL);
}

/* With -d -w the start succeeds when the child reports it by SIGUSR1. */
static void reports(void)
{
    pid_t cop, child;

    CHECK(TOOL_RUN(achcop, "-d", "-w", "-t", "-P", "cop.pid", "-p", "child.pid", "-o", "out", "--",
                   "sh", "-c", "echo up; kill -USR1 $PPID; " SLEEPER) == 0);
    CHECK(strcmp(tool_read("out"), "up\n") == 0);
    cop = tool_pid("cop.pid");
    child = tool_pid("child.pid");
    REQUIRE(cop > 0);
    CHECK(tool_alive(cop) && tool_alive(child));
    tool_kill(cop, SIGTERM);
    TOOL_UNTIL(waitpid(cop, NULL, WNOHANG) == cop);
    CHECK(!tool_alive(child));
    CHECK(tool_size("cop.pid") < 0);
}

static void reports_of_failure(void)
{
    CHECK(TOOL_RUN(achcop, "-d", "-w", "-r", "-P", "cop.pid", "--", "sh", "-c",
                   "kill -USR2 $PPID; " SLEEPER) == 1);
    CHECK(strstr(tool_read("err"), "failed to start") != NULL);
    CHECK(TOOL_RUN(achcop, "-w", "-r", "--", "sh", "-c", "kill -USR2 $PPID; " SLEEPER) == 1);
    CHECK(TOOL_RUN(achcop, "-d", "-w", "-r", "--", "sh", "-c", "exit 9") == 9);
    CHECK(TOOL_RUN(achcop, "-w", "--", "true") == 1);
    CHECK(strstr(tool_read("err"), "'true' ended before it reported") != NULL);
    CHECK(TOOL_RUN(achcop, "-d", "-w", "--", "true") == 1);
    CHECK(strstr(tool_read("err"), "'true' ended before it reported") != NULL);
    /* A restart that ends without a report has failed, too, whatever its exit status. */
    CHECK(TOOL_RUN(achcop, "-w", "-r", "--delay", "0.001", "--max-restarts", "1", "--", "sh", "-c",
                   "[ -e up ] && exit 0; : > up; kill -USR1 $PPID; exit 3") == 1);
    CHECK(strstr(tool_read("err"), "failed after 1 restarts") != NULL);
    CHECK(TOOL_RUN(achcop, "-d", "-w", "--wait-time", "0.1", "--", "sh", "-c", SLEEPER) == 1);
    CHECK(strstr(tool_read("err"), "in time") != NULL);
    TOOL_UNTIL(tool_size("cop.pid") < 0);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

/* Orphans of a child are reaped. If it failed, processes left running in its group are killed. */
static void leaves_nothing(void)
{
    pid_t cop = TOOL_START(achcop, "-P", "cop.pid", "-o", "orphan", "--", "sh", "-c",
                           "(sh -c 'echo $$; exit 0' &) ; while :; do sleep 0.05; done");
    pid_t orphan;

    TOOL_UNTIL(tool_size("orphan") > 0);
    orphan = tool_pid("orphan");
    TOOL_UNTIL(check_state(orphan) == 0);
    tool_kill(cop, SIGTERM);
    CHECK(tool_wait(cop) == 0);
    unlink("orphan");
    CHECK(TOOL_RUN(achcop, "-o", "orphan", "--", "sh", "-c", "sleep 300 & echo $!; exit 3") == 3);
    orphan = tool_pid("orphan");
    REQUIRE(orphan > 0);
    TOOL_UNTIL(waitpid(orphan, NULL, WNOHANG) == orphan || check_state(orphan) == 0);
}

/* A program that ends well may leave helpers behind. */
static void spares_helpers(void)
{
    CHECK(TOOL_RUN(achcop, "-o", "log", "--", "sh", "-c", "(sleep 0.3; echo done >helper) &") == 0);
    TOOL_UNTIL(tool_size("helper") > 0);
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    achcop = tool_path(argv[1]);
    tool_enter();
    exit_statuses();
    restarts();
    backs_off();
    hangup_restarts();
    killed_child_returns();
    stubborn_child();
    patient();
    one_cop_per_file();
    readers_lock_nobody_out();
    one_file_for_both();
    no_pid_file("-P");
    no_pid_file("-p");
    file_of_another();
    full_disk("-P");
    full_disk("-p");
    verbose();
    reports();
    reports_of_failure();
    leaves_nothing();
    spares_helpers();
    TOOL_UNTIL(waitpid(-1, NULL, WNOHANG) < 0);
    return check_result();
}
