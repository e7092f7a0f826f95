/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * achcat - write messages to standard output, or put lines into a channel
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "streams.h"

/* Interval to check for a closed output pipe while there is nothing to write. */
#define LOOK_EVERY_NS 500000000ll

struct achcat_arguments {
    const char *channel;
    const char *file;
    bool put;
    bool subscribe;
    bool chomp;
    bool lines;
    bool last;
    bool fresh;
    bool now; /* exit when there is no new message */
    uint64_t count;
    int64_t until_ns; /* on CLOCK_MONOTONIC; INT64_MAX: never */
};

static ach_channel_t chan;

enum { OPTION_CHOMP = 256 };

static const struct option long_options[] = {{"put", no_argument, NULL, 'p'},
                                             {"subscribe", no_argument, NULL, 's'},
                                             {"chomp", no_argument, NULL, OPTION_CHOMP},
                                             {"lines", no_argument, NULL, 'L'},
                                             {"last", no_argument, NULL, 'l'},
                                             {"new", no_argument, NULL, 'N'},
                                             {"exit", no_argument, NULL, 'x'},
                                             {"count", required_argument, NULL, 'n'},
                                             {"time", required_argument, NULL, 't'},
                                             {"help", no_argument, NULL, 'h'},
                                             {"version", no_argument, NULL, 'V'},
                                             {0}};

static void achcat_print_help(void)
{
    puts("Usage: achcat [OPTION]... CHANNEL [FILE]\n"
         "  or:  achcat --put [--chomp] [--count N] CHANNEL [FILE]\n"
         "Copy the messages of a channel to standard output or a file, or with --put\n"
         "the lines of standard input or a file into a channel.\n"
         "\n"
         "  -p, --put           put lines into the channel, each with its newline\n"
         "      --chomp           with --put: without the newline; empty lines are skipped\n"
         "  -s, --subscribe     copy messages from the channel (default)\n"
         "  -L, --lines         write a newline after each message\n"
         "  -l, --last          only the newest message each time, skipping older ones\n"
         "  -N, --new           skip the messages that the channel holds already\n"
         "  -x, --exit          end when there is nothing new, instead of waiting\n"
         "  -n, --count N       end after N messages\n"
         "  -t, --time SECONDS  end after this time\n"
         "  -h, --help          print this help\n"
         "  -V, --version       print the version");
}

static bool achcat_set_option(void *cx, int option)
{
    struct achcat_arguments *a = cx;

    switch (option) {
    case 'p':
        return a->put = true;
    case 's':
        return a->subscribe = true;
    case OPTION_CHOMP:
        return a->chomp = true;
    case 'L':
        return a->lines = true;
    case 'l':
        return a->last = true;
    case 'N':
        return a->fresh = true;
    case 'x':
        return a->now = true;
    case 'n':
        return tool_parse_count(optarg, "the count", 1, &a->count);
    case 't':
        return tool_parse_limit(optarg, &a->until_ns);
    default:
        return false;
    }
}

static bool only_for_get(const struct achcat_arguments *a)
{
    return a->subscribe || a->lines || a->last || a->fresh || a->now || a->until_ns != INT64_MAX;
}

/* Negative: go on. Otherwise exit with this status. */
static int achcat_parse_arguments(struct achcat_arguments *a, int argc, char **argv)
{
    static const struct options options = {"psLlNxn:t:hH?V", long_options, achcat_print_help,
                                           achcat_set_option};
    int status;

    status = tool_parse_options(&options, argc, argv, a);
    if (status >= 0)
        return status;
    if (optind == argc) {
        tool_complain("no channel is given. See achcat --help");
        return EXIT_USAGE;
    }
    if (argc - optind > 2) {
        tool_complain("give one channel and at most one file, not also '%s'", argv[optind + 2]);
        return EXIT_USAGE;
    }
    if (a->put && only_for_get(a)) {
        tool_complain("--put can be combined only with --chomp and --count");
        return EXIT_USAGE;
    }
    if (a->chomp && !a->put) {
        tool_complain("--chomp needs --put");
        return EXIT_USAGE;
    }
    a->channel = argv[optind];
    a->file = argv[optind + 1];
    return -1;
}

static void achcat_on_signal(int sig)
{
    (void)sig;
    ach_cancel(&chan, NULL);
}

static void achcat_catch_signals(void)
{
    struct sigaction act = {.sa_handler = achcat_on_signal}, old;

    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    /* Keep SIGHUP ignored under nohup. */
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &act, NULL);
}

/* Wait for a message, at most LOOK_EVERY_NS: ACH_EAGAIN if none came. */
static enum ach_status wait_a_while(const struct achcat_arguments *a)
{
    int64_t look_ns = tool_clock_ns(CLOCK_MONOTONIC) + LOOK_EVERY_NS;
    struct timespec until = tool_ns_to_time(look_ns < a->until_ns ? look_ns : a->until_ns);
    ach_wait_item_t item = {.chan = &chan};
    enum ach_status r = ach_wait(&item, 1, &until, ACH_O_LINKED);

    if (r == ACH_TIMEOUT && look_ns < a->until_ns)
        return ACH_EAGAIN;
    return r == ACH_OK ? item.status : r;
}

