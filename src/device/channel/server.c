/* SPDX-License-Identifier: BSD-3-Clause */
/* server.c - what clients put into the channels goes to the robot, and answers come back */
#include "server.h"

#include <ach/interface/player.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../core/bell.h"
#include "names.h"

#define COUNT 32         /* messages that a data channel keeps */
#define SIZE (512 << 10) /* bytes of a data channel */
#define REQ_SIZE 256u    /* of a request */
#define ANS_SIZE 1024u   /* of an answer */

void achi_channels_wake(struct ach_channels *s)
{
    if (!__atomic_load_n(&s->quiet, __ATOMIC_SEQ_CST))
        achi_bell_ring(s->wake);
}

static void wake(void *server)
{
    achi_channels_wake(server);
}

bool achi_channels_receive(struct ach_channels *s, ach_channel_t *chan, ach_header_t *h,
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

void achi_channels_take_commands(struct ach_channels *s, struct achi_output *o, unsigned turns)
{
    ach_header_t h;
    uint32_t size;

    while (turns-- && achi_channels_receive(s, &o->cmd, &h, &size)) {
        h.address = o->address;
        if (h.type == ACH_MSG_CMD)
            ach_robot_deliver(s->robot, &h, s->buffer + ACH_FRAME_HEADER, size, NULL);
    }
}

ach_status_t achi_channels_put(struct ach_channels *s, const ach_header_t *h, const void *bytes,
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
    return status;
}

/* What is too long for its channel becomes a refusal. */
static void answer(struct ach_channels *s, const ach_header_t *header, const void *bytes,
                   size_t size)
{
    ach_header_t h = *header;

    if (achi_channels_put(s, &h, bytes, size) != ACH_OVERFLOW || !size)
        return;
    ach_robot_log(s->robot, ACH_LOG_WARNING, "an answer of %zu bytes is too long for its channel",
                  size);
    h.type = ACH_MSG_NACK;
    achi_channels_put(s, &h, NULL, 0);
}

/* With the next sequence; NULL: too many requests are under way. */
static struct achi_asked *free_slot(struct ach_channels *s)
{
    unsigned i;

    for (i = 0; i < ACHI_ASKED_MAX; i++) {
        struct achi_asked *slot = &s->asked[++s->sequence % ACHI_ASKED_MAX];

        if (!slot->used)
            return slot;
    }
    return NULL;
}

static void ask(struct ach_channels *s, const ach_header_t *header, const void *body, uint32_t size)
{
    ach_header_t h = *header;
    struct achi_asked *slot = free_slot(s);

    if (slot) {
        *slot = (struct achi_asked){h.address.host, h.address.robot, h.sequence, s->sequence, true};
        h.address.host = h.address.robot = 0;
        h.sequence = s->sequence;
        if (ach_robot_deliver(s->robot, &h, body, size, s->queue) == ACH_OK) {
            s->n_asked++;
            return;
        }
        slot->used = false;
    }
    h = *header;
    h.type = ACH_MSG_NACK;
    achi_channels_put(s, &h, NULL, 0);
}

unsigned achi_channels_take_requests(struct ach_channels *s, unsigned turns)
{
    unsigned taken = 0;
    ach_header_t h;
    uint32_t size;

    while (taken < turns && achi_channels_receive(s, &s->req, &h, &size)) {
        const unsigned char *body = s->buffer + ACH_FRAME_HEADER;

        taken++;
        if (h.type != ACH_MSG_REQ)
            continue;
        if (h.address.interf == ACH_PLAYER_CODE)
            achi_channels_player(s, &h, body, size);
        else
            ask(s, &h, body, size);
    }
    return taken;
}

void achi_channels_pass_answers(struct ach_channels *s)
{
    ach_message_t *m;

    while (s->n_asked && (m = ach_queue_pop(s->queue))) {
        ach_header_t h = *ach_message_header(m);
        struct achi_asked *slot = &s->asked[h.sequence % ACHI_ASKED_MAX];
        bool own = slot->used && slot->own == h.sequence;
        size_t size;
        const void *bytes = ach_message_bytes(m, &size);

        h.address.host = slot->pid;
        h.address.robot = slot->handle;
        h.sequence = slot->sequence;
        if (own) {
            answer(s, &h, bytes, size);
            slot->used = false;
            s->n_asked--;
        }
        ach_message_unref(m);
    }
}

static ach_status_t open_all(struct ach_channels *s)
{
    char name[ACH_CHAN_NAME_MAX];
    ach_status_t status;

    if (achi_robot_served(s->number))
        return ach_errstr_set(ACH_EEXIST, "another server has the channels of robot %u", s->number);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->wake < 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "eventfd: %s", strerror(errno));
    status = ach_queue_create(0, 0, wake, s, &s->queue);
    if (status != ACH_OK)
        return status;
    achi_robot_channel(s->number, "req", name);
    status = achi_channel_make(s, name, ACHI_REQ_COUNT, REQ_SIZE, false, &s->req);
    s->req_open = status == ACH_OK;
    if (status != ACH_OK)
        return status;
    achi_robot_channel(s->number, "ans", name);
    status = achi_channel_make(s, name, ACHI_REQ_COUNT, ANS_SIZE, true, &s->ans);
    s->ans_open = status == ACH_OK;
    if (status == ACH_OK)
        status = achi_outputs_open(s);
    if (status == ACH_OK)
        status = achi_guard_begin(s);
    s->guarded = status == ACH_OK;
    return status;
}

void achi_channels_close(struct ach_channels *s)
{
    char name[ACH_CHAN_NAME_MAX];

    if (s->guarded)
        achi_guard_end(s);
    while (s->clients)
        achi_client_end(s, s->clients);
    achi_outputs_close(s);
    ach_queue_close(s->queue);
    if (s->req_open) {
        achi_robot_channel(s->number, "req", name);
        achi_channel_end(&s->req, name);
    }
    if (s->ans_open) {
        achi_robot_channel(s->number, "ans", name);
        achi_channel_end(&s->ans, name);
    }
    if (s->wake >= 0)
        close(s->wake);
    if (s->epoll >= 0)
        close(s->epoll);
    pthread_mutex_destroy(&s->ans_lock);
    free(s->buffer);
    free(s);
}

/* An option, or what is usual. */
static int within(ach_section_t *options, const char *name, int fallback, int least, int most)
{
    int value = options ? ach_section_int(options, name, fallback) : fallback;
    char expected[80];

    if (value >= least && value <= most)
        return value;
    snprintf(expected, sizeof(expected), "a number from %d to %d", least, most);
    ach_section_refuse(options, name, 0, expected);
    return fallback;
}

ach_status_t achi_channels_open(ach_robot_t *robot, ach_section_t *options,
                                struct ach_channels **server)
{
    struct ach_channels *s;
    ach_status_t status;
    int size = within(options, "size", SIZE, 1024, INT_MAX);
    int count = within(options, "count", COUNT, 2, 65536);

    if (options && ach_section_failed(options))
        return ach_errstr_set(ACH_EINVAL, "the section %s is wrong", ach_section_name(options));
    s = calloc(1, sizeof(*s));
    if (!s)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a robot's channels");
    s->robot = robot;
    s->number = ach_robot_number(robot);
    s->size = (size_t)size;
    s->count = (unsigned)count;
    s->epoll = s->wake = -1;
    pthread_mutex_init(&s->ans_lock, NULL);
    status = open_all(s);
    if (status != ACH_OK)
        achi_channels_close(s);
    else
        *server = s;
    return status;
}
