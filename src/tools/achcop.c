/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * achcop - start a program, watch it, and start it again when it fails
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>
#include <unistd.h>

#include "common.h"
#include "cop.h"
#include "streams.h"

enum {
    OPTION_ALWAYS = 256,
    OPTION_MAX_RESTARTS,
    OPTION_WAIT_TIME,
    OPTION_GRACE,
    OPTION_DELAY,
    OPTION_MAX_DELAY,
    OPTION_STABLE
};

static const struct option long_options[] = {
    {"cop-pid-file", required_argument, NULL, 'P'},
    {"child-pid-file", required_argument, NULL, 'p'},
    {"output", required_argument, NULL, 'o'},
    {"error", required_argument, NULL, 'e'},
    {"detach", no_argument, NULL, 'd'},
    {"restart", no_argument, NULL, 'r'},
    {"always", no_argument, NULL, OPTION_ALWAYS},
    {"max-restarts", required_argument, NULL, OPTION_MAX_RESTARTS},
    {"wait", no_argument, NULL, 'w'},
    {"wait-time", required_argument, NULL, OPTION_WAIT_TIME},
    {"grace", required_argument, NULL, OPTION_GRACE},
    {"delay", required_argument, NULL, OPTION_DELAY},
    {"max-delay", required_argument, NULL, OPTION_MAX_DELAY},
    {"stable", required_argument, NULL, OPTION_STABLE},
    {"tie", no_argument, NULL, 't'},
    {"log-ident", required_argument, NULL, 'i'},
    {"log-facility", required_argument, NULL, 'f'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {0}};

struct achcop_arguments {
    struct cop_options cop;
    const char *cop_pid_file;
    const char *child_pid_file;
    const char *out;
    const char *err;
    const char *ident; /* for the system log */
    int facility;
    bool logs;
    bool detach;
};

static void achcop_print_help(void)
{
    puts("Usage: achcop [OPTION]... -- PROGRAM [ARGUMENT]...\n"
         "Start a program, watch it, and start it again when it fails.\n"
         "\n"
         "  -P, --cop-pid-file FILE    write and lock the pid of achcop there\n"
         "  -p, --child-pid-file FILE  write and lock the pid of the program there\n"
         "  -o, --output FILE          append the program's standard output to FILE\n"
         "  -e, --error FILE           append the program's standard error to FILE; -: leave the\n"
         "                             output as it is, which is the default without --detach\n"
         "  -d, --detach               run in the background once the program has started:\n"
         "                             it runs for a second, or ends well, or see --wait\n"
         "  -r, --restart              start the program again when it fails, except if it fails\n"
         "                             within a second of its first start\n"
         "      --always               start it again also when it ends well\n"
         "      --max-restarts N       give up after N restarts in a row, not at the first start\n"
         "      --delay SECONDS        delay before a restart (0.25); doubles each time\n"
         "      --max-delay SECONDS    the longest delay (30)\n"
         "      --stable SECONDS       a run this long resets delay and count (10)\n"
         "  -w, --wait                 the program has started when it sends SIGUSR1 to its\n"
         "                             parent; SIGUSR2 means that it failed to start\n"
         "      --wait-time SECONDS    how long --wait waits for a signal (30)\n"
         "      --grace SECONDS        if the program has not ended so long after SIGTERM, send\n"
         "                             SIGKILL; without this option SIGKILL is never sent\n"
         "  -t, --tie                  kill the program when achcop is killed\n"
         "  -i, --log-ident NAME       write messages to the system log too, under this name\n"
         "  -f, --log-facility FACILITY  the same, as user (default) or daemon\n"
         "  -v, --verbose              print a message for each start and end\n"
         "  -h, --help                 print this help\n"
         "  -V, --version              print the version\n"
         "\n"
         "SIGHUP to achcop restarts the program. SIGTERM and SIGINT end it, then achcop.");
}

static bool set_number(struct cop_options *o, int option)
{
    switch (option) {
    case OPTION_MAX_RESTARTS:
        return tool_parse_count(optarg, "the number of restarts", 0, &o->max_restarts);
    case OPTION_WAIT_TIME:
        return tool_parse_seconds(optarg, "the time to wait", &o->wait_seconds);
    case OPTION_GRACE:
        return tool_parse_seconds(optarg, "the grace time", &o->grace);
    case OPTION_DELAY:
        return tool_parse_seconds(optarg, "the delay", &o->delay);
    case OPTION_MAX_DELAY:
        return tool_parse_seconds(optarg, "the longest delay", &o->max_delay);
    case OPTION_STABLE:
        return tool_parse_seconds(optarg, "the time of a good run", &o->stable);
    default:
        return false;
    }
}

static bool set_facility(struct achcop_arguments *a)
{
    a->logs = true;
    a->facility = strcasecmp(optarg, "user") ? LOG_DAEMON : LOG_USER;
    if (a->facility == LOG_USER || !strcasecmp(optarg, "daemon") || !strcasecmp(optarg, "demon"))
        return true;
    tool_complain("the log facility cannot be '%s': give user or daemon", optarg);
    return false;
}

static bool achcop_set_option(void *cx, int option)
{
    struct achcop_arguments *a = cx;

    switch (option) {
    case 'P':
        a->cop_pid_file = optarg;
        return true;
    case 'p':
        a->child_pid_file = optarg;
        return true;
    case 'o':
        a->out = optarg;
        return true;
    case 'e':
        a->err = optarg;
        return true;
    case 'd':
        return a->detach = true;
    case 'r':
        return a->cop.restart = true;
    case OPTION_ALWAYS:
        return a->cop.restart = a->cop.always = true;
    case 'w':
        return a->cop.wait = true;
    case 't':
        return a->cop.tie = true;
    case 'i':
        a->ident = optarg;
        return a->logs = true;
    case 'f':
        return set_facility(a);
    case 'v':
        return a->cop.verbose = true;
    default:
        return set_number(&a->cop, option);
    }
}

/* Negative: go on. Otherwise exit with this status. */
static int achcop_parse_arguments(struct achcop_arguments *a, int argc, char **argv)
{
    static const struct options options = {"+P:p:o:e:i:f:drwtvhH?V", long_options,
                                           achcop_print_help, achcop_set_option};
    int status;

    status = tool_parse_options(&options, argc, argv, a);
    if (status >= 0)
        return status;
    if (optind == argc) {
        tool_complain("no program is given. See achcop --help");
        return EXIT_USAGE;
    }
    a->cop.command = argv + optind;
    return -1;
}

/* Open the output: its file, /dev/null when detached, else inherited (-1), as with "-". */
static bool open_output(const char *path, bool detach, int inherited, int *fd)
{
    *fd = -1;
    if (!path && detach)
        path = "/dev/null";
    if (path && strcmp(path, "-") == 0 && detach) /* a copy, which survives leave_terminal */
        return (*fd = fcntl(inherited, F_DUPFD_CLOEXEC, 3)) >= 0 || errno == EBADF;
    if (!path || strcmp(path, "-") == 0)
        return true;
    *fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    if (*fd < 0)
        tool_complain("cannot write '%s': %s", path, strerror(errno));
    return *fd >= 0;
}

/* In the foreground process: wait for the exit status of the start. */
static int await_start(int report)
{
    unsigned char status;
    ssize_t n;

    do
        n = read(report, &status, 1);
    while (n < 0 && errno == EINTR);
    return n == 1 ? status : EXIT_FAILED;
}

/*
 * Release the caller's terminal and outputs. Messages of the cop go where the
 * program's standard error goes.
 */
static void leave_terminal(const struct achcop_arguments *a)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(a->cop.err_fd >= 0 ? a->cop.err_fd : null, STDERR_FILENO);
    close(null);
}