/* Get the next message into a buffer that grows as needed. ACH_EAGAIN: none yet. */
static enum ach_status next(const struct achcat_arguments *a, unsigned char **buf, size_t *room,
                            size_t *size)
{
    for (;;) {
        enum ach_status r =
            ach_get(&chan, *buf, *room, size, NULL, a->last ? ACH_O_LAST : ACH_O_FIRST);
        unsigned char *p;

        if (ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME) &&
            tool_clock_ns(CLOCK_MONOTONIC) >= a->until_ns)
            return ACH_TIMEOUT;
        if (r == ACH_EAGAIN && !a->now) {
            r = wait_a_while(a);
            if (r == ACH_OK)
                continue;
            return r;
        }
        if (r != ACH_OVERFLOW)
            return r;
        p = realloc(*buf, *size);
        if (!p)
            return ACH_FAILED_SYSCALL;
        *buf = p;
        *room = *size;
    }
}

static bool achcat_write_message(const struct achcat_arguments *a, FILE *out, const void *data,
                                 size_t size)
{
    if (fwrite(data, 1, size, out) == size && (!a->lines || putc('\n', out) != EOF) &&
        fflush(out) == 0)
        return true;
    tool_complain("cannot write: %s", strerror(errno));
    return false;
}

/* Check for a closed output pipe without writing. False after complaining. */
static bool still_read(FILE *out)
{
    struct pollfd p = {.fd = fileno(out)};

    if (poll(&p, 1, 0) != 1 || !(p.revents & POLLERR))
        return true;
    raise(SIGPIPE); /* as writing would */
    tool_complain("cannot write: %s", strerror(EPIPE));
    return false;
}

/* Report why there are no more messages. True: no error; removal of the channel is none. */
static bool ended_well(const struct achcat_arguments *a, enum ach_status r)
{
    if (r == ACH_ENOENT)
        tool_complain("the channel '%s' was removed", a->channel);
    if (ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME | ACH_MASK_EAGAIN |
                                ACH_MASK_TIMEOUT | ACH_MASK_CANCELED | ACH_MASK_ENOENT))
        return true;
    tool_complain("cannot get from the channel '%s': %s", a->channel, tool_status_text(r));
    return false;
}

static void tell_missed(const struct achcat_arguments *a, uint64_t gone)
{
    uint64_t total;

    if (!a->last && ach_channel_missed(&chan, NULL, &total) == ACH_OK && total > gone)
        tool_complain("%" PRIu64 " messages of '%s' were missed", total - gone, a->channel);
}

/* Messages overwritten before this are not counted as missed. */
static bool achcat_begin(const struct achcat_arguments *a, uint64_t *gone)
{
    ach_info_t info;
    enum ach_status r = ach_channel_info(&chan, &info);

    if (r != ACH_OK) {
        tool_complain("cannot read the channel '%s': %s", a->channel, tool_status_text(r));
        return false;
    }
    *gone = a->fresh ? 0 : tool_gone(&info);
    if (a->fresh)
        ach_flush(&chan);
    return true;
}

static int get_all(const struct achcat_arguments *a, FILE *out)
{
    unsigned char *buf = NULL;
    size_t room = 0, size;
    enum ach_status r = ACH_OK;
    uint64_t n = 0, gone;
    bool ok = true;

    if (!achcat_begin(a, &gone))
        return EXIT_FAILED;
    achcat_catch_signals();
    while (ok && (a->count == 0 || n < a->count)) {
        r = next(a, &buf, &room, &size);
        if (r == ACH_EAGAIN && !a->now) {
            ok = still_read(out);
            continue;
        }
        if (r != ACH_OK && r != ACH_MISSED_FRAME)
            break;
        ok = achcat_write_message(a, out, buf, size);
        n++;
    }
    free(buf);
    tell_missed(a, gone);
    return ok && ended_well(a, r) ? EXIT_DONE : EXIT_FAILED;
}

/* A message has at least one byte, so with --chomp empty lines are skipped. */
static int put_all(const struct achcat_arguments *a, FILE *in)
{
    char *line = NULL;
    size_t room = 0;
    uint64_t n = 0;
    bool ok = true;
    ssize_t r;

    while (ok && (a->count == 0 || n < a->count) && (r = getline(&line, &room, in)) >= 0) {
        if (a->chomp && r > 0 && line[r - 1] == '\n')
            r--;
        if (r == 0)
            continue;
        ok = tool_put(&chan, a->channel, line, (size_t)r);
        n++;
    }
    if (ferror(in)) {
        tool_complain("cannot read: %s", strerror(errno));
        ok = false;
    }
    free(line);
    return ok ? EXIT_DONE : EXIT_FAILED;
}

static int copy(const struct achcat_arguments *a)
{
    FILE *file = a->put ? stdin : stdout;
    int status = EXIT_FAILED;

    if (a->file && strcmp(a->file, "-") != 0)
        file = fopen(a->file, a->put ? "re" : "we");
    if (!file) {
        tool_complain("cannot open '%s': %s", a->file, strerror(errno));
        return EXIT_FAILED;
    }
    if (a->put ? tool_open_for_put(&chan, a->channel, NULL)
               : tool_open_for_get(&chan, a->channel)) {
        status = a->put ? put_all(a, file) : get_all(a, file);
        ach_close(&chan);
    }
    /* stdout was flushed already, and is closed at exit. */
    if (file != stdout && fclose(file) != 0 && status == EXIT_DONE) {
        tool_complain("cannot write: %s", strerror(errno));
        status = EXIT_FAILED;
    }
    return status;
}

int main(int argc, char **argv)
{
    struct achcat_arguments a = {.until_ns = INT64_MAX};
    int status;

    streams_init();
    ach_handle_sigbus();
    tool_name = "achcat";
    status = achcat_parse_arguments(&a, argc, argv);
    return status >= 0 ? tool_finish(status) : copy(&a);
}
