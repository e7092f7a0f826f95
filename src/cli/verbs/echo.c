/* SPDX-License-Identifier: BSD-3-Clause */
/* ach echo - follow a channel, for people to read */
#include "cli.h"
#include "parse.h"
#include "printer.h"
#include "reader.h"
#include "stop.h"
#include "streams.h"

struct echo_options {
    struct printer printer;
    bool last;
    bool all;
    bool no_wait;
    uint64_t count;
};

static bool set_look(struct echo_options *o, enum printer_look look)
{
    if (o->printer.look != LOOK_AUTO && o->printer.look != look) {
        usage("--text and --hex do not go together");
        return false;
    }
    o->printer.look = look;
    return true;
}

static bool set_format(struct echo_options *o, enum printer_format format)
{
    if (o->printer.format != FORMAT_LINES && o->printer.format != format) {
        usage("choose one of --json, --yaml and --csv");
        return false;
    }
    o->printer.format = format;
    return true;
}

static bool echo_apply(struct echo_options *o, int c)
{
    switch (c) {
    case 'T':
        return set_look(o, LOOK_TEXT);
    case 'x':
        return set_look(o, LOOK_HEX);
    case 'j':
        return set_format(o, FORMAT_JSON);
    case 'Y':
        return set_format(o, FORMAT_YAML);
    case 'C':
        return set_format(o, FORMAT_CSV);
    case 'F':
        return selection_add(&o->printer.fields, optarg);
    case 'L':
        return o->last = true;
    case 'a':
        return o->all = true;
    case 'W':
        return o->no_wait = true;
    case 'B':
        wait_by(optarg);
        return true;
    case 'c':
        return parse_count(optarg, 1, UINT64_MAX, &o->count) ||
               bad_value("the count", optarg, "a number from 1 on");
    default:
        usage_hint();
        return false;
    }
}

/* Text and hex dumps have no fields. */
static bool echo_agrees(const struct echo_options *o)
{
    const struct printer *p = &o->printer;

    if (o->all && o->last)
        usage("--all and --last do not go together");
    else if (p->look != LOOK_AUTO && p->fields.paths.count)
        usage("--field does not go together with --text or --hex");
    else if (p->look != LOOK_AUTO && (p->format == FORMAT_YAML || p->format == FORMAT_CSV))
        usage("--yaml and --csv do not go together with --text or --hex");
    else
        return true;
    return false;
}

static bool echo_parse(int argc, char **argv, struct echo_options *o)
{
    static const struct option longs[] = {
        {"text", no_argument, NULL, 'T'},          {"hex", no_argument, NULL, 'x'},
        {"last", no_argument, NULL, 'L'},          {"all", no_argument, NULL, 'a'},
        {"json", no_argument, NULL, 'j'},          {"no-wait", no_argument, NULL, 'W'},
        {"wait-by", required_argument, NULL, 'B'}, {"yaml", no_argument, NULL, 'Y'},
        {"csv", no_argument, NULL, 'C'},           {"field", required_argument, NULL, 'F'},
        {"count", required_argument, NULL, 'c'},   {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "xLajc:", longs, NULL)) != -1) {
        if (!echo_apply(o, c))
            return false;
    }
    return echo_agrees(o);
}

/* Print messages until the count is reached or a get fails. ACH_EINVAL: there is no such field. */
static enum ach_status echo_follow(struct echo_options *o, struct reader *r, uint64_t *got)
{
    int options = ACH_O_WAIT | ACH_O_LINKED | (o->last ? ACH_O_LAST : 0);
    enum ach_status status = ACH_OK;
    struct printed m;
    struct decoder d;

    decoder_begin(&d, r->name, &r->chan);
    if (!printer_begin(&o->printer, &d)) {
        decoder_end(&d);
        return ACH_EINVAL;
    }
    for (; status == ACH_OK && (o->count == 0 || *got < o->count); ++*got) {
        status = reader_get(r, NULL, options);
        if (!delivered(status))
            break;
        /* --last skips messages on purpose. */
        m = printed_of(r, o->last ? 0 : reader_missed(r));
        printer_message(&o->printer, &d, &m);
        status = streams_ok() ? ACH_OK : ACH_CANCELED;
    }
    decoder_end(&d);
    return status;
}