struct achcop_report {
    const struct achcop_arguments *arguments;
    int fd; /* negative: not detached, no process waits */
};

static void started(void *cx, int status)
{
    const struct achcop_report *r = cx;
    unsigned char byte = (unsigned char)status;

    if (r->fd < 0)
        return;
    leave_terminal(r->arguments);
    if (write(r->fd, &byte, 1) != 1)
        tool_complain("cannot report the start: the achcop in the foreground has exited");
    close(r->fd);
}

/* Returns in the background process. The foreground one exits with the status of the start. */
static bool detach(struct achcop_report *r)
{
    int report[2];
    pid_t pid;

    if (pipe2(report, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
        tool_complain("cannot detach: %s", strerror(errno));
        return false;
    }
    if (pid > 0) {
        cop_unblock_signals();
        close(report[1]);
        exit(await_start(report[0]));
    }
    close(report[0]);
    setsid();
    r->fd = report[1];
    return true;
}

/* Lock the pid files. Negative: done. Otherwise exit with this status. */
static int lock_files(const struct achcop_arguments *a, struct cop_files *files)
{
    if (!pidfile_init(&files->cop, a->cop_pid_file))
        return EXIT_FAILED;
    if (a->child_pid_file && pidfile_is(&files->cop, a->child_pid_file)) {
        tool_complain("--cop-pid-file and --child-pid-file both name '%s'", a->child_pid_file);
        pidfile_finish(&files->cop);
        return EXIT_USAGE;
    }
    if (pidfile_init(&files->child, a->child_pid_file))
        return -1;
    pidfile_finish(&files->cop);
    return EXIT_FAILED;
}

static int achcop_run(struct achcop_arguments *a)
{
    struct achcop_report report = {.arguments = a, .fd = -1};
    struct cop_files files = {0};
    int status;

    if (!open_output(a->out, a->detach, STDOUT_FILENO, &a->cop.out_fd) ||
        !open_output(a->err, a->detach, STDERR_FILENO, &a->cop.err_fd))
        return EXIT_FAILED;
    if (a->logs || (a->detach && !a->err))
        tool_log_to(a->ident, a->facility);
    status = lock_files(a, &files);
    if (status >= 0)
        return status;
    status = EXIT_FAILED;
    cop_block_signals();
    if (!a->detach || detach(&report))
        status = cop_run(&a->cop, &files, started, &report);
    pidfile_finish(&files.child);
    pidfile_finish(&files.cop);
    return status;
}

int main(int argc, char **argv)
{
    struct achcop_arguments a = {.ident = "achcop",
                                 .facility = LOG_USER,
                                 .cop = {.max_restarts = UINT64_MAX,
                                         .wait_seconds = 30,
                                         .grace = -1,
                                         .delay = 0.25,
                                         .max_delay = 30,
                                         .stable = 10}};
    int status;

    streams_init();
    tool_name = "achcop";
    status = achcop_parse_arguments(&a, argc, argv);
    return status >= 0 ? tool_finish(status) : achcop_run(&a);
}
