/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log.c - log lines, with a rate limit
 *
 * A client may cause lines as fast as it can send messages. So each place in the code, identified
 * by its format and its driver, writes at most BURST lines in WINDOW seconds. Further lines are
 * suppressed and counted. A thread, started at the first suppressed line, writes the count when
 * the window is over, or at the end.
 * A line may contain bytes from a client, and a terminal may show it: bytes other than printable
 * ASCII are written as \xNN.
 */
#include "log.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../util/monotonic.h"
#include "core.h"

#define LINE_MAX 512
#define BURST 20u
#define WINDOW 10.0

static void escape(const char *line, char out[LINE_MAX])
{
    size_t n = 0;

    for (; *line && n < LINE_MAX - sizeof("\\xNN"); line++) {
        if (*line >= ' ' && *line <= '~')
            out[n++] = *line;
        else
            n += (size_t)snprintf(out + n, LINE_MAX - n, "\\x%02x", (unsigned char)*line);
    }
    out[n] = '\0';
}

static void write_line(const ach_robot_t *robot, enum ach_log level, const char *line)
{
    static const char *const words[] = {"error: ", "warning: ", "", ""};
    char plain[LINE_MAX];

    escape(line, plain);
    if (robot->attr.log)
        robot->attr.log(robot->attr.context, level, plain);
    else
        fprintf(stderr, "ach: %s%s\n", words[level], plain);
}

/* The place's entry; or a new one, which replaces the oldest, if possible one without a count. */
static struct dev_log_place *find_place(struct dev_log *log, const char *format, const void *who)
{
    struct dev_log_place *oldest = &log->places[0];
    unsigned i;

    for (i = 0; i < DEV_LOG_PLACES; i++) {
        struct dev_log_place *p = &log->places[i];

        if (p->format == format && p->who == who)
            return p;
        if (oldest->hidden ? !p->hidden || p->since < oldest->since
                           : !p->hidden && p->since < oldest->since)
            oldest = p;
    }
    *oldest = (struct dev_log_place){.format = format, .who = who, .since = -WINDOW};
    return oldest;
}

/* Whether to write a line of this place; if not, count it. *first: it is the first one counted. */
static bool may_write(struct dev_log *log, const char *format, const void *who, enum ach_log level,
                      const char *line, bool *first)
{
    double now = monotonic_seconds();
    struct dev_log_place *p;
    bool may;

    pthread_mutex_lock(&log->lock);
    p = find_place(log, format, who);
    if (now - p->since >= WINDOW && !p->hidden) {
        p->since = now;
        p->written = 0;
    }
    may = p->written < BURST;
    *first = !may && !p->hidden;
    if (may) {
        p->written++;
    } else {
        p->hidden++;
        p->level = level;
        snprintf(p->line, sizeof(p->line), "%s", line);
    }
    pthread_mutex_unlock(&log->lock);
    return may;
}

/* The next place whose count is to be written; false: none. */
static bool next_count(struct dev_log *log, bool all, enum ach_log *level, char *line, size_t size)
{
    double now = monotonic_seconds();
    bool found = false;
    unsigned i;

    pthread_mutex_lock(&log->lock);
    for (i = 0; i < DEV_LOG_PLACES && !found; i++) {
        struct dev_log_place *p = &log->places[i];

        if (!p->hidden || (!all && now - p->since < WINDOW))
            continue;
        snprintf(line, size, "%llu more lines like this one were not logged: %s",
                 (unsigned long long)p->hidden, p->line);
        *level = p->level;
        p->hidden = 0;
        found = true;
    }
    pthread_mutex_unlock(&log->lock);
    return found;
}

static void write_counts(ach_robot_t *robot, bool all)
{
    enum ach_log level;
    char line[LINE_MAX];

    while (next_count(&robot->log, all, &level, line, sizeof(line)))
        write_line(robot, level, line);
}

/* When the next count is to be written; negative: there is none. */
static double next_time(const struct dev_log *log)
{
    double next = -1;
    unsigned i;

    for (i = 0; i < DEV_LOG_PLACES; i++) {
        const struct dev_log_place *p = &log->places[i];

        if (p->hidden && (next < 0 || p->since + WINDOW < next))
            next = p->since + WINDOW;
    }
    return next;
}

static void *log_tell(void *context)
{
    ach_robot_t *robot = context;
    struct dev_log *log = &robot->log;

    pthread_mutex_lock(&log->lock);
    while (!log->end) {
        double next = next_time(log);
        struct timespec t = dev_timespec(next < 0 ? 0 : next);

        if (next < 0) {
            pthread_cond_wait(&log->changed, &log->lock);
        } else if (monotonic_seconds() < next) {
            pthread_cond_timedwait(&log->changed, &log->lock, &t);
        } else {
            pthread_mutex_unlock(&log->lock);
            write_counts(robot, false);
            pthread_mutex_lock(&log->lock);
        }
    }
    pthread_mutex_unlock(&log->lock);
    return NULL;
}

/* Start or wake the thread. Without one the count is written with the next line, or at the end. */
static void have_told(ach_robot_t *robot)
{
    struct dev_log *log = &robot->log;
    sigset_t all, before;

    pthread_mutex_lock(&log->lock);
    if (!log->telling) {
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        log->telling = pthread_create(&log->teller, NULL, log_tell, robot) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_cond_signal(&log->changed);
    pthread_mutex_unlock(&log->lock);
}

void dev_log_init(ach_robot_t *robot)
{
    pthread_condattr_t monotonic;

    pthread_mutex_init(&robot->log.lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&robot->log.changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void dev_log_finish(ach_robot_t *robot)
{
    struct dev_log *log = &robot->log;

    pthread_mutex_lock(&log->lock);
    log->end = true;
    pthread_cond_signal(&log->changed);
    pthread_mutex_unlock(&log->lock);
    if (log->telling)
        pthread_join(log->teller, NULL);
    write_counts(robot, true);
    pthread_cond_destroy(&log->changed);
    pthread_mutex_destroy(&log->lock);
}

static void write_some(const ach_robot_t *robot, enum ach_log level, const char *format,
                       const void *who, const char *line)
{
    ach_robot_t *r = (ach_robot_t *)(uintptr_t)robot;
    bool first;

    if (level > r->attr.level)
        return;
    write_counts(r, false);
    if (may_write(&r->log, format, who, level, line, &first))
        write_line(r, level, line);
    else if (first)
        have_told(r);
}

void ach_robot_log(const ach_robot_t *robot, enum ach_log level, const char *format, ...)
{
    char line[LINE_MAX];
    va_list ap;

    va_start(ap, format);
    vsnprintf(line, sizeof(line), format, ap);
    va_end(ap);
    write_some(robot, level, format, NULL, line);
}

void dev_log_always(const ach_robot_t *robot, enum ach_log level, const char *format, ...)
{
    char line[LINE_MAX];
    va_list ap;

    va_start(ap, format);
    vsnprintf(line, sizeof(line), format, ap);
    va_end(ap);
    if (level <= robot->attr.level)
        write_line(robot, level, line);
}

void ach_driver_log(const ach_driver_t *driver, enum ach_log level, const char *format, ...)
{
    char line[LINE_MAX];
    va_list ap;
    int n = snprintf(line, sizeof(line), "%.64s: ", driver->class->name);

    va_start(ap, format);
    vsnprintf(line + n, sizeof(line) - (size_t)n, format, ap);
    va_end(ap);
    write_some(driver->robot, level, format, driver, line);
}
