/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat.c - achcat: puts lines as messages, and prints messages
 */
#include <linux/capability.h>

#include "tool.h"

static const char *achcat;

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");

    REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void lines_and_messages(void)
{
    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    write_file("in", "one\n\ntwo words\nno end");
    CHECK(TOOL_RUN(achcat, "-p", "--chomp", "c", "in") == 0);
    CHECK(TOOL_RUN(achcat, "-xL", "c", "out") == 0);
    CHECK(strcmp(tool_read("out"), "one\ntwo words\nno end\n") == 0);
    CHECK(TOOL_RUN(achcat, "-x", "c", "out") == 0);
    CHECK(strcmp(tool_read("out"), "onetwo wordsno end") == 0);
    CHECK(TOOL_RUN(achcat, "-n", "2", "-L", "c", "out") == 0);
    CHECK(strcmp(tool_read("out"), "one\ntwo words\n") == 0);
    CHECK(TOOL_RUN(achcat, "--last", "--exit", "c", "out") == 0);
    CHECK(strcmp(tool_read("out"), "no end") == 0);
    CHECK(TOOL_RUN(achcat, "--new", "--time", "0.01", "c", "out") == 0);
    CHECK(tool_size("out") == 0);
}

/* It follows the channel until the channel is removed or a signal comes. */
static void follows(void)
{
    pid_t pid = TOOL_START(achcat, "-L", "c", "out");

    TOOL_UNTIL(strstr(tool_read("out"), "no end") != NULL);
    write_file("in", "more\n");
    CHECK(TOOL_RUN(achcat, "--put", "--chomp", "c", "in") == 0);
    TOOL_UNTIL(strstr(tool_read("out"), "more\n") != NULL);
    tool_kill(pid, SIGTERM);
    CHECK(tool_wait(pid) == 0);
    pid = TOOL_START(achcat, "c", "out2");
    TOOL_UNTIL(tool_size("out2") > 0);
    CHECK_OK(ach_unlink("c"));
    CHECK(tool_wait(pid) == 0);
    CHECK(strstr(tool_read("err"), "the channel 'c' was removed") != NULL);
}

/* SIGHUP ends it, unless it is ignored, as under nohup. */
static void hangs_up(void)
{
    char command[512];
    pid_t pid;

    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    write_file("in", "one\n");
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 0);
    pid = TOOL_START(achcat, "c", "out5");
    TOOL_UNTIL(tool_size("out5") > 0);
    tool_kill(pid, SIGHUP);
    CHECK(tool_wait(pid) == 0);
    snprintf(command, sizeof(command), "trap '' HUP; exec %s -L c out6", achcat);
    pid = TOOL_START("/bin/sh", "-c", command);
    TOOL_UNTIL(tool_size("out6") > 0);
    tool_kill(pid, SIGHUP);
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 0);
    TOOL_UNTIL(strcmp(tool_read("out6"), "one\n\none\n\n") == 0);
    tool_kill(pid, SIGTERM);
    CHECK(tool_wait(pid) == 0);
    CHECK_OK(ach_unlink("c"));
}

/* A put into a removed channel fails, because no reader can open it. */
static void put_into_removed(void)
{
    pid_t pid;
    int fd;

    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    REQUIRE(mkfifo("lines", 0666) == 0);
    pid = TOOL_START(achcat, "-p", "c", "lines");
    fd = open("lines", O_WRONLY | O_CLOEXEC);
    REQUIRE(fd >= 0 && write(fd, "one\n", 4) == 4);
    CHECK(TOOL_RUN(achcat, "-n", "1", "c", "out") == 0);
    CHECK_OK(ach_unlink("c"));
    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    REQUIRE(write(fd, "two\n", 4) == 4);
    close(fd);
    CHECK(tool_wait(pid) == 1);
    CHECK(strstr(tool_read("err"), "the channel was removed") != NULL);
    CHECK_OK(ach_unlink("c"));
}

/* It ends when its output pipe has no reader, even if there is nothing to write. */
static void reader_gone(void)
{
    char command[512];

    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    snprintf(command, sizeof(command), "(%s c; echo $? > status) | true", achcat);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 0);
    CHECK(strcmp(tool_read("status"), "141\n") == 0);
    snprintf(command, sizeof(command), "(trap '' PIPE; %s c; echo $? > status) | true", achcat);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 0);
    CHECK(strcmp(tool_read("status"), "1\n") == 0);
    CHECK(strstr(tool_read("err"), "Broken pipe") != NULL);
    CHECK_OK(ach_unlink("c"));
}

/* It fails when its channel is replaced by a new one of the same name. */
static void replaced(void)
{
    ach_create_attr_t attr;
    pid_t pid;

    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    write_file("in", "one\n");
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 0);
    pid = TOOL_START(achcat, "c", "out3");
    TOOL_UNTIL(tool_size("out3") > 0);
    CHECK_OK(ach_create("c", 16, 64, &attr));
    CHECK(tool_wait(pid) == 1);
    CHECK(strstr(tool_read("err"), "the channel was replaced") != NULL);
    CHECK_OK(ach_unlink("c"));
}

