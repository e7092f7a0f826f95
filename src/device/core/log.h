/* SPDX-License-Identifier: BSD-3-Clause */
/* log.h - rate limit of log lines, for each place in the code */
#ifndef DEV_LOG_H
#define DEV_LOG_H

#include <ach/robot.h>
#include <pthread.h>
#include <stdbool.h>

#define DEV_LOG_PLACES 64u

struct dev_log_place {
    const char *format; /* tells places apart; NULL: a free entry */
    const void *who;    /* a driver, or NULL */
    double since;       /* the time from which lines are counted */
    unsigned written;
    uint64_t hidden;    /* lines that were suppressed, ... */
    char line[200];     /* ... the last one, ... */
    enum ach_log level; /* ... and its level */
};

struct dev_log {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* on CLOCK_MONOTONIC: a place began to suppress, or end is set */
    struct dev_log_place places[DEV_LOG_PLACES];
    pthread_t teller; /* writes the counts; started at the first suppressed line */
    bool telling, end;
};

void dev_log_init(ach_robot_t *robot);

/* Stop the thread and write all pending counts. */
void dev_log_finish(ach_robot_t *robot);

/* Log without the rate limit: for lines about the config file. */
void dev_log_always(const ach_robot_t *robot, enum ach_log level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
