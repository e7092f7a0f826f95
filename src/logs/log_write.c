/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "log.h"
#include "log_record.h"

static bool write_header(struct log_writer *w, const struct log_info *info)
{
    char text[LOG_HEADER_MAX], held[40] = "";
    int n;

    if (info->held_known)
        snprintf(held, sizeof(held), "held-seq: %" PRIu64 "\n", info->held_seq);
    n = snprintf(text, sizeof(text),
                 "ACHLOG 1\n"
                 "channel: %s\n"
                 "frame-count: %" PRIu64 "\n"
                 "frame-size: %" PRIu64 "\n"
                 "clock: %" PRId64 "\n"
                 "stamps: %s\n"
                 "realtime-ns: %" PRId64 "\n"
                 "clock-ns: %" PRId64 "\n"
                 "%s"
                 "\n",
                 info->channel, info->frame_cnt, info->frame_size, info->clock,
                 info->stamped ? "put" : "read", info->realtime_ns, info->clock_ns, held);
    return sink_write(&w->sink, text, (size_t)n);
}

bool log_writer_init(struct log_writer *w, int fd, bool compress, const struct log_info *info)
{
    w->messages = 0;
    w->missed = 0;
    w->bytes = 0;
    w->dirty = true;
    return sink_init(&w->sink, fd, compress) && write_header(w, info);
}

static bool write_record(struct log_writer *w, uint32_t magic, const struct log_message *msg)
{
    struct log_record raw = {
        .magic = htole32(magic),
        .time_ns = htole64((uint64_t)msg->time_ns),
        .seq = htole64(msg->seq),
        .missed = htole64(msg->missed),
        .size = htole64(msg->size),
        .data_crc = htole32(crc32_of(0, msg->data, msg->size)),
    };

    raw.crc = htole32(log_record_crc(&raw));
    w->dirty = true;
    return sink_write(&w->sink, &raw, sizeof(raw)) && sink_write(&w->sink, msg->data, msg->size);
}

bool log_writer_put(struct log_writer *w, const struct log_message *msg)
{
    if (msg->size == 0 || msg->size > LOG_MESSAGE_MAX) {
        errno = EMSGSIZE;
        return false;
    }
    w->messages++;
    w->missed += msg->missed;
    w->bytes += msg->size;
    return write_record(w, LOG_MAGIC_MESSAGE, msg);
}

bool log_writer_flush(struct log_writer *w)
{
    if (!w->dirty)
        return true;
    w->dirty = false;
    return sink_flush(&w->sink);
}

bool log_writer_finish(struct log_writer *w)
{
    const struct log_message totals = {.seq = w->messages, .missed = w->missed, .data = ""};
    bool ok = write_record(w, LOG_MAGIC_END, &totals);
    int saved = errno;

    if (!sink_finish(&w->sink))
        return false;
    errno = saved;
    return ok;
}
