/* SPDX-License-Identifier: BSD-3-Clause */
/* ach put - put messages */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "frames.h"
#include "putter.h"

/* Limit of text per byte: two digits and some white space. */
#define HEX_TEXT_PER_BYTE 4

struct put_options {
    enum framing framing;
    bool hex;
    const char *file;
};

/* A stream of messages on its way into the channel. */
struct put {
    struct putter to;
    const struct put_options *o;
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

static int put_message(struct put *p)
{
    if (p->o->hex && !decode_hex(&p->m)) {
        complain("not hexadecimal: give two digits for each byte");
        return EXIT_FAILED;
    }
    return putter_put(&p->to, p->m.data, p->m.len);
}

static int put_text(struct put *p, const char *text)
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

static int input_trouble(struct put *p, enum taken t)
{
    switch (t) {
    case TAKEN_PARTIAL:
        complain("the input ends within a message");
        break;
    case TAKEN_EMPTY:
        complain("the input has a message of length 0");
        break;
    case TAKEN_TOO_LONG:
        return putter_too_large(&p->to, p->o->framing == FRAMES_LENGTH ? p->m.len : 0);
    default:
        complain("cannot read the input: %s", strerror(errno));
    }
    return EXIT_FAILED;
}

static size_t input_limit(const struct put *p)
{
    size_t capacity = (size_t)p->to.info.capacity;

    if (!p->o->hex)
        return capacity;
    return capacity > SIZE_MAX / HEX_TEXT_PER_BYTE ? SIZE_MAX : capacity * HEX_TEXT_PER_BYTE;
}

static int put_stream(struct put *p, FILE *in)
{
    size_t count = 0;
    int status = EXIT_OK;

    for (;;) {
        enum taken t = take_message(in, p->o->framing, input_limit(p), &p->m);

        if (t == TAKEN_END)
            break;
        status = t == TAKEN_MESSAGE ? put_message(p) : input_trouble(p, t);
        if (status == EXIT_OK && p->o->framing != FRAMES_NONE)
            status = putter_check(&p->to);
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

static int put_file(struct put *p)
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
    struct put p = {.o = &o};
    int i, status = EXIT_OK;

    if (!put_parse(argc, argv, &o))
        return EXIT_USAGE;
    if (!putter_open(&p.to, argv[optind]))
        return EXIT_FAILED;
    if (optind + 1 == argc)
        status = put_file(&p);
    for (i = optind + 1; i < argc && status == EXIT_OK; i++)
        status = put_text(&p, argv[i]);
    free(p.m.data);
    ach_close(&p.to.chan);
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
