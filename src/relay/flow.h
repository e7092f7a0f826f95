/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flow.h - one channel on one link, in one direction
 *
 * The side that asks (push or pull) numbers the flow and sends OPEN; the other one answers with
 * OPENED or REFUSED. An OPEN for a flow that is open begins it anew. The side that receives messages
 * counts a generation in the flags of its OPEN or OPENED, and the sender repeats it in DATA and
 * MORE: so messages that were sent before the flow began anew are recognized and ignored.
 */
#ifndef RELAY_FLOW_H
#define RELAY_FLOW_H

#include <sys/queue.h>

#include "fragments.h"
#include "loop.h"
#include "sink.h"
#include "source.h"

#define RELAY_AGE_BUCKETS 48u

struct relay_group;
struct relay_link;
struct relay_udp;

enum relay_flow_state {
    RELAY_FLOW_IDLE,      /* without a link */
    RELAY_FLOW_WAITING,   /* for its channel on this host, or for the time to try again */
    RELAY_FLOW_ASKING,    /* OPEN is to be sent */
    RELAY_FLOW_ASKED,     /* OPEN was sent */
    RELAY_FLOW_ANSWERING, /* OPENED is to be sent */
    RELAY_FLOW_REFUSING,  /* REFUSED is to be sent */
    RELAY_FLOW_CLOSING,   /* CLOSE is to be sent */
    RELAY_FLOW_OPEN
};

/* What has happened with datagrams. The next tick of the flow takes care of it. */
enum relay_trouble {
    RELAY_TROUBLE_NONE,
    RELAY_TROUBLE_LOST, /* the channel was replaced */
    RELAY_TROUBLE_BUSY, /* another process holds its lock */
    RELAY_TROUBLE_LARGE /* a message needs more memory than the peer may use */
};

struct relay_counts {
    uint64_t messages, bytes;
    uint64_t gaps;                    /* messages of the sender's channel that were not carried */
    uint64_t too_old;                 /* than max_age */
    uint64_t known;                   /* the receiver had them already */
    uint64_t failed;                  /* did not fit into the channel, or could not be put */
    uint64_t ages[RELAY_AGE_BUCKETS]; /* of received messages: below 2^i nanoseconds */
    uint64_t age_max, age_sum;
    uint64_t age_newest, arrived; /* of the newest message: its age then, and when that was */
};

/* Per second, between the last two times that the status was written. */
struct relay_rates {
    uint64_t messages, bytes; /* counts at the second of them */
    double message_rate, byte_rate;
};

struct relay_flow {
    struct relay_watch watch; /* of the source; must be first */
    struct relay_link *link;
    uint16_t number;
    bool asks, sends;
    enum relay_flow_state state;
    struct relay_request request; /* with the channel's name on the side that does not ask */
    char local[ACH_CHAN_NAME_MAX];
    uint8_t generation;
    char why[RELAY_WIRE_TEXT]; /* it is not open */
    enum ach_status why_status;
    uint64_t wake, delay; /* when to continue, 0: no time is set; the last delay of a retry */
    bool ready, listed;   /* it is in a queue of the link */
    enum relay_trouble trouble;
    TAILQ_ENTRY(relay_flow) ready_entry, control_entry;
    struct relay_counts counts;
    struct relay_sink *sink; /* of the channel; a flow that sends from it shares it */
    struct relay_rates rates;
    struct relay_expected expected;
    size_t charged; /* bytes that its peer's account pays for it */

    /* The side that sends. */
    struct relay_source source;
    uint64_t peer_epoch;
    unsigned n_marks;
    struct relay_mark marks[RELAY_WIRE_MARKS];
    uint64_t carried; /* the receiver's flow has carried this sequence, and those before it */
    uint64_t last;    /* sequence that was got, or that the receiver has; 0: none */
    uint64_t gap;     /* messages lost since the last one that was sent */
    bool working;     /* there is a message in source of which `offset` bytes were sent */
    size_t offset;
    uint64_t not_before;       /* limits of rate */
    struct relay_group *group; /* that sends the messages instead of this flow */
    TAILQ_ENTRY(relay_flow) group_entry;

    /* The side that receives. */
    uint64_t sink_epoch;    /* of the channel that the sink had when the flow was opened */
    struct relay_data head; /* of a message in several parts */
    unsigned char *parts;   /* NULL: none has begun */
    size_t got, room;
    struct relay_udp *multicast; /* where messages come from; NULL: never */

    /* With datagrams: messages carried or lost since the flow began; the parts that came. */
    uint64_t count;
    struct relay_fragments incoming;
};

TAILQ_HEAD(relay_flow_list, relay_flow);

/* Remember why it is not open, or why messages are lost. A reason is logged once, not each time. */
void relay_flow_explain(struct relay_flow *f, enum ach_status status, const char *why);

/*
 * It holds so many bytes now, and itself if the peer has asked for it. False: the peer may not have
 * so much, and the flow says so.
 */
bool relay_flow_charge(struct relay_flow *f, size_t bytes);

#endif
