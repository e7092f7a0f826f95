/* SPDX-License-Identifier: BSD-3-Clause */
/* port.h - a scanner at a serial line: bytes, and commands with their answers */
#ifndef ACHI_URG_PORT_H
#define ACHI_URG_PORT_H

#include "scip.h"

struct achi_urg_port {
    int fd; /* -1: closed */
    struct achi_scip_reader reader;
    char bytes[4096]; /* read, and not looked at yet */
    size_t at, end;
};

/* Seconds of a clock that is not set. */
double achi_urg_clock(void);

/* False: errno says why. */
bool achi_urg_port_open(struct achi_urg_port *p, const char *path, unsigned speed);
void achi_urg_port_close(struct achi_urg_port *p);
bool achi_urg_port_speed(struct achi_urg_port *p, unsigned speed);

/* What came of waiting for an answer. */
enum achi_urg_got {
    ACHI_URG_BLOCK,   /* a block */
    ACHI_URG_NOTHING, /* the time is over, or the other descriptor is readable */
    ACHI_URG_LOST     /* the line is gone */
};

/* Wait for a block for so many seconds, or until the other descriptor is readable; -1: none. */
enum achi_urg_got achi_urg_port_next(struct achi_urg_port *p, double seconds, int other,
                                     struct achi_scip_text *block);

/* Send a line. False: the line is gone, or takes nothing. */
bool achi_urg_port_send(struct achi_urg_port *p, const char *command);

/*
 * Send a command, and wait for its answer; others are passed over. ACHI_URG_NOTHING: none came,
 * or it was damaged.
 */
enum achi_urg_got achi_urg_port_ask(struct achi_urg_port *p, const char *command, double seconds,
                                    struct achi_scip_answer *answer);

#endif
