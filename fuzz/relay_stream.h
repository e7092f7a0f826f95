/* SPDX-License-Identifier: BSD-3-Clause */
/* relay_stream.h - the stream of a link of achd: it takes everything, and what it gives varies */
#ifndef FUZZ_RELAY_STREAM_H
#define FUZZ_RELAY_STREAM_H

#include <unistd.h>

#include "property.h"
#include "stream.h"

static ssize_t stream_write(struct relay_stream *s, const void *from, size_t n)
{
    (void)s;
    HOLDS(from != NULL);
    return (ssize_t)n;
}

static bool stream_connected(struct relay_stream *s)
{
    return s->fd >= 0;
}

static void stream_close(struct relay_stream *s)
{
    close(s->fd);
}

#define STREAM_OPS(read_)                                                                          \
    {                                                                                              \
        .read = (read_), .write = stream_write, .connected = stream_connected,                     \
        .close = stream_close                                                                      \
    }

#endif
