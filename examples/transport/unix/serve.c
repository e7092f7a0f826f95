/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve.c - the robot's end: a thread that accepts, and one for each client
 *
 * A client's thread waits for the socket and for the client's queue, whose wake
 * writes to an eventfd. A client that does not read holds up its own thread only;
 * its queue drops what is too much, and the client is told how much that was. Answers beyond
 * the memory that one client, or all of them, may take become NACKs.
 *
 * The socket is open to all users. Each may do what the permissions of the robot's channels allow:
 * the kernel says who has connected, and ach_robot_rights says what that user may do.
 */
#include <ach.h>
#include <ach/access.h>
#include <ach/interface/player.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "frame.h"

#define CLIENTS_MAX 256u

/* Memory for what waits for one client, and for all of them. */
#define CLIENT_BYTES ((size_t)64 << 20)
#define ALL_BYTES ((size_t)256 << 20)

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
    bool ending;
};

static void push(ach_queue_t *queue, const ach_header_t *request, uint8_t type, const void *body)
{
    ach_header_t h = *request;
    ach_message_t *m;

    h.type = type;
    if (ach_message_create(&h, body, &m) != ACH_OK)
        return;
    ach_queue_push(queue, m);
    ach_message_unref(m);
}

static void subscribed(void *context, const ach_address_t *address, ach_status_t status,
                       const char *why)
{
    struct client *c = context;
    const ach_player_device_req_t granted = {.access = (uint8_t)c->rights};

    (void)address;
    (void)why;
    __atomic_store_n(&c->open, status == ACH_OK, __ATOMIC_RELEASE);
    push(c->queue, &c->request, status == ACH_OK ? ACH_MSG_ACK : ACH_MSG_NACK, &granted);
}

/* What a user may not do is logged once for each client. */
static bool may(struct client *c, unsigned rights, unsigned right, const char *what)
{
    if (rights & right)
        return true;
    if (!c->refused)
        ach_robot_log(c->server->robot, ACH_LOG_WARNING,
                      "a client of uid %u is refused %s: the permissions of the robot's channels "
                      "do not allow it",
                      (unsigned)c->uid, what);
    c->refused = true;
    return false;
}

/* Who may not send requests gets the data, and sets no driver up. */
static ach_status_t open_device(struct client *c)
{
    if (c->rights & ACH_RIGHT_REQUEST)
        return ach_robot_subscribe(c->server->robot, &c->device, c->queue, subscribed, c);
    subscribed(c, &c->device, ACH_OK, "");
    return ach_robot_listen(c->server->robot, &c->device, c->queue);
}

static void subscribe(struct client *c, const ach_message_t *m)
{
    const ach_player_device_req_t *req = ach_message_body(m);

    c->request = *ach_message_header(m);
    if (!req || c->asked || req->access != ACH_PLAYER_OPEN_MODE) {
        push(c->queue, &c->request, ACH_MSG_NACK, NULL);
        return;
    }
    c->asked = true;
    c->device = (ach_address_t){.interf = req->addr.interf, .index = req->addr.index};
    c->rights = ach_robot_rights(c->server->robot, &c->device, c->uid);
    if (ach_robot_find(c->server->robot, &c->device, NULL) != ACH_OK ||
        !may(c, c->rights, ACH_RIGHT_DATA, "a device") || open_device(c) != ACH_OK)
        push(c->queue, &c->request, ACH_MSG_NACK, NULL);
}

static void list(struct client *c, const ach_header_t *h)
{
    size_t i, n = ach_robot_devices(c->server->robot, NULL, 0);
    ach_device_info_t *infos = calloc(n + 1, sizeof(*infos));
    ach_devaddr_t *addrs = calloc(n + 1, sizeof(*addrs));
    ach_player_devlist_t body = {.devices = addrs};
    unsigned rights = ach_robot_rights(c->server->robot, NULL, c->uid);

    if (!may(c, rights, ACH_RIGHT_LIST, "the list of devices")) {
        free(infos);
        free(addrs);
        push(c->queue, h, ACH_MSG_NACK, NULL);
        return;
    }
    if (infos && addrs)
        ach_robot_devices(c->server->robot, infos, n);
    for (i = 0; infos && addrs && i < n && i < ACH_PLAYER_MAX_DEVICES; i++)
        if (!infos[i].remote)
            addrs[body.devices_count++] =
                (ach_devaddr_t){.interf = infos[i].address.interf, .index = infos[i].address.index};
    push(c->queue, h, ACH_MSG_ACK, &body);
    free(infos);
    free(addrs);
}

static void hand_over(struct client *c, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);
    ach_status_t status = ACH_CLOSED;
    size_t size;
    const void *bytes = ach_message_bytes(m, &size);

    h.address = c->device;
    if (__atomic_load_n(&c->open, __ATOMIC_ACQUIRE) &&
        (h.type == ACH_MSG_REQ ? may(c, c->rights, ACH_RIGHT_REQUEST, "a request")
                               : may(c, c->rights, ACH_RIGHT_COMMAND, "a command")))
        status = ach_robot_deliver(c->server->robot, &h, bytes, size, c->queue);
    if (status != ACH_OK && h.type == ACH_MSG_REQ)
        push(c->queue, &h, ACH_MSG_NACK, NULL);
}

