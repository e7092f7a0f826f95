/* SPDX-License-Identifier: BSD-3-Clause */
#include "server.h"

#include <ach/channel.h>
#include <ach/interface/player.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../core/bell.h"
#include "names.h"

#define COUNT 32u         /* messages that a data channel keeps */
#define SIZE (512u << 10) /* bytes of a data channel */
#define CMD_COUNT 64u     /* commands of a device */
#define CMD_SIZE 1024u    /* their nominal size */
#define REQ_COUNT 1024u   /* requests of all clients, and the answers */
#define REQ_SIZE 256u     /* of a request */
#define ANS_SIZE 1024u    /* of an answer */
#define EVENTS 16
#define TURNS 64 /* messages of one channel before others have their turn */

static void wake(void *server)
{
    achi_bell_ring(((const struct achi_channels *)server)->wake);
}

static void complain(struct achi_output *o, ach_status_t status, size_t size)
{
    char text[ACH_ADDRESS_MAX];

    if (!o->complained)
        ach_robot_log(o->server->robot, ACH_LOG_WARNING,
                      "data of %s, %zu bytes, does not go into its channel: %s",
                      ach_address_text(&o->address, text), size, ach_result_to_string(status));
    o->complained = true;
}

/* A header for who reads: with the robot's number. */
static void write_header(const struct achi_output *o, const ach_header_t *header, size_t size,
                         void *to)
{
    ach_header_t h = *header;

    h.address.robot = o->server->number;
    ach_frame_write(&h, (uint32_t)size, to);
}

static void put_body(void *context, const ach_header_t *header, const ach_type_t *type,
                     const void *body)
{
    struct achi_output *o = context;
    unsigned char *room;
    size_t size = 0;
    void *p;
    ach_status_t status = ach_encoded_size(type, body, &size);

    if (status == ACH_OK)
        status = ach_reserve(&o->data, ACH_FRAME_HEADER + size, &p);
    if (status != ACH_OK) {
        complain(o, status, size);
        return;
    }
    room = p;
    write_header(o, header, size, room);
    status = ach_encode(type, body, room + ACH_FRAME_HEADER, size, &size);
    if (status == ACH_OK)
        status = ach_commit(&o->data, ACH_FRAME_HEADER + size);
    else
        ach_abort(&o->data);
    if (status != ACH_OK)
        complain(o, status, size);
}

static void put_bytes(void *context, const ach_header_t *header, const void *bytes, size_t size)
{
    struct achi_output *o = context;
    unsigned char *room;
    void *p;
    ach_status_t status = ach_reserve(&o->data, ACH_FRAME_HEADER + size, &p);

    if (status == ACH_OK) {
        room = p;
        write_header(o, header, size, room);
        if (size)
            memcpy(room + ACH_FRAME_HEADER, bytes, size);
        status = ach_commit(&o->data, ACH_FRAME_HEADER + size);
    }
    if (status != ACH_OK)
        complain(o, status, size);
}

/* A channel of ours, new: what an earlier server left behind is replaced. */
static ach_status_t make(const char *name, size_t count, size_t size, bool single,
                         ach_channel_t *chan)
{
    ach_create_attr_t create;
    ach_attr_t attr;
    ach_status_t status;

    ach_attr_init(&attr);
    ach_create_attr_init(&create);
    ach_create_attr_set_truncate(&create, 1);
    if (single) {
        ach_create_attr_set_single_writer(&create, 1);
        ach_attr_set_lock_source(&attr, 1);
    }
    status = ach_create(name, count, size, &create);
    return status == ACH_OK ? ach_open(chan, name, &attr) : status;
}

static ach_status_t watch(struct achi_channels *s, struct achi_source *source, ach_channel_t *chan)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = source};
    ach_status_t status = ach_channel_fd(chan, &source->fd);

    if (status != ACH_OK)
        return status;
    if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, source->fd, &e) != 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "epoll: %s", strerror(errno));
    return ACH_OK;
}

static ach_status_t open_output(struct achi_channels *s, struct achi_output *o)
{
    const ach_sink_t sink = {o, put_body, put_bytes};
    ach_status_t status;

    achi_device_channel(s->number, &o->address, "data", o->data_name);
    achi_device_channel(s->number, &o->address, "cmd", o->cmd_name);
    status = make(o->data_name, s->count, s->size / s->count, true, &o->data);
    if (status != ACH_OK)
        return status;
    o->data_open = true;
    status = make(o->cmd_name, CMD_COUNT, CMD_SIZE, false, &o->cmd);
    if (status != ACH_OK)
        return status;
    o->cmd_open = true;
    status = ach_robot_sink(s->robot, &o->address, &sink);
    o->sunk = status == ACH_OK;
    return status;
}

/* Close and remove a channel, unless another server has put its own in its place. */
static void end_channel(ach_channel_t *chan, const char *name)
{
    ach_info_t info;
    bool ours = ach_channel_info(chan, &info) == ACH_OK && !info.replaced && !info.unlinked;

    ach_close(chan);
    if (ours)
        ach_unlink(name);
}

