/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event.h - the numbers of events
 *
 * The coordinator and its sinks must compute the same number for the same thing: for a channel
 * from its name, for anything else from its address and its process.
 */
#ifndef SIMC_EVENT_H
#define SIMC_EVENT_H

#include <stddef.h>

#include "../protocol.h"

#define SIMC_FNV_START 0xcbf29ce484222325ull
#define SIMC_FNV_PRIME 0x100000001b3ull

static inline sim_event_t simc_event_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *p = data;
    size_t i;

    for (i = 0; i < size; i++)
        hash = (hash ^ p[i]) * SIMC_FNV_PRIME;
    return hash;
}

/* Can only the waiting process itself post it? Those events are odd, channels even. */
static inline int simc_event_own(sim_event_t event)
{
    return event & 1;
}

/* FNV-1a of the channel's name, without the NUL. */
static inline sim_event_t simc_event_channel(const char *name)
{
    sim_event_t event;
    size_t n = 0;

    while (name[n])
        n++;
    event = simc_event_hash(SIMC_FNV_START, name, n) & ~1ull;
    return event == SIM_EVENT_POLL ? 2 : event;
}

static inline sim_event_t simc_event_address(int32_t pid, const void *address)
{
    uint64_t hash = simc_event_hash(SIMC_FNV_START, &pid, sizeof(pid));

    return simc_event_hash(hash, &address, sizeof(address)) | 1;
}

/* A process of the simulation has sent a signal to process pid. */
static inline sim_event_t simc_event_signal(int32_t pid)
{
    return simc_event_address(pid, NULL);
}

#endif
