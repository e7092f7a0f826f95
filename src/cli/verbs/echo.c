/* SPDX-License-Identifier: BSD-3-Clause */
/* ach echo - follow a channel, for people to read */
#include "cli.h"
#include "decode.h"
#include "json.h"
#include "parse.h"
#include "reader.h"
#include "show.h"
#include "stop.h"
#include "streams.h"

#define NS_PER_S 1000000000ll

enum echo_look { LOOK_AUTO, LOOK_TEXT, LOOK_HEX };

struct echo_options {
    enum echo_look look;
    bool last;
    bool all;
    bool json;
    bool no_wait;
    uint64_t count;
};

static bool set_look(struct echo_options *o, enum echo_look look)
{
    if (o->look != LOOK_AUTO && o->look != look) {
        usage("--text and --hex do not go together");
        return false;
    }
    o->look = look;
    return true;
}

static bool echo_apply(struct echo_options *o, int c)
{
    switch (c) {
    case 'T':
        return set_look(o, LOOK_TEXT);
    case 'x':
        return set_look(o, LOOK_HEX);
    case 'L':
        return o->last = true;
    case 'a':
        return o->all = true;
    case 'j':
        return o->json = true;
    case 'W':
        return o->no_wait = true;
    case 'c':
        return parse_count(optarg, 1, UINT64_MAX, &o->count) ||
               bad_value("the count", optarg, "a number from 1 on");
    default:
        usage_hint();
        return false;
    }
}

static bool echo_parse(int argc, char **argv, struct echo_options *o)
{
    static const struct option longs[] = {
        {"text", no_argument, NULL, 'T'},        {"hex", no_argument, NULL, 'x'},
        {"last", no_argument, NULL, 'L'},        {"all", no_argument, NULL, 'a'},
        {"json", no_argument, NULL, 'j'},        {"no-wait", no_argument, NULL, 'W'},
        {"count", required_argument, NULL, 'c'}, {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "xLajc:", longs, NULL)) != -1) {
        if (!echo_apply(o, c))
            return false;
    }
    if (o->all && o->last)
        usage("--all and --last do not go together");
    return !(o->all && o->last);
}