static void close_output(struct achi_channels *s, struct achi_output *o)
{
    if (o->sunk)
        ach_robot_sink(s->robot, &o->address, NULL);
    if (o->data_open)
        end_channel(&o->data, o->data_name);
    if (o->cmd_open)
        end_channel(&o->cmd, o->cmd_name);
}

bool achi_channels_receive(struct achi_channels *s, ach_channel_t *chan, ach_header_t *h,
                           uint32_t *size)
{
    size_t n = 0;
    ach_status_t status = ach_get(chan, s->buffer, s->room, &n, NULL, 0);

    while (status == ACH_OVERFLOW && n <= ACH_FRAME_HEADER + ACH_BODY_MAX) {
        unsigned char *more = realloc(s->buffer, n);

        if (!more)
            return false;
        s->buffer = more;
        s->room = n;
        status = ach_get(chan, s->buffer, s->room, &n, NULL, 0);
    }
    *size = 0;
    h->type = 0;
    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        return false;
    if (n >= ACH_FRAME_HEADER && ach_frame_read(s->buffer, h, size) == ACH_OK &&
        *size != n - ACH_FRAME_HEADER)
        h->type = 0; /* not ours; leave it */
    return true;
}

static void take_commands(struct achi_channels *s, struct achi_output *o)
{
    ach_header_t h;
    uint32_t size;
    int i;

    for (i = 0; i < TURNS && achi_channels_receive(s, &o->cmd, &h, &size); i++) {
        h.address = o->address;
        if (h.type == ACH_MSG_CMD)
            ach_robot_deliver(s->robot, &h, s->buffer + ACH_FRAME_HEADER, size, NULL);
    }
}

void achi_channels_answer(struct achi_channels *s, const ach_header_t *h, const void *bytes,
                          size_t size)
{
    unsigned char *room;
    ach_status_t status;
    void *p;

    pthread_mutex_lock(&s->ans_lock);
    status = ach_reserve(&s->ans, ACH_FRAME_HEADER + size, &p);
    if (status == ACH_OK) {
        room = p;
        ach_frame_write(h, (uint32_t)size, room);
        if (size)
            memcpy(room + ACH_FRAME_HEADER, bytes, size);
        status = ach_commit(&s->ans, ACH_FRAME_HEADER + size);
    }
    pthread_mutex_unlock(&s->ans_lock);
    if (status == ACH_OVERFLOW && size) {
        ach_header_t nack = *h;

        ach_robot_log(s->robot, ACH_LOG_WARNING,
                      "an answer of %zu bytes is too long for its channel", size);
        nack.type = ACH_MSG_NACK;
        achi_channels_answer(s, &nack, NULL, 0);
    }
}

/* With the next sequence; NULL: too many requests are under way. */
static struct achi_asked *free_slot(struct achi_channels *s)
{
    unsigned i;

    for (i = 0; i < ACHI_ASKED_MAX; i++) {
        struct achi_asked *slot = &s->asked[++s->sequence % ACHI_ASKED_MAX];

        if (!slot->used)
            return slot;
    }
    return NULL;
}

static void ask(struct achi_channels *s, const ach_header_t *header, const void *body,
                uint32_t size)
{
    ach_header_t h = *header;
    struct achi_asked *slot = free_slot(s);

    if (slot) {
        *slot = (struct achi_asked){h.address.host, h.address.robot, h.sequence, s->sequence, true};
        h.address.host = h.address.robot = 0;
        h.sequence = s->sequence;
        if (ach_robot_deliver(s->robot, &h, body, size, s->queue) == ACH_OK)
            return;
        slot->used = false;
    }
    h = *header;
    h.type = ACH_MSG_NACK;
    achi_channels_answer(s, &h, NULL, 0);
}

static void take_requests(struct achi_channels *s)
{
    ach_header_t h;
    uint32_t size;
    int i;

    for (i = 0; i < TURNS && achi_channels_receive(s, &s->req, &h, &size); i++) {
        const unsigned char *body = s->buffer + ACH_FRAME_HEADER;

        if (h.type != ACH_MSG_REQ)
            continue;
        if (h.address.interf == ACH_PLAYER_CODE)
            achi_channels_player(s, &h, body, size);
        else
            ask(s, &h, body, size);
    }
}

static void pass_answers(struct achi_channels *s)
{
    ach_message_t *m;

    while ((m = ach_queue_pop(s->queue))) {
        ach_header_t h = *ach_message_header(m);
        struct achi_asked *slot = &s->asked[h.sequence % ACHI_ASKED_MAX];
        bool own = slot->used && slot->own == h.sequence;
        size_t size;
        const void *bytes = ach_message_bytes(m, &size);

        h.address.host = slot->pid;
        h.address.robot = slot->handle;
        h.sequence = slot->sequence;
        if (own) {
            achi_channels_answer(s, &h, bytes, size);
            slot->used = false;
        }
        ach_message_unref(m);
    }
}

static void handle(struct achi_channels *s, struct achi_source *source)
{
    switch (source->kind) {
    case ACHI_COMMANDS:
        take_commands(s, (struct achi_output *)(void *)source);
        break;
    case ACHI_REQUESTS:
        take_requests(s);
        break;
    case ACHI_ANSWERS:
        achi_bell_clear(s->wake);
        pass_answers(s);
        break;
    case ACHI_CLIENT:
        achi_client_end(s, (struct achi_client *)(void *)source);
        break;
    }
}

