/* SPDX-License-Identifier: BSD-3-Clause */
#include "origin.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "fault.h"
#include "handle.h"

_Static_assert(sizeof(ach_origin_t) == sizeof(struct achi_origin), "public layout");

/* Shortly after boot there may be no random numbers; then the time and the process must do. */
uint64_t achi_epoch(void)
{
    uint64_t epoch = 0;
    struct timespec now;

    if (getrandom(&epoch, sizeof(epoch), GRND_NONBLOCK) == sizeof(epoch) && epoch)
        return epoch;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec << 32 | (uint64_t)now.tv_nsec) ^ (uint64_t)getpid() << 40;
}

const struct achi_origin achi_no_origin;

enum ach_status achi_no_origins(void)
{
    return achi_fail(ACH_ENOTSUP, "the channel was not created for relayed messages");
}

enum ach_status ach_channel_origin(const ach_channel_t *chan, ach_origin_t *origin)
{
    const struct achi_handle *h;
    struct achi_origin found;
    enum ach_status r;

    if (!chan || !origin)
        return ACH_EINVAL;
    h = achi_handle_in(chan);
    if (!h)
        return ACH_CLOSED;
    if (!(h->view.flags & ACHI_F_ORIGINS))
        return achi_no_origins();
    if (!achi_cursor_in(chan)->seen)
        return ACH_EAGAIN;
    r = achi_origin(&h->view, achi_cursor_in(chan)->seen, &found);
    if (achi_area_lost(h->area))
        r = achi_fail(ACH_BAD_SHM_FILE, "the file of the channel was cut short");
    if (r == ACH_OK)
        *origin = (ach_origin_t){found.epoch, found.seq, found.stamp};
    return r;
}
