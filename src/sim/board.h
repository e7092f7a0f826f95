/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * board.h - shared memory in which each thread of a controller shows whether it may be stopped
 *
 * A process that is stopped while one of its threads holds the lock of a channel blocks all other
 * users of that channel. And a thread that is stopped inside the client library cannot be charged
 * exactly, since part of its CPU time does not count. So each thread has a slot in a file that the
 * coordinator creates. The thread writes there in what kind of section it is. The coordinator
 * reads it before it stops the process, and again afterwards. If the thread must not be stopped,
 * the coordinator sets `wanted`: then the thread parks at the end of its section until `wanted` is
 * cleared, before it can enter the next section.
 *
 * Both are hints: neither side waits for the other without a timeout.
 */
#ifndef SIM_BOARD_H
#define SIM_BOARD_H

#include <ach.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SIM_BOARD_SLOTS 4096u /* slot 0 is not used */

enum sim_section {
    SIM_SECTION_NONE,     /* the program's own code: may be stopped */
    SIM_SECTION_CRITICAL, /* may hold a lock, or is about to put a note */
    SIM_SECTION_AWAIT,    /* waits for its go; its CPU time does not count yet */
    SIM_SECTION_PARKED    /* between two sections, waiting until `wanted` is cleared */
};

struct sim_slot {
    uint32_t section; /* enum sim_section; the thread writes it */
    uint32_t wanted;  /* 1: park, as a futex; the coordinator writes it */
};

struct sim_board {
    struct sim_slot slots[SIM_BOARD_SLOTS];
};

/*
 * Files of the simulation in the folder of the channels: "board", and "life", a FIFO that the
 * coordinator has open for writing as long as it lives. False: the name is too long.
 */
static inline bool sim_path(const char *sim, const char *what, char path[PATH_MAX])
{
    char name[ACH_CHAN_NAME_MAX], *base;
    size_t room;

    snprintf(name, sizeof(name), "sim.%s.note", sim);
    if (ach_channel_path(name, path, PATH_MAX) != ACH_OK)
        return false;
    base = strrchr(path, '/');
    if (!base)
        return false;
    base++;
    room = (size_t)(path + PATH_MAX - base);
    return (size_t)snprintf(base, room, ".achsim-%s.%s", sim, what) < room;
}

#endif
