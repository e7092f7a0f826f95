/* SPDX-License-Identifier: BSD-3-Clause */
/* ach get - get messages */
#include <unistd.h>

#include "cli.h"
#include "frames.h"
#include "parse.h"
#include "reader.h"
#include "show.h"
#include "stop.h"
#include "streams.h"

struct get_options {
    enum framing framing;
    bool hex;
    bool raw;
    bool terminal; /* stdout is a terminal */
    bool told;     /* the note about the hex dump was printed */
    bool all;
    bool fresh;
    int get; /* options of ach_get */
    uint64_t count;
    double timeout; /* 0: none */
};

static bool set_output(struct get_options *o, enum framing framing, bool hex)
{
    if (o->framing != FRAMES_NONE || o->hex) {
        usage("one of --line, --null, --length-prefix and --hex at a time");
        return false;
    }
    o->framing = framing;
    o->hex = hex;
    return true;
}

static bool get_apply(struct get_options *o, int c)
{
    switch (c) {
    case 'l':
        return set_output(o, FRAMES_LINE, false);
    case '0':
        return set_output(o, FRAMES_NULL, false);
    case 'b':
        return set_output(o, FRAMES_LENGTH, false);
    case 'x':
        return set_output(o, FRAMES_NONE, true);
    case 'R':
        return o->raw = true;
    case 'a':
        return o->all = true;
    case 'N':
        return o->fresh = true;
    case 'w':
        return o->get |= ACH_O_WAIT;
    case 'L':
        return o->get |= ACH_O_LAST;
    case 'C':
        return o->get |= ACH_O_COPY;
    case 'B':
        wait_by(optarg);
        return o->get |= ACH_O_WAIT;
    case 'c':
        return parse_count(optarg, 1, UINT64_MAX, &o->count) ||
               bad_value("the count", optarg, "a number from 1 on");
    case 'T':
        o->get |= ACH_O_WAIT;
        return parse_seconds(optarg, &o->timeout) ||
               bad_value("the timeout", optarg, SECONDS_WANTED);
    default:
        usage_hint();
        return false;
    }
}

static bool goes_with_all(const struct get_options *o)
{
    if (o->count)
        usage("--all and --count do not go together");
    else if (o->get & ACH_O_COPY)
        usage("--all and --copy do not go together");
    else if (o->get & ACH_O_LAST)
        usage("--all and --last do not go together");
    else if (o->fresh && !(o->get & ACH_O_WAIT))
        usage("--all and --new go together only with --wait or --timeout");
    else
        return true;
    return false;
}

static bool get_parse(int argc, char **argv, struct get_options *o)
{
    static const struct option longs[] = {
        {"line", no_argument, NULL, 'l'},          {"null", no_argument, NULL, '0'},
        {"length-prefix", no_argument, NULL, 'b'}, {"hex", no_argument, NULL, 'x'},
        {"wait", no_argument, NULL, 'w'},          {"wait-by", required_argument, NULL, 'B'},
        {"last", no_argument, NULL, 'L'},          {"copy", no_argument, NULL, 'C'},
        {"new", no_argument, NULL, 'N'},           {"timeout", required_argument, NULL, 'T'},
        {"count", required_argument, NULL, 'c'},   {"all", no_argument, NULL, 'a'},
        {"raw", no_argument, NULL, 'R'},           {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "l0bxwLCNT:c:a", longs, NULL)) != -1) {
        if (!get_apply(o, c))
            return false;
    }
    return !o->all || goes_with_all(o);
}

/* With --all and without waiting: up to the message that was newest when we began. */
static bool enough(const struct get_options *o, struct reader *r, uint64_t got)
{
    uint64_t seq = 0;

    if (!o->all)
        return got >= (o->count ? o->count : 1);
    if (o->get & ACH_O_WAIT)
        return false;
    ach_channel_seq(&r->chan, &seq);
    return seq >= r->info.newest;
}

/* No message came: the exit status, after complaining if it is a failure. */
static int ended(const struct get_options *o, const struct reader *r, enum ach_status status)
{
    if (o->all &&
        (status == ACH_EAGAIN || status == ACH_TIMEOUT || (status == ACH_CANCELED && stopped())))
        return EXIT_OK;
    if (status == ACH_EAGAIN)
        complain("%s: nothing new", r->name);
    else if (status != ACH_CANCELED)
        fail_status(r->name, status);
    return EXIT_FAILED;
}

