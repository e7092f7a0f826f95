/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * server.h - a robot's devices as channels
 *
 * One thread waits for commands, requests, answers and the exit of clients. Without that
 * thread, the host of the robot calls ach_channels_poll. Data is put by the thread
 * that publishes it.
 */
#ifndef DEVCH_CHANNEL_SERVER_H
#define DEVCH_CHANNEL_SERVER_H

#include <ach.h>
#include <ach/transport.h>
#include <limits.h>
#include <pthread.h>

#include "../../util/pending.h"
#include "../core/wakeup.h"

/* Messages that a channel holds: commands of one device; requests, or answers, of all clients. */
#define DEVCH_CMD_COUNT 1024u
#define DEVCH_REQ_COUNT 1024u

/* A descriptor in the epoll; event.data.ptr points here. */
struct devch_source {
    enum { DEVCH_COMMANDS, DEVCH_REQUESTS, DEVCH_ANSWERS, DEVCH_CLIENT } kind;
    int fd;
    bool lost; /* the channel is damaged and is not read any more */
};

struct devch_output {
    struct devch_source commands; /* must be first: events are cast to devch_output */
    struct ach_channels *server;
    ach_address_t address;
    ach_channel_t data, cmd;
    uint64_t data_inode, cmd_inode;
    bool data_open, cmd_open, sunk;
    enum { DEVCH_NO_COMPLAINT, DEVCH_COMPLAINT, DEVCH_COMPLAINED } complaint;
    ach_status_t wrong; /* why data could not be put into its channel */
    size_t wrong_size;
    uint64_t overwritten; /* commands overwritten before the server read them */
    uint64_t refused;     /* commands that the robot refused */
    char data_name[ACH_CHAN_NAME_MAX], cmd_name[ACH_CHAN_NAME_MAX];
};

/* A process that has subscribed. */
struct devch_client {
    struct devch_source end; /* a pidfd; must be first: events are cast to devch_client */
    struct devch_client *next;
    uint32_t pid;
    struct devch_use *uses;
    unsigned n_uses;
};

/* The subscription of one handle of a client to one device. */
struct devch_use {
    struct devch_use *next;
    struct ach_channels *server;
    ach_address_t address;
    uint32_t pid, handle, sequence;
    double timestamp;
    uint64_t overwritten; /* devch_output.overwritten when it began */
    char driver[64];
    ach_queue_t *queue; /* its rule ignores all messages; counts unhandled commands */
};

struct ach_channels {
    ach_robot_t *robot;
    uint32_t number; /* the robot's */
    int epoll;       /* -1: there is no thread */
    int wake;        /* an eventfd: answers are queued, or `end` is set */
    bool quiet;      /* nobody waits for `wake`: do not signal it */
    bool complaints;
    bool end;
    pthread_t thread;
    struct devch_output *outputs;
    size_t n_outputs;
    struct devch_source requests, answers;
    ach_channel_t req, ans;
    uint64_t req_inode, ans_inode;
    bool req_open, ans_open, guarded;
    ach_queue_t *queue;           /* drivers' answers */
    ach_queue_t *out;             /* answers as clients get them, on their way into the channel */
    ach_message_t *stuck;         /* popped from `out`, waiting for the channel's lock */
    uint64_t dropped;             /* answers that could not be put; changed by any thread */
    uint64_t dropped_told;        /* value of `dropped` when last logged */
    uint64_t overwritten;         /* requests overwritten before the server read them */
    struct pending_table pending; /* requests of clients: their headers */
    unsigned opening;             /* subscriptions without an answer; changed by any thread */
    struct devch_client *clients;
    unsigned n_clients;
    unsigned n_uses; /* of all of them */
    size_t size;     /* of a device's data channel, in bytes */
    unsigned count;
    unsigned char *buffer;
    size_t room;
};

ach_status_t devch_channels_open(ach_robot_t *robot, ach_section_t *options,
                                 struct ach_channels **server);
void devch_channels_close(struct ach_channels *s);

/* The channels of all devices. */
ach_status_t devch_outputs_open(struct ach_channels *s);
void devch_outputs_close(struct ach_channels *s);

