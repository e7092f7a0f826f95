/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client.h - a WebSocket with one of the protocols, whatever library carries it
 *
 * The server gives it whole messages, and takes frames out of its outbox when the connection has
 * room. What a client sends is not trusted.
 */
#ifndef VIEW_CLIENT_H
#define VIEW_CLIENT_H

#include "hub.h"
#include "json.h"
#include "outbox.h"

/* Close codes of RFC 6455. */
#define VIEW_CLOSE_POLICY 1008u
#define VIEW_CLOSE_TOO_LARGE 1009u
#define VIEW_CLOSE_INTERNAL 1011u

#define VIEW_CONTROL_SOME (1u << 20)

enum view_level {
    VIEW_INFO,
    VIEW_WARNING,
    VIEW_ERROR,
};

struct view_protocol {
    const char *name;
    bool page;                   /* its sessions are of struct page */
    size_t text_max, binary_max; /* of a message from the client; 0: none is accepted */
    bool (*open)(struct view_client *c);
    void (*close)(struct view_client *c);
    void (*text)(struct view_client *c, const char *text, size_t size);
    void (*binary)(struct view_client *c, const uint8_t *bytes, size_t size);
    size_t (*added)(struct view_client *c, struct view_topic *t); /* bytes of the list so far */
    void (*removed)(struct view_client *c,
                    struct view_topic *t);  /* nobody is subscribed any more */
    void (*settled)(struct view_client *c); /* after several of these calls */
    void (*listed)(struct view_client *c);  /* the figures of the channels are new */
    void (*clock)(struct view_client *c, const struct view_clock *clock);
    void (*forget)(struct view_client *c); /* see view_hub_forget; these two may be NULL */
    void (*sought)(struct view_client *c);
    void (*status)(struct view_client *c, enum view_level level, const char *sentence);
};

extern const struct view_protocol view_protocol_page, view_protocol_foxglove;

struct view_client {
    struct view_client *next;
    struct view_hub *hub;
    const struct view_protocol *protocol;
    void *session; /* of the protocol */
    struct view_outbox out;
    struct view_topic *untold; /* the first topic that it was not told of; NULL: it knows all */
    bool changed;              /* it is to be told something, also if there is no topic */
    unsigned code;             /* it is to be closed with this code; 0: no */
    char reason[124];
    uint64_t requests_at; /* how many requests it may make now */
    double requests;
    void (*wake)(void *connection); /* there is something to send, or it is to be closed */
    void *connection;
};

/* Does it read what is sent to it, so that it may be sent more of what is never dropped? */
static inline bool view_client_reads(const struct view_client *c)
{
    return c->out.control < VIEW_CONTROL_SOME;
}

/* NULL: no memory, or the source cannot be started. */
struct view_client *view_client_new(struct view_hub *h, const struct view_protocol *protocol,
                                    void (*wake)(void *connection), void *connection);
void view_client_free(struct view_client *c);

/* A message from the client. */
void view_client_receive(struct view_client *c, bool text, const void *bytes, size_t size);

/* Close it after what is in the outbox; the first reason counts. */
void view_client_close(struct view_client *c, unsigned code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Send a control frame. Without room the client is closed. Takes over the reference. */
void view_client_control(struct view_client *c, struct view_blob *blob, bool text);
void view_client_data(struct view_client *c, struct view_stream *stream, const void *head,
                      size_t head_size, struct view_blob *blob, bool text);

/* The same, in place of what is not sent yet: only the newest state counts. */
void view_client_newest(struct view_client *c, struct view_stream *stream, struct view_blob *blob,
                        bool text);

void view_client_status(struct view_client *c, enum view_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A text that is written as JSON. */
struct view_text {
    char *text;
    size_t size;
    struct json json; /* inside an object with the member op */
};

bool view_text_begin(struct view_text *t, const char *op);

/* End the object and send it, as a control frame if there is no stream. */
void view_text_send(struct view_text *t, struct view_client *c, struct view_stream *stream);

/* The same, as a blob for several clients; NULL: no memory. */
struct view_blob *view_text_end(struct view_text *t);

/* Seconds since 1970, as PROTOCOL.md has them. */
void view_text_time(struct json *j, const char *key, int64_t nanoseconds);

#endif
