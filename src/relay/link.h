/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * link.h - one connection to another relay
 *
 * There is no queue of messages. Frames are made when they can be sent: first answers, then the
 * frames that open flows, then messages by priority. So what a peer can make us store is bounded:
 * one frame that arrives, one batch that leaves, and for each flow one message.
 */
#ifndef RELAY_LINK_H
#define RELAY_LINK_H

#include "access.h"
#include "account.h"
#include "clock.h"
#include "flow.h"
#include "secure.h"
#include "window.h"

#define RELAY_PRIORITIES 8u
#define RELAY_FLOWS_MAX 4096u
#define RELAY_HELLO_NS 5000000000u
#define RELAY_HANDSHAKE_NS 10000000000u /* of TLS */

struct relay_multicast;

/* What all links of a daemon share. */
struct relay_host {
    struct relay_loop loop;
    struct relay_sinks sinks;
    char name[RELAY_WIRE_TEXT];
    uint64_t instance;
    bool insecure;
    struct relay_secure *secure; /* NULL: without TLS */
    struct relay_rule *rules;    /* what peers may do */
    struct relay_limits limits;
    struct relay_account *accounts;
    const char *create;  /* pattern of the channels that peers may create; NULL: none */
    uint64_t window_max; /* bytes */
    uint64_t silence;    /* nanoseconds until a silent peer is given up */
    uint64_t key_life;   /* nanoseconds until datagrams get a new key */
    const struct relay_multicast *multicasts;
    struct relay_group *groups;
    bool changed; /* the status has changed */
};

enum relay_link_state {
    RELAY_LINK_CONNECTING,
    RELAY_LINK_GREETING,
    RELAY_LINK_UP,
    RELAY_LINK_DEAD
};

struct relay_link {
    struct relay_watch watch; /* must be first */
    struct relay_link *next;
    struct relay_host *host;
    struct relay_stream stream;
    enum relay_link_state state;
    unsigned slot; /* number of an accepted link; the smallest that was free */
    bool asks;     /* we have connected, and number the flows */
    bool dirty;    /* there may be something to send */
    bool more;     /* complete frames are in `in`, for the next turn */
    char peer[RELAY_WIRE_TEXT], why[RELAY_WIRE_TEXT];
    struct relay_account *account; /* NULL: not known before the peer is */
    uint64_t peer_instance;

    struct relay_buffer in, out;
    struct relay_window window;
    struct relay_clock clock;
    struct relay_flow **flows; /* by number; NULL: not opened */
    unsigned n_flows;
    struct relay_flow_list ready[RELAY_PRIORITIES], control;
    struct relay_udp *udp; /* NULL: no flow needs it */

    uint64_t began, pinged, wake; /* times; wake 0: no flow has a time set */
    uint64_t heard;               /* the end of a pause, if nothing is read until then */
    uint64_t paused;              /* until when nothing is read; 0: it is */
    uint64_t paced;               /* until when the window keeps messages back; 0: it does not */
    bool traffic;                 /* messages since the last PING */
    struct relay_ack ack;         /* the next ACK */
    uint64_t ack_due;             /* 0: nothing to acknowledge */
    uint64_t ack_last;            /* bytes of the last one */
    bool pong;
    struct relay_ack pong_times;
    uint64_t bytes_in, bytes_out;
};

/* Over a stream that is connected, or that connects (asks). NULL: no memory. It owns the stream. */
struct relay_link *relay_link_create(struct relay_host *host, struct relay_stream *s, bool asks,
                                     const char *peer);

/* Flows of a side that asks belong to the caller, others to the link. */
void relay_link_destroy(struct relay_link *l);

/* End the connection. The link is to be destroyed afterwards. */
void relay_link_close(struct relay_link *l, const char *why);

/* Make and send frames until nothing is left, or the window or the socket is full. */
void relay_link_pump(struct relay_link *l, uint64_t now);

/* Close it if the peer's certificate is not valid any more, and flows that it may not have. */
void relay_link_check(struct relay_link *l);

/* When relay_link_tick must be called. */
uint64_t relay_link_deadline(const struct relay_link *l);
void relay_link_tick(struct relay_link *l, uint64_t now);

#endif
