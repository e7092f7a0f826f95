/* SPDX-License-Identifier: BSD-3-Clause */
/* pipe.c - one end of the pipes between two processes */
#include <ach.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../message.h"
#include "../queue.h"
#include "process.h"

#define SEND_MS 5000
#define LOOK_UP_MS 500

static ach_status_t gone(const char *why)
{
    return ach_errstr_set(ACH_CLOSED, "the connection to the other process is lost: %s", why);
}

static ach_status_t write_all(int fd, const char *bytes, size_t n)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    while (n) {
        ssize_t done = write(fd, bytes, n);

        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        } else if (errno == EAGAIN && poll(&p, 1, SEND_MS) == 0) {
            return gone("it does not read");
        } else if (errno != EAGAIN && errno != EINTR) {
            return gone(strerror(errno));
        }
    }
    return ACH_OK;
}

/* Check ending at times: a third process may hold the pipe open after the other has exited. */
static bool wait_for(const struct dev_pipe *e)
{
    struct pollfd p = {.fd = e->in, .events = POLLIN};

    while (poll(&p, 1, LOOK_UP_MS) <= 0)
        if (__atomic_load_n(&e->ending, __ATOMIC_ACQUIRE))
            return false;
    return true;
}

static ach_status_t pipe_read_all(const struct dev_pipe *e, char *to, size_t n)
{
    while (n) {
        ssize_t got = wait_for(e) ? read(e->in, to, n) : 0;

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return gone(got ? strerror(errno) : "its pipe is closed");
        to += got;
        n -= (size_t)got;
    }
    return ACH_OK;
}

ach_status_t dev_pipe_send(struct dev_pipe *e, const ach_message_t *m)
{
    char header[ACH_FRAME_HEADER];
    size_t size;
    const void *bytes = ach_message_bytes(m, &size);
    ach_status_t status;

    ach_frame_write(ach_message_header(m), (uint32_t)size, header);
    status = write_all(e->out, header, sizeof(header));
    return status == ACH_OK ? write_all(e->out, bytes, size) : status;
}

ach_status_t dev_pipe_receive(struct dev_pipe *e, ach_message_t **m)
{
    char header[ACH_FRAME_HEADER], *bytes;
    ach_header_t h;
    uint32_t size;
    ach_status_t status = pipe_read_all(e, header, sizeof(header));

    if (status == ACH_OK)
        status = ach_frame_read(header, &h, &size);
    if (status != ACH_OK)
        return status;
    bytes = malloc(size + 1);
    if (!bytes)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a message");
    status = pipe_read_all(e, bytes, size);
    if (status == ACH_OK)
        status = ach_message_wrap(&h, bytes, size, m);
    free(bytes);
    return status;
}

/* Remove a pending request; the caller releases it, without the lock. NULL: there is none. */
static ach_message_t *pipe_take_pending(struct dev_pipe *e, uint32_t sequence)
{
    ach_message_t *request;

    pthread_mutex_lock(&e->lock);
    request = pending_take(&e->pending, sequence);
    pthread_mutex_unlock(&e->lock);
    return request;
}

static void pipe_answer(struct dev_pipe *e, const ach_message_t *m)
{
    ach_message_t *request = pipe_take_pending(e, ach_message_header(m)->sequence);

    if (request && dev_message_is_flush(request)) {
        pthread_mutex_lock(&e->lock);
        dev_passed_collect(&e->passed);
        pthread_mutex_unlock(&e->lock);
    }
    if (request)
        ach_driver_relay(e->driver, request, m);
    ach_message_unref(request);
}

/* In the server: the client whose command the process passes on, as a new reference; or NULL. */
static ach_queue_t *pipe_sender(struct dev_pipe *e, const ach_header_t *h)
{
    ach_queue_t *sender = NULL;

    if (h->type != ACH_MSG_CMD)
        return NULL;
    pthread_mutex_lock(&e->lock);
    sender = dev_passed_sender(&e->passed, h->sequence);
    pthread_mutex_unlock(&e->lock);
    return sender;
}

