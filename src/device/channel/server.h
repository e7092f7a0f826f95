/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * server.h - a robot's devices as channels
 *
 * One thread waits for commands, requests, answers and the end of clients. Data
 * is put by the thread that publishes it.
 */
#ifndef ACHI_CHANNEL_SERVER_H
#define ACHI_CHANNEL_SERVER_H

#include <ach.h>
#include <ach/transport.h>
#include <pthread.h>

/* Requests under way at most. */
#define ACHI_ASKED_MAX 1024u

/* Who waits in the epoll; the events point to it. */
struct achi_source {
    enum { ACHI_COMMANDS, ACHI_REQUESTS, ACHI_ANSWERS, ACHI_CLIENT } kind;
    int fd;
};

struct achi_output {
    struct achi_source commands; /* first: an event finds the device */
    struct achi_channels *server;
    ach_address_t address;
    ach_channel_t data, cmd;
    bool data_open, cmd_open, sunk;
    bool complained;
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
    struct achi_channels *server;
    ach_address_t address;
    uint32_t pid, handle, sequence;
    double timestamp;
    char driver[64];
    ach_queue_t *queue; /* ignores all */
};

struct achi_asked {
    uint32_t pid, handle, sequence; /* the client's */
    uint32_t own;                   /* the server's sequence for it */
    bool used;
};

struct achi_channels {
    ach_robot_t *robot;
    uint32_t number; /* the robot's */
    int epoll;
    int wake; /* an eventfd: there are answers, or it is time to end */
    bool end;
    pthread_t thread;
    struct achi_output *outputs;
    size_t n_outputs;
    struct achi_source requests, answers;
    ach_channel_t req, ans;
    bool req_open, ans_open;
    pthread_mutex_t ans_lock;
    ach_queue_t *queue; /* drivers' answers */
    struct achi_asked asked[ACHI_ASKED_MAX];
    uint32_t sequence;
    struct achi_client *clients;
    unsigned n_clients;
    size_t size; /* of a device's data channel, in bytes */
    unsigned count;
    unsigned char *buffer;
    size_t room;
};

/* A message from a channel into server->buffer; *size with the header. False: there is none. */
bool achi_channels_receive(struct achi_channels *s, ach_channel_t *chan, ach_header_t *h,
                           uint32_t *size);

/* An answer to a client. */
void achi_channels_answer(struct achi_channels *s, const ach_header_t *h, const void *bytes,
                          size_t size);

/* To the server itself: subscribe, unsubscribe. */
void achi_channels_player(struct achi_channels *s, const ach_header_t *h, const void *body,
                          uint32_t size);

/* A client's process has ended. */
void achi_client_end(struct achi_channels *s, struct achi_client *c);

#endif
