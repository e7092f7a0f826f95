/* SPDX-License-Identifier: BSD-3-Clause */
/* server.c - delivers requests to the robot, and passes its answers to the clients */
#include "server.h"

#include <ach/interface/player.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "names.h"

#define COUNT 32         /* messages that a data channel keeps */
#define SIZE (512 << 10) /* bytes of a data channel */
#define REQ_SIZE 256u    /* nominal bytes of a request */
#define ANS_SIZE 1024u   /* nominal bytes of an answer */

static void wake(void *server)
{
    devch_channels_wake(server);
}

/* Deliver a request with a new sequence. Its header is kept, to address the answer. */
static bool server_pass_request(struct ach_channels *s, const ach_header_t *header,
                                const void *body, uint32_t size)
{
    ach_header_t h = *header;
    ach_message_t *m;

    if (pending_full(&s->pending) || ach_message_wrap(header, NULL, 0, &m) != ACH_OK)
        return false;
    pending_add(&s->pending, m, &h.sequence);
    ach_message_unref(m);
    h.address.host = h.address.robot = 0;
    if (ach_robot_deliver(s->robot, &h, body, size, s->queue) == ACH_OK)
        return true;
    ach_message_unref(pending_take(&s->pending, h.sequence));
    return false;
}

/*
 * Read the commands that were put before this flush, into s->buffer. Then pass it on without a
 * body. False: the commands cannot be read, or the driver cannot be asked.
 */
static bool pass_flush(struct ach_channels *s, const ach_header_t *flush)
{
    const ach_address_t device = {.interf = flush->address.interf, .index = flush->address.index};
    struct devch_output *o = devch_output_find(s, &device);

    if (o)
        devch_channels_take_commands(s, o, DEVCH_CMD_COUNT);
    devch_use_forget_requests(s, &flush->address, ACH_REQ_FLUSH); /* it waits for this one only */
    return o && !o->commands.lost && server_pass_request(s, flush, NULL, 0);
}

static void server_request(struct ach_channels *s, const ach_header_t *header, const void *body,
                           uint32_t size)
{
    ach_header_t h = *header;

    if (h.subtype == ACH_REQ_FLUSH ? pass_flush(s, header)
                                   : server_pass_request(s, header, body, size))
        return;
    h.type = ACH_MSG_NACK;
    devch_answers_add(s, &h, NULL, 0);
}

unsigned devch_channels_take_requests(struct ach_channels *s, unsigned turns)
{
    uint64_t before = s->overwritten;
    unsigned taken = 0;
    ach_header_t h;
    uint32_t size;

    while (taken < turns &&
           devch_channels_receive(s, &s->requests, &s->req, &h, &size, &s->overwritten)) {
        const unsigned char *body = s->buffer + ACH_FRAME_HEADER;

        taken++;
        if (h.type != ACH_MSG_REQ)
            continue;
        if (h.address.interf == ACH_PLAYER_CODE)
            devch_channels_player(s, &h, body, size);
        else
            server_request(s, &h, body, size);
    }
    devch_channels_say_overwritten(s, "requests", before, s->overwritten);
    return taken;
}

/*
 * The body of the answer to a flush; 0: none. The queue of a subscription counts its commands; it
 * is unknown whose commands were overwritten, so every client of the device is told.
 */
static size_t describe_flush(const struct ach_channels *s, const ach_header_t *client,
                             unsigned char *bytes, size_t room)
{
    const ach_address_t device = {.interf = client->address.interf, .index = client->address.index};
    const struct devch_use *u = devch_use_find(s, client, &device);
    const struct devch_output *o = devch_output_find(s, &device);
    ach_queue_usage_t usage = {.size = sizeof(usage)};
    ach_flush_t body = {.why = usage.unhandled_why};
    size_t size;

    if (!u || !o)
        return 0;
    ach_queue_usage(u->queue, &usage);
    body.unhandled = usage.unhandled;
    body.overwritten = (uint32_t)(o->overwritten - u->overwritten);
    body.why_count = (uint32_t)strlen(usage.unhandled_why);
    return ach_encode(&ach_flush_type, &body, bytes, room, &size) == ACH_OK ? size : 0;
}

