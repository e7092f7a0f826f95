/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kind.c - which format a recording has
 *
 * The first bytes tell, after decompression. Those of a pipe are looked at with tee(2), which leaves them there.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "stream.h"

#define KIND_BYTES 8u
#define KIND_WAIT_MS 20

/* The first bytes of a file after decompression. */
static size_t kind_unpack(int fd, char *bytes)
{
    static struct source source; /* too large for the stack of a thread */
    ssize_t n;

    source_init(&source, fd);
    n = source_read(&source, bytes, KIND_BYTES);
    source_finish(&source);
    return n > 0 ? (size_t)n : 0;
}

/* What is in a pipe now. False: it is none, or there is not enough yet. */
static bool kind_of_pipe(int fd, char *bytes, size_t *n)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int copy[2];
    ssize_t got;

    *n = 0;
    if (pipe2(copy, O_CLOEXEC) != 0)
        return true;
    got = tee(fd, copy[1], PIPE_BUF, 0);
    close(copy[1]);
    if (got > 0)
        *n = kind_unpack(copy[0], bytes);
    close(copy[0]);
    if (got <= 0 || *n == KIND_BYTES)
        return true;
    poll(&p, 1, 0);
    if (p.revents & POLLHUP)
        return true;
    poll(NULL, 0, KIND_WAIT_MS);
    return false;
}

static size_t kind_look(int fd, char *bytes)
{
    off_t at = lseek(fd, 0, SEEK_CUR);
    size_t n;

    if (at < 0) {
        while (!kind_of_pipe(fd, bytes, &n))
            ;
        return n;
    }
    n = kind_unpack(fd, bytes);
    lseek(fd, at, SEEK_SET);
    return n;
}

/* Player's logs begin with comments; those without begin with a time. */
static bool kind_is_lines(const char *bytes, size_t n)
{
    return n && (bytes[0] == '#' || (bytes[0] >= '0' && bytes[0] <= '9'));
}

/* What the first bytes of a log of a channel are, as far as there are so many. */
static bool kind_is_channel(const char *bytes, size_t n)
{
    static const char first[] = "ACHLOG ";

    return n && memcmp(bytes, first, n < sizeof(first) - 1 ? n : sizeof(first) - 1) == 0;
}

static bool kind_open_unknown(struct logs_file *f)
{
    return logs_fail(f, "%s", LOGS_UNKNOWN);
}

static bool kind_open_packed(struct logs_file *f)
{
    return logs_fail(f,
                     "a file of MCAP that is compressed with gzip: unpack it first, with gunzip");
}

static const struct logs_reader kind_packed = {.format = LOGS_MCAP, .open = kind_open_packed};

/* A file of MCAP is read at any place. */
static bool kind_is_packed(int fd)
{
    const unsigned char gzip[] = {0x1f, 0x8b};
    unsigned char first[sizeof(gzip)];

    return pread(fd, first, sizeof(first), 0) == sizeof(first) &&
           memcmp(first, gzip, sizeof(gzip)) == 0;
}

static const struct logs_reader kind_unknown = {.format = LOGS_CHANNEL, .open = kind_open_unknown};

const struct logs_reader *logs_kind(int fd)
{
    char bytes[KIND_BYTES];
    size_t n = kind_look(fd, bytes);

    if (n >= MCAP_MAGIC_SIZE && memcmp(bytes, MCAP_MAGIC, MCAP_MAGIC_SIZE) == 0)
        return kind_is_packed(fd) ? &kind_packed : &logs_mcap_reader;
    if (kind_is_lines(bytes, n))
        return &logs_devices_reader;
    /* Without bytes, this reader tells why: a directory, damage of what is compressed, ... */
    return !n || kind_is_channel(bytes, n) ? &logs_channel_reader : &kind_unknown;
}