/* Would the message send control sequences to a terminal? */
static bool harms(const struct get_options *o, const struct reader *r)
{
    return o->terminal && !o->raw && !o->hex && !is_lines((const char *)r->data, r->size);
}

static bool write_out(struct get_options *o, const struct reader *r)
{
    bool ok = true;

    if (harms(o, r)) {
        if (!o->told)
            complain("%s: not text, so a hex dump is printed; --raw writes it unchanged", r->name);
        o->told = true;
        print_dump(r->data, r->size);
    } else if (o->hex) {
        ok = give_hex(stdout, r->data, r->size);
    } else {
        ok = give_message(stdout, o->framing, r->data, r->size);
    }
    return streams_ok() && ok;
}

static int get_all(struct get_options *o, struct reader *r, uint64_t *missed)
{
    struct timespec timeout = seconds_to_timespec(o->timeout);
    uint64_t got = 0;

    while (!enough(o, r, got)) {
        enum ach_status status = reader_get(r, o->timeout > 0 ? &timeout : NULL, o->get);

        if (!delivered(status))
            return ended(o, r, status);
        /* With ACH_O_LAST, older messages are skipped on purpose. */
        if (!(o->get & ACH_O_LAST))
            *missed += reader_missed(r);
        got++;
        if (!write_out(o, r))
            return stopped() ? EXIT_OK : EXIT_FAILED;
    }
    return EXIT_OK;
}

/* With ACH_O_WAIT, wait for the channel to be created, too. */
static bool get_open_reader(const struct get_options *o, struct reader *r, const char *name)
{
    struct timespec timeout = seconds_to_timespec(o->timeout);
    enum ach_status status;

    if (!(o->get & ACH_O_WAIT))
        return reader_open(r, name);
    status = reader_await(r, name, o->timeout > 0 ? &timeout : NULL);
    if (status == ACH_TIMEOUT)
        complain("%s: the channel was not created in time", name);
    return status == ACH_OK;
}

static int get_run(int argc, char **argv)
{
    struct get_options o = {.get = ACH_O_LINKED, .terminal = isatty(STDOUT_FILENO)};
    struct reader r;
    const char *name;
    uint64_t missed = 0;
    int status;

    if (!get_parse(argc, argv, &o))
        return EXIT_USAGE;
    name = one_channel(argc, argv);
    if (!name)
        return EXIT_USAGE;
    if (!get_open_reader(&o, &r, name))
        return o.all && stopped() ? EXIT_OK : EXIT_FAILED;
    if (o.fresh && !r.awaited)
        ach_flush(&r.chan);
    status = get_all(&o, &r, &missed);
    if (missed)
        complain("%s: %llu messages were missed", name, (unsigned long long)missed);
    reader_close(&r);
    return status;
}

const struct verb verb_get = {
    .name = "get",
    .summary = "get messages from a channel",
    .help =
        "Usage: ach get [OPTION ...] CHANNEL\n\n"
        "Get messages and write them to standard output: by default one, the oldest that the\n"
        "channel holds, unchanged.\n\n"
        "Options:\n"
        "  -L, --last             the newest message\n"
        "  -a, --all              all messages in the channel; with --wait also later ones\n"
        "  -c, --count N          N messages\n"
        "  -N, --new              skip the messages that the channel holds already\n"
        "  -w, --wait             wait if there is no new message, or no channel yet\n"
        "      --wait-by HOW      wait: sleep, spin[:US], anticipate[:PERCENT], see 'man ach'\n"
        "  -T, --timeout SECONDS  wait, but at most this long for each message\n"
        "  -C, --copy             the last message again if there is nothing new\n"
        "  -l, --line             a newline after each message\n"
        "  -0, --null             a zero byte after each message\n"
        "  -b, --length-prefix    before each message its length, 4 bytes, little-endian\n"
        "  -x, --hex              a line of hexadecimal digits for each message\n"
        "      --raw              write messages that are not text unchanged, also to a\n"
        "                         terminal, instead of as a hex dump\n"
        "  -h, --help             print this help\n\n"
        "Fails if there is no message, or none in time; with --all it ends without a failure.\n"
        "If messages were overwritten before they could be got, standard error says how many.\n\n"
        "Examples:\n"
        "  ach get --last imu | od -t f8\n"
        "  ach get --wait --new --timeout 2 --line state\n"
        "  ach get --all --wait --length-prefix a | ach put --length-prefix b\n",
    .run = get_run,
};
