/* SPDX-License-Identifier: BSD-3-Clause */
/* clients.c - the subscriptions of client processes; they end when the process exits */
#include <ach/channel.h>
#include <ach/interface/player.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server.h"

#define CLIENTS_MAX 1024u

/* Subscriptions of one process, and of all: requests may name any process as theirs. */
#define CLIENT_USES_MAX 1024u
#define USES_MAX 4096u

static void answer(struct devch_use *u, uint8_t type, uint8_t access, const char *driver)
{
    ach_player_device_req_t body = {
        .addr = {.robot = u->server->number,
                 .interf = u->address.interf,
                 .index = u->address.index},
        .access = access,
        .driver_name_count = (uint32_t)strlen(driver) + 1,
        .driver_name = (char *)(uintptr_t)driver,
    };
    ach_header_t h = {.address = {u->pid, u->handle, ACH_PLAYER_CODE, 0},
                      .type = type,
                      .subtype = ACH_PLAYER_REQ_DEV,
                      .sequence = u->sequence,
                      .timestamp = u->timestamp};
    unsigned char bytes[256];
    size_t size = 0;

    if (ach_encode(&ach_player_device_req_type, &body, bytes, sizeof(bytes), &size) == ACH_OK)
        devch_answers_add(u->server, &h, bytes, size);
}

/* The sentence goes where a driver's name would be: who is refused wants to know why. */
static void subscribed(void *context, const ach_address_t *address, ach_status_t status,
                       const char *why)
{
    struct devch_use *u = context;
    char text[ACH_PLAYER_MAX_DRIVER_NAME];

    (void)address;
    snprintf(text, sizeof(text), "%s", why);
    if (status == ACH_OK)
        answer(u, ACH_MSG_ACK, ACH_PLAYER_OPEN_MODE, u->driver);
    else if (status != ACH_CANCELED)
        answer(u, ACH_MSG_NACK, ACH_PLAYER_ERROR_MODE, text);
    __atomic_sub_fetch(&u->server->opening, 1, __ATOMIC_SEQ_CST);
    devch_channels_wake(u->server);
}

static struct devch_client *add_client(struct ach_channels *s, uint32_t pid)
{
    struct devch_client *c;
    struct epoll_event e = {.events = EPOLLIN};

    if (s->n_clients == CLIENTS_MAX)
        return NULL;
    c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->pid = pid;
    c->end.kind = DEVCH_CLIENT;
    c->end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
    e.data.ptr = &c->end;
    if (c->end.fd < 0 ||
        (s->epoll >= 0 && epoll_ctl(s->epoll, EPOLL_CTL_ADD, c->end.fd, &e) != 0)) {
        if (c->end.fd >= 0)
            close(c->end.fd);
        free(c);
        return NULL;
    }
    c->next = s->clients;
    s->clients = c;
    s->n_clients++;
    return c;
}

