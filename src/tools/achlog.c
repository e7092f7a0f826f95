/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * achlog - record the messages of channels
 *
 * One log per channel, see docs/log-format.md. A signal or the time limit ends
 * the logs properly; if achlog is killed, a log is complete up to the last flush.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "record.h"
#include "streams.h"

static struct track *tracks;
static size_t tracks_begun;
static volatile sig_atomic_t stopped;

struct achlog_arguments {
    struct record_options record;
    const char *dir;
    const char *file;
    bool quiet;
    char **argv;
};

static const struct option long_options[] = {
    {"gzip", no_argument, NULL, 'z'},         {"directory", required_argument, NULL, 'd'},
    {"output", required_argument, NULL, 'o'}, {"last", no_argument, NULL, 'l'},
    {"new", no_argument, NULL, 'N'},          {"count", required_argument, NULL, 'n'},
    {"time", required_argument, NULL, 't'},   {"force", no_argument, NULL, 'f'},
    {"quiet", no_argument, NULL, 'q'},        {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},      {0}};

static void achlog_print_help(void)
{
    puts("Usage: achlog [OPTION]... CHANNEL...\n"
         "Record the messages of channels, each channel into a log of its own.\n"
         "\n"
         "  -z, --gzip           compress the logs\n"
         "  -d, --directory DIR  write the logs to DIR (default: current directory)\n"
         "  -o, --output FILE    write the log of the one channel to FILE; - is standard output\n"
         "  -l, --last           only the newest message each time, skipping older ones\n"
         "  -N, --new            skip the messages that the channels hold already\n"
         "  -n, --count N        end after N messages of each channel\n"
         "  -t, --time SECONDS   end after this time\n"
         "  -f, --force          overwrite existing files\n"
         "  -q, --quiet          no summary at the end\n"
         "  -h, --help           print this help\n"
         "  -V, --version        print the version\n"
         "\n"
         "The log of CHANNEL is CHANNEL.achlog, or CHANNEL.achlog.gz. 'ach replay' plays it.\n"
         "SIGINT and SIGTERM end the logs properly.");
}

/* In Ach 2, -n had no argument and no effect; then a channel follows. */
static bool set_count(struct achlog_arguments *a)
{
    if (optarg != a->argv[optind - 1] || (optarg[0] == '-' && isdigit((unsigned char)optarg[1])) ||
        optarg[strspn(optarg, "0123456789")] == '\0')
        return tool_parse_count(optarg, "the count", 1, &a->record.count);
    optind--;
    return true;
}

static bool achlog_set_option(void *cx, int option)
{
    struct achlog_arguments *a = cx;

    switch (option) {
    case 'z':
        return a->record.compress = true;
    case 'd':
        a->dir = optarg;
        return true;
    case 'o':
        a->file = optarg;
        return true;
    case 'l':
        return a->record.last = true;
    case 'N':
        return a->record.fresh = true;
    case 'n':
        return set_count(a);
    case 't':
        return tool_parse_limit(optarg, &a->record.until_ns);
    case 'f':
        return a->record.force = true;
    case 'q':
        return a->quiet = true;
    default:
        return false;
    }
}

/* Negative: go on. Otherwise exit with this status. */
static int achlog_parse_arguments(struct achlog_arguments *a, int argc, char **argv)
{
    static const struct options options = {"zd:o:lNn:t:fqhH?V", long_options, achlog_print_help,
                                           achlog_set_option};
    int status;

    a->argv = argv;
    status = tool_parse_options(&options, argc, argv, a);
    if (status >= 0)
        return status;
    if (optind == argc) {
        tool_complain("no channel is given. See achlog --help");
        return EXIT_USAGE;
    }
    if (a->file && a->dir) {
        tool_complain("--output and --directory exclude each other");
        return EXIT_USAGE;
    }
    if (a->file && argc - optind > 1) {
        tool_complain("--output accepts one channel; use --directory for several");
        return EXIT_USAGE;
    }
    if (a->record.compress && !gzip_available()) {
        tool_complain("built without zlib: logs cannot be compressed here, leave out --gzip");
        return EXIT_USAGE;
    }
    return -1;
}

/* Two logs of the same channel would use the same file. */
static bool all_differ(char **names, size_t n)
{
    size_t i, j;

    for (i = 1; i < n; i++) {
        for (j = 0; j < i; j++) {
            if (strcmp(names[i], names[j]) == 0) {
                tool_complain("the channel '%s' is named twice", names[i]);
                return false;
            }
        }
    }
    return true;
}

