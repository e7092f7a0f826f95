/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve.c - the robot's end: a thread that accepts, and one for each client
 *
 * The socket is open to all users. Each may do what the permissions of the robot's channels allow:
 * the kernel says who has connected, and ach_robot_rights says what that user may do.
 */
#include <ach.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "serve.h"

#define CLIENTS_MAX 256u

/* Seconds that clients have to receive the last messages when the server ends. */
#define LINGER 2
#define LINGER_MAX 60

/* Memory for what waits for all clients. */
#define ALL_BYTES ((size_t)256 << 20)

static void *accept_all(void *context)
{
    struct server *s = context;
    bool ending = false;

    while (!ending) {
        int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);

        pthread_mutex_lock(&s->lock);
        ending = s->ending;
        if (fd >= 0 && (ending || s->n_clients == CLIENTS_MAX || !client_start(s, fd)))
            close(fd);
        pthread_mutex_unlock(&s->lock);
        if (fd < 0 && !ending)
            usleep(100000); /* no descriptors, most likely */
    }
    return NULL;
}

/* A socket that nobody listens to is left over from a server that was killed. */
static ach_status_t listen_at(struct server *s)
{
    const struct sockaddr *a = (const struct sockaddr *)&s->address;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, a, sizeof(s->address)) != 0 && errno == ECONNREFUSED)
        unlink(s->address.sun_path);
    if (fd >= 0)
        close(fd);
    s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->fd >= 0 && bind(s->fd, a, sizeof(s->address)) == 0 &&
        chmod(s->address.sun_path, 0666) == 0 && listen(s->fd, 16) == 0)
        return ACH_OK;
    ach_errstr_set(ACH_FAILED_SYSCALL, "cannot listen at %s: %s", s->address.sun_path,
                   strerror(errno));
    if (s->fd >= 0)
        close(s->fd);
    return ACH_FAILED_SYSCALL;
}

ach_status_t unix_serve(ach_robot_t *robot, ach_section_t *options, void **server)
{
    const char *path = options ? ach_section_path(options, "path", NULL) : NULL;
    struct server *s = calloc(1, sizeof(*s));
    ach_status_t status = ACH_FAILED_SYSCALL;
    pthread_condattr_t attr;

    if (!path || !s || !frame_address(path, &s->address)) {
        if (options)
            ach_section_refuse(options, "path", 0, "the path of a socket, below 108 characters");
        free(s);
        return ach_errstr_set(ACH_EINVAL, "a Unix socket needs a path");
    }
    s->robot = robot;
    s->linger = ach_section_int(options, "linger", LINGER);
    if (s->linger < 0 || s->linger > LINGER_MAX) {
        ach_section_refuse(options, "linger", 0, "seconds, 0 to 60");
        free(s);
        return ach_errstr_set(ACH_EINVAL, "a time to linger is 0 to 60 seconds");
    }
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->gone, &attr);
    pthread_condattr_destroy(&attr);
    status = ach_budget_create(ALL_BYTES, &s->budget);
    if (status == ACH_OK)
        status = listen_at(s);
    if (status == ACH_OK && pthread_create(&s->thread, NULL, accept_all, s) != 0) {
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "no thread to listen");
        close(s->fd);
    }
    if (status == ACH_OK) {
        *server = s;
    } else {
        ach_budget_destroy(s->budget);
        free(s);
    }
    return status;
}

/* Under the lock. */
static void shut_down(struct server *s, int how)
{
    struct client *c;

    for (c = s->clients; c; c = c->next)
        shutdown(c->fd, how);
}

static struct timespec end_of_linger(const struct server *s)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += s->linger;
    return t;
}

/* Messages that clients have sent by now are handled. Answers are sent to clients that read. */
void unix_end(void *server)
{
    struct server *s = server;
    struct timespec until = end_of_linger(s);

    unlink(s->address.sun_path);
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    shutdown(s->fd, SHUT_RDWR);
    shut_down(s, SHUT_RD);
    while (s->n_clients && pthread_cond_timedwait(&s->gone, &s->lock, &until) == 0)
        ;
    shut_down(s, SHUT_RDWR);
    while (s->n_clients)
        pthread_cond_wait(&s->gone, &s->lock);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    close(s->fd);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->gone);
    ach_budget_destroy(s->budget);
    free(s);
}
