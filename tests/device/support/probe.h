/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe.h - a driver whose behaviour a test controls
 *
 * It provides opaque devices. The first byte of a command or request is one of
 * PROBE_*. Each probe counts events in probe_counts[number], where `number` is
 * its option; the array is shared by all probes of the process.
 */
#ifndef PROBE_H
#define PROBE_H

#include <ach/driver.h>

enum {
    PROBE_ECHO,    /* a request: ACK with its own body; a command: publish its body */
    PROBE_FORGET,  /* a request: return ACH_OK without a reply; a command: do nothing */
    PROBE_UNKNOWN, /* return ACH_ENOTSUP */
    PROBE_KEEP,    /* keep the request until PROBE_ANSWER, or shutdown */
    PROBE_ANSWER,  /* a command: reply to the kept request */
    PROBE_DIE,     /* a command: the driver's main returns */
    PROBE_TWICE,   /* answer, and check that a second answer is refused */
    PROBE_COUNT,   /* publish 100 bodies that begin with 0, 1, 2, ... */
    PROBE_STALL,   /* do nothing for 50 ms */
    PROBE_HOLD     /* a command: set `held`, and wait until the test clears it */
};

#define PROBES_MAX 8u

/* Indexed by the option `number`; default: 0. */
struct probe_counts {
    _Atomic unsigned setups, setups_tried, shutdowns, messages, data, ticks;
    _Atomic double time; /* robot time of the last tick */
    _Atomic bool held;
};
extern struct probe_counts probe_counts[PROBES_MAX];

void probe_reset(void);

/* Create and start a robot with probe_class and this config; its clock is not simulated. */
struct rig *probe_start(const char *config);

/*
 * Options: number, fail_setups (number of first setups that fail), fail_later (the setup after the
 * first successful one fails), setup_ms, tick (s), last_words (shutdown sends a command to the last
 * required device). Properties: speed, title.
 */
extern const ach_driver_class_t probe_class;

#endif
