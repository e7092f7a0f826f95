/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session.h - one client of a server
 *
 * Everything for the client goes through its queue, so that it comes in the order
 * in which it happened: data, answers of drivers, and the server's own answers. A
 * client that does not read fills its queue; a client that does not read and
 * goes on asking is not read from any more.
 *
 * All of it belongs to the loop's thread. Other threads only push into the queue.
 */
#ifndef ACHI_SESSION_H
#define ACHI_SESSION_H

#include <ach/access.h>

#include "account.h"
#include "input.h"
#include "origin.h"
#include "output.h"
#include "server.h"

struct achi_session {
    struct achi_peer peer;
    struct achi_session *next, **at; /* of the server's */
    struct achi_server *server;
    ach_queue_t *queue;
    struct achi_input input;
    struct achi_output output;

    uint32_t host;  /* ours, as the client sees it */
    uint32_t robot; /* whose devices it means */
    uint16_t port;
    char name[96]; /* of the client, for the log */
    struct achi_origin origin;
    struct achi_account *account;
    bool told_refusal; /* to the log */

    bool trusted; /* it knows the secret, or there is none */
    unsigned wrong;
    bool throttled; /* its account has guessed too often: its next guess waits */
    long since;     /* the second in which it came */
    struct achi_session *next_stranger, **stranger_at; /* NULL: it is none any more */

    bool pull;
    bool asked;            /* for data; a SYNCH is due */
    bool fed;              /* with at least one since */
    size_t allowed;        /* messages before the SYNCH */
    ach_message_t *urgent; /* goes ahead of the queue */
    uint64_t gap;          /* messages that were lost, ... */
    size_t gap_after;      /* ... after so many more */
    bool blocked;          /* the socket is full */
    bool ended;            /* nothing more is received: what was is taken whatever the limits say */
    unsigned rounds;       /* of receiving since then */
    bool closing;

    /* See memory.h. */
    size_t guess;             /* bytes of an answer that may be large */
    bool starved;             /* it waits until others hold less */
    uint64_t taken;           /* bytes of messages from it */
    uint64_t moved;           /* bytes taken and sent up to ... */
    long held_since;          /* ... that second, when it held little, or had moved what it held */
    size_t openings;          /* bytes of subscriptions that wait; changed by any thread */
    uint64_t refused_answers; /* that the log has told of */
    ach_message_t *map;       /* to be compressed before anything else is sent; NULL: none */
    struct achi_session *next_map;

    struct achi_subscription *subscriptions;
    int n_subscriptions;
    int asking;       /* requests of devices that are not answered yet, and subscriptions */
    int large;        /* of these, requests whose answers may be large */
    uint64_t refused; /* commands to devices it had not subscribed to */
    char *route;      /* NULL: it is not one of us */
};

/* The socket is taken over, also when it fails. */
ach_status_t achi_session_create(struct achi_listener *listener, int fd);
void achi_session_close(struct achi_session *s, const char *why);

/* The connection is gone: take what the client sent before, and close. */
void achi_session_lose(struct achi_session *s, const char *why);

/*
 * The server ends: take what the client has sent, end its subscriptions and send the rest of
 * its queue. Then wait for achi_session_done, and close.
 */
void achi_session_end(struct achi_session *s);
bool achi_session_done(const struct achi_session *s);

/* It is no stranger any more: it is trusted, and has said something. */
void achi_session_know(struct achi_session *s);

/* Send what may be sent now. */
void achi_session_send(struct achi_session *s);

/* Compress a slice of one client's map; false: there are no more. */
bool achi_session_pack(struct achi_server *server);

/* Forget a map that is to be compressed. */
void achi_session_unpack(struct achi_session *s);

/* A message from the client. */
void achi_session_take(struct achi_session *s, const ach_header_t *h, const unsigned char *body,
                       size_t size);

/* Answer a request of the interface player: a struct of that request, or NULL. */
void achi_session_answer(struct achi_session *s, const ach_header_t *request, uint8_t type,
                         const void *body);

/* A request of the interface player. */
void achi_player_request(struct achi_session *s, const ach_header_t *h, const unsigned char *body,
                         size_t size);

/* Why the answer that follows is a NACK, for a client that understands reasons; any thread. */
void achi_session_explain(ach_queue_t *queue, const ach_header_t *request, const char *why);

/* The device that a client means, as the robot knows it. */
ach_address_t achi_session_device(const struct achi_session *s, unsigned interf, unsigned index);

/* Subscribe; the answer comes when the driver is set up. */
void achi_subscription_open(struct achi_session *s, const ach_header_t *request,
                            const ach_player_device_req_t *req);
void achi_subscription_close(struct achi_session *s, const ach_header_t *request,
                             const ach_player_device_req_t *req);
/* What the client may do with a device that it has opened; 0: it has not. */
unsigned achi_subscription_rights(const struct achi_session *s, const ach_address_t *device);
/* Whether the client has opened a device. */
bool achi_subscription_any(const struct achi_session *s);
void achi_subscription_close_all(struct achi_session *s);

/* Whether ach_robot_rights decides for this client. Otherwise it may do everything. */
bool achi_rights_limited(const struct achi_session *s);

/* As ach_robot_rights. */
unsigned achi_rights_of(const struct achi_session *s, const ach_address_t *device);

/* A sentence on what these rights leave out. A NULL device: the list of devices. */
#define ACHI_WHY 256
const char *achi_rights_why(const struct achi_session *s, const ach_address_t *device,
                            unsigned rights, char why[ACHI_WHY]);

/* Log that a client was refused something: its first refusal, and not too often. */
void achi_rights_log(struct achi_session *s, const char *what, const char *why);

#endif
