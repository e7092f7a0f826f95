/* SPDX-License-Identifier: BSD-3-Clause */
#include "windows.h"

#include <math.h>

#include "cli.h"
#include "reader.h"
#include "stop.h"
#include "streams.h"

#define NS_PER_S 1000000000ull

void stats_add(struct stats *s, double x)
{
    double distance = x - s->mean;

    s->min = s->n == 0 || x < s->min ? x : s->min;
    s->max = s->n == 0 || x > s->max ? x : s->max;
    s->n++;
    s->mean += distance / (double)s->n;
    s->squares += distance * (x - s->mean);
}

double stats_deviation(const struct stats *s)
{
    return s->n ? sqrt(s->squares / (double)s->n) : 0;
}

bool windows_parse(struct windows *w, int argc, char **argv)
{
    static const struct option longs[] = {
        {"interval", required_argument, NULL, 'i'},
        {"window", required_argument, NULL, 'i'}, /* the older name */
        {"count", required_argument, NULL, 'c'},
        {"json", no_argument, NULL, 'j'},
        {"no-wait", no_argument, NULL, 'W'},
        {"wait-by", required_argument, NULL, 'B'},
        {0},
    };
    int c;

    w->length = 1;
    while ((c = getopt_long(argc, argv, "i:c:j", longs, NULL)) != -1) {
        if (c == 'B')
            wait_by(optarg);
        else if (!parse_repeat(c, &w->length, &w->count))
            return false;
        w->json |= c == 'j';
        w->no_wait |= c == 'W';
    }
    w->name = one_channel(argc, argv);
    return w->name != NULL;
}

static struct timespec to_time(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

/* Wait for a message until the window ends. Its bytes are not needed, so it is not copied. */
static enum ach_status next_sample(struct reader *r, uint64_t end, struct sample *s)
{
    uint64_t now = now_ns(), left = end > now ? end - now : 0;
    struct timespec t = to_time(left);
    const void *p;
    enum ach_status status;

    if (left == 0)
        return ACH_TIMEOUT;
    status = ach_view(&r->chan, &p, &s->size, &t, ACH_O_WAIT | ACH_O_RELTIME | ACH_O_LINKED);
    if (!delivered(status))
        return status;
    s->ns = ach_channel_timestamp(&r->chan, &t) == ACH_OK ? to_ns(&t) : now_ns();
    s->missed = reader_missed(r);
    s->channel = r->channels;
    return ACH_OK;
}

/* The same, but follow a replaced channel to the next one of that name. */
static enum ach_status next_sample_of_any(const struct windows *w, struct reader *r, uint64_t end,
                                          struct sample *s)
{
    enum ach_status status = r->open ? next_sample(r, end, s) : ACH_ENOENT;

    while (!w->no_wait && reader_lost(r, status)) {
        uint64_t now = now_ns();
        struct timespec left = to_time(end > now ? end - now : 0);

        status = reader_reopen(r, &left);
        if (status == ACH_OK)
            status = next_sample(r, end, s);
    }
    return status;
}

static int windows_follow(const struct windows *w, struct reader *r)
{
    uint64_t length = (uint64_t)(w->length * (double)NS_PER_S), begin = now_ns(), done = 0;
    struct sample s;

    while (w->count == 0 || done < w->count) {
        enum ach_status status = next_sample_of_any(w, r, begin + length, &s);

        if (status == ACH_CANCELED)
            return stopped() ? EXIT_OK : EXIT_FAILED;
        if (status == ACH_OK) {
            w->take(w->cx, &s);
            continue;
        }
        if (status != ACH_TIMEOUT)
            return r->open ? fail_status(w->name, status) : EXIT_FAILED;
        w->report(w->cx, (double)(now_ns() - begin) / (double)NS_PER_S, r->open ? &r->chan : NULL);
        begin = now_ns();
        done++;
        if (!streams_flush())
            return stopped() ? EXIT_OK : EXIT_FAILED;
    }
    return EXIT_OK;
}

int windows_run(const struct windows *w)
{
    struct reader r;
    int status;

    if (w->no_wait ? !reader_open(&r, w->name) : reader_await(&r, w->name, NULL) != ACH_OK)
        return stopped() ? EXIT_OK : EXIT_FAILED;
    if (!r.awaited)
        ach_flush(&r.chan);
    status = windows_follow(w, &r);
    reader_close(&r);
    return status;
}
