/* SPDX-License-Identifier: BSD-3-Clause */
/* convert.c - ach log convert */
#include "convert.h"

#include <string.h>

enum convert_format { TO_UNKNOWN, TO_MCAP, TO_ACHLOG, TO_DEVICES, TO_CSV, TO_JSONL };

static const struct {
    const char *name;
    const char *suffixes[3];
    enum convert_format format;
} convert_formats[] = {
    {"mcap", {".mcap"}, TO_MCAP},
    {"achlog", {".achlog", ".achlog.gz"}, TO_ACHLOG},
    {"devices", {".log"}, TO_DEVICES},
    {"csv", {".csv"}, TO_CSV},
    {"jsonl", {".jsonl", ".ndjson"}, TO_JSONL},
};

#define CONVERT_FORMATS (sizeof(convert_formats) / sizeof(convert_formats[0]))

struct convert_options {
    struct rec_convert convert;
    enum convert_format format;
};

static bool convert_named(struct convert_options *o)
{
    size_t i;

    for (i = 0; i < CONVERT_FORMATS; i++)
        if (strcmp(convert_formats[i].name, optarg) == 0) {
            o->format = convert_formats[i].format;
            return true;
        }
    usage("the format cannot be '%s': give mcap, achlog, devices, csv or jsonl", optarg);
    return false;
}

static bool convert_ends(const char *path, const char *suffix)
{
    size_t n = strlen(path), k = strlen(suffix);

    return n > k && strcmp(path + n - k, suffix) == 0;
}

/* By the name of the output, if no format was given. */
static enum convert_format convert_guess(const char *path)
{
    size_t i, k;

    for (i = 0; i < CONVERT_FORMATS; i++)
        for (k = 0; k < 3 && convert_formats[i].suffixes[k]; k++)
            if (convert_ends(path, convert_formats[i].suffixes[k]))
                return convert_formats[i].format;
    return TO_UNKNOWN;
}

static bool convert_option(struct convert_options *o, int c)
{
    switch (c) {
    case 'T':
        return convert_named(o);
    case 'o':
    case 'f':
    case 'Z':
        return rec_copy_option(&o->convert.copy, c);
    default:
        return rec_pick_option(&o->convert.pick, c);
    }
}

static bool convert_agrees(struct convert_options *o, int argc)
{
    const char *path = o->convert.copy.output.path;
    bool directory = path && convert_ends(path, "/");

    if (path && !o->format)
        o->format = convert_guess(path);
    if (!path)
        usage("name the new file with -o");
    else if (optind == argc)
        usage("name a recording");
    else if (!o->format)
        usage(
            "the name '%s' does not tell the format: give --to mcap, achlog, devices, csv or jsonl",
            path);
    else if (directory && o->format != TO_CSV && o->format != TO_ACHLOG)
        usage("only csv and achlog have a file for each topic: name a file with -o");
    else
        return rec_pick_agrees(&o->convert.pick);
    return false;
}

static bool convert_parse(int argc, char **argv, struct convert_options *o)
{
    static const struct option longs[] = {
        REC_PICK_LONG_OPTIONS, REC_COPY_LONG_OPTIONS, {"to", required_argument, NULL, 'T'}, {0}};
    int c;

    while ((c = getopt_long(argc, argv, "o:f", longs, NULL)) != -1)
        if (!convert_option(o, c))
            return false;
    return convert_agrees(o, argc);
}

static bool convert_to(struct convert_options *o)
{
    switch (o->format) {
    case TO_ACHLOG:
        return rec_to_channels(&o->convert);
    case TO_DEVICES:
        return rec_to_devices(&o->convert);
    case TO_CSV:
    case TO_JSONL:
        return rec_to_text(&o->convert, o->format == TO_CSV);
    default:
        return rec_copy_run(&o->convert.copy, &o->convert.pick);
    }
}

static int convert_run(int argc, char **argv)
{
    struct convert_options o = {.format = TO_UNKNOWN};
    int status = EXIT_USAGE;

    if (!rec_pick_init(&o.convert.pick, argc))
        return EXIT_FAILED;
    rec_copy_init(&o.convert.copy);
    if (convert_parse(argc, argv, &o))
        status =
            rec_pick_open(&o.convert.pick, argv + optind, (size_t)(argc - optind)) && convert_to(&o)
                ? EXIT_OK
                : EXIT_FAILED;
    rec_pick_finish(&o.convert.pick);
    return status;
}

const struct verb log_convert_verb = {
    .name = "log convert",
    .summary = "to and from MCAP, logs of achlog, logs of devices; to CSV and JSON lines",
    .help =
        "Usage: ach log convert [OPTION ...] -o FILE RECORDING ...\n\n"
        "Convert recordings to the format that the name of FILE tells, or --to:\n\n"
        "  mcap     .mcap            from all formats\n"
        "  achlog   .achlog[.gz]     one topic; or, if FILE ends with /, a file for each topic in "
        "that\n"
        "                            new directory. The types of messages are lost\n"
        "  devices  .log             the exact messages of devices (ach record --exact)\n"
        "  csv      .csv             one topic; or a new directory, as achlog\n"
        "  jsonl    .jsonl           all topics, a JSON object on a line for each message\n\n"
        "CSV and JSON lines cannot be converted back.\n\n"
        "Options:\n"
        "      --to FORMAT      mcap, achlog, devices, csv or jsonl\n" REC_COPY_HELP REC_PICK_HELP
        "  -h, --help           print this help\n\n"
        "Examples:\n"
        "  ach log convert -o imu.mcap imu.achlog.gz\n"
        "  ach log convert -o drive.log drive.mcap\n"
        "  ach log convert --topic odom -o odom.csv drive.mcap\n"
        "  ach log convert --to csv -o tables/ drive.mcap\n",
    .run = convert_run,
};
