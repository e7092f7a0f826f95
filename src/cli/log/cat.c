/* SPDX-License-Identifier: BSD-3-Clause */
/* cat.c - ach log cat */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attachment.h"
#include "decoders.h"
#include "parse.h"
#include "pick.h"
#include "streams.h"

struct cat_options {
    struct rec_pick pick;
    struct rec_printing printing;
    uint64_t count; /* 0: all */
    const char *attachment;
};

static bool cat_format(struct cat_options *o, enum printer_format format)
{
    if (o->printing.format != FORMAT_LINES && o->printing.format != format) {
        usage("choose one of --json, --yaml and --csv");
        return false;
    }
    o->printing.format = format;
    return true;
}

static bool cat_option(struct cat_options *o, int c)
{
    switch (c) {
    case 'j':
        return cat_format(o, FORMAT_JSON);
    case 'Y':
        return cat_format(o, FORMAT_YAML);
    case 'C':
        return cat_format(o, FORMAT_CSV);
    case 'x':
        o->printing.look = LOOK_HEX;
        return true;
    case 'F':
        return value_paths_add(&o->printing.fields, optarg) == ACH_OK ||
               (usage("%s", ach_errstr()), false);
    case 'c':
        return parse_count(optarg, 1, UINT64_MAX, &o->count) ||
               bad_value("the count", optarg, "a number from 1 on");
    case 'A':
        o->attachment = optarg;
        return true;
    default:
        return rec_pick_option(&o->pick, c);
    }
}

static bool cat_agrees(const struct cat_options *o, int argc)
{
    if (optind == argc)
        usage("name a recording");
    else if (o->printing.look == LOOK_HEX &&
             (o->printing.fields.count || o->printing.format == FORMAT_CSV ||
              o->printing.format == FORMAT_YAML))
        usage("--hex does not go together with --field, --yaml or --csv");
    else
        return rec_pick_agrees(&o->pick);
    return false;
}

static bool cat_parse(int argc, char **argv, struct cat_options *o)
{
    static const struct option longs[] = {REC_PICK_LONG_OPTIONS,
                                          {"json", no_argument, NULL, 'j'},
                                          {"yaml", no_argument, NULL, 'Y'},
                                          {"csv", no_argument, NULL, 'C'},
                                          {"hex", no_argument, NULL, 'x'},
                                          {"field", required_argument, NULL, 'F'},
                                          {"count", required_argument, NULL, 'c'},
                                          {"attachment", required_argument, NULL, 'A'},
                                          {0}};
    int c;

    while ((c = getopt_long(argc, argv, "jxc:", longs, NULL)) != -1)
        if (!cat_option(o, c))
            return false;
    return cat_agrees(o, argc);
}

/* Columns are those of one topic. */
static bool cat_other(const struct cat_options *o, const struct logs_topic **only,
                      const struct logs_topic *t)
{
    if (o->printing.format != FORMAT_CSV || !*only || logs_same_kind(*only, t)) {
        *only = t;
        return false;
    }
    rec_complain_two(*only, t, "--csv prints one topic", "choose with --topic");
    return true;
}

static bool cat_print(struct cat_options *o, struct rec_decoders *d)
{
    const struct logs_topic *only = NULL;
    struct logs_message m;
    uint64_t n = 0;

    while ((!o->count || n < o->count) && rec_pick_next(&o->pick, &m)) {
        if (cat_other(o, &only, m.topic) || !rec_print(d, &o->printing, &m))
            return false;
        n++;
        if (!streams_ok())
            return false;
    }
    return true;
}

static int cat_recordings(struct cat_options *o, char **paths, size_t n)
{
    struct rec_decoders d = {.list = NULL};
    bool ok;

    if (!rec_pick_open(&o->pick, paths, n))
        return EXIT_FAILED;
    if (o->attachment)
        return rec_attachment_write(o->pick.source, o->attachment) ? EXIT_OK : EXIT_FAILED;
    rec_progress_end(&o->pick.progress); /* the messages show how far it is */
    ok = cat_print(o, &d);
    ok = rec_pick_done(&o->pick) && ok && !d.failed && !d.left_out;
    rec_decoders_finish(&d);
    return ok ? EXIT_OK : EXIT_FAILED;
}

static int cat_run(int argc, char **argv)
{
    struct cat_options o = {.count = 0};
    int status = EXIT_USAGE;

    if (!rec_pick_init(&o.pick, argc))
        return EXIT_FAILED;
    if (cat_parse(argc, argv, &o))
        status = cat_recordings(&o, argv + optind, (size_t)(argc - optind));
    rec_pick_finish(&o.pick);
    value_paths_finish(&o.printing.fields);
    return status;
}

const struct verb log_cat_verb = {
    .name = "log cat",
    .summary = "print messages: as text, JSON, YAML or CSV",
    .help =
        "Usage: ach log cat [OPTION ...] RECORDING ...\n\n"
        "Print the messages of recordings in the order of their times, decoded if their type is\n"
        "known.\n\n"
        "Options:\n" REC_PICK_HELP
        "      --field FIELD    only this field, as in ach echo; may be repeated\n"
        "  -c, --count N        end after N messages\n"
        "  -j, --json           a JSON object on a line of its own for each message\n"
        "      --yaml           a YAML document for each message\n"
        "      --csv            a header line, then a line for each message; of one topic\n"
        "  -x, --hex            as a hex dump\n"
        "      --attachment NAME  write this attachment to standard output, and no messages\n"
        "  -h, --help           print this help\n\n"
        "Examples:\n"
        "  ach log cat --topic imu --count 3 drive.mcap\n"
        "  ach log cat --json drive.mcap | jq -r .topic | sort | uniq -c\n"
        "  ach log cat --csv --topic odom --field pose.pose.position.x drive.mcap >x.csv\n"
        "  ach log cat --attachment robot.cfg drive.mcap >robot.cfg\n",
    .run = cat_run,
};
