/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - the sections "world" and "controller" of a world file: how a run is to be done */
#ifndef SIM_PLAN_H
#define SIM_PLAN_H

#include <ach/config.h>
#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

#define SIM_CONTROLLERS_MAX 256u
#define SIM_CORES_MAX 64u

/* What to do with a controller that exceeds its budget. */
enum sim_overrun {
    SIM_OVERRUN_REPORT,  /* it continues */
    SIM_OVERRUN_SUSPEND, /* it is stopped until its next period */
    SIM_OVERRUN_END      /* the run ends */
};

/* How a controller is charged while it is blocked by something outside the simulation. */
enum sim_outside {
    SIM_OUTSIDE_WALL, /* wall time */
    SIM_OUTSIDE_WAIT, /* nothing: the world waits for it */
    SIM_OUTSIDE_LEAVE /* nothing: the world goes on, and it rejoins at the current time */
};

struct sim_plan_controller {
    const char *name;
    char **command; /* argv, with the final NULL */
    enum sim_cost model;
    int64_t cost;   /* of a cycle, for SIM_COST_DECLARED */
    int64_t period; /* 0: unknown */
    int64_t budget; /* CPU time of a cycle; 0: no limit */
    enum sim_overrun overrun;
    enum sim_outside outside;
    int core;        /* -1: any of the world's */
    char allow[256]; /* calls that are not refused, separated by commas */
};

struct sim_plan {
    char name[SIM_NAME_MAX];
    int64_t duration; /* SIM_NEVER: until all controllers have ended */
    int64_t slice;    /* a sink that computes is checked after this time */
    bool correction;  /* charge the real length of a slice, not the planned one */
    bool realtime;    /* SCHED_FIFO, if permitted */
    double speed;     /* limit: virtual seconds per wall second; 0: none */
    double hang;      /* longest computation or block of a controller, seconds; 0: no limit */
    double epoch;     /* CLOCK_REALTIME at the beginning, seconds since 1970 */
    uint64_t seed;
    uint32_t robot;             /* number of the devices' robot; 0: the default */
    const char *trace, *ledger; /* files; NULL: none */
    bool paused;                /* the run begins paused */
    int cores[SIM_CORES_MAX];
    size_t n_cores; /* 0: run.c chooses one */
    struct sim_plan_controller *controllers;
    size_t n_controllers;
};

#define SIM_MODEL_OF_FILE (-1)

/*
 * Read both kinds of sections. Errors are reported in the config. Free with sim_plan_finish.
 * model: an enum sim_cost for all controllers, or SIM_MODEL_OF_FILE.
 */
ach_status_t sim_plan_read(struct sim_plan *p, ach_config_t *config, int model);
ach_status_t sim_plan_check(const struct sim_plan *p); /* after the command line was parsed */
void sim_plan_finish(struct sim_plan *p);

#endif
