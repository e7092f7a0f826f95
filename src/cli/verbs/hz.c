/* SPDX-License-Identifier: BSD-3-Clause */
/* ach hz - measure the rate of messages and its jitter */
#include "cli.h"
#include "json.h"
#include "windows.h"

struct hz {
    struct windows w;
    uint64_t last_ns; /* time of the previous message; 0: none */
    unsigned channel; /* of the previous message */
    uint64_t messages;
    uint64_t missed;
    struct stats period; /* in seconds */
};

static void hz_take(void *cx, const struct sample *s)
{
    struct hz *h = cx;

    h->messages++;
    h->missed += s->missed;
    /* Only consecutive messages of one channel give a period. */
    if (h->last_ns && s->missed == 0 && s->channel == h->channel)
        stats_add(&h->period, (double)(int64_t)(s->ns - h->last_ns) / 1e9);
    h->last_ns = s->ns;
    h->channel = s->channel;
}

static void hz_print_text(const struct hz *h, double rate)
{
    const struct stats *p = &h->period;

    printf("%.3f Hz", rate);
    if (p->n)
        printf("  period mean %.6f s  min %.6f s  max %.6f s  deviation %.6f s", p->mean, p->min,
               p->max, stats_deviation(p));
    printf("  messages %llu  missed %llu\n", (unsigned long long)h->messages,
           (unsigned long long)h->missed);
}

static void hz_print_json(const struct hz *h, double rate, double seconds)
{
    const struct stats *p = &h->period;
    struct json j = JSON_INIT(stdout);

    json_object(&j, NULL);
    json_string(&j, "name", h->w.name);
    json_number(&j, "window", seconds);
    json_number(&j, "rate", rate);
    json_uint(&j, "messages", h->messages);
    json_uint(&j, "missed", h->missed);
    if (p->n) {
        json_number(&j, "period_mean", p->mean);
        json_number(&j, "period_min", p->min);
        json_number(&j, "period_max", p->max);
        json_number(&j, "period_deviation", stats_deviation(p));
    }
    json_end_object(&j);
    json_line(&j);
}

static void hz_report(void *cx, double seconds)
{
    struct hz *h = cx;
    double rate = (double)(h->messages + h->missed) / seconds;

    if (h->w.json)
        hz_print_json(h, rate, seconds);
    else
        hz_print_text(h, rate);
    h->messages = 0;
    h->missed = 0;
    h->period = (struct stats){0};
}

static int hz_run(int argc, char **argv)
{
    struct hz h = {.w = {.take = hz_take, .report = hz_report, .cx = &h}};

    return windows_parse(&h.w, argc, argv) ? windows_run(&h.w) : EXIT_USAGE;
}

const struct verb verb_hz = {
    .name = "hz",
    .summary = "measure how often messages come",
    .help =
        "Usage: ach hz [OPTION ...] CHANNEL\n\n"
        "Print, for each interval of time, how many messages per second were put, and the mean,\n"
        "the minimum, the maximum and the standard deviation of the time from one message to\n"
        "the next. The times are those of the puts if the channel has timestamps, else of the\n"
        "arrivals here. If the channel does not exist, wait for it; if it is removed or\n"
        "replaced, or its file is cut short, measure the next channel of that name.\n\n"
        "Options:\n" WINDOWS_HELP "\n"
        "Examples:\n"
        "  ach hz imu\n"
        "  ach hz --interval 10 --count 1 --json imu | jq .period_deviation\n",
    .run = hz_run,
};