static void pipe_hand_over_command(struct dev_pipe *e, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    ach_queue_t *sender = pipe_sender(e, h), *to = sender ? sender : e->driver->queue;
    size_t size;
    const void *bytes = ach_message_bytes(m, &size);

    if (ach_robot_deliver(e->driver->robot, h, bytes, size, to) != ACH_OK)
        dev_queue_settle(to, m, ach_errstr());
    if (sender)
        dev_queue_unref(sender);
}

/* Deliver to a device of another driver in this robot; the answer goes to our driver's queue. */
static void pipe_hand_over(struct dev_pipe *e, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);
    size_t size;
    const void *bytes = ach_message_bytes(m, &size);
    ach_message_t *refusal;

    if (h.type != ACH_MSG_REQ) {
        pipe_hand_over_command(e, m);
        return;
    }
    if (ach_robot_deliver(e->driver->robot, &h, bytes, size, e->driver->queue) == ACH_OK)
        return;
    h.type = ACH_MSG_NACK;
    if (ach_message_wrap(&h, NULL, 0, &refusal) != ACH_OK)
        return;
    ach_queue_push(e->driver->queue, refusal);
    ach_message_unref(refusal);
}

static void pipe_take_synch(struct dev_pipe *e, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    char why[ACH_UNHANDLED_WHY];
    size_t size;
    const char *text = ach_message_bytes(m, &size);

    if (h->subtype != DEV_SYNCH_UNHANDLED) {
        __atomic_store_n(&e->answer, h->subtype, __ATOMIC_RELEASE);
        dev_driver_wake(e->driver);
        return;
    }
    snprintf(why, sizeof(why), "%.*s", (int)(size < sizeof(why) ? size : sizeof(why) - 1),
             text ? text : "");
    pthread_mutex_lock(&e->lock);
    dev_passed_remove(&e->passed, h->sequence, why);
    pthread_mutex_unlock(&e->lock);
}

static void pipe_take(struct dev_pipe *e, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);

    switch (h->type) {
    case ACH_MSG_DATA:
        ach_driver_forward(e->driver, &h->address, m);
        break;
    case ACH_MSG_ACK:
    case ACH_MSG_NACK:
        pipe_answer(e, m);
        break;
    case ACH_MSG_SYNCH:
        pipe_take_synch(e, m);
        break;
    default:
        pipe_hand_over(e, m);
    }
}

static void *pipe_receive(void *context)
{
    struct dev_pipe *e = context;
    ach_message_t *m;

    while (dev_pipe_receive(e, &m) == ACH_OK) {
        pipe_take(e, m);
        ach_message_unref(m);
    }
    __atomic_store_n(&e->lost, true, __ATOMIC_RELEASE);
    dev_driver_wake(e->driver);
    return NULL;
}

ach_status_t dev_pipe_start(struct dev_pipe *e, ach_driver_t *driver)
{
    e->driver = driver;
    e->lost = e->deaf = e->ending = false;
    e->answer = DEV_SYNCH_CONFIG;
    pthread_mutex_init(&e->lock, NULL);
    e->reading = pthread_create(&e->reader, NULL, pipe_receive, e) == 0;
    return e->reading ? ACH_OK : ach_errstr_set(ACH_FAILED_SYSCALL, "no thread for a process");
}

/* After dev_passed_finish all commands are settled. */
static void pipe_answer_flushes(struct dev_pipe *e)
{
    const struct pending_slot *slot;

    for (slot = e->pending.slots; slot < e->pending.slots + PENDING_MAX; slot++)
        if (slot->request && dev_message_is_flush(slot->request))
            dev_driver_answer_flush(e->driver, slot->request);
}

void dev_pipe_finish(struct dev_pipe *e)
{
    unsigned lost;

    __atomic_store_n(&e->ending, true, __ATOMIC_RELEASE);
    if (e->reading)
        pthread_join(e->reader, NULL);
    e->reading = false;
    close(e->in);
    close(e->out);
    lost = dev_passed_finish(&e->passed); /* nobody else uses this and the next any more */
    pipe_answer_flushes(e);
    pending_release(&e->pending);
    if (lost)
        ach_driver_log(e->driver, ACH_LOG_WARNING,
                       "its process ended before it handled %u command%s", lost,
                       lost == 1 ? "" : "s");
    pthread_mutex_destroy(&e->lock);
}

