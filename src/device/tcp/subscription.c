/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * subscription.c - the devices that a client has opened
 *
 * A driver may take its time to be set up. The answer is put into the client's
 * queue by whoever finds out, so that it comes before the first data.
 */
#include <ach.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "wire.h"

/* A client opens one device so often at most: each of them is closed when it disconnects. */
#define OPENS_MAX 32u

struct achi_subscription {
    struct achi_subscription *next;
    ach_address_t device;
    unsigned open;   /* subscribed so often; changed by any thread */
    unsigned wanted; /* as open, with those that wait for the driver; changed by any thread */
    bool closing;    /* one of them is being closed, ... */
    bool withdrawn;  /* ... and it was one that waited for the driver */
    unsigned rights; /* since it was opened; without ACH_RIGHT_REQUEST it only listens */
};

/* What the robot keeps of a subscription that waits, beside its route. */
#define PENDING_BYTES 128u

/* What is needed to answer. */
struct opening {
    struct achi_session *session;
    size_t bytes; /* that count in the server's memory until it is answered */
    struct achi_subscription *subscription;
    ach_queue_t *queue;
    ach_header_t header;
    ach_devaddr_t addr;
    bool explain; /* the client understands reasons */
    unsigned rights;
    char why[ACHI_WHY]; /* not all of them */
    char driver[ACH_PLAYER_MAX_DRIVER_NAME];
};

static struct achi_subscription *find(const struct achi_session *s, const ach_address_t *device)
{
    struct achi_subscription *sub = s->subscriptions;

    while (sub && !ach_address_equal(&sub->device, device))
        sub = sub->next;
    return sub;
}

static unsigned count(const struct achi_subscription *sub)
{
    return __atomic_load_n(&sub->open, __ATOMIC_ACQUIRE);
}

unsigned achi_subscription_rights(const struct achi_session *s, const ach_address_t *device)
{
    const struct achi_subscription *sub = find(s, device);

    return sub && count(sub) > 0 ? sub->rights : 0;
}

bool achi_subscription_any(const struct achi_session *s)
{
    const struct achi_subscription *sub = s->subscriptions;

    while (sub && count(sub) == 0)
        sub = sub->next;
    return sub;
}

/* Whether the client may open the device once more; then that counts. */
static bool want(struct achi_subscription *sub)
{
    if (__atomic_load_n(&sub->wanted, __ATOMIC_RELAXED) >= OPENS_MAX)
        return false;
    __atomic_fetch_add(&sub->wanted, 1, __ATOMIC_RELAXED);
    return true;
}

/* Then the loop's thread may free it. */
static void unwant(struct achi_subscription *sub)
{
    __atomic_fetch_sub(&sub->wanted, 1, __ATOMIC_RELEASE);
}

static void subtract(struct achi_subscription *sub)
{
    __atomic_fetch_sub(&sub->open, 1, __ATOMIC_ACQ_REL);
    unwant(sub);
}

static bool listens(const struct achi_subscription *sub)
{
    return !(sub->rights & ACH_RIGHT_REQUEST);
}

/* A device that is closed leaves no rights behind: the next open asks for them again. */
static void forget_closed(struct achi_session *s)
{
    struct achi_subscription **at = &s->subscriptions;

    while (*at) {
        struct achi_subscription *sub = *at;

        if (__atomic_load_n(&sub->wanted, __ATOMIC_ACQUIRE)) {
            at = &sub->next;
            continue;
        }
        *at = sub->next;
        s->n_subscriptions--;
        free(sub);
    }
}

static struct achi_subscription *add(struct achi_session *s, const ach_address_t *device,
                                     unsigned rights)
{
    struct achi_subscription *sub;

    if (s->n_subscriptions == s->server->options.subscriptions_max)
        return NULL;
    sub = calloc(1, sizeof(*sub));
    if (!sub)
        return NULL;
    sub->device = *device;
    sub->rights = rights;
    sub->next = s->subscriptions;
    s->subscriptions = sub;
    s->n_subscriptions++;
    return sub;
}