/* Follow a replaced channel to the next one of that name. */
static int follow_all(struct echo_options *o, struct reader *r)
{
    uint64_t got = 0;
    enum ach_status status = echo_follow(o, r, &got);

    while (!o->no_wait && reader_lost(r, status)) {
        status = reader_reopen(r, NULL);
        if (status == ACH_OK)
            status = echo_follow(o, r, &got);
        else if (status != ACH_CANCELED)
            return EXIT_FAILED;
    }
    if (status == ACH_CANCELED)
        return stopped() ? EXIT_OK : EXIT_FAILED;
    if (status == ACH_EINVAL) /* printer_begin has complained */
        return EXIT_FAILED;
    return status == ACH_OK ? EXIT_OK : fail_status(r->name, status);
}

static int echo_open_reader(const struct echo_options *o, struct reader *r, const char *name)
{
    enum ach_status status;

    if (o->no_wait)
        return reader_open(r, name) ? EXIT_OK : EXIT_FAILED;
    status = reader_await(r, name, NULL);
    return status == ACH_OK ? EXIT_OK : EXIT_FAILED;
}

static int echo_channel(struct echo_options *o, const char *name)
{
    struct reader r;
    int status = echo_open_reader(o, &r, name);

    if (status != EXIT_OK)
        return stopped() ? EXIT_OK : status;
    if (!o->all && !o->last && !r.awaited)
        ach_flush(&r.chan);
    status = follow_all(o, &r);
    reader_close(&r);
    return status;
}

static int echo_run(int argc, char **argv)
{
    struct echo_options o = {.count = 0};
    const char *name = NULL;
    int status = EXIT_USAGE;

    if (echo_parse(argc, argv, &o))
        name = one_channel(argc, argv);
    if (name)
        status = echo_channel(&o, name);
    printer_finish(&o.printer);
    return status;
}

const struct verb verb_echo = {
    .name = "echo",
    .summary = "follow a channel and print its messages",
    .help =
        "Usage: ach echo [OPTION ...] CHANNEL\n\n"
        "Print each message that comes, until Ctrl-C: the time, the sequence number, the size,\n"
        "and the message field by field if the channel has a type or is one of a device, as text,\n"
        "or as a hex dump. 'man ach-type' lists the known types. The time is that of the put if\n"
        "the channel has timestamps, else of the arrival here. If the channel does not exist,\n"
        "wait for it; if it is removed or replaced, or its file is cut short, follow the next\n"
        "channel of that name.\n\n"
        "Options:\n"
        "  -a, --all      begin with the messages that the channel holds already\n"
        "  -L, --last     begin with the newest, and always print only the newest\n"
        "  -c, --count N  end after N messages\n"
        "      --field FIELD  only this field: pose.x, ranges[3], or ranges[0:4] for the elements\n"
        "                 0 to 3; may be repeated. Each message is one line with the values as\n"
        "                 JSON, unless a format is given\n"
        "      --text     always as text; unprintable characters are escaped, as \\x07; in JSON,\n"
        "                 bytes that are not UTF-8 are replaced by U+FFFD\n"
        "  -x, --hex      always as a hex dump\n"
        "      --no-wait  fail if there is no channel, and end when it is removed\n"
        "      --wait-by HOW  sleep, spin[:US] or anticipate[:PERCENT], see 'man ach'\n"
        "  -j, --json     a JSON object on a line of its own for each message\n"
        "      --yaml     a YAML document for each message, followed by a line '---'\n"
        "      --csv      a header line, then a line for each message: time, sequence number, and\n"
        "                 a column for each field; arrays of variable size are one column, as "
        "JSON\n"
        "  -h, --help     print this help\n\n"
        "Examples:\n"
        "  ach echo imu\n"
        "  ach echo --all --count 3 --hex imu\n"
        "  ach echo --json state | jq -r .text\n"
        "  ach echo --csv --field linear.x --field angular.z cmd_vel >run.csv\n"
        "  ach echo dev.6665.laser.0.data\n",
    .run = echo_run,
};
