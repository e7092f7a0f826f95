/* SPDX-License-Identifier: BSD-3-Clause */
#include "lookup.h"

#include <ach.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "settings.h"

/* Modules of the name service switch need more than the least. */
#define STACK_SIZE 262144u

struct relay_lookup {
    atomic_uint users; /* the thread, and the caller */
    int fd;
    struct addrinfo *found;
    atomic_int error; /* is stored after `found` */
    char host[RELAY_HOST_MAX], port[8];
};

static atomic_uint running;

static void lookup_release(struct relay_lookup *l)
{
    if (atomic_fetch_sub(&l->users, 1) > 1)
        return;
    if (l->found)
        freeaddrinfo(l->found);
    if (l->fd >= 0)
        close(l->fd);
    free(l);
}

static void lookup_find(struct relay_lookup *l, int flags)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};

    atomic_store(&l->error, getaddrinfo(l->host, l->port, &hints, &l->found));
}

static void lookup_end(const struct relay_lookup *l)
{
    eventfd_write(l->fd, 1);
}

static void *lookup_run(void *argument)
{
    struct relay_lookup *l = argument;

    lookup_find(l, 0);
    atomic_fetch_sub(&running, 1);
    lookup_end(l);
    lookup_release(l);
    return NULL;
}

/* Signals are for the loop, except SIGBUS: a fault while it is blocked is fatal. */
static bool lookup_start(struct relay_lookup *l)
{
    sigset_t all, before;
    pthread_attr_t attr;
    pthread_t thread;
    int r;

    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    atomic_fetch_add(&l->users, 1);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    r = pthread_create(&thread, &attr, lookup_run, l);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (r != 0)
        atomic_fetch_sub(&l->users, 1);
    return r == 0;
}

/* Only the loop adds to `running`, so it cannot pass the limit. */
static bool lookup_begin(struct relay_lookup *l)
{
    lookup_find(l, AI_NUMERICHOST);
    if (atomic_load(&l->error) != EAI_NONAME) {
        lookup_end(l);
        return true;
    }
    if (atomic_load(&running) >= RELAY_LOOKUPS_MAX) {
        ach_errstr_set(ACH_EAGAIN, "waiting until other names are looked up");
        return false;
    }
    atomic_fetch_add(&running, 1);
    if (lookup_start(l))
        return true;
    atomic_fetch_sub(&running, 1);
    ach_errstr_set(ACH_FAILED_SYSCALL, "cannot start a thread that looks up the name");
    return false;
}

struct relay_lookup *relay_lookup_create(const char *host, unsigned port)
{
    struct relay_lookup *l = calloc(1, sizeof(*l));

    if (!l) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to look up the name");
        return NULL;
    }
    l->users = 1;
    l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    snprintf(l->host, sizeof(l->host), "%s", host);
    snprintf(l->port, sizeof(l->port), "%u", port);
    if (l->fd < 0)
        ach_errstr_set(ACH_FAILED_SYSCALL, "no descriptor to look up the name");
    else if (lookup_begin(l))
        return l;
    lookup_release(l);
    return NULL;
}

void relay_lookup_destroy(struct relay_lookup *l)
{
    if (l)
        lookup_release(l);
}

int relay_lookup_fd(const struct relay_lookup *l)
{
    return l->fd;
}

const struct addrinfo *relay_lookup_result(const struct relay_lookup *l)
{
    int error = atomic_load(&l->error);

    if (error)
        ach_errstr_set(ACH_ENOENT, "%s: %s", l->host, gai_strerror(error));
    return error ? NULL : l->found;
}
