/* SPDX-License-Identifier: BSD-3-Clause */
/* ach pub - put messages into a typed channel, field by field */
#include <stdlib.h>

#include "cli.h"
#include "decode.h"
#include "parse.h"
#include "putter.h"
#include "stop.h"

#define NS_PER_S 1e9

struct pub_options {
    const char *json;
    double rate; /* messages a second; 0: one message */
    uint64_t count;
};

enum { OPT_RATE = 256, OPT_JSON };

static bool pub_apply(struct pub_options *o, int c)
{
    switch (c) {
    case 'c':
        return parse_count(optarg, 1, UINT64_MAX, &o->count) ||
               bad_value("the count", optarg, "a number from 1 on");
    case OPT_RATE:
        return (parse_seconds(optarg, &o->rate) && o->rate >= 0.001 && o->rate <= 1e6) ||
               bad_value("the rate", optarg, "messages per second, from 0.001 to 1000000");
    case OPT_JSON:
        o->json = optarg;
        return true;
    default:
        usage_hint();
        return false;
    }
}

static bool pub_parse(int argc, char **argv, struct pub_options *o)
{
    static const struct option longs[] = {
        {"count", required_argument, NULL, 'c'},
        {"rate", required_argument, NULL, OPT_RATE},
        {"json", required_argument, NULL, OPT_JSON},
        {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "c:", longs, NULL)) != -1) {
        if (!pub_apply(o, c))
            return false;
    }
    if (optind == argc)
        usage("name a channel");
    else if (o->json && optind + 1 < argc)
        usage("give fields, or the whole message with --json, but not both");
    else if (o->count && o->rate == 0)
        usage("--count needs --rate");
    else
        return true;
    return false;
}

/* At the rate, until the count is reached, a signal comes or the channel is removed. */
static int repeat(const struct pub_options *o, struct putter *p, const void *bytes, size_t size)
{
    int status = putter_put(p, bytes, size);
    ach_period_t period;
    uint64_t put = 1;

    if (o->rate == 0)
        return status;
    stop_on_signals(NULL);
    ach_period_init(&period, (int64_t)(NS_PER_S / o->rate));
    while (status == EXIT_OK && !stopped() && (o->count == 0 || put < o->count)) {
        ach_period_wait(&period, NULL);
        status = putter_check(p);
        if (status == EXIT_OK && !stopped())
            status = putter_put(p, bytes, size);
        put++;
    }
    return status;
}

/* Make the message and put it. An exit status. */
static int publish(const struct pub_options *o, struct putter *p, const struct decoder *d,
                   char **words, int count)
{
    struct value_source source = {
        .json = o->json, .words = (const char *const *)words, .count = (size_t)count};
    void *bytes;
    size_t size;
    int status;

    if (!d->codec.encoding)
        return decoder_unknown(d);
    if (value_codec_encode(&d->codec, &source, &bytes, &size) != ACH_OK)
        return fail_errstr();
    status = repeat(o, p, bytes, size);
    free(bytes);
    return status;
}

static int pub_run(int argc, char **argv)
{
    struct pub_options o = {0};
    struct putter p;
    struct decoder d;
    int status;

    if (!pub_parse(argc, argv, &o))
        return EXIT_USAGE;
    if (!putter_open(&p, argv[optind]))
        return EXIT_FAILED;
    decoder_begin(&d, p.name, &p.chan);
    status = publish(&o, &p, &d, argv + optind + 1, argc - optind - 1);
    decoder_end(&d);
    ach_close(&p.chan);
    return status;
}

const struct verb verb_pub = {
    .name = "pub",
    .summary = "put a message into a typed channel, field by field",
    .help =
        "Usage: ach pub [OPTION ...] CHANNEL [FIELD=VALUE ...]\n\n"
        "Put a message into a channel that has a type. Fields that are not given are 0 or empty.\n"
        "A field of an inner message is a.b, an element of an array a[2], an array a=1,2,3, and\n"
        "an inner message may also be JSON. 'ach type fields CHANNEL' lists the fields. A channel\n"
        "of text takes one word, without a name. 'man ach-type' lists the known types.\n\n"
        "Options:\n"
        "      --rate HZ    put it again and again, so many times a second, until Ctrl-C\n"
        "  -c, --count N    end after N messages; with --rate\n"
        "      --json TEXT  the whole message as JSON, in place of fields\n"
        "  -h, --help       print this help\n\n"
        "Examples:\n"
        "  ach pub cmd_vel linear.x=0.5 angular.z=-0.1\n"
        "  ach pub --rate 10 cmd_vel linear.x=0.5\n"
        "  ach pub --json '{\"linear\": {\"x\": 0.5}}' cmd_vel\n",
    .run = pub_run,
};