/* False: the client is gone, or does not speak as it should. */
static bool take(struct client *c)
{
    const ach_header_t *h;
    ach_message_t *m;

    if (frame_receive(c->fd, BODY_MAX, &m) != ACH_OK)
        return false;
    h = ach_message_header(m);
    if (h->address.interf != ACH_PLAYER_CODE)
        hand_over(c, m);
    else if (h->type == ACH_MSG_REQ && h->subtype == ACH_PLAYER_REQ_DEV)
        subscribe(c, m);
    else if (h->type == ACH_MSG_REQ && h->subtype == ACH_PLAYER_REQ_DEVLIST)
        list(c, h);
    else
        push(c->queue, h, ACH_MSG_NACK, NULL);
    ach_message_unref(m);
    return true;
}

static void tell_lost(struct client *c)
{
    const ach_header_t h = {.address = {.interf = ACH_PLAYER_CODE},
                            .subtype = ACH_PLAYER_SYNCH_OVERFLOW};
    const ach_player_overflow_t lost = {.value = (uint32_t)ach_queue_lost(c->queue)};

    if (lost.value)
        push(c->queue, &h, ACH_MSG_SYNCH, &lost);
}

static bool pass_on(struct client *c)
{
    ach_status_t status = ACH_OK;
    ach_message_t *m;
    uint64_t count;

    if (read(c->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
        return false;
    tell_lost(c);
    while (status == ACH_OK && (m = ach_queue_pop(c->queue))) {
        status = frame_send(c->fd, m);
        ach_message_unref(m);
    }
    return status == ACH_OK;
}

static void leave(struct client *c)
{
    struct server *s = c->server;
    struct client **at = &s->clients;

    if (c->asked && c->rights & ACH_RIGHT_REQUEST)
        ach_robot_unsubscribe(s->robot, &c->device, c->queue);
    else if (c->asked)
        ach_robot_unlisten(s->robot, &c->device, c->queue);
    ach_queue_close(c->queue);
    pthread_mutex_lock(&s->lock);
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    close(c->fd);
    close(c->wake);
    free(c);
    s->n_clients--;
    pthread_cond_signal(&s->gone);
    pthread_mutex_unlock(&s->lock);
}

/* The client receives no more, but what it has sent by now counts. */
static void take_rest(struct client *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLIN};

    while (poll(&p, 1, 0) > 0 && take(c))
        ;
}

static void *attend(void *context)
{
    struct client *c = context;
    struct pollfd p[2] = {{.fd = c->fd, .events = POLLIN}, {.fd = c->wake, .events = POLLIN}};
    bool good = true, receives = true;

    while (good && receives) {
        if (poll(p, 2, -1) > 0) {
            good = !p[0].revents || take(c);
            receives = !good || !p[1].revents || pass_on(c);
        } else {
            good = errno == EINTR;
        }
    }
    if (!receives)
        take_rest(c);
    leave(c);
    return NULL;
}

static void wake(void *context)
{
    const uint64_t one = 1;

    if (write(((struct client *)context)->wake, &one, sizeof(one)) < 0)
        return; /* it is full: the thread will look anyway */
}

/* Who has connected: the user at that time, whoever has the socket now. */
static uid_t user_of(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.uid : ACH_UID_UNKNOWN;
}

/* Under the lock. */
static bool start_client(struct server *s, int fd)
{
    struct client *c = calloc(1, sizeof(*c));
    pthread_t thread;

    if (!c)
        return false;
    *c = (struct client){.next = s->clients, .server = s, .fd = fd, .uid = user_of(fd)};
    c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c->wake >= 0 && ach_queue_create(0, CLIENT_BYTES / 2, wake, c, &c->queue) == ACH_OK)
        ach_queue_limit(c->queue, CLIENT_BYTES, s->budget);
    if (c->queue && pthread_create(&thread, NULL, attend, c) == 0) {
        pthread_detach(thread);
        s->clients = c;
        s->n_clients++;
        return true;
    }
    ach_queue_close(c->queue);
    if (c->wake >= 0)
        close(c->wake);
    free(c);
    return false;
}

static void *accept_all(void *context)
{
    struct server *s = context;
    bool ending = false;

    while (!ending) {
        int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);

        pthread_mutex_lock(&s->lock);
        ending = s->ending;
        if (fd >= 0 && (ending || s->n_clients == CLIENTS_MAX || !start_client(s, fd)))
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

    if (!path || !s || !frame_address(path, &s->address)) {
        if (options)
            ach_section_refuse(options, "path", 0, "the path of a socket, below 108 characters");
        free(s);
        return ach_errstr_set(ACH_EINVAL, "a Unix socket needs a path");
    }
    s->robot = robot;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->gone, NULL);
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

void unix_end(void *server)
{
    struct server *s = server;
    struct client *c;

    unlink(s->address.sun_path);
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    shutdown(s->fd, SHUT_RDWR);
    for (c = s->clients; c; c = c->next)
        shutdown(c->fd, SHUT_RDWR);
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
