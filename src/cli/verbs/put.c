/* SPDX-License-Identifier: BSD-3-Clause */
/* ach put - put messages */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "frames.h"

/* Limit of text per byte: two digits and some white space. */
#define HEX_TEXT_PER_BYTE 4

struct put_options {
    enum framing framing;
    bool hex;
    const char *file;
};

struct putter {
    const char *name;
    const struct put_options *o;
    ach_channel_t chan;
    ach_info_t info;
    struct message m;
};

static bool set_framing(struct put_options *o, enum framing framing)
{
    if (o->framing != FRAMES_NONE && o->framing != framing) {
        usage("one of --line, --null and --length-prefix at a time");
        return false;
    }
    o->framing = framing;
    return true;
}

static bool put_apply(struct put_options *o, int c)
{
    switch (c) {
    case 'l':
        return set_framing(o, FRAMES_LINE);
    case '0':
        return set_framing(o, FRAMES_NULL);
    case 'b':
        return set_framing(o, FRAMES_LENGTH);
    case 'x':
        return o->hex = true;
    case 'F':
        o->file = optarg;
        return true;
    default:
        usage_hint();
        return false;
    }
}

static bool put_parse(int argc, char **argv, struct put_options *o)
{
    static const struct option longs[] = {
        {"line", no_argument, NULL, 'l'},          {"null", no_argument, NULL, '0'},
        {"length-prefix", no_argument, NULL, 'b'}, {"hex", no_argument, NULL, 'x'},
        {"file", required_argument, NULL, 'F'},    {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "l0bxF:", longs, NULL)) != -1) {
        if (!put_apply(o, c))
            return false;
    }
    if (optind == argc)
        usage("name a channel");
    else if (optind + 1 < argc && (o->file || o->framing != FRAMES_NONE))
        usage("give messages as text, or in a stream, but not both");
    else if (o->hex && o->framing == FRAMES_LENGTH)
        usage("--hex and --length-prefix do not go together");
    else
        return true;
    return false;
}

/* Open the channel, as its source if it is a single-writer channel. */
static bool open_putter(struct putter *p)
{
    ach_attr_t attr;

    if (!open_channel(&p->chan, p->name, false))
        return false;
    if (!channel_info(&p->chan, p->name, &p->info)) {
        ach_close(&p->chan);
        return false;
    }
    if (!p->info.single_writer)
        return true;
    ach_close(&p->chan);
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    if (ach_open(&p->chan, p->name, &attr) == ACH_OK)
        return true;
    fail_errstr();
    return false;
}

static int too_large(const struct putter *p, size_t len)
{
    if (len)
        complain("%s: a message of %zu bytes is too large: the channel holds %llu", p->name, len,
                 (unsigned long long)p->info.capacity);
    else
        complain("%s: the message is too large: the channel holds %llu bytes", p->name,
                 (unsigned long long)p->info.capacity);
    return EXIT_FAILED;
}

/* The source lock is held where needed, so only these two causes are left. */
static int refused(const struct putter *p)
{
    if (p->info.readonly)
        complain("%s: not permitted: you may read this channel, but not write it", p->name);
    else
        complain("%s: not permitted: the channel was created in another PID namespace, and only "
                 "processes in that namespace can put",
                 p->name);
    return EXIT_FAILED;
}

static int put_message(struct putter *p)
{
    enum ach_status r;

    if (p->o->hex && !decode_hex(&p->m)) {
        complain("not hexadecimal: give two digits for each byte");
        return EXIT_FAILED;
    }
    r = ach_put(&p->chan, p->m.data, p->m.len);
    if (r == ACH_OVERFLOW)
        return too_large(p, p->m.len);
    if (r == ACH_EACCES)
        return refused(p);
    if (r == ACH_LOCKED) {
        complain("%s: another writer holds the lock of the channel and does not release it",
                 p->name);
        return EXIT_FAILED;
    }
    return r == ACH_OK ? EXIT_OK : fail_status(p->name, r);
}

/* Fail once the channel is removed: the rest of the stream would reach no reader. */
static int removed(struct putter *p)
{
    if (!channel_info(&p->chan, p->name, &p->info))
        return EXIT_FAILED;
    return p->info.unlinked ? fail_status(p->name, ACH_ENOENT) : EXIT_OK;
}

