/* SPDX-License-Identifier: BSD-3-Clause */
#include "actor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t actor_now(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

int64_t actor_cpu(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void actor_sleep_until(int64_t ns)
{
    const struct timespec t = {ns / 1000000000, ns % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        continue;
}

void actor_busy(int64_t ns)
{
    int64_t end = actor_cpu() + ns;

    while (actor_cpu() < end)
        continue;
}

int64_t actor_number(char **arguments, int i, int64_t usual)
{
    int k;

    for (k = 0; k < i; k++)
        if (!arguments[k])
            return usual;
    return arguments[i] ? strtoll(arguments[i], NULL, 10) : usual;
}

FILE *actor_log(const char *path)
{
    FILE *f = path ? fopen(path, "w") : NULL;

    if (!f)
        actor_fail("cannot write %s: %s", path ? path : "a log without a name", strerror(errno));
    return f;
}

void actor_fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("actor: ", stderr);
    vfprintf(stderr, format, args);
    fputs("\n", stderr);
    va_end(args);
    exit(9);
}

int main(int argc, char **argv)
{
    const struct part *const plays[] = {actor_bad, actor_talk, actor_wait, actor_drive};
    const struct part *p;
    size_t i;

    for (i = 0; argc > 1 && i < sizeof(plays) / sizeof(plays[0]); i++)
        for (p = plays[i]; p->name; p++)
            if (strcmp(p->name, argv[1]) == 0)
                return p->play(argv + 2);
    actor_fail("there is no part %s", argc > 1 ? argv[1] : "without a name");
}