static void push_answer(const struct opening *o, uint8_t type, uint8_t access)
{
    size_t length = strlen(o->driver);
    ach_player_device_req_t body = {.addr = o->addr,
                                    .access = access,
                                    .driver_name_count = length ? (uint32_t)length + 1 : 0,
                                    .driver_name = (char *)(uintptr_t)o->driver};
    ach_header_t h = o->header;
    ach_message_t *m;

    h.type = type;
    if (ach_message_create(&h, &body, &m) != ACH_OK)
        return;
    ach_queue_push(o->queue, m);
    ach_message_unref(m);
}

static void push_bytes(ach_queue_t *queue, const ach_header_t *request, uint8_t type,
                       uint8_t subtype, const unsigned char *bytes, size_t size)
{
    ach_header_t h = *request;
    ach_message_t *m;

    h.type = type;
    h.subtype = subtype;
    if (ach_message_wrap(&h, bytes, size, &m) != ACH_OK)
        return;
    ach_queue_push(queue, m);
    ach_message_unref(m);
}

void achi_session_explain(ach_queue_t *queue, const ach_header_t *request, const char *why)
{
    unsigned char bytes[512];
    size_t size = achi_wire_string(why, bytes, sizeof(bytes));

    push_bytes(queue, request, ACH_MSG_NACK, ACHI_REQ_ROUTE, bytes, size);
}

static void push_rights(const struct opening *o)
{
    unsigned char bytes[512];
    size_t size = achi_wire_string(o->why, bytes + 4, sizeof(bytes) - 4);

    achi_wire_put(bytes, o->rights);
    push_bytes(o->queue, &o->header, ACH_MSG_ACK, ACHI_REQ_RIGHTS, bytes, size + 4);
}

static void destroy(struct opening *o)
{
    ach_budget_sub(o->session->server->budget, o->bytes);
    __atomic_fetch_sub(&o->session->openings, o->bytes, __ATOMIC_RELAXED);
    free(o);
}

static void settle(struct opening *o, ach_status_t status, const char *why)
{
    if (status == ACH_OK) {
        __atomic_fetch_add(&o->subscription->open, 1, __ATOMIC_ACQ_REL);
        if (o->explain && o->rights != ACH_RIGHT_ALL)
            push_rights(o);
        push_answer(o, ACH_MSG_ACK, ACH_PLAYER_OPEN_MODE);
    } else {
        if (status == ACH_CANCELED && __atomic_load_n(&o->subscription->closing, __ATOMIC_ACQUIRE))
            __atomic_store_n(&o->subscription->withdrawn, true, __ATOMIC_RELEASE);
        if (o->subscription)
            unwant(o->subscription);
        if (o->explain)
            achi_session_explain(o->queue, &o->header, why);
        push_answer(o, ACH_MSG_NACK, ACH_PLAYER_ERROR_MODE);
    }
    destroy(o);
}

static void done(void *context, const ach_address_t *address, ach_status_t status, const char *why)
{
    (void)address;
    settle(context, status, why);
}

static struct opening *make(struct achi_session *s, const ach_header_t *request,
                            const ach_address_t *device)
{
    struct opening *o = calloc(1, sizeof(*o));
    ach_device_info_t info;

    if (!o)
        return NULL;
    o->session = s;
    o->bytes = sizeof(*o) + PENDING_BYTES + (s->route ? strlen(s->route) + 1 : 0);
    ach_budget_add(s->server->budget, o->bytes);
    __atomic_fetch_add(&s->openings, o->bytes, __ATOMIC_RELAXED);
    o->queue = s->queue;
    o->header = *request;
    o->header.timestamp = ach_robot_time(s->server->robot);
    o->addr = (ach_devaddr_t){.host = s->host,
                              .robot = achi_server_port(s->server, device->robot),
                              .interf = device->interf,
                              .index = device->index};
    o->explain = s->route;
    if (ach_robot_find(s->server->robot, device, &info) == ACH_OK)
        memcpy(o->driver, info.driver, sizeof(o->driver));
    return o;
}

/* If not, that is the answer: the same whether there is such a device or not. */
static bool may_open(struct achi_session *s, struct opening *o, const ach_address_t *device)
{
    if (o->rights == ACH_RIGHT_ALL)
        return true;
    achi_rights_why(s, device, o->rights, o->why);
    if (o->rights & ACH_RIGHT_DATA)
        return true;
    achi_rights_log(s, "a subscription", o->why);
    *o->driver = '\0';
    settle(o, ACH_EACCES, o->why);
    return false;
}

