/* SPDX-License-Identifier: BSD-3-Clause */
/* server.c - what clients put into the channels goes to the robot, and answers come back */
#include "server.h"

#include <ach/interface/player.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
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

/* Whoever may write a channel may damage it. Its descriptor would be ready for ever. */
static void lose(struct ach_channels *s, struct achi_source *source, ach_status_t why)
{
    char text[ACH_ADDRESS_MAX];
    const bool commands = source->kind == ACHI_COMMANDS;
    const struct achi_output *o = (const void *)source;

    source->lost = true;
    if (s->epoll >= 0)
        epoll_ctl(s->epoll, EPOLL_CTL_DEL, source->fd, NULL);
    ach_robot_log(s->robot, ACH_LOG_ERROR,
                  "the channel of %s%s is damaged (%s): nothing is taken from it until the server "
                  "is started again",
                  commands ? "commands to " : "requests",
                  commands ? ach_address_text(&o->address, text) : "", ach_result_to_string(why));
}

bool achi_channels_receive(struct ach_channels *s, struct achi_source *source, ach_channel_t *chan,
                           ach_header_t *h, uint32_t *size, uint64_t *overwritten)
{
    size_t n = 0;
    uint64_t missed = 0;
    ach_status_t status;

    if (source->lost)
        return false;
    status = ach_get(chan, s->buffer, s->room, &n, NULL, 0);
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
    if (status == ACH_CORRUPT)
        lose(s, source, status);
    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        return false;
    if (status == ACH_MISSED_FRAME && ach_channel_missed(chan, &missed, NULL) == ACH_OK)
        *overwritten += missed;
    if (n >= ACH_FRAME_HEADER && ach_frame_read(s->buffer, h, size) == ACH_OK &&
        *size != n - ACH_FRAME_HEADER)
        h->type = 0; /* not ours; leave it */
    return true;
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
    achi_answers_add(s, &h, NULL, 0);
}

/* Messages come faster than they are taken: said each time that their number has doubled. */
static void say_overwritten(const struct ach_channels *s, const char *what, uint64_t before,
                            uint64_t now)
{
    if (now > before && achi_channels_doubled(before, now))
        ach_robot_log(s->robot, ACH_LOG_WARNING,
                      "%llu %s were overwritten in their channel before they were taken",
                      (unsigned long long)now, what);
}

/* The client is not told by anybody else. */
static void say_refused(const struct ach_channels *s, struct achi_output *o)
{
    char text[ACH_ADDRESS_MAX];

    if (achi_channels_doubled(o->refused, o->refused + 1))
        ach_robot_log(
            s->robot, ACH_LOG_WARNING, "%llu commands through the channel of %s are refused: %s",
            (unsigned long long)o->refused + 1, ach_address_text(&o->address, text), ach_errstr());
    o->refused++;
}

void achi_channels_take_commands(struct ach_channels *s, struct achi_output *o, unsigned turns)
{
    char what[ACH_ADDRESS_MAX + 16], text[ACH_ADDRESS_MAX];
    uint64_t before = o->overwritten;
    ach_header_t h;
    uint32_t size;

    while (turns-- && achi_channels_receive(s, &o->commands, &o->cmd, &h, &size, &o->overwritten)) {
        h.address = o->address;
        if (h.type == ACH_MSG_CMD &&
            ach_robot_deliver(s->robot, &h, s->buffer + ACH_FRAME_HEADER, size, NULL) != ACH_OK)
            say_refused(s, o);
    }
    if (o->overwritten == before)
        return;
    snprintf(what, sizeof(what), "commands to %s", ach_address_text(&o->address, text));
    say_overwritten(s, what, before, o->overwritten);
}

unsigned achi_channels_take_requests(struct ach_channels *s, unsigned turns)
{
    uint64_t before = s->overwritten;
    unsigned taken = 0;
    ach_header_t h;
    uint32_t size;

    while (taken < turns &&
           achi_channels_receive(s, &s->requests, &s->req, &h, &size, &s->overwritten)) {
        const unsigned char *body = s->buffer + ACH_FRAME_HEADER;

        taken++;
        if (h.type != ACH_MSG_REQ)
            continue;
        if (h.address.interf == ACH_PLAYER_CODE)
            achi_channels_player(s, &h, body, size);
        else
            ask(s, &h, body, size);
    }
    say_overwritten(s, "requests", before, s->overwritten);
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
            achi_answers_add(s, &h, bytes, size);
            slot->used = false;
            s->n_asked--;
        }
        ach_message_unref(m);
    }
}

static ach_status_t already_served(uint32_t robot, uint32_t pid)
{
    char path[32], name[32] = "?";
    FILE *in;

    if (!pid)
        return ach_errstr_set(ACH_EEXIST, "another server has the channels of robot %u", robot);
    snprintf(path, sizeof(path), "/proc/%u/comm", pid);
    in = fopen(path, "re");
    if (in) {
        if (fscanf(in, "%31[ -~]", name) != 1)
            strcpy(name, "?");
        fclose(in);
    }
    return ach_errstr_set(ACH_EEXIST,
                          "another server has the channels of robot %u: process %u (%s)", robot,
                          pid, name);
}

static ach_status_t open_all(struct ach_channels *s)
{
    char name[ACH_CHAN_NAME_MAX];
    uint32_t pid;
    ach_status_t status;

    if (achi_robot_served(s->number, &pid))
        return already_served(s->number, pid);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->wake < 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "eventfd: %s", strerror(errno));
    status = ach_queue_create(0, 0, wake, s, &s->queue);
    if (status == ACH_OK)
        status = ach_queue_create(0, 0, wake, s, &s->out);
    if (status != ACH_OK)
        return status;
    achi_robot_channel(s->number, "req", name);
    status = achi_channel_make(s, name, ACHI_REQ_COUNT, REQ_SIZE, false, &s->req, &s->req_inode);
    s->req_open = status == ACH_OK;
    if (status != ACH_OK)
        return status;
    achi_robot_channel(s->number, "ans", name);
    status = achi_channel_make(s, name, ACHI_REQ_COUNT, ANS_SIZE, true, &s->ans, &s->ans_inode);
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
    ach_queue_close(s->out);
    ach_message_unref(s->stuck);
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
    s->requests.kind = ACHI_REQUESTS;
    status = open_all(s);
    if (status != ACH_OK)
        achi_channels_close(s);
    else
        *server = s;
    return status;
}