static bool clients_has_ended(const struct devch_client *c)
{
    struct pollfd p = {.fd = c->end.fd, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

/* The pid may have been reused: forget a client whose process has exited. */
static struct devch_client *find_client(struct ach_channels *s, uint32_t pid)
{
    struct devch_client *c = s->clients;

    while (c && c->pid != pid)
        c = c->next;
    if (!c || !clients_has_ended(c))
        return c;
    devch_client_end(s, c);
    return NULL;
}

/* A command that was put before the subscription ends is for a driver that still runs. */
static void free_use(struct devch_use *u)
{
    const ach_address_t client = {u->pid, u->handle, u->address.interf, u->address.index};
    struct devch_output *o = devch_output_find(u->server, &u->address);

    if (o)
        devch_channels_take_commands(u->server, o, DEVCH_CMD_COUNT);
    devch_use_forget_requests(u->server, &client, -1);
    u->server->n_uses--;
    ach_robot_unsubscribe(u->server->robot, &u->address, u->queue);
    ach_queue_close(u->queue);
    free(u);
}

static ach_status_t make_queue(struct devch_use *u)
{
    static const ach_rule_t ignore = {-1, -1, -1, -1, ACH_RULE_IGNORE};
    ach_status_t status = ach_queue_create(0, 0, NULL, NULL, &u->queue);

    return status == ACH_OK ? ach_queue_rule(u->queue, &ignore) : status;
}

static ach_status_t clients_begin(struct devch_client *c, const struct devch_use *wanted)
{
    const struct devch_output *o = devch_output_find(wanted->server, &wanted->address);
    struct devch_use *u = calloc(1, sizeof(*u));
    ach_status_t status;

    if (!u)
        return ACH_FAILED_SYSCALL;
    *u = *wanted;
    u->overwritten = o ? o->overwritten : 0;
    __atomic_add_fetch(&u->server->opening, 1, __ATOMIC_SEQ_CST);
    status = make_queue(u);
    if (status == ACH_OK)
        status = ach_robot_subscribe(u->server->robot, &u->address, u->queue, subscribed, u);
    if (status != ACH_OK) {
        __atomic_sub_fetch(&u->server->opening, 1, __ATOMIC_SEQ_CST);
        ach_queue_close(u->queue);
        free(u);
        return status;
    }
    u->next = c->uses;
    c->uses = u;
    c->n_uses++;
    u->server->n_uses++;
    return ACH_OK;
}

static void open_device(struct ach_channels *s, const ach_header_t *h, const ach_address_t *a)
{
    struct devch_client *c;
    struct devch_use u = {.server = s,
                          .address = *a,
                          .pid = h->address.host,
                          .handle = h->address.robot,
                          .sequence = h->sequence,
                          .timestamp = h->timestamp};
    ach_device_info_t info;

    if (ach_robot_find(s->robot, a, &info) != ACH_OK) {
        answer(&u, ACH_MSG_NACK, ACH_PLAYER_ERROR_MODE, "");
        return;
    }
    memcpy(u.driver, info.driver, sizeof(u.driver));
    c = find_client(s, u.pid);
    if (!c)
        c = add_client(s, u.pid);
    if (!c || c->n_uses == CLIENT_USES_MAX || s->n_uses == USES_MAX ||
        clients_begin(c, &u) != ACH_OK)
        answer(&u, ACH_MSG_NACK, ACH_PLAYER_ERROR_MODE,
               "no such process, or too many clients or open devices");
    if (c && !c->uses)
        devch_client_end(s, c);
}

static void close_device(struct ach_channels *s, const ach_header_t *h, const ach_address_t *a)
{
    struct devch_client *c = find_client(s, h->address.host);
    struct devch_use **u, *found;

    if (!c)
        return;
    u = devch_use_at(c, h->address.robot, a);
    found = *u;
    if (!found)
        return;
    *u = found->next;
    c->n_uses--;
    free_use(found);
    if (!c->uses)
        devch_client_end(s, c);
}

void devch_channels_player(struct ach_channels *s, const ach_header_t *h, const void *body,
                           uint32_t size)
{
    ach_player_device_req_t *req;
    ach_address_t a;
    void *decoded;

    if (h->subtype != ACH_PLAYER_REQ_DEV ||
        ach_decode_new(&ach_player_device_req_type, body, size, &decoded) != ACH_OK)
        return;
    req = decoded;
    a = (ach_address_t){.interf = req->addr.interf, .index = req->addr.index};
    if (req->access == ACH_PLAYER_OPEN_MODE)
        open_device(s, h, &a);
    else if (req->access == ACH_PLAYER_CLOSE_MODE)
        close_device(s, h, &a);
    free(decoded);
}

void devch_client_end(struct ach_channels *s, struct devch_client *c)
{
    struct devch_client **at = &s->clients;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    s->n_clients--;
    while (c->uses) {
        struct devch_use *u = c->uses;

        c->uses = u->next;
        free_use(u);
    }
    if (s->epoll >= 0)
        epoll_ctl(s->epoll, EPOLL_CTL_DEL, c->end.fd, NULL);
    close(c->end.fd);
    free(c);
}

void ach_channels_look(ach_channels_t *channels)
{
    struct devch_client *c = channels->clients, *next;

    for (; c; c = next) {
        next = c->next;
        if (clients_has_ended(c))
            devch_client_end(channels, c);
    }
}
