/* SPDX-License-Identifier: BSD-3-Clause */
/* info.c - information about a channel, a handle, and the last message */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "error.h"
#include "fault.h"
#include "handle.h"
#include "notice.h"
#include "ready.h"

static enum ach_status handle_check(const ach_channel_t *chan, const void *out)
{
    if (!chan || !out)
        return ACH_EINVAL;
    return achi_handle_in(chan) ? ACH_OK : ACH_CLOSED;
}

enum ach_status ach_channel_seq(const ach_channel_t *chan, uint64_t *seq)
{
    enum ach_status r = handle_check(chan, seq);

    if (r == ACH_OK)
        *seq = achi_cursor_in(chan)->seen;
    return r;
}

enum ach_status ach_channel_missed(const ach_channel_t *chan, uint64_t *last, uint64_t *total)
{
    enum ach_status r = handle_check(chan, chan);

    if (r != ACH_OK)
        return r;
    if (last)
        *last = achi_cursor_in(chan)->missed_last;
    if (total)
        *total = achi_cursor_in(chan)->missed;
    return ACH_OK;
}

enum ach_status ach_channel_anticipation(const ach_channel_t *chan, ach_anticipation_t *info)
{
    enum ach_status r = handle_check(chan, info);
    const struct achi_anticipation *a;

    if (r != ACH_OK)
        return r;
    a = &chan->priv->anticipation;
    *info = (ach_anticipation_t){.budget = (uint32_t)(a->budget * ACHI_BUDGET_ONE + 0.5),
                                 .on = a->allowed,
                                 .windows = a->windows,
                                 .hits = a->hits,
                                 .spent = a->spent,
                                 .window = a->window};
    if (a->windows)
        info->late = (uint64_t)a->late;
    if (a->pll.next) {
        info->period = (uint64_t)a->pll.period;
        info->jitter = (uint64_t)a->pll.jitter;
    }
    return ACH_OK;
}

enum ach_status ach_channel_timestamp(const ach_channel_t *chan, struct timespec *when)
{
    enum ach_status r = handle_check(chan, when);
    uint64_t ns;

    if (r != ACH_OK)
        return r;
    if (!(chan->priv->view.flags & ACHI_F_TIMESTAMPS))
        return ACH_ENOTSUP;
    ns = achi_cursor_in(chan)->stamp;
    if (!ns)
        return ACH_EAGAIN;
    when->tv_sec = (time_t)(ns / (uint64_t)ACHI_NS_PER_S);
    when->tv_nsec = (long)(ns % (uint64_t)ACHI_NS_PER_S);
    return ACH_OK;
}

enum ach_status ach_channel_map(const ach_channel_t *chan, enum ach_map *map)
{
    enum ach_status r = handle_check(chan, map);

    if (r == ACH_OK)
        *map = chan->priv->map;
    return r;
}

enum ach_status ach_channel_clock(const ach_channel_t *chan, clockid_t *clock)
{
    enum ach_status r = handle_check(chan, clock);

    if (r == ACH_OK)
        *clock = chan->priv->view.clock;
    return r;
}

static void file_info(const struct achi_handle *h, ach_info_t *info)
{
    struct stat st;

    if (h->fd < 0 || fstat(h->fd, &st) != 0)
        return;
    info->inode = st.st_ino;
    info->mode = st.st_mode & 07777;
    info->uid = st.st_uid;
    info->gid = st.st_gid;
    info->unlinked = achi_unlinked(h);
    if (h->map == ACH_MAP_USER)
        info->sourced = achi_shm_sourced(h, &info->source_pid);
}

static void handle_info(const ach_channel_t *chan, ach_info_t *info)
{
    const struct achi_cursor *cursor = achi_cursor_in(chan);
    const struct achi_handle *h = chan->priv;

    info->readonly = h->readonly;
    info->source = achi_is_source(h);
    info->seen = cursor->seen;
    info->received = cursor->received;
    info->missed = cursor->missed;
    info->overtaken = cursor->overtaken;
    info->slept = h->slept;
    info->ready = achi_ready_by(h);
}

