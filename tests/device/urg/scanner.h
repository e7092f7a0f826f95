/* SPDX-License-Identifier: BSD-3-Clause */
/* scanner.h - an emulated scanner for a test */
#ifndef SCANNER_H
#define SCANNER_H

#include "rig.h"

struct scanner {
    char dir[64];
    char link[80];
    pid_t pid;
    FILE *to, *from;
};

/* Start the emulator that the environment's URG_EMULATOR names; commands for it, up to NULL. */
struct scanner scanner_start(const char *const *commands);

/* Tell it something, and wait until it is done. */
void scanner_tell(struct scanner *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void scanner_end(struct scanner *s);

/* A robot with the scanner as laser:0; more options of the driver. */
struct rig *scanner_robot(const struct scanner *s, const char *options);

#endif
