/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe.h - a driver that does what a test tells it
 *
 * It provides opaque devices. The first byte of a command or request says what
 * to do. What happened is counted for all probes of the process together, and
 * for each by its option `number`.
 */
#ifndef PROBE_H
#define PROBE_H

#include <ach/driver.h>

enum {
    PROBE_ECHO,    /* a request: ACK with its own body; a command: publish its body */
    PROBE_FORGET,  /* say that all is well, and answer nothing */
    PROBE_UNKNOWN, /* not understood */
    PROBE_KEEP,    /* keep the request until PROBE_ANSWER, or shutdown */
    PROBE_ANSWER,  /* a command: answer what was kept */
    PROBE_DIE,     /* main ends */
    PROBE_TWICE,   /* answer, and check that a second answer is refused */
    PROBE_COUNT,   /* publish 100 bodies that begin with 0, 1, 2, ... */
    PROBE_STALL    /* do nothing for 50 ms */
};

#define PROBES_MAX 8u

/* By the option `number`, which is 0 if not given. */
struct probe_counts {
    _Atomic unsigned setups, setups_tried, shutdowns, messages, data, ticks;
    _Atomic double time; /* of the last tick, on the robot's clock */
};
extern struct probe_counts probe_counts[PROBES_MAX];

void probe_reset(void);

/* A robot with this config and probe_class, once it is started; on the robot's own clock. */
struct rig *probe_start(const char *config);

/*
 * Options: number, fail_setups (how many of the first), fail_later (the second one), setup_ms,
 * tick (s), last_words (a command to the last required device in shutdown); properties: speed,
 * title.
 */
extern const ach_driver_class_t probe_class;

#endif
