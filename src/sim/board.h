/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * board.h - where each thread of a controller says whether it may be stopped now
 *
 * A process that is stopped while one of its threads holds the lock of a channel keeps all
 * others from that channel. And a thread that is stopped inside the client library cannot be
 * charged exactly, since part of its CPU time does not count. So each thread has a word in a
 * file that the coordinator makes: the word says in what kind of section the thread is. The
 * coordinator reads it before it stops the process, and again afterwards.
 *
 * A word is written by its thread only, and read while that thread does not run. It is a hint:
 * the coordinator waits for the end of a section, but not for ever.
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
    ACHI_SECTION_AWAIT     /* it sleeps until its go comes; its CPU time does not count yet */
};

struct achi_board {
    uint32_t slots[ACHI_BOARD_SLOTS]; /* enum achi_section */
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
