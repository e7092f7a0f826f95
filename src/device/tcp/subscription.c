/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * subscription.c - the devices that a client has opened
 *
 * The setup of a driver may take long. The thread that completes it puts the answer into the
 * client's queue, so that it comes before the first data.
 */
#include <ach.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "wire.h"

/* Limit of opens of one device by a client: each is closed when the client disconnects. */
#define OPENS_MAX 32u

struct tcp_subscription {
    struct tcp_subscription *next;
    ach_address_t device;
    unsigned open;   /* number of subscriptions; changed by any thread */
    unsigned wanted; /* `open`, and those that wait for the driver; changed by any thread */
    bool closing;    /* a subscription is being closed, ... */
    bool withdrawn;  /* ... and it was one that waited for the driver */
    unsigned rights; /* as of its first open; without ACH_RIGHT_REQUEST it only listens */
};

/* Memory that the robot holds for a pending subscription, besides its route. */
#define PENDING_BYTES 128u

/* A request to open or close a device, with what its answer needs. */
struct opening {
    struct tcp_session *session;
    size_t bytes; /* counted in the server's budget until it is answered */
    struct tcp_subscription *subscription;
    ach_queue_t *queue;
    ach_header_t header;
    ach_devaddr_t addr;
    bool explain; /* the client understands reasons */
    unsigned rights;
    char why[TCP_WHY]; /* rights are missing */
    char driver[ACH_PLAYER_MAX_DRIVER_NAME];
};

static struct tcp_subscription *subscription_find(const struct tcp_session *s,
                                                  const ach_address_t *device)
{
    struct tcp_subscription *sub = s->subscriptions;

    while (sub && !ach_address_equal(&sub->device, device))
        sub = sub->next;
    return sub;
}

static unsigned count(const struct tcp_subscription *sub)
{
    return __atomic_load_n(&sub->open, __ATOMIC_ACQUIRE);
}

unsigned tcp_subscription_rights(const struct tcp_session *s, const ach_address_t *device)
{
    const struct tcp_subscription *sub = subscription_find(s, device);

    return sub && count(sub) > 0 ? sub->rights : 0;
}

bool tcp_subscription_any(const struct tcp_session *s)
{
    const struct tcp_subscription *sub = s->subscriptions;

    while (sub && count(sub) == 0)
        sub = sub->next;
    return sub;
}

/* Count one more open of the device. False: OPENS_MAX is reached. */
static bool want(struct tcp_subscription *sub)
{
    if (__atomic_load_n(&sub->wanted, __ATOMIC_RELAXED) >= OPENS_MAX)
        return false;
    __atomic_fetch_add(&sub->wanted, 1, __ATOMIC_RELAXED);
    return true;
}

/* After this the loop's thread may free @sub. */
static void unwant(struct tcp_subscription *sub)
{
    __atomic_fetch_sub(&sub->wanted, 1, __ATOMIC_RELEASE);
}

static void subtract(struct tcp_subscription *sub)
{
    __atomic_fetch_sub(&sub->open, 1, __ATOMIC_ACQ_REL);
    unwant(sub);
}

static bool listens(const struct tcp_subscription *sub)
{
    return !(sub->rights & ACH_RIGHT_REQUEST);
}

/* Free closed subscriptions and their rights: the next open checks the rights again. */
static void forget_closed(struct tcp_session *s)
{
    struct tcp_subscription **at = &s->subscriptions;

    while (*at) {
        struct tcp_subscription *sub = *at;

        if (__atomic_load_n(&sub->wanted, __ATOMIC_ACQUIRE)) {
            at = &sub->next;
            continue;
        }
        *at = sub->next;
        s->n_subscriptions--;
        free(sub);
    }
}

static struct tcp_subscription *subscription_add(struct tcp_session *s, const ach_address_t *device,
                                                 unsigned rights)
{
    struct tcp_subscription *sub;

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

static void push_rights(const struct opening *o)
{
    unsigned char bytes[512];
    size_t size = tcp_wire_string(o->why, bytes + 4, sizeof(bytes) - 4);

    tcp_wire_put(bytes, o->rights);
    tcp_session_push_bytes(o->queue, &o->header, ACH_MSG_ACK, TCP_REQ_RIGHTS, bytes, size + 4);
}

static void subscription_destroy(struct opening *o)
{
    ach_budget_sub(o->session->server->budget, o->bytes);
    __atomic_fetch_sub(&o->session->openings, o->bytes, __ATOMIC_RELAXED);
    free(o);
}

static void subscription_settle(struct opening *o, ach_status_t status, const char *why)
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
            tcp_session_explain(o->queue, &o->header, why);
        push_answer(o, ACH_MSG_NACK, ACH_PLAYER_ERROR_MODE);
    }
    subscription_destroy(o);
}