/* To listen sets no driver up. The queue listens once. The answer comes before the first data. */
static void listen_only(struct achi_session *s, struct opening *o, const ach_address_t *device)
{
    ach_robot_t *robot = s->server->robot;
    ach_queue_t *queue = s->queue;
    ach_status_t status = ach_robot_find(robot, device, NULL);
    bool first = count(o->subscription) == 0;

    settle(o, status, "there is no such device");
    if (status == ACH_OK && first)
        ach_robot_listen(robot, device, queue);
}

static void subscribe(struct achi_session *s, struct opening *o, const ach_address_t *device)
{
    ach_status_t status;

    if (listens(o->subscription)) {
        listen_only(s, o, device);
        return;
    }
    ach_route_set(s->route);
    status = ach_robot_subscribe(s->server->robot, device, s->queue, done, o);
    ach_route_set(NULL);
    if (status != ACH_OK)
        settle(o, status, ach_errstr());
}

void achi_subscription_open(struct achi_session *s, const ach_header_t *request,
                            const ach_player_device_req_t *req)
{
    ach_address_t device = achi_session_device(s, req->addr.interf, req->addr.index);
    struct opening *o = make(s, request, &device);
    struct achi_subscription *sub;

    if (!o) {
        achi_session_answer(s, request, ACH_MSG_NACK, NULL);
        return;
    }
    if (ach_budget_left(s->server->budget) == 0) {
        settle(o, ACH_OVERFLOW, "there is no memory left for subscriptions");
        return;
    }
    forget_closed(s);
    sub = find(s, &device);
    o->rights = sub ? sub->rights : achi_rights_of(s, &device);
    if (!may_open(s, o, &device))
        return;
    if (!sub && *o->driver)
        sub = add(s, &device, o->rights);
    if (sub && want(sub))
        o->subscription = sub;
    if (o->subscription)
        subscribe(s, o, &device);
    else
        settle(o, ACH_ENOENT, *o->driver ? "too many subscriptions" : "there is no such device");
}

/* A second subscription that is not set up yet goes first; then the client still has one. */
static void close_one(struct achi_session *s, struct achi_subscription *sub)
{
    if (listens(sub)) {
        if (count(sub) == 1)
            ach_robot_unlisten(s->server->robot, &sub->device, s->queue);
        subtract(sub);
        return;
    }
    __atomic_store_n(&sub->withdrawn, false, __ATOMIC_RELAXED);
    __atomic_store_n(&sub->closing, true, __ATOMIC_RELEASE);
    ach_robot_unsubscribe(s->server->robot, &sub->device, s->queue);
    __atomic_store_n(&sub->closing, false, __ATOMIC_RELEASE);
    if (!__atomic_load_n(&sub->withdrawn, __ATOMIC_ACQUIRE))
        subtract(sub);
}

void achi_subscription_close(struct achi_session *s, const ach_header_t *request,
                             const ach_player_device_req_t *req)
{
    ach_address_t device = achi_session_device(s, req->addr.interf, req->addr.index);
    struct achi_subscription *sub = find(s, &device);
    struct opening *o = make(s, request, &device);
    bool was = sub && count(sub) > 0;

    if (was)
        close_one(s, sub);
    if (!o) {
        achi_session_answer(s, request, ACH_MSG_NACK, NULL);
        return;
    }
    if (!was && !(achi_rights_of(s, NULL) & ACH_RIGHT_LIST))
        *o->driver = '\0';
    push_answer(o, was ? ACH_MSG_ACK : ACH_MSG_NACK,
                was ? ACH_PLAYER_CLOSE_MODE : ACH_PLAYER_ERROR_MODE);
    destroy(o);
}

void achi_subscription_close_all(struct achi_session *s)
{
    while (s->subscriptions) {
        struct achi_subscription *sub = s->subscriptions;

        s->subscriptions = sub->next;
        while ((listens(sub) ? ach_robot_unlisten : ach_robot_unsubscribe)(
                   s->server->robot, &sub->device, s->queue) == ACH_OK)
            ;
        free(sub);
    }
}
