/* SPDX-License-Identifier: BSD-3-Clause */
/* peers.h - the parts of ach-peers */
#ifndef PEERS_H
#define PEERS_H

#include <time.h>

#include "bench.h"
#include "contender.h"

#define HOPS_MAX 16u
#define SIZE_MIN sizeof(uint64_t) /* of a message: its tag */
#define SIZE_USUAL 64u

/* setting_complete puts the usual values in the place of zeros. */
struct setting {
    enum mode mode; /* usually MODE_BLOCK */
    size_t size;
    double rate_hz;              /* of each sender, usually 1000; -1: when the last one is back */
    unsigned senders, receivers; /* usually 1 */
    unsigned hops;               /* links in a row; usually 1: nobody hands the message on */
    bool fifo;                   /* real-time priority for all ends */
    bool untouched;              /* write and check the first eight bytes, not all; only contenders
                                    that copy nothing take part */
    bool pauses;                 /* the receiver is stopped for a while: see stopped.c */
    double seconds;              /* usually 0.2 */
};

struct setting setting_complete(struct setting s);

/* Can the contender do this at all? NULL, or why not. */
const char *run_possible(const struct contender *c, const struct setting *s);

/* What was measured is added to *out. */
void run(const struct contender *c, const struct setting *s, struct outcome *out);

/* The what of a group. */
struct scenario {
    struct setting setting;
    unsigned peer_rounds; /* of libraries; at most the group's rounds */
};

extern const struct group scenarios[];
extern const unsigned scenario_count;
extern const struct claim claims[];

void scenario_measure(const struct group *g);
void stopped_measure(const struct group *g);
void stopped_write(struct json *j);

/* A contender, and whether it takes part. */
struct entry {
    const struct contender *c;
    char status[WHY_SIZE]; /* "ok", or why not */
    bool left_out;
};

extern struct contenders {
    struct entry *entry;
    unsigned count;
} contenders_here;

extern const char *const kind_names[]; /* by enum kind */

/* Find those that are built in and those in modules of a folder; if only is a list, only these. */
void contenders_gather(const char *modules, const char *only);

/* Start or end what they need beside the processes of a run. */
void contenders_start(void);
void contenders_stop(void);

void contenders_print(void);
void contenders_write(struct json *j);

/* The contenders that need no library; each list ends with one without a name. */
extern const struct contender channel_contenders[], device_contenders[], ring_contenders[],
    lane_contenders[];

/* For start: why there are no kernel channels, or NULL. */
const char *kernel_channels_missing(void);

/* Messages in a channel. With a large one, its memory is twice that: as the rings of others. */
static inline size_t channel_history(size_t size)
{
    return size > 65536 ? 1 : 64;
}

static inline struct timespec milliseconds(int ms)
{
    return (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l};
}

/* Memory for all processes; NULL: there is none. Freed by munmap. */
void *shared_map(size_t bytes);

/*
 * Leave the network: from now on this process, and those it starts, have only a loopback interface
 * of their own. Needs root. False: it cannot be done.
 */
bool network_leave(void);

#endif
