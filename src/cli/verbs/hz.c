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
    struct stats period;               /* in seconds */
    ach_anticipation_t learnt, before; /* before: at the end of the last window */
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

static double cpu_share(const struct hz *h, double seconds)
{
    return 1e-9 * (double)(h->learnt.spent - h->before.spent) / seconds;
}

static void hz_print_learnt(const struct hz *h, double seconds)
{
    const ach_anticipation_t *a = &h->learnt;

    printf("  expected every %.6f s +- %.6f s  window %.6f s  hit %llu of %llu  cpu %.2f %%",
           1e-9 * (double)a->period, 1e-9 * (double)a->jitter, 1e-9 * (double)a->window,
           (unsigned long long)(a->hits - h->before.hits),
           (unsigned long long)(a->windows - h->before.windows), 100 * cpu_share(h, seconds));
}

static void hz_print_text(const struct hz *h, double rate, double seconds)
{
    const struct stats *p = &h->period;

    printf("%.3f Hz", rate);
    if (p->n)
        printf("  period mean %.6f s  min %.6f s  max %.6f s  deviation %.6f s", p->mean, p->min,
               p->max, stats_deviation(p));
    printf("  messages %llu  missed %llu", (unsigned long long)h->messages,
           (unsigned long long)h->missed);
    if (h->learnt.budget)
        hz_print_learnt(h, seconds);
    printf("\n");
}

static void hz_json_learnt(const struct hz *h, double seconds, struct json *j)
{
    const ach_anticipation_t *a = &h->learnt;

    json_object(j, "anticipation");
    json_number(j, "budget", 1e-6 * a->budget);
    json_bool(j, "on", a->on);
    json_number(j, "period", 1e-9 * (double)a->period);
    json_number(j, "jitter", 1e-9 * (double)a->jitter);
    json_number(j, "late", 1e-9 * (double)a->late);
    json_number(j, "window", 1e-9 * (double)a->window);
    json_uint(j, "windows", a->windows - h->before.windows);
    json_uint(j, "hits", a->hits - h->before.hits);
    json_number(j, "cpu", cpu_share(h, seconds));
    json_end_object(j);
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
    if (h->learnt.budget)
        hz_json_learnt(h, seconds, &j);
    json_end_object(&j);
    json_line(&j);
}

static void hz_report(void *cx, double seconds, const ach_channel_t *chan)
{
    struct hz *h = cx;
    double rate = (double)(h->messages + h->missed) / seconds;

    h->before = h->learnt;
    if (!chan || ach_channel_anticipation(chan, &h->learnt) != ACH_OK)
        h->learnt = (ach_anticipation_t){0};
    if (h->learnt.windows < h->before.windows) /* another channel took the name */
        h->before = (ach_anticipation_t){0};
    if (h->w.json)
        hz_print_json(h, rate, seconds);
    else
        hz_print_text(h, rate, seconds);
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
        "With --wait-by anticipate, print also what was learnt: the period and the mean error\n"
        "of its predictions, the length of the last window, in how many windows a message came,\n"
        "and the processor time of the windows.\n\n"
        "Options:\n" WINDOWS_HELP "\n"
        "Examples:\n"
        "  ach hz imu\n"
        "  ach hz --wait-by anticipate:5 imu\n"
        "  ach hz --interval 10 --count 1 --json imu | jq .period_deviation\n",
    .run = hz_run,
};
