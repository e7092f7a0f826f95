/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * udp.h - messages in datagrams
 *
 * A link whose flows want datagrams has a socket for them beside its connection, with a window of
 * its own. A group has a socket that only sends, at a rate. A flow that receives from a group has a
 * socket that only receives.
 *
 * Datagrams are acknowledged by datagrams: a lost acknowledgement is replaced by the next one,
 * while one on the connection would wait until the connection has repaired its own losses.
 */
#ifndef RELAY_UDP_H
#define RELAY_UDP_H

#include "link.h"
#include "seal.h"

struct relay_udp {
    struct relay_watch watch; /* must be first */
    struct relay_link *link;
    struct relay_flow *flow; /* that receives from a group; NULL: flows of the link */
    bool connected;          /* it may send */
    bool announce;           /* tell the peer our port and key */
    uint16_t port;
    struct relay_sealer out;
    struct relay_opener in;
    struct relay_buffer datagram;

    /* What is sent. */
    struct relay_flow_list ready[RELAY_PRIORITIES];
    struct relay_window window;
    uint64_t progress; /* when something was acknowledged, or sent while nothing was on its way */
    uint64_t loss_turn, loss_from, loss_bytes; /* of a round, as in window.h */
    uint64_t rate;                             /* bytes per second, of a group; 0: by the window */
    uint64_t free; /* when the pace allows the next datagram; 0: not known */

    /* What has come. */
    struct relay_seen seen;
    uint64_t seen_due, seen_last; /* as those of the link's ACK */

    uint64_t sent, received, refused; /* datagrams */
};

/*
 * The socket of a link. What it sends is sealed if `seals` and this installation can; on a sealed
 * connection always. False: ach_errstr.
 */
bool relay_udp_start(struct relay_link *l, bool seals, uint64_t now);

/* Sends to a group. NULL: ach_errstr. l: what owns the flow of the group. */
struct relay_udp *relay_udp_create_group(struct relay_link *l, int fd, uint64_t rate, uint64_t now);

/* NULL does nothing. Not while the loop handles events. */
void relay_udp_destroy(struct relay_udp *u);

/*
 * The peer has told its port and key. False: this side cannot exchange datagrams with it,
 * ach_errstr.
 */
bool relay_udp_offered(struct relay_link *l, const struct relay_udp_offer *o, uint64_t now);

/* The peer has told the group and the key of a flow. False: ach_errstr. */
bool relay_udp_subscribed(struct relay_flow *f, const struct relay_udp_offer *o, uint64_t now);

/* The flow does not receive from a group any more. */
void relay_udp_unsubscribe(struct relay_flow *f);

/* How datagrams of this side travel. */
struct relay_udp_offer relay_udp_offer(const struct relay_udp *u);

/* Send what can be sent. */
void relay_udp_pump(struct relay_udp *u, uint64_t now);

uint64_t relay_udp_deadline(const struct relay_udp *u);
void relay_udp_tick(struct relay_udp *u, uint64_t now);

#endif
