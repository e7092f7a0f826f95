/* SPDX-License-Identifier: BSD-3-Clause */
#include "input.h"

#include <ach.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

#define ROOM_FIRST 256u

void tcp_input_init(struct tcp_input *in, size_t limit)
{
    memset(in, 0, sizeof(*in));
    in->limit = limit;
}

static void forget(struct tcp_input *in)
{
    ach_budget_sub(in->budget, in->room);
    free(in->kept);
    in->kept = NULL;
    in->room = 0;
}

void tcp_input_finish(struct tcp_input *in)
{
    forget(in);
    memset(in, 0, sizeof(*in));
}

static ach_status_t grow(struct tcp_input *in, size_t needed)
{
    size_t room = in->room ? in->room : ROOM_FIRST;
    unsigned char *more;

    if (needed <= in->room)
        return ACH_OK;
    while (room < needed)
        room += room / 2;
    more = realloc(in->kept, room);
    if (!more)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a message");
    ach_budget_add(in->budget, room - in->room);
    in->kept = more;
    in->room = room;
    return ACH_OK;
}

/* Kept bytes are moved to the front when more arrive, not each time a message is parsed. */
ach_status_t tcp_input_feed(struct tcp_input *in, const void *bytes, size_t n)
{
    ach_status_t status;

    if (in->left == 0) {
        in->at = bytes;
        in->left = n;
        return ACH_OK;
    }
    if (in->at != in->kept)
        memmove(in->kept, in->at, in->left);
    in->at = in->kept;
    status = grow(in, in->left + n);
    if (status != ACH_OK)
        return status;
    memcpy(in->kept + in->left, bytes, n);
    in->at = in->kept;
    in->left += n;
    return ACH_OK;
}

ach_status_t tcp_input_next(struct tcp_input *in, ach_header_t *h, const unsigned char **body,
                            size_t *size)
{
    uint32_t n;

    if (in->left < ACH_FRAME_HEADER)
        return ACH_EAGAIN;
    if (ach_frame_read(in->at, h, &n) != ACH_OK)
        return ach_errstr_set(ACH_CORRUPT,
                              "not a message: interface %u, type %u, subtype %u, %u bytes",
                              tcp_wire_number(in->at + 8), tcp_wire_number(in->at + 16),
                              tcp_wire_number(in->at + 20), tcp_wire_number(in->at + 36));
    if (n > in->limit)
        return ach_errstr_set(ACH_OVERFLOW, "a message of %u bytes; the limit is %zu", n,
                              in->limit);
    if (in->left - ACH_FRAME_HEADER < n)
        return ACH_EAGAIN;
    *body = in->at + ACH_FRAME_HEADER;
    *size = n;
    in->at += ACH_FRAME_HEADER + n;
    in->left -= ACH_FRAME_HEADER + n;
    return ACH_OK;
}

ach_status_t tcp_input_keep(struct tcp_input *in)
{
    size_t offset = in->kept ? (size_t)((uintptr_t)in->at - (uintptr_t)in->kept) : SIZE_MAX;
    ach_status_t status;

    if (in->left == 0) {
        forget(in);
        return ACH_OK;
    }
    if (in->kept && offset < in->room)
        return ACH_OK;
    status = grow(in, in->left);
    if (status == ACH_OK && in->kept)
        memcpy(in->kept, in->at, in->left);
    else
        in->left = 0;
    in->at = in->kept;
    return status;
}

bool tcp_input_peek(const struct tcp_input *in, ach_header_t *h, uint32_t *size)
{
    return in->left >= ACH_FRAME_HEADER && ach_frame_read(in->at, h, size) == ACH_OK &&
           *size <= in->limit;
}
