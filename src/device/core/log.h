/* SPDX-License-Identifier: BSD-3-Clause */
/* log.h - how many lines each place in the code has written of late */
#ifndef ACHI_LOG_H
#define ACHI_LOG_H

#include <ach/robot.h>
#include <pthread.h>
#include <stdbool.h>

#define ACHI_LOG_PLACES 64u

struct achi_log_place {
    const char *format; /* tells places apart; NULL: a free entry */
    const void *who;    /* a driver, or NULL */
    double since;       /* the time from which lines are counted */
    unsigned written;
    uint64_t hidden; /* lines that were not written, ... */
    char line[200];  /* ... the last of them, ... */
    enum ach_log level;
};

struct achi_log {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* on CLOCK_MONOTONIC: a first line was not written, or it ends */
    struct achi_log_place places[ACHI_LOG_PLACES];
    pthread_t teller; /* writes counts when it is time; from the first line that was not written */
    bool telling, end;
};

void achi_log_init(ach_robot_t *robot);

/* Write the counts that are left. */
void achi_log_finish(ach_robot_t *robot);

/* A line that is written however many there were: about the config file. */
void achi_log_always(const ach_robot_t *robot, enum ach_log level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
