/* SPDX-License-Identifier: BSD-3-Clause */
#include "sink.h"

#include <errno.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "crc32.h"

#define PATIENCE_MS 100 /* between two questions */

/* Wait for a descriptor that does not block. */
static bool sink_wait(const struct mcap_sink *s)
{
    struct pollfd p = {.fd = s->fd, .events = POLLOUT};
    unsigned waited = 0;
    int n;

    while ((n = poll(&p, 1, s->patience ? PATIENCE_MS : -1)) <= 0) {
        if (n < 0 && errno != EINTR)
            return false;
        waited += n == 0 ? PATIENCE_MS : 0;
        if (n == 0 && !s->patience(s->context, waited)) {
            errno = ETIMEDOUT;
            return false;
        }
    }
    return true;
}

/* What is left of the parts after n bytes. */
static void sink_advance(struct iovec **part, size_t *count, size_t n)
{
    while (*count && n >= (*part)->iov_len) {
        n -= (*part)->iov_len;
        (*part)++;
        (*count)--;
    }
    if (*count) {
        (*part)->iov_base = (char *)(*part)->iov_base + n;
        (*part)->iov_len -= n;
    }
}

static bool sink_write_all(const struct mcap_sink *s, struct iovec *part, size_t count)
{
    ssize_t n;

    sink_advance(&part, &count, 0);
    while (count) {
        n = writev(s->fd, part, (int)count);
        if (n > 0) {
            sink_advance(&part, &count, (size_t)n);
            continue;
        }
        if (n == 0)
            errno = EIO;
        if (n < 0 && errno == EAGAIN && sink_wait(s))
            continue;
        if (n == 0 || errno != EINTR)
            return false;
    }
    return true;
}

/* Remove the part of a unit that was written. */
static void sink_cut(struct mcap_sink *s)
{
    int error = errno;

    if (ftruncate(s->fd, (off_t)s->offset) != 0 || lseek(s->fd, (off_t)s->offset, SEEK_SET) < 0)
        s->broken = true;
    errno = error;
}

static uint32_t sink_crc(uint32_t crc, const struct mcap_part *part)
{
    return part->crc ? crc32_join(crc, part->data, part->size, *part->crc)
                     : crc32_of(crc, part->data, part->size);
}

bool mcap_sink_write(struct mcap_sink *s, const struct mcap_part *parts, size_t count)
{
    struct iovec v[MCAP_PARTS_MAX];
    size_t i;

    for (i = 0; i < count; i++)
        v[i] = (struct iovec){.iov_base = (void *)(size_t)parts[i].data, .iov_len = parts[i].size};
    if (!sink_write_all(s, v, count)) {
        sink_cut(s);
        return false;
    }
    for (i = 0; i < count; i++) {
        s->crc = sink_crc(s->crc, &parts[i]);
        s->offset += parts[i].size;
    }
    return true;
}