static void done(void *context, const ach_address_t *address, ach_status_t status, const char *why)
{
    (void)address;
    subscription_settle(context, status, why);
}

static struct opening *subscription_make(struct tcp_session *s, const ach_header_t *request,
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
                              .robot = tcp_server_port(s->server, device->robot),
                              .interf = device->interf,
                              .index = device->index};
    o->explain = s->route;
    if (ach_robot_find(s->server->robot, device, &info) == ACH_OK)
        memcpy(o->driver, info.driver, sizeof(o->driver));
    return o;
}

/* If not, a NACK is sent, which does not reveal whether the device exists. */
static bool may_open(struct tcp_session *s, struct opening *o, const ach_address_t *device)
{
    if (o->rights == ACH_RIGHT_ALL)
        return true;
    tcp_rights_why(s, device, o->rights, o->why);
    if (o->rights & ACH_RIGHT_DATA)
        return true;
    tcp_rights_log(s, "a subscription", o->why);
    *o->driver = '\0';
    subscription_settle(o, ACH_EACCES, o->why);
    return false;
}

/* Listening sets no driver up. The queue listens once. The answer precedes the first data. */
static void listen_only(struct tcp_session *s, struct opening *o, const ach_address_t *device)
{
    ach_robot_t *robot = s->server->robot;
    ach_queue_t *queue = s->queue;
    ach_status_t status = ach_robot_find(robot, device, NULL);
    bool first = count(o->subscription) == 0;

    subscription_settle(o, status, "there is no such device");
    if (status == ACH_OK && first)
        ach_robot_listen(robot, device, queue);
}

static void subscription_subscribe(struct tcp_session *s, struct opening *o,
                                   const ach_address_t *device)
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
        subscription_settle(o, status, ach_errstr());
}

void tcp_subscription_open(struct tcp_session *s, const ach_header_t *request,
                           const ach_player_device_req_t *req)
{
    ach_address_t device = tcp_session_device(s, req->addr.interf, req->addr.index);
    struct opening *o = subscription_make(s, request, &device);
    struct tcp_subscription *sub;

    if (!o) {
        tcp_session_answer(s, request, ACH_MSG_NACK, NULL);
        return;
    }
    if (ach_budget_left(s->server->budget) == 0) {
        subscription_settle(o, ACH_OVERFLOW, "there is no memory left for subscriptions");
        return;
    }
    forget_closed(s);
    sub = subscription_find(s, &device);
    o->rights = sub ? sub->rights : tcp_rights_of(s, &device);
    if (!may_open(s, o, &device))
        return;
    if (!sub && *o->driver)
        sub = subscription_add(s, &device, o->rights);
    if (sub && want(sub))
        o->subscription = sub;
    if (o->subscription)
        subscription_subscribe(s, o, &device);
    else
        subscription_settle(o, ACH_ENOENT,
                            *o->driver ? "too many subscriptions" : "there is no such device");
}

/* ach_robot_unsubscribe withdraws a pending subscription first; then `open` does not change. */
static void close_one(struct tcp_session *s, struct tcp_subscription *sub)
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

void tcp_subscription_close(struct tcp_session *s, const ach_header_t *request,
                            const ach_player_device_req_t *req)
{
    ach_address_t device = tcp_session_device(s, req->addr.interf, req->addr.index);
    struct tcp_subscription *sub = subscription_find(s, &device);
    struct opening *o = subscription_make(s, request, &device);
    bool was = sub && count(sub) > 0;

    if (was)
        close_one(s, sub);
    if (!o) {
        tcp_session_answer(s, request, ACH_MSG_NACK, NULL);
        return;
    }
    if (!was && !(tcp_rights_of(s, NULL) & ACH_RIGHT_LIST))
        *o->driver = '\0';
    push_answer(o, was ? ACH_MSG_ACK : ACH_MSG_NACK,
                was ? ACH_PLAYER_CLOSE_MODE : ACH_PLAYER_ERROR_MODE);
    subscription_destroy(o);
}

void tcp_subscription_close_all(struct tcp_session *s)
{
    while (s->subscriptions) {
        struct tcp_subscription *sub = s->subscriptions;

        s->subscriptions = sub->next;
        while ((listens(sub) ? ach_robot_unlisten : ach_robot_unsubscribe)(
                   s->server->robot, &sub->device, s->queue) == ACH_OK)
            ;
        free(sub);
    }
}
