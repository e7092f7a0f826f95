/* SPDX-License-Identifier: BSD-3-Clause */
/* port.h - a scanner on a serial line: bytes, and commands with their answers */
#ifndef DRV_URG_PORT_H
#define DRV_URG_PORT_H

#include "scip.h"

struct drv_urg_port {
    int fd; /* -1: closed */
    struct drv_scip_reader reader;
    char bytes[4096]; /* bytes from at to end are received but not parsed yet */
    size_t at, end;
};

/* False with errno. */
bool drv_urg_port_open(struct drv_urg_port *p, const char *path, unsigned speed);
void drv_urg_port_close(struct drv_urg_port *p);
bool drv_urg_port_speed(struct drv_urg_port *p, unsigned speed);

/* Result of a wait for an answer. */
enum drv_urg_got {
    DRV_URG_BLOCK,   /* a block was received */
    DRV_URG_NOTHING, /* timeout, or the other descriptor is readable */
    DRV_URG_LOST     /* the serial device has disappeared */
};

/* Wait for a block until the timeout, or until the descriptor other is readable; -1: none. */
enum drv_urg_got drv_urg_port_next(struct drv_urg_port *p, double seconds, int other,
                                   struct drv_scip_text *block);

/* Send a command line. False: the serial device has disappeared, or accepts no data. */
bool drv_urg_port_send(struct drv_urg_port *p, const char *command);

/*
 * Send a command and wait for its answer; other answers are skipped. DRV_URG_NOTHING: no answer
 * came, or it was damaged.
 */
enum drv_urg_got drv_urg_port_ask(struct drv_urg_port *p, const char *command, double seconds,
                                  struct drv_scip_answer *answer);

#endif
