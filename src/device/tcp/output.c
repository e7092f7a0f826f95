/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <ach.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

void tcp_output_finish(struct tcp_output *out)
{
    while (out->count)
        ach_message_unref(out->frames[--out->count].message);
    out->bytes = out->sent = 0;
}

void tcp_output_add(struct tcp_output *out, const ach_header_t *header, ach_message_t *message)
{
    struct tcp_frame *f = &out->frames[out->count++];
    size_t size;

    ach_message_bytes(message, &size);
    f->message = message;
    ach_frame_write(header, (uint32_t)size, f->header);
    out->bytes += ACH_FRAME_HEADER + size;
}

/* Header and body of each frame, without the bytes of the first that were sent. */
static int gather(const struct tcp_output *out, struct iovec *v)
{
    size_t skip = out->sent, size;
    unsigned i;
    int n = 0;

    for (i = 0; i < out->count; i++) {
        const void *body = ach_message_bytes(out->frames[i].message, &size);
        const struct iovec parts[2] = {{(void *)(uintptr_t)out->frames[i].header, ACH_FRAME_HEADER},
                                       {(void *)(uintptr_t)body, size}};
        unsigned p;

        for (p = 0; p < 2; p++) {
            if (skip >= parts[p].iov_len) {
                skip -= parts[p].iov_len;
                continue;
            }
            v[n].iov_base = (char *)parts[p].iov_base + skip;
            v[n++].iov_len = parts[p].iov_len - skip;
            skip = 0;
        }
    }
    return n;
}

static size_t length(const struct tcp_frame *f)
{
    size_t size;

    ach_message_bytes(f->message, &size);
    return ACH_FRAME_HEADER + size;
}

static void advance(struct tcp_output *out, size_t n)
{
    unsigned done = 0;

    out->sent += n;
    out->total += n;
    while (done < out->count && out->sent >= length(&out->frames[done])) {
        out->sent -= length(&out->frames[done]);
        out->bytes -= length(&out->frames[done]);
        ach_message_unref(out->frames[done++].message);
    }
    if (!done)
        return;
    out->count -= done;
    memmove(out->frames, out->frames + done, out->count * sizeof(*out->frames));
}

ach_status_t tcp_output_send(struct tcp_output *out, const struct tcp_stream *to)
{
    struct iovec v[2 * TCP_OUTPUT_MAX];

    while (out->count) {
        ssize_t n = tcp_stream_send(to, v, gather(out, v));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return ACH_EAGAIN;
        if (n < 0)
            return ach_errstr_set(ACH_CLOSED, "%s", tcp_stream_why(to));
        advance(out, (size_t)n);
    }
    return ACH_OK;
}