enum ach_status ach_channel_info(const ach_channel_t *chan, ach_info_t *info)
{
    enum ach_status r = handle_check(chan, info);
    const struct achi_handle *h;
    const struct achi_view *v;
    ach_info_t out;

    if (r != ACH_OK)
        return r;
    h = chan->priv;
    v = &h->view;
    memset(&out, 0, sizeof(out));
    r = achi_range(v, &out.newest, &out.oldest);
    if (achi_area_lost(h->area))
        return achi_fail(ACH_BAD_SHM_FILE, "the file of the channel was cut short");
    if (r != ACH_OK)
        return r;
    out.map = h->map;
    out.clock = v->clock;
    out.frame_cnt = v->frame_cnt;
    out.frame_size = h->frame_size;
    out.capacity = v->capacity;
    out.memory = h->memory;
    out.recovered = __atomic_load_n(&v->hdr->recovered, __ATOMIC_RELAXED);
    out.timestamps = (v->flags & ACHI_F_TIMESTAMPS) != 0;
    out.single_writer = (v->flags & ACHI_F_SINGLE_WRITER) != 0;
    out.readonly_wake = __atomic_load_n(&v->hdr->readonly_wake, __ATOMIC_RELAXED) != 0;
    out.replaced = __atomic_load_n(&v->hdr->state, __ATOMIC_RELAXED) == ACHI_REPLACED;
    out.epoch = v->hdr->epoch;
    out.relayed = (v->flags & ACHI_F_ORIGINS) != 0;
    out.anticipated = (v->flags & ACHI_F_LOWERED) != 0;
    out.typed = h->type_size != 0;
    file_info(h, &out);
    handle_info(chan, &out);
    *info = out;
    return ACH_OK;
}

void ach_dump(struct ach_header *shm)
{
    struct ach_header h;

    if (!shm) {
        fprintf(stderr, "no channel\n");
        return;
    }
    memcpy(&h, shm, sizeof(h));
    fprintf(stderr, "magic         %016llx%s\n", (unsigned long long)h.magic,
            h.magic == ACHI_MAGIC ? "" : " (not a channel)");
    fprintf(stderr, "version       %u\n", h.version);
    fprintf(stderr, "flags         %#x%s%s%s%s%s\n", h.flags,
            h.flags & ACHI_F_TIMESTAMPS ? " timestamps" : "",
            h.flags & ACHI_F_SINGLE_WRITER ? " single-writer" : "",
            h.flags & ACHI_F_MIRRORED ? " mirrored" : "",
            h.flags & ACHI_F_ORIGINS ? " origins" : "",
            h.flags & ACHI_F_LOWERED ? " anticipated" : "");
    fprintf(stderr, "frames        %llu of %llu bytes\n", (unsigned long long)h.frame_cnt,
            (unsigned long long)h.frame_size);
    fprintf(stderr, "slots         %llu\n", (unsigned long long)h.slots);
    fprintf(stderr, "ring          %llu bytes at %llu\n", (unsigned long long)h.data_size,
            (unsigned long long)h.data_off);
    fprintf(stderr, "memory        %llu bytes\n", (unsigned long long)h.memory);
    fprintf(stderr, "type          %u bytes\n", h.type_size);
    fprintf(stderr, "epoch         %016llx\n", (unsigned long long)h.epoch);
    fprintf(stderr, "clock         %d\n", h.clock);
    fprintf(stderr, "pid namespace %llu\n", (unsigned long long)h.pidns);
    fprintf(stderr, "commit        %u%s\n", ACHI_SEQ(h.commit),
            h.commit & ACHI_WAITER ? " waiter" : "");
    fprintf(stderr, "state         %u\n", h.state);
    fprintf(stderr, "readonly wake %u\n", h.readonly_wake);
    fprintf(stderr, "lock          %#x\n", h.lock);
    fprintf(stderr, "recovered     %u\n", h.recovered);
    fprintf(stderr, "first         %llu\n", (unsigned long long)h.first);
}
