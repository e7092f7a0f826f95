/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * board.h - where each thread of a controller says whether it may be stopped now
 *
 * A process that is stopped while one of its threads holds the lock of a channel keeps all
 * others from that channel. And a thread that is stopped inside the client library cannot be
 * charged exactly, since part of its CPU time does not count. So each thread has a slot in a
 * file that the coordinator makes: the thread says there in what kind of section it is. The
 * coordinator reads it before it stops the process, and again afterwards. If the thread must not
 * be stopped, the coordinator says that it is wanted: then the thread parks at the end of its
 * section until it is wanted no longer, however soon it would enter another one.
 *
 * Both are hints: neither side waits for the other for ever.
 */
#ifndef ACHI_SIM_BOARD_H
#define ACHI_SIM_BOARD_H

#include <ach.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ACHI_BOARD_SLOTS 4096u /* slot 0 belongs to nobody */

enum achi_section {
    ACHI_SECTION_NONE,     /* its own code: it may be stopped */
    ACHI_SECTION_CRITICAL, /* it may hold a lock, or is about to put a note */
    ACHI_SECTION_AWAIT,    /* it sleeps until its go comes; its CPU time does not count yet */
    ACHI_SECTION_PARKED    /* its own code: it waits to be stopped */
};

struct achi_slot {
    uint32_t section; /* enum achi_section; the thread writes it */
    uint32_t wanted;  /* 1: park, as a futex; the coordinator writes it */
};

struct achi_board {
    struct achi_slot slots[ACHI_BOARD_SLOTS];
};

/*
 * Files of the simulation in the folder of the channels: "board", and "life", a FIFO that the
 * coordinator has open for writing as long as it lives. False: the name is too long.
 */
static inline bool achi_sim_path(const char *sim, const char *what, char path[PATH_MAX])
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
