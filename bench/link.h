/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * link.h - ways to hand 64 bytes to another process and get 64 bytes back
 *
 * A link has two sides: side 0 is the process that measures, side 1 its peer.
 * Both attach after the peer has started. What a side sends, the other
 * receives, one message at a time.
 */
#ifndef BENCH_LINK_H
#define BENCH_LINK_H

#include <stdint.h>

#include "bench.h"

struct message {
    uint64_t stamp;
    uint64_t number;
    unsigned char bytes[MESSAGE_SIZE - 2 * sizeof(uint64_t)];
};

struct link_ops {
    void (*attach)(void *link, int side); /* may be NULL */
    void (*send)(void *link, int side, const struct message *m);
    void (*receive)(void *link, int side, struct message *m);
    void (*detach)(void *link, int side); /* may be NULL */
};

/* Half of the time until a message came back, count times, in groups that are timed as one. */
void link_ping_pong(const struct link_ops *ops, void *link, unsigned count, unsigned group,
                    struct samples *out);

/*
 * The time until a message arrives, sent once per period. On a busy machine the
 * peer may be late and miss some; those do not count.
 */
void link_paced(const struct link_ops *ops, void *link, unsigned count, long period_ns,
                struct samples *out);

/* A link over two channels, one each way. */
struct channel_link;
struct channel_link *channel_link_create(const char *name, uint64_t spin_ns);
void channel_link_destroy(void *link);
extern const struct link_ops channel_link_wait;   /* receives with a waiting get */
extern const struct link_ops channel_link_poll;   /* receives by getting again and again */
extern const struct link_ops channel_link_epoll;  /* waits in epoll */
extern const struct link_ops channel_link_helper; /* the same, with a helper thread */

#endif