static void pipe_add_pending(struct dev_pipe *e, const ach_message_t *m, uint32_t *sequence)
{
    ach_message_t *replaced;

    pthread_mutex_lock(&e->lock);
    replaced = pending_add(&e->pending, m, sequence);
    pthread_mutex_unlock(&e->lock);
    ach_message_unref(replaced);
}

/* If the other end is lost, a flush waits until dev_pipe_finish has counted the commands. */
static ach_status_t pipe_request(struct dev_pipe *e, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);
    ach_message_t *again;
    ach_status_t status;

    pipe_add_pending(e, m, &h.sequence);
    status = ach_message_again(m, &h, &again);
    if (status == ACH_OK) {
        status = e->deaf ? gone("it does not read") : dev_pipe_send(e, again);
        ach_message_unref(again);
    }
    if (status == ACH_CLOSED && dev_message_is_flush(m))
        return status;
    if (status != ACH_OK)
        ach_message_unref(pipe_take_pending(e, h.sequence));
    return status;
}

/*
 * Set the sequence of a command. Commands of drivers have no sender that counts them, and the
 * sequence 0; but in the process, a command that the driver passes on keeps its sequence, by which
 * the server finds its sender.
 */
static ach_status_t pipe_track(struct dev_pipe *e, const ach_message_t *m, uint32_t *sequence)
{
    if (e->driver->robot->outlet == e->driver)
        return ACH_OK;
    *sequence = 0;
    if (!m->answers || !e->passed.marks)
        return ACH_OK;
    pthread_mutex_lock(&e->lock);
    *sequence = dev_passed_add(&e->passed, m->answers);
    pthread_mutex_unlock(&e->lock);
    return *sequence ? ACH_OK
                     : ach_errstr_set(ACH_OVERFLOW, "its process has not handled %u commands",
                                      DEV_PASSED_MAX);
}

static void pipe_untrack(struct dev_pipe *e, uint32_t sequence)
{
    pthread_mutex_lock(&e->lock);
    dev_passed_remove(&e->passed, sequence, NULL);
    pthread_mutex_unlock(&e->lock);
}

/* If the pipe is closed, dev_pipe_finish counts the command. */
static ach_status_t pipe_command(struct dev_pipe *e, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);
    ach_message_t *again;
    ach_status_t status;

    status = pipe_track(e, m, &h.sequence);
    if (status != ACH_OK)
        return status;
    status = ach_message_again(m, &h, &again);
    if (status != ACH_OK) {
        pipe_untrack(e, h.sequence);
        return status;
    }
    status = dev_pipe_send(e, again);
    ach_message_unref(again);
    return status;
}

static ach_status_t pipe_pass(struct dev_pipe *e, const ach_message_t *m)
{
    switch (ach_message_header(m)->type) {
    case ACH_MSG_REQ:
        return pipe_request(e, m);
    case ACH_MSG_CMD:
        return pipe_command(e, m);
    default:
        return dev_pipe_send(e, m);
    }
}

/* A process that does not read holds up one message, not all that are queued. */
ach_status_t dev_pipe_process(struct dev_pipe *e, const ach_message_t *m)
{
    const uint8_t type = ach_message_header(m)->type;
    ach_status_t status;

    if (e->deaf && !dev_message_is_flush(m))
        return type == ACH_MSG_CMD || type == ACH_MSG_REQ ? gone("it does not read") : ACH_OK;
    status = pipe_pass(e, m);
    e->deaf = e->deaf || status == ACH_CLOSED;
    if (e->deaf)
        __atomic_store_n(&e->lost, true, __ATOMIC_RELEASE);
    return status == ACH_CLOSED ? ACH_OK : status;
}

void dev_pipe_run(struct dev_pipe *e)
{
    ach_driver_t *d = e->driver;

    while (!__atomic_load_n(&e->lost, __ATOMIC_ACQUIRE) && ach_driver_wait(d, 0))
        if (!__atomic_load_n(&e->lost, __ATOMIC_ACQUIRE) && ach_queue_length(d->queue) == 0)
            dev_wakeup_wait(d->eventfd, -1);
}
