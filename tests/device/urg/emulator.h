/* SPDX-License-Identifier: BSD-3-Clause */
/* emulator.h - the emulated scanner: its switches, and its language */
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
    char command[32]; /* that scans repeat */
    unsigned first, last, cluster, skip, left, chars;
    double next_scan;
    uint32_t clock; /* ms */
    uint64_t random;
};

double now(void);

/* Whether the line has the speed that the scanner has. */
bool speed_fits(const struct emulator *e);

/* A command that came. */
void scip_command(struct emulator *e, const char *command);
void scip_send_scan(struct emulator *e);

#endif