/* Messages overwritten after it began are reported as missed; earlier ones are not. */
static void missed(void)
{
    pid_t pid;
    int status;

    REQUIRE_OK(ach_create("c", 1, 64, NULL));
    write_file("in", "one\ntwo\nthree\nfour\n");
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 0);
    CHECK(TOOL_RUN(achcat, "-x", "c", "out4") == 0);
    CHECK(strstr(tool_read("err"), "missed") == NULL);
    unlink("out4");
    pid = TOOL_START(achcat, "c", "out4");
    TOOL_UNTIL(strcmp(tool_read("out4"), "four\n") == 0);
    kill(pid, SIGSTOP);
    REQUIRE(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 0);
    kill(pid, SIGCONT);
    TOOL_UNTIL(strcmp(tool_read("out4"), "four\nfour\n") == 0);
    tool_kill(pid, SIGTERM);
    CHECK(tool_wait(pid) == 0);
    CHECK(strstr(tool_read("err"), "3 messages of 'c' were missed") != NULL);
    CHECK(TOOL_RUN(achcat, "-x", "-l", "c", "out4") == 0);
    CHECK(strstr(tool_read("err"), "missed") == NULL);
    CHECK_OK(ach_unlink("c"));
}

/* The expected error message, with its advice. */
static const char *no_channel(const char *name)
{
    static char text[4500];
    char path[4096];

    REQUIRE_OK(ach_channel_path(name, path, sizeof(path)));
    snprintf(text, sizeof(text),
             "achcat: there is no channel '%s' (no file %s); 'ach mk %s' creates it\n", name, path,
             name);
    return text;
}

/* Options that are refused with --put. */
static void put_options(void)
{
    static const char *const options[] = {"-s", "-L", "-l", "-N", "-x", "-t1"};
    size_t i;

    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    write_file("in", "one\n");
    for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        CHECK(TOOL_RUN(achcat, "-p", options[i], "c", "in") == 2);
    CHECK(strstr(tool_read("err"), "only with --chomp and --count") != NULL);
    CHECK(TOOL_RUN(achcat, "-p", "-n", "1", "c", "in") == 0);
    CHECK_OK(ach_unlink("c"));
}

static void complaints(void)
{
    CHECK(TOOL_RUN(achcat) == 2);
    CHECK(TOOL_RUN(achcat, "--no-such-option", "c") == 2);
    CHECK(TOOL_RUN(achcat, "-n", "0", "c") == 2);
    CHECK(TOOL_RUN(achcat, "-t", "0", "c") == 2);
    CHECK(strstr(tool_read("err"), "more than 0 seconds") != NULL);
    CHECK(TOOL_RUN(achcat, "c", "out", "third") == 2);
    CHECK(strstr(tool_read("err"), "not also 'third'") != NULL);
    CHECK(TOOL_RUN(achcat, "c") == 1);
    CHECK(strcmp(tool_read("err"), no_channel("c")) == 0);
    CHECK(TOOL_RUN(achcat, "-p", "c") == 1);
    CHECK(strcmp(tool_read("err"), no_channel("c")) == 0);
    REQUIRE_OK(ach_create("c", 1, 4, NULL));
    write_file("in", "too long\n");
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 1);
    CHECK(strstr(tool_read("err"), "does not fit") != NULL);
    CHECK(TOOL_RUN(achcat, "-p", "c", "no-such-file") == 1);
    CHECK_OK(ach_unlink("c"));
}

/* The error names the actual reason why a put is not permitted. */
static void refused(void)
{
    char path[4096];
    pid_t pid;

    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    REQUIRE_OK(ach_channel_path("c", path, sizeof(path)));
    REQUIRE(chmod(path, 0444) == 0);
    write_file("in", "one\n");
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        /* Let file permissions apply to root, too. */
        prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
        _exit(TOOL_RUN(achcat, "-p", "c", "in"));
    }
    CHECK(tool_wait(pid) == 1);
    CHECK(strstr(tool_read("err"), "you may read this channel, but not write it") != NULL);
    CHECK_OK(ach_unlink("c"));
}

/* The channel's file must not get the descriptor of a closed stream, and output with it. */
static void closed_streams(void)
{
    char command[512];
    ach_channel_t chan;
    char buf[64];
    size_t size;

    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    write_file("in", "one\n");
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 0);
    snprintf(command, sizeof(command), "exec %s -x c >&-", achcat);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 1);
    CHECK(strstr(tool_read("err"), "cannot write") != NULL);
    snprintf(command, sizeof(command), "exec %s -x c <&- >&- 2>&-", achcat);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 1);
    snprintf(command, sizeof(command), "exec %s -p c <&-", achcat);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 1);
    snprintf(command, sizeof(command), "exec %s --help >&-", achcat);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 1);
    REQUIRE_OK(ach_open(&chan, "c", NULL));
    CHECK_OK(ach_get(&chan, buf, sizeof(buf), &size, NULL, 0));
    CHECK(size == 4 && memcmp(buf, "one\n", 4) == 0);
    CHECK(ach_get(&chan, buf, sizeof(buf), &size, NULL, 0) == ACH_EAGAIN);
    ach_close(&chan);
    CHECK_OK(ach_unlink("c"));
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    achcat = tool_path(argv[1]);
    tool_enter();
    lines_and_messages();
    follows();
    hangs_up();
    put_into_removed();
    reader_gone();
    replaced();
    missed();
    put_options();
    complaints();
    refused();
    closed_streams();
    return check_result();
}
