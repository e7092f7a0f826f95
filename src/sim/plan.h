/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - what a world file says of a run: the sections "world" and "controller" */
#ifndef ACHI_SIM_PLAN_H
#define ACHI_SIM_PLAN_H

#include <ach/config.h>
#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

#define ACHI_CONTROLLERS_MAX 256u
#define ACHI_CORES_MAX 64u

/* What becomes of a controller that uses up its budget. */
enum achi_overrun {
    ACHI_OVERRUN_REPORT,  /* it goes on */
    ACHI_OVERRUN_SUSPEND, /* it is stopped until its next period */
    ACHI_OVERRUN_END      /* the run ends */
};

/* How a controller is charged while it is blocked by something else than the simulation. */
enum achi_outside {
    ACHI_OUTSIDE_WALL, /* wall time */
    ACHI_OUTSIDE_WAIT, /* nothing: the world waits for it */
    ACHI_OUTSIDE_LEAVE /* the world goes on without it; it comes back whenever that is */
};

struct achi_plan_controller {
    const char *name;
    char **command; /* up to NULL */
    enum achi_cost model;
    int64_t cost;   /* of a cycle, if declared */
    int64_t period; /* 0: none is known */
    int64_t budget; /* CPU time of a cycle; 0: no limit */
    enum achi_overrun overrun;
    enum achi_outside outside;
    int core;        /* -1: any of the world's */
    char allow[256]; /* calls that are not refused, with commas */
};

struct achi_plan {
    char name[ACHI_SIM_NAME_MAX];
    int64_t duration; /* ACHI_SIM_NEVER: until all controllers have ended */
    int64_t slice;    /* nobody computes longer without being looked at */
    bool correction;  /* what a slice took too long, the next one lacks */
    bool realtime;    /* SCHED_FIFO, if permitted */
    double speed;     /* at most so many seconds of virtual time a second; 0: no limit */
    double hang;      /* seconds that a controller may compute or be blocked at a stretch; 0: any */
    double epoch;     /* what CLOCK_REALTIME begins with */
    uint64_t seed;
    uint32_t robot;             /* the number of the devices' robot; 0: the usual one */
    const char *trace, *ledger; /* files; NULL: none */
    bool paused;                /* begins so */
    int cores[ACHI_CORES_MAX];
    size_t n_cores; /* 0: wherever the system likes */
    struct achi_plan_controller *controllers;
    size_t n_controllers;
};

#define ACHI_MODEL_OF_FILE (-1)

/*
 * Read both kinds of sections. Errors are those of the config. Frees with achi_plan_finish.
 * model: an enum achi_cost for all controllers, or ACHI_MODEL_OF_FILE.
 */
ach_status_t achi_plan_read(struct achi_plan *p, ach_config_t *config, int model);
ach_status_t achi_plan_check(const struct achi_plan *p); /* when the command line has been read */
void achi_plan_finish(struct achi_plan *p);

#endif
