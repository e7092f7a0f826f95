/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crc32.h"

#define SOURCE_AHEAD ((size_t)64 << 10)
#define SOURCE_STEP ((size_t)1 << 20)

bool mcap_source_init(struct mcap_source *s, int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);

    *s = (struct mcap_source){.fd = fd, .pipe = size < 0};
    s->size = size < 0 ? UINT64_MAX : (uint64_t)size;
    s->ahead = malloc(SOURCE_AHEAD);
    return s->ahead != NULL;
}

void mcap_source_free(struct mcap_source *s)
{
    free(s->ahead);
}

static bool source_wait(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

/* Some bytes, at most size: 0 at the end, -1 with errno. */
static ssize_t source_some(const struct mcap_source *s, uint64_t offset, void *to, size_t size)
{
    ssize_t n;

    do
        n = s->pipe ? read(s->fd, to, size) : pread(s->fd, to, size, (off_t)offset);
    while (n < 0 && (errno == EINTR || (errno == EAGAIN && source_wait(s->fd))));
    return n;
}

static enum mcap_read source_all(const struct mcap_source *s, uint64_t offset, uint8_t *to,
                                 size_t size)
{
    ssize_t n;

    for (; size; to += n, offset += (size_t)n, size -= (size_t)n) {
        n = source_some(s, offset, to, size);
        if (n <= 0)
            return n ? MCAP_READ_ERROR : MCAP_READ_END;
    }
    return MCAP_READ;
}

static size_t source_take_ahead(struct mcap_source *s, uint8_t *to, size_t size)
{
    size_t n = s->ahead_end - s->ahead_at;

    if (n > size)
        n = size;
    memcpy(to, s->ahead + s->ahead_at, n);
    s->ahead_at += n;
    return n;
}

/* Read ahead once. */
static enum mcap_read source_refill(struct mcap_source *s, uint64_t offset)
{
    ssize_t n = source_some(s, offset, s->ahead, SOURCE_AHEAD);

    s->ahead_at = 0;
    s->ahead_end = n > 0 ? (size_t)n : 0;
    return n > 0 ? MCAP_READ : n == 0 ? MCAP_READ_END : MCAP_READ_ERROR;
}

static enum mcap_read source_next(struct mcap_source *s, uint8_t *to, size_t size)
{
    size_t done = source_take_ahead(s, to, size);
    enum mcap_read r = MCAP_READ;

    if (size - done >= SOURCE_AHEAD)
        return source_all(s, s->offset + done, to + done, size - done);
    while (r == MCAP_READ && done < size) {
        r = source_refill(s, s->offset + done);
        done += source_take_ahead(s, to + done, size - done);
    }
    return r;
}

enum mcap_read mcap_source_read(struct mcap_source *s, void *to, size_t size)
{
    enum mcap_read r = source_next(s, to, size);

    if (r == MCAP_READ) {
        s->offset += size;
        s->crc = crc32_of(s->crc, to, size);
    }
    return r;
}

enum mcap_read mcap_source_fill(struct mcap_source *s, struct mcap_buffer *b, uint64_t size)
{
    enum mcap_read r = MCAP_READ;
    size_t step;

    b->size = 0;
    b->failed = false;
    if (s->size != UINT64_MAX && (s->offset > s->size || size > s->size - s->offset))
        return MCAP_READ_END;
    if (size > MCAP_RECORD_MAX) {
        errno = EFBIG;
        return MCAP_READ_ERROR;
    }
    while (r == MCAP_READ && size) {
        /* What a file has is there; a pipe may not send what it says. */
        step = s->pipe && size > SOURCE_STEP ? SOURCE_STEP : (size_t)size;
        if (!mcap_buffer_reserve(b, step))
            return MCAP_READ_ERROR;
        r = mcap_source_read(s, b->at + b->size, step);
        b->size += step;
        size -= step;
    }
    return r;
}

enum mcap_read mcap_source_pass(struct mcap_source *s, uint64_t size)
{
    uint8_t waste[4096];
    enum mcap_read r = MCAP_READ;
    size_t step;

    for (; r == MCAP_READ && size; size -= step) {
        step = size > sizeof(waste) ? sizeof(waste) : (size_t)size;
        r = mcap_source_read(s, waste, step);
    }
    return r;
}

void mcap_source_seek(struct mcap_source *s, uint64_t offset)
{
    s->offset = offset;
    s->ahead_at = s->ahead_end = 0;
    s->crc = 0;
}

enum mcap_read mcap_source_at(const struct mcap_source *s, uint64_t offset, void *to, size_t size)
{
    if (s->pipe) {
        errno = ESPIPE;
        return MCAP_READ_ERROR;
    }
    if (offset > s->size || size > s->size - offset)
        return MCAP_READ_END;
    return source_all(s, offset, to, size);
}