/* Create and open a channel; replaces one that an earlier server left behind. */
ach_status_t devch_channel_make(const struct ach_channels *s, const char *name, size_t count,
                                size_t size, bool single, ach_channel_t *chan, uint64_t *inode);

/* Close and remove a channel, unless another server has put its own in its place. */
void devch_channel_end(ach_channel_t *chan, const char *name);

/* Other transports check local users against the permissions of these channels. */
ach_status_t devch_access_begin(struct ach_channels *s);
void devch_access_end(struct ach_channels *s);

/* Open the file of a channel of this server; -1 with errno. @path: set. */
int devch_channel_file(const char *name, uint64_t inode, char path[PATH_MAX]);

/*
 * If the config file sets permissions: a new channel is created for its owner only, and opened to
 * others once its group is set.
 */
ach_status_t devch_permissions_create(const struct ach_channels *s, ach_create_attr_t *attr);
ach_status_t devch_permissions_open(const struct ach_channels *s, const char *name,
                                    ach_channel_t *chan, uint64_t inode);

/* Wake the thread that serves; from any thread. */
static inline void devch_channels_wake(struct ach_channels *s)
{
    if (!__atomic_load_n(&s->quiet, __ATOMIC_SEQ_CST))
        dev_wakeup_signal(s->wake);
}

/* Log failures of publishing threads, which must not log themselves. */
void devch_channels_say(struct ach_channels *s);

/*
 * Receive a message into s->buffer; *size: of the body. False: there is none. *overwritten grows by
 * the number of messages overwritten before it. A damaged channel is logged and not read any
 * more.
 */
bool devch_channels_receive(struct ach_channels *s, struct devch_source *source,
                            ach_channel_t *chan, ach_header_t *h, uint32_t *size,
                            uint64_t *overwritten);

/* The device's channels; NULL: there are none. */
struct devch_output *devch_output_find(const struct ach_channels *s, const ach_address_t *device);

/* Log that messages were overwritten before they were read, each time their number doubles. */
void devch_channels_say_overwritten(const struct ach_channels *s, const char *what, uint64_t before,
                                    uint64_t now);

/* Deliver at most @turns commands from the channel of a device to the robot. */
void devch_channels_take_commands(struct ach_channels *s, struct devch_output *o, unsigned turns);

/* Handle at most @turns requests; returns how many. */
unsigned devch_channels_take_requests(struct ach_channels *s, unsigned turns);

/* Move answers of drivers to `out`, for devch_answers_send. */
void devch_channels_pass_answers(struct ach_channels *s);

/*
 * Queue an answer to a client; from any thread. devch_answers_send puts it into the channel, in the
 * thread that serves, because a stopped process may hold the channel's lock.
 */
void devch_answers_add(struct ach_channels *s, const ach_header_t *h, const void *bytes,
                       size_t size);

/* Put queued answers into the channel. False: some still wait for its lock. */
bool devch_answers_send(struct ach_channels *s);

/* Wait at most @seconds until all answers are put; drop the rest. */
void devch_answers_finish(struct ach_channels *s, double seconds);

/* Whether a growing count has doubled, so that it is worth logging again. */
bool devch_channels_doubled(uint64_t before, uint64_t now);

/* Handle a request to the server itself: subscribe, unsubscribe. */
void devch_channels_player(struct ach_channels *s, const ach_header_t *h, const void *body,
                           uint32_t size);

/* Where the client's list points to the use of a device by a handle, or to NULL: there is none. */
struct devch_use **devch_use_at(struct devch_client *c, uint32_t handle,
                                const ach_address_t *device);

/* The subscription of the handle that put this command to the device; NULL: unknown. */
struct devch_use *devch_use_find(const struct ach_channels *s, const ach_header_t *command,
                                 const ach_address_t *device);

/*
 * Forget pending requests of a handle to a device, so that a driver that never answers does not
 * fill the table. @client: as in the headers of its requests. @subtype: -1: all.
 */
void devch_use_forget_requests(struct ach_channels *s, const ach_address_t *client, int subtype);

/* Forget a client: its process has exited, or it has no subscriptions left. */
void devch_client_end(struct ach_channels *s, struct devch_client *c);

#endif
