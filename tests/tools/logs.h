/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * logs.h - logs made for a test, with the times and messages that it wants
 */
#ifndef LOGS_H
#define LOGS_H

#include "log.h"
#include "tool.h"

#define SECOND_NS 1000000000ll

/* Fill a message with bytes that follow from its number and size. */
static inline void logs_fill(unsigned char *p, size_t size, uint64_t number)
{
    uint64_t state = number * 1000003u + size;
    size_t i;

    for (i = 0; i < size; i++)
        p[i] = (unsigned char)check_random(&state);
}

static inline bool logs_same(const unsigned char *p, size_t size, uint64_t number)
{
    unsigned char *want = malloc(size);
    bool same;

    REQUIRE(want != NULL);
    logs_fill(want, size, number);
    same = memcmp(p, want, size) == 0;
    free(want);
    return same;
}

/* Sizes from 1 to 211 bytes, in no order. */
static inline size_t logs_size(uint64_t number)
{
    return 1 + (size_t)(number * 37 % 211);
}

static inline struct log_info logs_info(const char *channel)
{
    struct log_info info = {.frame_cnt = 64,
                            .frame_size = 256,
                            .clock = CLOCK_MONOTONIC,
                            .realtime_ns = 1000 * SECOND_NS,
                            .clock_ns = 10 * SECOND_NS};

    snprintf(info.channel, sizeof(info.channel), "%s", channel);
    return info;
}

/* Write n messages, numbered from first, the times of which are first_ns + i x step_ns. */
static inline void logs_write(const char *path, const struct log_info *info, bool compress,
                              uint64_t first, uint64_t n, int64_t first_ns, int64_t step_ns)
{
    struct log_writer *w = malloc(sizeof(*w));
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    unsigned char buf[256];
    uint64_t i;

    REQUIRE(w && fd >= 0);
    REQUIRE(log_writer_init(w, fd, compress, info));
    for (i = 0; i < n; i++) {
        struct log_message msg = {.time_ns = first_ns + (int64_t)i * step_ns,
                                  .seq = first + i,
                                  .size = logs_size(first + i),
                                  .data = buf};

        logs_fill(buf, msg.size, first + i);
        REQUIRE(log_writer_put(w, &msg));
        if (compress && i % 3 == 0)
            REQUIRE(log_writer_flush(w));
    }
    REQUIRE(log_writer_finish(w));
    close(fd);
    free(w);
}

#endif
