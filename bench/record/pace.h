/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pace.h - publish at steady rates and measure each call; for C and C++
 *
 * A thread for many small messages, and one for images. A line with a number of seconds on the standard input starts a
 * measurement, and its result is a line of JSON.
 */
#ifndef RECORD_PACE_H
#define RECORD_PACE_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PACE_SAMPLES_MAX (1u << 22)

typedef void pace_send_fun(void *context, unsigned which);

struct pace {
    const char *name;
    unsigned channels;
    double hz;
    pace_send_fun *send;
    void *context;

    double seconds;
    uint32_t *ns;   /* of each call */
    size_t n, late; /* late: periods that were skipped */
    pthread_t thread;
};

static inline int64_t pace_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void pace_send_all(struct pace *p)
{
    unsigned i;

    for (i = 0; i < p->channels && p->n < PACE_SAMPLES_MAX; i++) {
        int64_t before = pace_now(), took;

        p->send(p->context, i);
        took = pace_now() - before;
        p->ns[p->n++] = took > (int64_t)UINT32_MAX ? UINT32_MAX : (uint32_t)took;
    }
}

static inline void *pace_run(void *pace)
{
    struct pace *p = (struct pace *)pace;
    const int64_t period = (int64_t)(1e9 / p->hz), begin = pace_now();
    const int64_t end = begin + (int64_t)(p->seconds * 1e9);
    int64_t next = begin;

    while (next < end) {
        struct timespec t;

        pace_send_all(p);
        next += period;
        for (; next + period < pace_now() && next < end; next += period)
            p->late++;
        t.tv_sec = (time_t)(next / 1000000000);
        t.tv_nsec = (long)(next % 1000000000);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    }
    return NULL;
}

static inline int pace_compare(const void *a, const void *b)
{
    const uint32_t *x = (const uint32_t *)a, *y = (const uint32_t *)b;

    return (*x > *y) - (*x < *y);
}

static inline uint32_t pace_quantile(const struct pace *p, double q)
{
    return p->n ? p->ns[(size_t)(q * (double)(p->n - 1))] : 0;
}

static inline void pace_print(struct pace *p, const char *end)
{
    qsort(p->ns, p->n, sizeof(*p->ns), pace_compare);
    printf("\"%s\": {\"n\": %zu, \"late\": %zu, \"p50_ns\": %u, \"p99_ns\": %u, \"p999_ns\": %u, "
           "\"max_ns\": %u}%s",
           p->name, p->n, p->late, pace_quantile(p, 0.5), pace_quantile(p, 0.99),
           pace_quantile(p, 0.999), pace_quantile(p, 1), end);
}

/* Both at the same time, for each line of the input. */
static inline int pace_serve(struct pace *paces, unsigned count)
{
    char line[64];
    unsigned i;

    for (i = 0; i < count; i++) {
        paces[i].ns = (uint32_t *)malloc(PACE_SAMPLES_MAX * sizeof(uint32_t));
        if (!paces[i].ns)
            return 1;
    }
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        for (i = 0; i < count; i++) {
            paces[i].seconds = strtod(line, NULL);
            paces[i].n = paces[i].late = 0;
            if (pthread_create(&paces[i].thread, NULL, pace_run, &paces[i]) != 0)
                return 1;
        }
        for (i = 0; i < count; i++)
            pthread_join(paces[i].thread, NULL);
        printf("{");
        for (i = 0; i < count; i++)
            pace_print(&paces[i], i + 1 < count ? ", " : "}\n");
        fflush(stdout);
    }
    for (i = 0; i < count; i++)
        free(paces[i].ns);
    return 0;
}

#endif