static bool begin_track(struct track *t, const struct achlog_arguments *a)
{
    char *path = NULL;
    bool ok;

    if (a->file)
        return track_begin(t, a->file, &a->record);
    if (asprintf(&path, "%s/%s.achlog%s", a->dir ? a->dir : ".", t->name,
                 a->record.compress ? ".gz" : "") < 0) {
        tool_complain("no memory");
        ach_close(&t->chan);
        return false;
    }
    ok = track_begin(t, path, &a->record);
    free(path);
    return ok;
}

/* Open all channels before any file, so that a wrong name leaves no files behind. */
static bool open_tracks(const struct achlog_arguments *a, char **names, size_t n)
{
    size_t opened = 0, i;

    while (opened < n && track_open(&tracks[opened], names[opened], &a->record))
        opened++;
    while (opened == n && tracks_begun < n && begin_track(&tracks[tracks_begun], a))
        tracks_begun++;
    if (tracks_begun == n)
        return true;
    for (i = opened == n ? tracks_begun + 1 : 0; i < opened; i++)
        ach_close(&tracks[i].chan);
    return false;
}

static void achlog_on_signal(int sig)
{
    (void)sig;
    stopped = 1;
    tracks_cancel(tracks, tracks_begun);
}

static void achlog_catch_signals(void)
{
    struct sigaction act = {.sa_handler =
                                achlog_on_signal}; /* without SA_RESTART: interrupt open(), too */

    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGHUP, &act, NULL);
    signal(SIGPIPE, SIG_IGN); /* one failed log must not end the others */
    signal(SIGXFSZ, SIG_IGN);
}

/* Run the groups: the first one in this thread, each other one in its own. */
static bool achlog_run(const struct record_options *options, size_t n)
{
    size_t groups = (n + ACH_WAIT_MAX - 1) / ACH_WAIT_MAX, i, begun;
    struct group *g = calloc(groups, sizeof(*g));
    pthread_t *threads = calloc(groups, sizeof(*threads));

    for (i = 0; g && i < groups; i++) {
        size_t left = n - i * ACH_WAIT_MAX;

        g[i] = (struct group){.tracks = &tracks[i * ACH_WAIT_MAX],
                              .n = left < ACH_WAIT_MAX ? left : ACH_WAIT_MAX,
                              .options = options};
    }
    for (begun = 1; g && threads && begun < groups; begun++)
        if (pthread_create(&threads[begun], NULL, group_run, &g[begun]) != 0)
            break;
    if (!g || !threads || begun < groups) {
        tool_complain("no memory, or no threads, for %zu channels", n);
        tracks_cancel(tracks, n);
    }
    if (g)
        group_run(&g[0]);
    for (i = 1; threads && i < begun; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    free(g);
    return begun == groups;
}

static void summarise(const struct track *t)
{
    fprintf(stderr, "%s: %" PRIu64 " messages, %" PRIu64 " bytes, %" PRIu64 " missed, in %s\n",
            t->name, t->log.messages, t->log.bytes, t->log.missed, t->path);
    if (t->untimed)
        fprintf(stderr,
                "%s: the put times of the first %" PRIu64 " messages are unknown: they were put "
                "before recording began, and the channel has no timestamps\n",
                t->name, t->untimed);
}

static void ignore_signals(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
}

static int record(const struct achlog_arguments *a, char **names, size_t n)
{
    bool ok;
    size_t i;

    tracks = calloc(n, sizeof(*tracks));
    if (!tracks) {
        tool_complain("no memory");
        return EXIT_FAILED;
    }
    /* From the first log on, a signal must end the logs properly. */
    achlog_catch_signals();
    ok = open_tracks(a, names, n);
    if (stopped)
        tracks_cancel(tracks, tracks_begun);
    ok = ok && achlog_run(&a->record, n);
    ignore_signals();
    for (i = 0; i < tracks_begun; i++) {
        ok = track_close(&tracks[i]) && ok;
        if (tracks_begun == n && !a->quiet && !tracks[i].lost)
            summarise(&tracks[i]);
        track_finish(&tracks[i]);
    }
    free(tracks);
    return ok ? EXIT_DONE : EXIT_FAILED;
}

int main(int argc, char **argv)
{
    struct achlog_arguments a = {.record.until_ns = INT64_MAX};
    int status;

    streams_init();
    ach_handle_sigbus();
    tool_name = "achlog";
    status = achlog_parse_arguments(&a, argc, argv);
    if (status >= 0)
        return tool_finish(status);
    if (!all_differ(argv + optind, (size_t)(argc - optind)))
        return EXIT_USAGE;
    return record(&a, argv + optind, (size_t)(argc - optind));
}
