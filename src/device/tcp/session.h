/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session.h - one client of a server
 *
 * Everything for the client goes through its queue, so that it comes in the order
 * in which it happened: data, answers of drivers, and the server's own answers. A
 * client that does not read fills its queue. If it keeps sending requests without
 * reading, the server stops receiving from it.
 *
 * All of it belongs to the loop's thread. Other threads push into the queue; and if the loop does
 * nothing at that moment, they send a little data to the client themselves, with the loop's lock.
 */
#ifndef TCP_SESSION_H
#define TCP_SESSION_H

#include <ach/access.h>

#include "account.h"
#include "input.h"
#include "origin.h"
#include "output.h"
#include "server.h"

/* Size of a sentence that says why the server refuses something. */
#define TCP_WHY 256

struct tcp_session {
    struct tcp_peer peer;
    struct tcp_stream stream;
    struct tcp_session *next, **at; /* in the list of the server */
    struct tcp_server *server;
    ach_queue_t *queue;
    struct tcp_input input;
    struct tcp_output output;

    uint32_t host;  /* our address, as the client sees it */
    uint32_t robot; /* number of the robot that it is connected to */
    uint16_t port;
    char name[192]; /* of the client, for the log */
    struct tcp_origin origin;
    struct tcp_account *account;
    bool told_refusal; /* its first refusal was logged */

    bool shaking; /* the TLS handshake has not finished */
    long checked; /* tcp_loop_seconds when its certificate was checked */
    bool trusted; /* it has finished the TLS handshake and knows the secret, if there are such */
    unsigned wrong;
    bool throttled; /* too many wrong secrets from its account: its next attempt waits */
    long since;     /* tcp_loop_seconds when it connected */
    struct tcp_session *next_stranger, **stranger_at; /* stranger_at NULL: no stranger */

    bool pull;
    bool asked;            /* pull mode: data is requested; a SYNCH is due */
    bool fed;              /* at least one data message was sent since the request */
    size_t allowed;        /* messages before the SYNCH */
    ach_message_t *urgent; /* goes ahead of the queue */
    uint64_t gap;          /* messages dropped from the queue, not yet reported, ... */
    size_t gap_after;      /* ... and how many queued messages go before the report */
    bool blocked;          /* the socket is full */
    int64_t pushed;        /* monotonic_ns when a publisher has sent a message itself */
    bool ended;            /* no more input will come: handle the rest regardless of limits */
    unsigned rounds;       /* of receiving since it ended */
    bool closing;

    /* See memory.h. */
    size_t guess;             /* estimated bytes of an answer of variable length */
    bool starved;             /* input waits until other clients hold less memory */
    uint64_t taken;           /* bytes of messages received from it and handled */
    uint64_t moved;           /* bytes handled and sent up to ... */
    long held_since;          /* ... that second: it last held little or moved as much as it held */
    size_t openings;          /* bytes of pending subscriptions; changed by any thread */
    uint64_t refused_answers; /* answers replaced by NACKs, as logged */
    ach_message_t *map;       /* to be compressed before anything else is sent; NULL: none */
    struct tcp_session *next_map;

    struct tcp_subscription *subscriptions;
    int n_subscriptions;
    int asking;       /* device requests and subscriptions without an answer yet */
    int large;        /* of these, requests whose answers have variable length */
    uint64_t refused; /* commands and requests that were refused, for the log */
    char *route;      /* sent with TCP_REQ_ROUTE; NULL: the client does not know that request */
};

/* Takes ownership of the socket, even if it fails. */
ach_status_t tcp_session_create(struct tcp_listener *listener, int fd);
void tcp_session_close(struct tcp_session *s, const char *why);

/* Close without logging, for a client whose connection was not logged. */
void tcp_session_leave(struct tcp_session *s);

/*
 * The server ends: handle what the client has sent, end its subscriptions and send the rest of
 * its queue. The caller then waits for tcp_session_done and closes the session.
 */
void tcp_session_end(struct tcp_session *s);
bool tcp_session_done(const struct tcp_session *s);

/* Remove it from the strangers: it is trusted and has sent a message. */
void tcp_session_know(struct tcp_session *s);

/* Send the first message of the queue. False: there is more to do for the loop. */
bool tcp_session_push(struct tcp_session *s);

/* Send what may be sent now. False: the connection is lost; see ach_errstr. */
bool tcp_session_send(struct tcp_session *s);

/* Compress a slice of the first queued map; false: no maps are left. */
bool tcp_session_pack(struct tcp_server *server);

/* Have a map compressed before anything else is sent, behind the maps of other clients. */
void tcp_session_queue_map(struct tcp_session *s, ach_message_t *m);

/* Remove the client's map from the queue of maps to compress. */
void tcp_session_unpack(struct tcp_session *s);

/* Handle a message from the client. */
void tcp_session_take(struct tcp_session *s, const ach_header_t *h, const unsigned char *body,
                      size_t size);

/* Answer a request of the interface player: a struct of that request, or NULL. */
void tcp_session_answer(struct tcp_session *s, const ach_header_t *request, uint8_t type,
                        const void *body);

/* Handle a request of the interface player. */
void tcp_player_request(struct tcp_session *s, const ach_header_t *h, const unsigned char *body,
                        size_t size);

/* Put an answer of these bytes into a client's queue; any thread. */
void tcp_session_push_bytes(ach_queue_t *queue, const ach_header_t *request, uint8_t type,
                            uint8_t subtype, const unsigned char *bytes, size_t size);

/* Why the answer that follows is a NACK, for a client that understands reasons; any thread. */
void tcp_session_explain(ach_queue_t *queue, const ach_header_t *request, const char *why);

/* The address that the robot uses for a device that the client names. */
ach_address_t tcp_session_device(const struct tcp_session *s, unsigned interf, unsigned index);

/* Subscribe. The answer is sent when the driver is set up. */
void tcp_subscription_open(struct tcp_session *s, const ach_header_t *request,
                           const ach_player_device_req_t *req);
void tcp_subscription_close(struct tcp_session *s, const ach_header_t *request,
                            const ach_player_device_req_t *req);
/* What the client may do with a device that it has opened; 0: it has not. */
unsigned tcp_subscription_rights(const struct tcp_session *s, const ach_address_t *device);
/* Whether the client has opened a device. */
bool tcp_subscription_any(const struct tcp_session *s);
void tcp_subscription_close_all(struct tcp_session *s);

/* Whether ach_robot_rights decides for this client. Otherwise it may do everything. */
bool tcp_rights_limited(const struct tcp_session *s);

/* As ach_robot_rights. */
unsigned tcp_rights_of(const struct tcp_session *s, const ach_address_t *device);

/* A sentence that says which rights are missing. A NULL device: the list of devices. */
const char *tcp_rights_why(const struct tcp_session *s, const ach_address_t *device,
                           unsigned rights, char why[TCP_WHY]);

/* Log a refusal: only the first one of a client, and rate-limited over all clients. */
void tcp_rights_log(struct tcp_session *s, const char *what, const char *why);

#endif
