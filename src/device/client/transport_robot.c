/* SPDX-License-Identifier: BSD-3-Clause */
/* transport_robot.c - a device of a robot in this process */
#include <ach.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "../core/unhandled.h"
#include "inbox.h"
#include "transport.h"

struct inside {
    struct devcl_inbox in; /* first */
    ach_robot_t *robot;
    ach_address_t address;
    pthread_mutex_t lock; /* for all below */
    pthread_cond_t changed;
    bool answered;
    ach_status_t answer;
    char why[256];
    struct dev_unhandled unhandled; /* as reported to the application */
};

static void subscribed(void *context, const ach_address_t *address, ach_status_t status,
                       const char *why)
{
    struct inside *i = context;

    (void)address;
    pthread_mutex_lock(&i->lock);
    i->answered = true;
    i->answer = status;
    snprintf(i->why, sizeof(i->why), "%s", why);
    pthread_cond_signal(&i->changed);
    pthread_mutex_unlock(&i->lock);
}

/* Timed waits use CLOCK_MONOTONIC. */
static void init_locks(struct inside *i)
{
    pthread_condattr_t monotonic;

    pthread_mutex_init(&i->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&i->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static bool await(struct inside *i, double timeout)
{
    struct timespec t;
    bool answered;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)timeout;
    t.tv_nsec += (long)((timeout - (double)(time_t)timeout) * 1e9);
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&i->lock);
    while (!i->answered && pthread_cond_timedwait(&i->changed, &i->lock, &t) == 0)
        ;
    answered = i->answered;
    pthread_mutex_unlock(&i->lock);
    return answered;
}

static ach_status_t subscribe(struct inside *i, double timeout)
{
    ach_status_t status = ach_robot_subscribe(i->robot, &i->address, i->in.queue, subscribed, i);

    if (status != ACH_OK)
        return status;
    if (!await(i, timeout)) {
        ach_robot_unsubscribe(i->robot, &i->address, i->in.queue);
        return ach_errstr_set(ACH_TIMEOUT, "the driver was not set up within %g s", timeout);
    }
    return i->answer == ACH_OK ? ACH_OK : ach_errstr_set(i->answer, "%s", i->why);
}

static ach_status_t transport_robot_get(void *state, double timeout, int options, ach_message_t **m,
                                        uint64_t *missed)
{
    return devcl_inbox_get(state, timeout, options, m, missed);
}

static ach_status_t transport_robot_deliver(struct inside *i, const ach_header_t *header,
                                            const void *body)
{
    ach_header_t h = *header;
    ach_message_t *m;
    const void *bytes;
    size_t size;
    ach_status_t status;

    h.address = i->address;
    h.timestamp = ach_robot_time(i->robot);
    status = ach_message_create(&h, body, &m);
    if (status != ACH_OK)
        return status;
    bytes = ach_message_bytes(m, &size);
    status = ach_robot_deliver(i->robot, &h, bytes, size, i->in.queue);
    ach_message_unref(m);
    return status;
}

static ach_status_t transport_robot_command(void *state, const ach_header_t *h,
                                            const ach_type_t *type, const void *body)
{
    (void)type;
    return transport_robot_deliver(state, h, body);
}

static ach_status_t transport_robot_request(void *state, const ach_header_t *header,
                                            const ach_type_t *type, const void *body,
                                            double timeout, ach_message_t **answer)
{
    struct inside *i = state;
    ach_header_t h = *header;
    ach_status_t status;

    (void)type;
    devcl_inbox_ask(&i->in, &h);
    status = transport_robot_deliver(i, &h, body);
    return status == ACH_OK ? devcl_inbox_await(&i->in, timeout, answer) : status;
}

static ach_status_t transport_robot_flush(void *state, double seconds)
{
    const ach_header_t h = {.type = ACH_MSG_REQ, .subtype = ACH_REQ_FLUSH};
    struct inside *i = state;
    ach_message_t *answer = NULL;
    ach_status_t status = transport_robot_request(i, &h, NULL, NULL, seconds, &answer);

    return dev_unhandled_result(status, answer, seconds, &i->unhandled);
}

static int transport_robot_fd(void *state)
{
    return ((struct inside *)state)->in.fd;
}

static void finish(struct inside *i)
{
    devcl_inbox_finish(&i->in);
    pthread_mutex_destroy(&i->lock);
    pthread_cond_destroy(&i->changed);
    free(i);
}

static void transport_robot_close(void *state)
{
    struct inside *i = state;

    ach_robot_unsubscribe(i->robot, &i->address, i->in.queue);
    finish(i);
}

static const struct devcl_transport_ops ops = {.get = transport_robot_get,
                                               .command = transport_robot_command,
                                               .request = transport_robot_request,
                                               .flush = transport_robot_flush,
                                               .fd = transport_robot_fd,
                                               .close = transport_robot_close};

ach_status_t devcl_transport_robot(const ach_place_t *place, const ach_device_attr_t *attr,
                                   struct devcl_transport *t)
{
    struct inside *i = calloc(1, sizeof(*i));
    ach_status_t status;

    if (!i || devcl_inbox_init(&i->in, attr->messages) != ACH_OK) {
        free(i);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a device");
    }
    init_locks(i);
    i->robot = attr->robot;
    i->address =
        (ach_address_t){.robot = place->robot, .interf = place->interf, .index = place->index};
    status = subscribe(i, attr->timeout);
    if (status != ACH_OK)
        finish(i);
    else
        *t = (struct devcl_transport){&ops, "inproc", i};
    return status;
}
