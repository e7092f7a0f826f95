/* SPDX-License-Identifier: BSD-3-Clause */
/* fifo.h - threads of fixed priority on one core */
#ifndef FIFO_H
#define FIFO_H

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>

#include "check.h"

/* The last core that we may use; all threads of a test share it. */
static inline int fifo_core(void)
{
    cpu_set_t set;
    int i, last = 0;

    REQUIRE(sched_getaffinity(0, sizeof(set), &set) == 0);
    for (i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            last = i;
    return last;
}

/* Move the calling thread to @core, with SCHED_FIFO and @priority. False if not permitted. */
static inline bool fifo_become(int core, int priority)
{
    struct sched_param param = {.sched_priority = priority};
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return sched_setaffinity(0, sizeof(set), &set) == 0 &&
           sched_setscheduler(0, SCHED_FIFO, &param) == 0;
}

static inline void fifo_sleep_us(long us)
{
    struct timespec t = {.tv_nsec = us * 1000};

    nanosleep(&t, NULL);
}

/* State and priority of a thread, as /proc/.../stat shows them. */
static inline bool fifo_look(pid_t tid, char *state, long *priority)
{
    char path[64], text[512], *p;
    size_t n;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
    f = fopen(path, "r");
    if (!f)
        return false;
    n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    text[n] = '\0';
    p = strrchr(text, ')');
    return p && sscanf(p + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %ld",
                       state, priority) == 2;
}

/* What /proc shows for a priority of SCHED_FIFO. */
static inline long fifo_shown(int priority)
{
    return -1 - priority;
}

#endif
