/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * server.h - a robot's devices as channels
 *
 * One thread waits for commands, requests, answers and the end of clients; or there is
 * none, and who hosts the robot calls ach_channels_poll. Data is put by the thread
 * that publishes it.
 */
#ifndef ACHI_CHANNEL_SERVER_H
#define ACHI_CHANNEL_SERVER_H

#include <ach.h>
#include <ach/transport.h>
#include <pthread.h>

/* Requests under way at most. */
#define ACHI_ASKED_MAX 1024u

/* What the channels keep: commands of a device; requests of all clients, and the answers. */
#define ACHI_CMD_COUNT 1024u
#define ACHI_REQ_COUNT 1024u

/* Who waits in the epoll; the events point to it. */
struct achi_source {
    enum { ACHI_COMMANDS, ACHI_REQUESTS, ACHI_ANSWERS, ACHI_CLIENT } kind;
    int fd;
    bool lost; /* the channel is damaged; nothing comes from it any more */
};

struct achi_output {
    struct achi_source commands; /* first: an event finds the device */
    struct ach_channels *server;
    ach_address_t address;
    ach_channel_t data, cmd;
    uint64_t data_inode, cmd_inode;
    bool data_open, cmd_open, sunk;
    enum { ACHI_NO_COMPLAINT, ACHI_COMPLAINT, ACHI_COMPLAINED } complaint;
    ach_status_t wrong; /* why data did not go into its channel */
    size_t wrong_size;
    uint64_t overwritten; /* commands that were gone before the server came */
    uint64_t refused;     /* commands that the robot did not take */
    char data_name[ACH_CHAN_NAME_MAX], cmd_name[ACH_CHAN_NAME_MAX];
};

/* A process that has subscribed. */
struct achi_client {
    struct achi_source end; /* first: a pidfd */
    struct achi_client *next;
    uint32_t pid;
    struct achi_use *uses;
    unsigned n_uses;
};

/* One of its handles' subscription to one device. */
struct achi_use {
    struct achi_use *next;
    struct ach_channels *server;
    ach_address_t address;
    uint32_t pid, handle, sequence;
    double timestamp;
    uint64_t overwritten; /* of the device's commands, when the client was told last */
    char driver[64];
    ach_queue_t *queue; /* ignores all */
};

struct achi_asked {
    uint32_t pid, handle, sequence; /* the client's */
    uint32_t own;                   /* the server's sequence for it */
    bool used;
};

struct ach_channels {
    ach_robot_t *robot;
    uint32_t number; /* the robot's */
    int epoll;       /* -1: there is no thread */
    int wake;        /* an eventfd: there are answers, or it is time to end */
    bool quiet;      /* nobody waits for it */
    bool complaints;
    bool end;
    pthread_t thread;
    struct achi_output *outputs;
    size_t n_outputs;
    struct achi_source requests, answers;
    ach_channel_t req, ans;
    uint64_t req_inode, ans_inode;
    bool req_open, ans_open, guarded;
    ach_queue_t *queue;    /* drivers' answers */
    ach_queue_t *out;      /* answers as clients get them, on their way into the channel */
    ach_message_t *stuck;  /* the first of them, while somebody holds the channel's lock */
    uint64_t dropped;      /* answers that could not be put; changed by any thread */
    uint64_t dropped_told; /* how many of them are in the log */
    uint64_t overwritten;  /* requests */
    struct achi_asked asked[ACHI_ASKED_MAX];
    unsigned n_asked; /* that have no answer */
    unsigned opening; /* subscriptions that have none */
    uint32_t sequence;
    struct achi_client *clients;
    unsigned n_clients;
    unsigned n_uses; /* of all of them */
    size_t size;     /* of a device's data channel, in bytes */
    unsigned count;
    unsigned char *buffer;
    size_t room;
};

ach_status_t achi_channels_open(ach_robot_t *robot, ach_section_t *options,
                                struct ach_channels **server);
void achi_channels_close(struct ach_channels *s);

/* The channels of all devices. */
ach_status_t achi_outputs_open(struct ach_channels *s);
void achi_outputs_close(struct ach_channels *s);

/* A channel of ours, new: what an earlier server left behind is replaced. */
ach_status_t achi_channel_make(const struct ach_channels *s, const char *name, size_t count,
                               size_t size, bool single, ach_channel_t *chan, uint64_t *inode);

/* Close and remove a channel, unless another server has put its own in its place. */
void achi_channel_end(ach_channel_t *chan, const char *name);

/* Other transports serve users of this machine by the permissions of these channels. */
ach_status_t achi_guard_begin(struct ach_channels *s);
void achi_guard_end(struct ach_channels *s);

/*
 * If the config file says which permissions channels have: a new one is made for its owner alone,
 * and opened to others when it has its group.
 */
ach_status_t achi_guard_create(const struct ach_channels *s, ach_create_attr_t *attr);
ach_status_t achi_guard_open(const struct ach_channels *s, const char *name, ach_channel_t *chan,
                             uint64_t inode);

/* Make who serves look, from any thread. */
void achi_channels_wake(struct ach_channels *s);

/* Log what went wrong where nothing may be logged. */
void achi_channels_say(struct ach_channels *s);

/*
 * A message from a channel into server->buffer; *size with the header. False: there is none.
 * *overwritten: how many before it were gone is added. A channel that is damaged is left alone from
 * then on, and the log says so.
 */
bool achi_channels_receive(struct ach_channels *s, struct achi_source *source, ach_channel_t *chan,
                           ach_header_t *h, uint32_t *size, uint64_t *overwritten);

/* The device's channels; NULL: there are none. */
struct achi_output *achi_output_find(const struct ach_channels *s, const ach_address_t *device);

/* Hand what is in a channel to the robot, so many messages at most. */
void achi_channels_take_commands(struct ach_channels *s, struct achi_output *o, unsigned turns);

/* As that; returns how many. */
unsigned achi_channels_take_requests(struct ach_channels *s, unsigned turns);

/* Drivers' answers into their channel. */
void achi_channels_pass_answers(struct ach_channels *s);

/*
 * One answer to a client; from any thread. It is put into the channel by achi_answers_send, in the
 * thread that serves: the channel's lock may be held by a process that is stopped.
 */
void achi_answers_add(struct ach_channels *s, const ach_header_t *h, const void *bytes,
                      size_t size);

/* False: some wait for the channel's lock. */
bool achi_answers_send(struct ach_channels *s);

/* Wait until all are put, for so many seconds at most; what is left is dropped. */
void achi_answers_finish(struct ach_channels *s, double seconds);

/* Whether a count is worth a line in the log: each time that it has doubled. */
bool achi_channels_doubled(uint64_t before, uint64_t now);

/* To the server itself: subscribe, unsubscribe. */
void achi_channels_player(struct ach_channels *s, const ach_header_t *h, const void *body,
                          uint32_t size);

/* A client's process has ended. */
void achi_client_end(struct ach_channels *s, struct achi_client *c);

#endif