static int64_t read_clock(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Wall-clock time of the put, or of the reception if there is no timestamp. */
static struct timespec wall_time(const struct reader *r)
{
    int64_t ns = read_clock(CLOCK_REALTIME);
    struct timespec put;

    if (ach_channel_timestamp(&r->chan, &put) == ACH_OK)
        ns += (int64_t)put.tv_sec * NS_PER_S + put.tv_nsec - read_clock(r->info.clock);
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

/* Put before we opened the channel, and without a timestamp: its time is unknown. */
static bool untimed(const struct reader *r, uint64_t seq)
{
    return !r->awaited && !r->info.timestamps && seq <= r->info.newest;
}

static bool ends_line(const struct reader *r)
{
    unsigned char last = r->data[r->size - 1];

    return last == '\n' || last == '\0';
}

/* What the channel's messages are is known, or the message is text. */
static bool looks_like_text(const struct echo_options *o, const struct decoder *d, bool text)
{
    return o->look == LOOK_TEXT || (o->look == LOOK_AUTO && !d->definition && text);
}

static void print_message(const struct echo_options *o, const struct decoder *d,
                          const struct reader *r, uint64_t seq)
{
    const char *text = (const char *)r->data;
    struct timespec t = wall_time(r);
    struct tm tm;
    char clock[16];

    localtime_r(&t.tv_sec, &tm);
    strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
    printf("%s%s.%06ld #%llu %zu bytes:", untimed(r, seq) ? "before " : "", clock, t.tv_nsec / 1000,
           (unsigned long long)seq, r->size);
    if (looks_like_text(o, d, is_text(text, r->size))) {
        putchar(' ');
        print_text(text, o->look == LOOK_AUTO && ends_line(r) ? r->size - 1 : r->size);
    } else if (o->look == LOOK_HEX || !decode_print(d, r->data, r->size)) {
        putchar('\n');
        print_dump(r->data, r->size);
    }
}

static void echo_print_json(const struct echo_options *o, const struct decoder *d,
                            const struct reader *r, uint64_t seq, uint64_t missed)
{
    struct json j = JSON_INIT(stdout);
    const char *text = (const char *)r->data;
    struct timespec t = wall_time(r);

    json_object(&j, NULL);
    if (untimed(r, seq))
        json_null(&j, "time");
    else
        json_time(&j, "time", t.tv_sec, t.tv_nsec);
    json_uint(&j, "sequence", seq);
    json_uint(&j, "missed", missed);
    json_uint(&j, "size", r->size);
    if (looks_like_text(o, d, is_lines(text, r->size)))
        json_bytes(&j, "text", text, r->size);
    else if (o->look == LOOK_HEX || !decode_json(d, r->data, r->size, &j))
        json_hex(&j, "hex", r->data, r->size);
    json_end_object(&j);
    json_line(&j);
}

static void print_one(const struct echo_options *o, const struct decoder *d, const struct reader *r)
{
    uint64_t seq = 0, missed = o->last ? 0 : reader_missed(r); /* --last skips on purpose */

    ach_channel_seq(&r->chan, &seq);
    if (o->json) {
        echo_print_json(o, d, r, seq, missed);
        return;
    }
    if (missed)
        printf("-- %llu missed\n", (unsigned long long)missed);
    print_message(o, d, r, seq);
}

/* Print messages until the count is reached or a get fails. */
static enum ach_status echo_follow(const struct echo_options *o, struct reader *r, uint64_t *got)
{
    int options = ACH_O_WAIT | ACH_O_LINKED | (o->last ? ACH_O_LAST : 0);
    enum ach_status status = ACH_OK;
    struct decoder d;

    decoder_begin(&d, r->name, &r->chan);
    for (; status == ACH_OK && (o->count == 0 || *got < o->count); ++*got) {
        status = reader_get(r, NULL, options);
        if (!delivered(status))
            break;
        print_one(o, &d, r);
        status = streams_ok() ? ACH_OK : ACH_CANCELED;
    }
    decoder_end(&d);
    return status;
}

/* Follow a replaced channel to the next one of that name. */
static int follow_all(const struct echo_options *o, struct reader *r)
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

static int echo_run(int argc, char **argv)
{
    struct echo_options o = {.look = LOOK_AUTO};
    struct reader r;
    const char *name;
    int status;

    if (!echo_parse(argc, argv, &o))
        return EXIT_USAGE;
    name = one_channel(argc, argv);
    if (!name)
        return EXIT_USAGE;
    status = echo_open_reader(&o, &r, name);
    if (status != EXIT_OK)
        return stopped() ? EXIT_OK : status;
    if (!o.all && !o.last && !r.awaited)
        ach_flush(&r.chan);
    status = follow_all(&o, &r);
    reader_close(&r);
    return status;
}

const struct verb verb_echo = {
    .name = "echo",
    .summary = "follow a channel and print its messages",
    .help =
        "Usage: ach echo [OPTION ...] CHANNEL\n\n"
        "Print each message that comes, until Ctrl-C: the time, the sequence number, the size,\n"
        "and the message field by field if the channel has a type or is one of a device, as text,\n"
        "or as a hex dump. Known types are definitions of ROS with messages in CDR. The time\n"
        "is that of the put if the channel has timestamps, else of the arrival here. If the\n"
        "channel does not exist, wait for it; if it is removed or replaced, or its file is cut\n"
        "short, follow the next channel of that name.\n\n"
        "Options:\n"
        "  -a, --all      begin with the messages that the channel holds already\n"
        "  -L, --last     begin with the newest, and always print only the newest\n"
        "  -c, --count N  end after N messages\n"
        "      --text     always as text; unprintable characters are escaped, as \\x07; in JSON,\n"
        "                 bytes that are not UTF-8 are replaced by U+FFFD\n"
        "  -x, --hex      always as a hex dump\n"
        "      --no-wait  fail if there is no channel, and end when it is removed\n"
        "  -j, --json     a JSON object on a line of its own for each message\n"
        "  -h, --help     print this help\n\n"
        "Examples:\n"
        "  ach echo imu\n"
        "  ach echo --all --count 3 --hex imu\n"
        "  ach echo --json state | jq -r .text\n"
        "  ach echo dev.6665.laser.0.data\n",
    .run = echo_run,
};
