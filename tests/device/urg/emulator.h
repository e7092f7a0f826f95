/* SPDX-License-Identifier: BSD-3-Clause */
/* emulator.h - the emulated scanner: its settings, and its side of SCIP */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emulator {
    const char *link;
    int master, slave;
    char line[128];
    size_t line_size;

    double period, noise, drop, delay, mute, speed, scip;
    char scene[16], model[16];
    bool laser_ok;

    bool laser, measuring, counted;
    char command[32]; /* echoed in front of each scan */
    unsigned first, last, cluster, skip, left, chars;
    double next_scan;
    uint32_t clock; /* ms */
    uint64_t random;
};

double now(void);

/* Whether the terminal is set to the speed of the scanner. */
bool speed_fits(const struct emulator *e);

/* Execute a command that was received. */
void scip_command(struct emulator *e, const char *command);
void scip_send_scan(struct emulator *e);

#endif
