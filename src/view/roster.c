/* SPDX-License-Identifier: BSD-3-Clause */
#include "roster.h"

#include <time.h>

#define PART_SIZE (256u << 10) /* a part of the list is a message of its own */
#define TELL_NS 20000000u      /* of this thread's own time; then other clients have their turn */

static uint64_t roster_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool view_roster_has(const struct view_client *c, const struct view_topic *t)
{
    return !c->untold || t->id < c->untold->id;
}

static void roster_part(struct view_client *c, uint64_t end)
{
    size_t size = 0;

    for (; c->untold && size < PART_SIZE && roster_now() < end; c->untold = c->untold->next)
        size = c->protocol->added(c, c->untold);
    c->changed = false;
    c->protocol->settled(c);
}

void view_roster_tell(struct view_client *c)
{
    const uint64_t end = roster_now() + TELL_NS;

    while ((c->changed || c->untold) && view_client_reads(c) && !c->code && roster_now() < end)
        roster_part(c, end);
    if (c->untold && !c->code)
        c->wake(c->connection);
}
