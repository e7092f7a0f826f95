/* SPDX-License-Identifier: BSD-3-Clause */
/* serve.h - the robot's end: a server and its clients */
#ifndef SERVE_H
#define SERVE_H

#include <pthread.h>
#include <sys/un.h>

#include "frame.h"

struct client {
    struct client *next;
    struct server *server;
    int fd, wake;
    ach_queue_t *queue;
    bool asked; /* for its device */
    bool open;  /* set by any thread: the device is set up */
    uid_t uid;
    unsigned rights; /* with its device */
    bool refused;    /* something, which the log has */
    ach_address_t device;
    ach_header_t request; /* to be answered when it is */
    unsigned asking;      /* requests that the device has not answered */
};

struct server {
    ach_robot_t *robot;
    ach_budget_t *budget; /* of what is in all queues */
    struct sockaddr_un address;
    int fd;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t gone;
    struct client *clients;
    unsigned n_clients;
    int linger;  /* seconds that clients have to receive the last messages */
    bool ending; /* under the lock */
};

/* Start a thread for a client that has connected. Under the lock. */
bool client_start(struct server *s, int fd);

#endif
