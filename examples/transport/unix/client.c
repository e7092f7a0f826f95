/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client.c - a client at the robot's end, and its thread
 *
 * The thread waits for the socket and for the client's queue, whose wake
 * writes to an eventfd. A client that does not read holds up its own thread only;
 * its queue drops what is too much, and the client is told how much that was. Answers beyond
 * the memory that one client, or all of them, may take become NACKs.
 */
#include <ach.h>
#include <ach/access.h>
#include <ach/interface/player.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve.h"

/* Memory for what waits for one client. */
#define CLIENT_BYTES ((size_t)64 << 20)

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
    if (status == ACH_OK && h.type == ACH_MSG_REQ)
        c->asking++;
    else if (h.type == ACH_MSG_REQ)
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

static void count_answer(struct client *c, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);

    if (c->asking && h->address.interf != ACH_PLAYER_CODE &&
        (h->type == ACH_MSG_ACK || h->type == ACH_MSG_NACK))
        c->asking--;
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
        count_answer(c, m);
        ach_message_unref(m);
    }
    return status == ACH_OK;
}

static void close_device(struct client *c)
{
    if (c->asked && c->rights & ACH_RIGHT_REQUEST)
        ach_robot_unsubscribe(c->server->robot, &c->device, c->queue);
    else if (c->asked)
        ach_robot_unlisten(c->server->robot, &c->device, c->queue);
}

/* The server ends. Its end of the socket is shut down when the time to linger is over. */
static void send_rest(struct client *c)
{
    struct pollfd p[2] = {{.fd = c->fd}, {.fd = c->wake, .events = POLLIN}};

    while (pass_on(c) && c->asking && (poll(p, 2, -1) > 0 || errno == EINTR) && !p[0].revents)
        ;
}

static void leave(struct client *c)
{
    struct server *s = c->server;
    struct client **at = &s->clients;

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

static bool server_ends(struct server *s)
{
    bool ending;

    pthread_mutex_lock(&s->lock);
    ending = s->ending;
    pthread_mutex_unlock(&s->lock);
    return ending;
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
    close_device(c);
    if (receives && server_ends(c->server))
        send_rest(c);
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

bool client_start(struct server *s, int fd)
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