/* The end of a client may free what later events of the same batch point to: one at a time. */
static void *run(void *server)
{
    struct achi_channels *s = server;
    struct epoll_event e;
    size_t i;

    for (i = 0; i < s->n_outputs; i++) {
        s->outputs[i].commands.kind = ACHI_COMMANDS;
        watch(s, &s->outputs[i].commands, &s->outputs[i].cmd);
    }
    s->requests.kind = ACHI_REQUESTS;
    watch(s, &s->requests, &s->req);
    while (!__atomic_load_n(&s->end, __ATOMIC_ACQUIRE))
        if (epoll_wait(s->epoll, &e, 1, -1) == 1)
            handle(s, e.data.ptr);
    return NULL;
}

static ach_status_t open_outputs(struct achi_channels *s)
{
    size_t i, n = ach_robot_devices(s->robot, NULL, 0);
    ach_device_info_t *devices = calloc(n + 1, sizeof(*devices));
    ach_status_t status = ACH_OK;

    s->outputs = calloc(n + 1, sizeof(*s->outputs));
    if (!devices || !s->outputs)
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a robot's channels");
    else
        ach_robot_devices(s->robot, devices, n);
    for (i = 0; i < n && status == ACH_OK; i++) {
        struct achi_output *o = &s->outputs[s->n_outputs];

        if (devices[i].remote || devices[i].address.robot)
            continue;
        o->server = s;
        o->address = devices[i].address;
        s->n_outputs++;
        status = open_output(s, o);
    }
    free(devices);
    return status;
}

static ach_status_t open_all(struct achi_channels *s)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = &s->answers};
    char name[ACH_CHAN_NAME_MAX];
    ach_status_t status;

    if (achi_robot_served(s->number))
        return ach_errstr_set(ACH_EEXIST, "another server has the channels of robot %u", s->number);
    s->answers.kind = ACHI_ANSWERS;
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->epoll < 0 || s->wake < 0 || epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->wake, &e) != 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "epoll: %s", strerror(errno));
    status = ach_queue_create(0, 0, wake, s, &s->queue);
    if (status != ACH_OK)
        return status;
    achi_robot_channel(s->number, "req", name);
    status = make(name, REQ_COUNT, REQ_SIZE, false, &s->req);
    s->req_open = status == ACH_OK;
    if (status != ACH_OK)
        return status;
    achi_robot_channel(s->number, "ans", name);
    status = make(name, REQ_COUNT, ANS_SIZE, true, &s->ans);
    s->ans_open = status == ACH_OK;
    return status == ACH_OK ? open_outputs(s) : status;
}

static void close_all(struct achi_channels *s)
{
    char name[ACH_CHAN_NAME_MAX];
    size_t i;

    while (s->clients)
        achi_client_end(s, s->clients);
    for (i = 0; i < s->n_outputs; i++)
        close_output(s, &s->outputs[i]);
    ach_queue_close(s->queue);
    if (s->req_open) {
        achi_robot_channel(s->number, "req", name);
        end_channel(&s->req, name);
    }
    if (s->ans_open) {
        achi_robot_channel(s->number, "ans", name);
        end_channel(&s->ans, name);
    }
    if (s->wake >= 0)
        close(s->wake);
    if (s->epoll >= 0)
        close(s->epoll);
    pthread_mutex_destroy(&s->ans_lock);
    free(s->outputs);
    free(s->buffer);
    free(s);
}

static void end(void *server)
{
    struct achi_channels *s = server;

    __atomic_store_n(&s->end, true, __ATOMIC_RELEASE);
    wake(s);
    pthread_join(s->thread, NULL);
    close_all(s);
}

static ach_status_t serve(ach_robot_t *robot, ach_section_t *options, void **server)
{
    struct achi_channels *s = calloc(1, sizeof(*s));
    ach_status_t status;
    int size = options ? ach_section_int(options, "size", SIZE) : (int)SIZE;
    int count = options ? ach_section_int(options, "count", COUNT) : (int)COUNT;

    if (!s)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a robot's channels");
    if (size < 1024 || count < 2 || count > 65536) {
        free(s);
        return ach_errstr_set(ACH_EINVAL, "channels of %d messages in %d bytes", count, size);
    }
    s->robot = robot;
    s->number = ach_robot_number(robot);
    s->size = (size_t)size;
    s->count = (unsigned)count;
    s->epoll = s->wake = -1;
    pthread_mutex_init(&s->ans_lock, NULL);
    status = open_all(s);
    if (status == ACH_OK && pthread_create(&s->thread, NULL, run, s) != 0)
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "no thread for a robot's channels");
    if (status != ACH_OK)
        close_all(s);
    else
        *server = s;
    return status;
}

const ach_transport_class_t ach_transport_channel = {
    .version = ACH_TRANSPORT_VERSION,
    .name = "channel",
    .serve = serve,
    .end = end,
};
