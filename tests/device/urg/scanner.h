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

/* Start the emulator named by URG_EMULATOR in the environment; @commands end with NULL. */
struct scanner scanner_start(const char *const *commands);

/* Send a command to the emulator, and wait until it is done. */
void scanner_tell(struct scanner *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void scanner_end(struct scanner *s);

/* A robot with the scanner as laser:0; @options are further options of the driver. */
struct rig *scanner_robot(const struct scanner *s, const char *options);

#endif
