/* SPDX-License-Identifier: BSD-3-Clause */
/* ach record - record channels into a file; the work is in src/record */
#include "../../record/record.h"

#include "cli.h"
#include "parse.h"

#define SPLIT_MIN 1024u
#define LIST_MAX 256

/* Arguments of an option that may be given several times. */
struct record_list {
    const char *words[LIST_MAX];
    size_t n;
};

struct record_line {
    struct record_settings options;
    struct record_list excluded, attached;
    const char *trigger;
    bool all;
};

static const char shorts[] = "haX:c:d:fo:q";

enum { COMPRESSION = 256, CHUNK, SPLIT_SIZE, SPLIT_TIME, BUFFER, EXACT, HELD, BEFORE, ONCE };
enum { TRIGGER = 300, ATTACH };

static const struct option longs[] = {{"all", no_argument, NULL, 'a'},
                                      {"output", required_argument, NULL, 'o'},
                                      {"exclude", required_argument, NULL, 'X'},
                                      {"compression", required_argument, NULL, COMPRESSION},
                                      {"chunk", required_argument, NULL, CHUNK},
                                      {"split-size", required_argument, NULL, SPLIT_SIZE},
                                      {"split-time", required_argument, NULL, SPLIT_TIME},
                                      {"buffer", required_argument, NULL, BUFFER},
                                      {"exact", no_argument, NULL, EXACT},
                                      {"held", no_argument, NULL, HELD},
                                      {"before", required_argument, NULL, BEFORE},
                                      {"once", no_argument, NULL, ONCE},
                                      {"trigger", required_argument, NULL, TRIGGER},
                                      {"attach", required_argument, NULL, ATTACH},
                                      {"duration", required_argument, NULL, 'd'},
                                      {"count", required_argument, NULL, 'c'},
                                      {"quiet", no_argument, NULL, 'q'},
                                      {"force", no_argument, NULL, 'f'},
                                      {0}};

static bool record_list_add(struct record_list *l, const char *word, const char *option)
{
    if (l->n == LIST_MAX) {
        complain("%s can be given %d times at most", option, LIST_MAX);
        return false;
    }
    l->words[l->n++] = word;
    return true;
}

static bool size_value(const char *option, size_t *size)
{
    return (parse_size(optarg, size) && *size > 0) ||
           bad_value(option, optarg, "bytes, for example 64M");
}

static bool seconds_value(const char *option, double *seconds)
{
    return parse_seconds(optarg, seconds) || bad_value(option, optarg, SECONDS_WANTED);
}

static bool compression_value(enum mcap_compression *compression)
{
    return mcap_compression_parse(optarg, compression) ||
           bad_value("--compression", optarg, "none, lz4 or zstd, as far as this build has them");
}

static bool record_limit(struct record_settings *o, int c)
{
    switch (c) {
    case CHUNK:
        return size_value("--chunk", &o->chunk);
    case SPLIT_SIZE:
        return (parse_size(optarg, &o->split_size) && o->split_size >= SPLIT_MIN) ||
               bad_value("--split-size", optarg, "1K or more bytes, for example 1G");
    case BUFFER:
        return size_value("--buffer", &o->buffer);
    case SPLIT_TIME:
        return seconds_value("--split-time", &o->split_time);
    case BEFORE:
        return seconds_value("--before", &o->before);
    case 'd':
        return seconds_value("--duration", &o->duration);
    case 'c':
        return parse_count(optarg, 1, UINT64_MAX, &o->count) ||
               bad_value("--count", optarg, "a number of messages from 1");
    default:
        return false;
    }
}

static bool record_option(struct record_line *l, int c)
{
    struct record_settings *o = &l->options;

    switch (c) {
    case 'a':
        return l->all = true;
    case 'o':
        o->output = optarg;
        return true;
    case 'X':
        return record_list_add(&l->excluded, optarg, "--exclude");
    case 'f':
        return o->force = true;
    case COMPRESSION:
        return compression_value(&o->compression);
    case EXACT:
        return o->feed.exact = true;
    case HELD:
        return o->feed.held = true;
    case ONCE:
        return o->once = true;
    case 'q':
        return o->quiet = true;
    case TRIGGER:
        l->trigger = optarg;
        return true;
    case ATTACH:
        return record_list_add(&l->attached, optarg, "--attach");
    default:
        return record_limit(o, c);
    }
}

