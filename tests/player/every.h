/* SPDX-License-Identifier: BSD-3-Clause */
/* every.h - checks inside of a plug-in */
#ifndef EVERY_H
#define EVERY_H

#include <libplayercore/playercore.h>

extern int failures; /* the property "failures" of every */

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            failures++;                                                                            \
            PLAYER_ERROR1("check failed: %s", #cond);                                              \
        }                                                                                          \
    } while (0)

void check_alone(); /* classes that need no server */
void check_log();   /* before drivers run */

#endif