static void server_answer(struct ach_channels *s, const ach_message_t *answer,
                          const ach_message_t *request)
{
    const ach_header_t *client = ach_message_header(request);
    ach_header_t h = *ach_message_header(answer);
    unsigned char flush[32 + ACH_UNHANDLED_WHY];
    size_t size;
    const void *bytes = ach_message_bytes(answer, &size);

    if (h.subtype == ACH_REQ_FLUSH) {
        size = describe_flush(s, client, flush, sizeof(flush));
        bytes = flush;
    }
    h.address.host = client->address.host;
    h.address.robot = client->address.robot;
    h.sequence = client->sequence;
    devch_answers_add(s, &h, bytes, size);
}

void devch_channels_pass_answers(struct ach_channels *s)
{
    ach_message_t *m;

    while (s->pending.n && (m = ach_queue_pop(s->queue))) {
        ach_message_t *request = pending_take(&s->pending, ach_message_header(m)->sequence);

        if (request)
            server_answer(s, m, request);
        ach_message_unref(request);
        ach_message_unref(m);
    }
}

static ach_status_t already_served(uint32_t robot, uint32_t pid)
{
    char path[32], name[32] = "?";
    FILE *in;

    if (!pid)
        return ach_errstr_set(ACH_EEXIST,
                              "another server already provides the channels of robot %u", robot);
    snprintf(path, sizeof(path), "/proc/%u/comm", pid);
    in = fopen(path, "re");
    if (in) {
        if (fscanf(in, "%31[ -~]", name) != 1)
            strcpy(name, "?");
        fclose(in);
    }
    return ach_errstr_set(
        ACH_EEXIST, "another server already provides the channels of robot %u: process %u (%s)",
        robot, pid, name);
}

static ach_status_t open_all(struct ach_channels *s)
{
    char name[ACH_CHAN_NAME_MAX];
    uint32_t pid;
    ach_status_t status;

    if (devch_robot_served(s->number, &pid))
        return already_served(s->number, pid);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->wake < 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "eventfd: %s", strerror(errno));
    status = ach_queue_create(0, 0, wake, s, &s->queue);
    if (status == ACH_OK)
        status = ach_queue_create(0, 0, wake, s, &s->out);
    if (status != ACH_OK)
        return status;
    devch_robot_channel(s->number, "req", name);
    status = devch_channel_make(s, name, DEVCH_REQ_COUNT, REQ_SIZE, false, &s->req, &s->req_inode);
    s->req_open = status == ACH_OK;
    if (status != ACH_OK)
        return status;
    devch_robot_channel(s->number, "ans", name);
    status = devch_channel_make(s, name, DEVCH_REQ_COUNT, ANS_SIZE, true, &s->ans, &s->ans_inode);
    s->ans_open = status == ACH_OK;
    if (status == ACH_OK)
        status = devch_outputs_open(s);
    if (status == ACH_OK)
        status = devch_access_begin(s);
    s->guarded = status == ACH_OK;
    return status;
}

void devch_channels_close(struct ach_channels *s)
{
    char name[ACH_CHAN_NAME_MAX];

    if (s->guarded)
        devch_access_end(s);
    while (s->clients)
        devch_client_end(s, s->clients);
    devch_outputs_close(s);
    ach_queue_close(s->queue);
    ach_queue_close(s->out);
    ach_message_unref(s->stuck);
    if (s->req_open) {
        devch_robot_channel(s->number, "req", name);
        devch_channel_end(&s->req, name);
    }
    if (s->ans_open) {
        devch_robot_channel(s->number, "ans", name);
        devch_channel_end(&s->ans, name);
    }
    if (s->wake >= 0)
        close(s->wake);
    if (s->epoll >= 0)
        close(s->epoll);
    free(s->buffer);
    free(s);
}

/* An integer option, or its default. A value out of range is refused. */
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

ach_status_t devch_channels_open(ach_robot_t *robot, ach_section_t *options,
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
    s->requests.kind = DEVCH_REQUESTS;
    status = open_all(s);
    if (status != ACH_OK)
        devch_channels_close(s);
    else
        *server = s;
    return status;
}