static int record_check(const struct record_line *l, int operands)
{
    const struct record_settings *o = &l->options;

    if (l->trigger)
        return operands || l->all || o->output ? usage("--trigger is given alone") : EXIT_OK;
    if (!o->output)
        return usage("-o FILE.mcap is missing");
    if (l->all == (operands > 0))
        return usage(l->all ? "-a records all channels; leave out the patterns"
                            : "give names of channels, patterns or devices, or -a for all");
    if (o->once && o->before <= 0)
        return usage("--once is for --before");
    if ((o->split_size || o->split_time > 0) && o->output[0] == '-' && !o->output[1])
        return usage("standard output cannot be split");
    return EXIT_OK;
}

static int record_verb_run(int argc, char **argv)
{
    struct record_line l = {.options = {.buffer = RECORD_BUFFER, .version = ACH_VERSION}};
    int c, status;

    if (!mcap_compression_parse("lz4", &l.options.compression))
        l.options.compression = MCAP_NONE;
    while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (c == '?')
            return usage_hint();
        if (!record_option(&l, c))
            return EXIT_USAGE;
    }
    status = record_check(&l, argc - optind);
    if (status != EXIT_OK)
        return status;
    if (l.trigger)
        return record_trigger(l.trigger);
    l.options.feed.patterns = (const char *const *)argv + optind;
    l.options.feed.npatterns = (size_t)(argc - optind);
    l.options.feed.excluded = l.excluded.words;
    l.options.feed.nexcluded = l.excluded.n;
    l.options.attachments = l.attached.words;
    l.options.nattachments = l.attached.n;
    return record_run(&l.options);
}

const struct verb verb_record = {
    .name = "record",
    .summary = "record channels and devices into an MCAP file",
    .help =
        "Usage: ach record [OPTION ...] -o FILE.mcap -a | PATTERN ...\n"
        "       ach record --trigger FILE.mcap\n\n"
        "Record the messages of channels whose names match a pattern, also of those that appear\n"
        "later. A device such as laser:0 is opened, so that its driver runs. Data of devices is\n"
        "recorded as messages of ROS, which viewers draw. Writers are not slowed down. Messages\n"
        "that are missed or lost are counted; the counts are printed and stored in the file.\n"
        "Ctrl-C ends the recording.\n\n"
        "Options:\n"
        "  -a, --all              record all channels\n"
        "      --output FILE      the file; '-': standard output. -o is short for it\n"
        "  -X, --exclude PATTERN  leave out these channels; may be given several times\n"
        "      --compression X    lz4 (default), zstd or none\n"
        "      --chunk SIZE       bytes of messages that are compressed together (1M)\n"
        "      --buffer SIZE      memory between reading and writing (64M); it limits --before "
        "and\n"
        "                         the size of a message\n"
        "      --split-size SIZE  write FILE_0001.mcap, FILE_0002.mcap and so on, of this size "
        "each\n"
        "      --split-time SECONDS  write such files, of this time each\n"
        "      --exact            record the bytes of devices' channels, too\n"
        "      --held             begin with the messages that channels hold\n"
        "      --before SECONDS   keep the last seconds in memory until --trigger or SIGUSR1; "
        "then\n"
        "                         write them, and go on recording\n"
        "      --once             with --before: end after writing them\n"
        "      --trigger FILE     tell the recorder of this file to write what it keeps\n"
        "      --attach FILE      store a file in the recording; may be given several times\n"
        "  -d, --duration SECONDS  end after this time; with --before, after the trigger\n"
        "  -c, --count N          end after this number of messages; with --before, after the "
        "trigger\n"
        "  -f, --force            replace existing files\n"
        "  -q, --quiet            print only errors, and what was missed\n"
        "  -h, --help             print this help\n\n"
        "Examples:\n"
        "  ach record -a -o drive.mcap\n"
        "  ach record -o drive.mcap 'imu*' laser:0 position2d:0 map:0 --attach robot.cfg\n"
        "  ach record -a --before 30 -o fall.mcap & sleep 60; ach record --trigger fall.mcap\n",
    .run = record_verb_run,
};