static int put_text(struct putter *p, const char *text)
{
    if (!*text) {
        complain("a message cannot be empty");
        return EXIT_FAILED;
    }
    if (!set_message(&p->m, text, strlen(text))) {
        complain("out of memory");
        return EXIT_FAILED;
    }
    return put_message(p);
}

static int input_trouble(struct putter *p, enum taken t)
{
    switch (t) {
    case TAKEN_PARTIAL:
        complain("the input ends within a message");
        break;
    case TAKEN_EMPTY:
        complain("the input has a message of length 0");
        break;
    case TAKEN_TOO_LONG:
        return too_large(p, p->o->framing == FRAMES_LENGTH ? p->m.len : 0);
    default:
        complain("cannot read the input: %s", strerror(errno));
    }
    return EXIT_FAILED;
}

static size_t input_limit(const struct putter *p)
{
    size_t capacity = (size_t)p->info.capacity;

    if (!p->o->hex)
        return capacity;
    return capacity > SIZE_MAX / HEX_TEXT_PER_BYTE ? SIZE_MAX : capacity * HEX_TEXT_PER_BYTE;
}

static int put_stream(struct putter *p, FILE *in)
{
    size_t count = 0;
    int status = EXIT_OK;

    for (;;) {
        enum taken t = take_message(in, p->o->framing, input_limit(p), &p->m);

        if (t == TAKEN_END)
            break;
        status = t == TAKEN_MESSAGE ? put_message(p) : input_trouble(p, t);
        if (status == EXIT_OK && p->o->framing != FRAMES_NONE)
            status = removed(p);
        if (status != EXIT_OK)
            return status;
        count++;
    }
    if (count == 0 && p->o->framing == FRAMES_NONE) {
        complain("a message cannot be empty");
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static int put_file(struct putter *p)
{
    FILE *in = p->o->file && strcmp(p->o->file, "-") != 0 ? fopen(p->o->file, "re") : stdin;
    int status;

    if (!in) {
        complain("cannot open %s: %s", p->o->file, strerror(errno));
        return EXIT_FAILED;
    }
    status = put_stream(p, in);
    if (in != stdin)
        fclose(in);
    return status;
}

static int put_run(int argc, char **argv)
{
    struct put_options o = {.framing = FRAMES_NONE};
    struct putter p = {.o = &o};
    int i, status = EXIT_OK;

    if (!put_parse(argc, argv, &o))
        return EXIT_USAGE;
    p.name = argv[optind];
    if (!open_putter(&p))
        return EXIT_FAILED;
    if (optind + 1 == argc)
        status = put_file(&p);
    for (i = optind + 1; i < argc && status == EXIT_OK; i++)
        status = put_text(&p, argv[i]);
    free(p.m.data);
    ach_close(&p.chan);
    return status;
}

const struct verb verb_put = {
    .name = "put",
    .group = "Put and get messages",
    .summary = "put messages into a channel",
    .help = "Usage: ach put [OPTION ...] CHANNEL [TEXT ...]\n\n"
            "Put each TEXT as a message. Without TEXT, put the contents of standard input or a\n"
            "file: as one message, or as a stream of messages that are put as they come.\n\n"
            "Options:\n"
            "  -F, --file FILE      read FILE in place of standard input; - is standard input\n"
            "  -l, --line           a stream: each line is a message, without its newline\n"
            "  -0, --null           a stream: a zero byte ends each message\n"
            "  -b, --length-prefix  a stream: 4 bytes, little-endian, before each message\n"
            "                       contain its length\n"
            "  -x, --hex            the text, the input or each line is hexadecimal\n"
            "  -h, --help           print this help\n\n"
            "A message cannot be empty: empty lines are skipped. On a channel for a single\n"
            "writer, ach put takes the source lock.\n\n"
            "Examples:\n"
            "  ach put imu hello\n"
            "  ach put --hex imu '01 02 ff'\n"
            "  ach put --file picture.jpg camera\n"
            "  journalctl -f | ach put --line log\n"
            "  ach get --all --length-prefix a | ach put --length-prefix b\n",
    .run = put_run,
};
