/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool sink_init(struct sink *s, int fd, bool compress)
{
    s->fd = fd;
    s->used = 0;
    s->gzip = NULL;
    if (!compress)
        return true;
    s->gzip = gzip_create();
    if (!s->gzip)
        errno = gzip_available() ? ENOMEM : ENOTSUP;
    return s->gzip != NULL;
}

static bool write_all(int fd, const unsigned char *p, size_t n)
{
    while (n > 0) {
        ssize_t w = write(fd, p, n);

        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return false;
        p += w;
        n -= (size_t)w;
    }
    return true;
}

static bool stream_drain(struct sink *s)
{
    size_t n = s->used;

    s->used = 0;
    return write_all(s->fd, s->buf, n);
}

static bool compress_into(struct sink *s, const unsigned char *p, size_t n, enum gzip_flush flush)
{
    bool more;

    do {
        size_t room = sizeof(s->buf) - s->used;

        more = gzip_step(s->gzip, &p, &n, s->buf + s->used, &room, flush);
        s->used += room;
        if (s->used == sizeof(s->buf) && !stream_drain(s))
            return false;
    } while (more);
    return true;
}

bool sink_write(struct sink *s, const void *data, size_t n)
{
    if (s->gzip)
        return compress_into(s, data, n, GZIP_MORE);
    if (n > sizeof(s->buf) - s->used && !stream_drain(s))
        return false;
    if (n >= sizeof(s->buf))
        return write_all(s->fd, data, n);
    memcpy(s->buf + s->used, data, n);
    s->used += n;
    return true;
}

bool sink_flush(struct sink *s)
{
    return (!s->gzip || compress_into(s, NULL, 0, GZIP_SYNC)) && stream_drain(s);
}

bool sink_finish(struct sink *s)
{
    bool ok = (!s->gzip || compress_into(s, NULL, 0, GZIP_END)) && stream_drain(s);
    int saved = errno;

    gzip_destroy(s->gzip);
    s->gzip = NULL;
    errno = saved;
    return ok;
}

void source_init(struct source *s, int fd)
{
    s->fd = fd;
    s->gunzip = NULL;
    s->begun = false;
    s->ended = false;
    s->pos = 0;
    s->len = 0;
}

/* Read more of the file into the buffer. False: see errno. Sets ended at the end of the file. */
static bool refill(struct source *s)
{
    ssize_t r;

    memmove(s->buf, s->buf + s->pos, s->len - s->pos);
    s->len -= s->pos;
    s->pos = 0;
    do
        r = read(s->fd, s->buf + s->len, sizeof(s->buf) - s->len);
    while (r < 0 && errno == EINTR);
    if (r < 0)
        return false;
    s->len += (size_t)r;
    s->ended = r == 0;
    return true;
}

static bool stream_begin(struct source *s)
{
    s->begun = true;
    while (s->len < 2 && !s->ended)
        if (!refill(s))
            return false;
    if (s->len < 2 || s->buf[0] != 0x1f || s->buf[1] != 0x8b)
        return true;
    s->gunzip = gunzip_create();
    if (!s->gunzip)
        errno = gzip_available() ? ENOMEM : ENOTSUP;
    return s->gunzip != NULL;
}

void source_finish(struct source *s)
{
    gunzip_destroy(s->gunzip);
    s->gunzip = NULL;
}

/* Copy or decompress some bytes of the buffer. */
static ssize_t take(struct source *s, unsigned char *p, size_t n)
{
    size_t in = s->len - s->pos, out = n;
    enum gunzip_result r = GUNZIP_OK;

    if (s->gunzip) {
        r = gunzip_step(s->gunzip, s->buf + s->pos, &in, p, &out);
    } else {
        out = in < out ? in : out;
        in = out;
        memcpy(p, s->buf + s->pos, out);
    }
    s->pos += in;
    /* Bytes after the compressed data are returned as they are, so that the caller detects them. */
    if (r == GUNZIP_END)
        source_finish(s);
    return r == GUNZIP_BAD ? SOURCE_BAD : (ssize_t)out;
}

ssize_t source_read(struct source *s, void *data, size_t n)
{
    unsigned char *p = data;
    size_t got = 0;

    if (!s->begun && !stream_begin(s))
        return SOURCE_FAILED;
    while (got < n) {
        ssize_t r = take(s, p + got, n - got);

        if (r < 0)
            return r;
        got += (size_t)r;
        if (r > 0)
            continue;
        if (s->ended)
            break;
        if (!refill(s))
            return SOURCE_FAILED;
    }
    return (ssize_t)got;
}
