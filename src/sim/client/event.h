/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event.h - the names of what can be waited for
 *
 * The coordinator and its sinks must call the same thing by the same number: a channel
 * by its name, anything else by its address and the process it lies in.
 */
#ifndef ACHI_SIM_EVENT_H
#define ACHI_SIM_EVENT_H

#include <stddef.h>

#include "../protocol.h"

#define ACHI_FNV_START 0xcbf29ce484222325ull
#define ACHI_FNV_PRIME 0x100000001b3ull

static inline achi_event_t achi_event_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *p = data;
    size_t i;

    for (i = 0; i < size; i++)
        hash = (hash ^ p[i]) * ACHI_FNV_PRIME;
    return hash;
}

/* Whether only the process that waits for it can make it happen: those are odd, channels even. */
static inline int achi_event_own(achi_event_t event)
{
    return event & 1;
}

/* FNV-1a of the channel's name, without the NUL. */
static inline achi_event_t achi_event_channel(const char *name)
{
    achi_event_t event;
    size_t n = 0;

    while (name[n])
        n++;
    event = achi_event_hash(ACHI_FNV_START, name, n) & ~1ull;
    return event == ACHI_EVENT_POLL ? 2 : event;
}

static inline achi_event_t achi_event_address(int32_t pid, const void *address)
{
    uint64_t hash = achi_event_hash(ACHI_FNV_START, &pid, sizeof(pid));

    return achi_event_hash(hash, &address, sizeof(address)) | 1;
}

/* A signal was sent to the process, by one of the simulation. */
static inline achi_event_t achi_event_signal(int32_t pid)
{
    return achi_event_address(pid, NULL);
}

#endif
