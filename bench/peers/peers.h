/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peers.h - the parts of ach-peers
 *
 * A run forks the ends of a link, which send, receive and count. Every end is a
 * process (or, for contenders that live in one, a thread) with a core chosen by
 * its place. Messages that do not count go out until every receiver has got one;
 * then the run begins.
 *
 * A message's time goes from before its bytes are written to after they have
 * been checked. Without a rate the next message goes out when the last has
 * come back, and half of that time counts.
 */
#ifndef PEERS_H
#define PEERS_H

#include <time.h>

#include "bench.h"
#include "contender.h"

#define HOPS_MAX 16u
#define SIZE_MIN sizeof(uint64_t) /* of a message: its tag */
#define SIZE_USUAL 64u
#define ENDS_MAX (SENDERS_MAX + RECEIVERS_MAX + HOPS_MAX)
#define FIFO_PRIORITY 50
#define BLOCKED_NS 50000000ull /* a send that takes so long waited for the receiver */

/* When messages are sent. */
enum pattern {
    STEADY,
    RANDOM,   /* the gaps are distributed exponentially */
    BURSTS,   /* of five */
    CHANGING, /* a hundred with the period, a hundred with a longer one, and so on */
    PAUSING   /* a hundred, then as long nothing: the sender is replaced */
};

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
    bool network;                /* only contenders that can reach another host take part */
    bool periodic;               /* ends run on any processor, the first messages do not count,
                                    and what sender and receiver pay is measured */
    enum pattern pattern;
    double jitter_us;      /* each message is later than its time, by up to that */
    bool one_cpu;          /* for all ends */
    bool apart;            /* each end has a processor of its own; receivers are told so */
    bool halts;            /* the receiver does something else now and then */
    unsigned busy;         /* so many others keep the processors busy */
    struct stopped *pause; /* the receiver is stopped for a while; NULL: it is not */
    double seconds;        /* usually 0.2 */
};

struct setting setting_complete(struct setting s);

/* The what of a group. */
struct scenario {
    struct setting setting;
    unsigned peer_rounds; /* of libraries; at most the group's rounds */
    const char *only;     /* names of contenders; NULL: all but those that must be named */
};

extern const struct group scenarios[];
extern const unsigned scenario_count;
extern const struct claim claims[];

/* Of a periodic setting the next two groups get the processor time and the time of a put. */
void scenario_measure(const struct group *g, unsigned round);
void stopped_measure(const struct group *g, unsigned round);
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
void contenders_write(struct json *j);

/* The contenders that need no library; each list ends with one without a name. */
extern const struct contender channel_contenders[], ring_contenders[], lane_contenders[],
    relay_contenders[];

/* The program achd; a directory of keys for TLS, NULL: none. */
extern const char *relay_achd, *relay_keys;

/* Messages in a channel. With a large one, its memory is twice that: as the rings of others. */
static inline size_t channel_history(size_t size)
{
    return size > 65536 ? 1 : 64;
}

static inline struct timespec milliseconds(int ms)
{
    return (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l};
}

/* One run. */

/* Which message it is. */
struct tag {
    uint64_t number;
    unsigned sender;
    bool warm_up; /* does not count */
};

/* What one receiver saw. */
struct tally {
    uint64_t expected[SENDERS_MAX] APART; /* the number after the greatest that came */
    uint64_t reordered, damaged;
    uint32_t heard;            /* bit: a warm-up message of that sender */
    uint64_t cpu_begin, begin; /* when the first message came that counts: processor time, time */
    double cpu;                /* share of a processor after that; of a periodic setting */
};

/* Shared by all ends of a run. */
struct board {
    uint32_t warm APART; /* senders whose receivers have all heard them */
    uint32_t done;       /* senders that have sent everything */
    uint32_t failed;     /* ends that could not open, or send */
    uint32_t stop;       /* receivers: nothing more will come */
    struct tally tally[RECEIVERS_MAX];
    uint64_t sent[SENDERS_MAX]; /* so far */
    uint64_t longest_ns;        /* that a send took; of a run with a pause */
    uint64_t put_ns;            /* of all sends that count; of a periodic setting */
    uint64_t times[];           /* see run_time */
};

struct end {
    const struct run *run;
    struct link *in, *out; /* NULL: none */
    unsigned index;        /* among the ends of a link's side */
    int cpu;
    void (*live)(struct end *e);
};

struct run {
    const struct contender *c;
    const struct setting *s;
    uint64_t count; /* messages of each sender */
    uint64_t first; /* that counts */
    struct board *board;
    struct link *links[HOPS_MAX];
    unsigned link_count;
    struct end ends[ENDS_MAX]; /* receivers first */
    unsigned end_count;
    pid_t pids[ENDS_MAX]; /* in the same order; 0: it has ended */
    unsigned pid_count;
};

/* When a message was sent, in column 0, or came to receiver i, in column 1 + i. 0: it did not. */
static inline uint64_t *run_time(const struct run *r, unsigned column, unsigned sender,
                                 uint64_t number)
{
    return &r->board->times[(column * r->s->senders + sender) * r->count + number];
}

/* Can the contender do this at all? NULL, or why not. */
const char *run_possible(const struct contender *c, const struct setting *s);

/* What it costs: the receiver's share of a processor, and the mean time of a send. */
struct cost {
    double cpu, put_ns;
};

/* What was measured is added to *out, unless the receiver was stopped. *cost is set if the setting
   is periodic. */
void run(const struct contender *c, const struct setting *s, struct outcome *out,
         struct cost *cost);

/* Stop the receiver of a run for a while, and see what that does. */
void stopped_run(const struct run *r);

/* In the process of an end: open the links, live, and close them. */
void end_run(struct end *e);
void end_send(struct end *e); /* waits for each message to come back, if there is a way in */
void end_receive(struct end *e);
void end_forward(struct end *e); /* what comes in goes out */

/* Until ns on CLOCK_MONOTONIC. */
void sleep_until(uint64_t ns);

/* why: WHY_SIZE bytes. NULL: they say why not. */
struct link *link_create(const struct contender *c, const struct setting *s, char *why);
void link_destroy(struct link *l);

/* Open a copy for an end, with a buffer for its message. NULL: failed. */
struct link *link_open(const struct link *l, enum side side, unsigned index, void *buffer);
void link_close(struct link *l);

/* Send a message with this tag: 1 on its way, 0 lost, -1 failed. Touch: write all of it. */
int link_put(struct link *l, const struct tag *tag, bool touch);

/* The size of the next message, at l->message; 0: none within the time; -1: failed. */
ssize_t link_receive(struct link *l, int timeout_ms);

/* Receive a message, in whatever mode. Touch: check all of it. */
enum { GOT = 1, NOTHING = 0, FAILED = -1, DAMAGED = 2 };
int link_get(struct link *l, struct tag *tag, bool touch, int timeout_ms);

#endif
