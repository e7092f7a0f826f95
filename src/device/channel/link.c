/* SPDX-License-Identifier: BSD-3-Clause */
#include "link.h"

#include <ach/access.h>
#include <ach/interface/player.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../util/monotonic.h"
#include "../core/unhandled.h"
#include "../core/wakeup.h"
#include "names.h"
#include "watch.h"

#define ROOM_FIRST 8192u

struct devch_channel_link {
    ach_channel_t data, cmd, req, ans;
    unsigned rights; /* ACH_RIGHT_*, by the permissions of the channels */
    uint32_t pid, handle, sequence;
    struct dev_unhandled unhandled; /* as of the server's last answer to a flush */
    uint32_t robot;
    ach_address_t address;
    unsigned char *buffer;
    size_t room;
    struct devch_watch watch;
};

/* Number of the last handle of this process. */
static uint32_t handles;

static struct timespec duration(double seconds)
{
    return dev_timespec(seconds > 1e9 ? 1e9 : seconds); /* also infinity */
}

static double wall(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static ach_status_t grow(struct devch_channel_link *l, size_t size)
{
    unsigned char *more;

    if (size <= l->room)
        return ACH_OK;
    if (size > ACH_FRAME_HEADER + (size_t)ACH_BODY_MAX)
        return ach_errstr_set(ACH_CORRUPT,
                              "a message of %zu bytes in a device's channel is too long", size);
    more = realloc(l->buffer, size);
    if (!more)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a message");
    l->buffer = more;
    l->room = size;
    return ACH_OK;
}

/* Get a message into l->buffer, which grows as needed. */
static ach_status_t fetch(struct devch_channel_link *l, ach_channel_t *chan, double timeout,
                          int options, size_t *size)
{
    struct timespec t = duration(timeout > 0 ? timeout : 0);
    ach_status_t status;

    for (;;) {
        status =
            ach_get(chan, l->buffer, l->room, size, &t, options | ACH_O_RELTIME | ACH_O_LINKED);
        if (status != ACH_OVERFLOW)
            return status;
        status = grow(l, *size);
        if (status != ACH_OK)
            return status;
    }
}

static ach_status_t link_has_ended(void)
{
    return ach_errstr_set(ACH_CLOSED, "the server of this device has ended");
}

/*
 * As fetch. With ACH_O_WAIT it waits at most @timeout seconds; negative: without limit. ACH_CLOSED:
 * the server has ended, and no message is left in the channel. A killed server does not wake
 * ach_get, so each wait is at most devch_watch_period long.
 */
static ach_status_t receive(struct devch_channel_link *l, ach_channel_t *chan, double timeout,
                            int options, size_t *size)
{
    const double period = devch_watch_period(&l->watch);
    const bool waits = options & ACH_O_WAIT;
    const double until = waits && timeout > period ? monotonic_seconds() + timeout : 0;
    double left = timeout;

    for (;;) {
        const bool last = !waits || (timeout >= 0 && left <= period);
        ach_status_t status =
            fetch(l, chan, last ? left : period, l->watch.ended ? 0 : options, size);

        if (status == ACH_ENOENT || status == ACH_CORRUPT)
            devch_watch_set_ended(&l->watch);
        else if (status != ACH_STALE_FRAMES && status != ACH_TIMEOUT)
            return status;
        if (!devch_watch_ended(&l->watch)) {
            if (status == ACH_STALE_FRAMES || last)
                return status;
            if (timeout >= 0)
                left = until - monotonic_seconds();
            continue;
        }
        /* A last message may have been put after fetch and before devch_watch_ended. */
        status = fetch(l, chan, 0, 0, size);
        return status == ACH_OK || status == ACH_MISSED_FRAME ? status : link_has_ended();
    }
}

/* Parse the header of the message in l->buffer. */
static ach_status_t peek(const struct devch_channel_link *l, size_t size, ach_header_t *h)
{
    uint32_t body;

    if (size < ACH_FRAME_HEADER || ach_frame_read(l->buffer, h, &body) != ACH_OK ||
        body != size - ACH_FRAME_HEADER)
        return ach_errstr_set(ACH_CORRUPT,
                              "a device's channel contains something that is not a device message");
    return ACH_OK;
}

ach_status_t achi_channel_link_get(struct devch_channel_link *l, double timeout, int options,
                                   ach_message_t **m, uint64_t *missed)
{
    ach_status_t status, kept;
    ach_header_t h;
    size_t size;

    status = receive(l, &l->data, timeout, options, &size);
    *missed = 0;
    if (status == ACH_MISSED_FRAME)
        ach_channel_missed(&l->data, missed, NULL);
    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        return status;
    kept = peek(l, size, &h);
    if (kept == ACH_OK)
        kept = ach_message_wrap(&h, l->buffer + ACH_FRAME_HEADER, size - ACH_FRAME_HEADER, m);
    return kept == ACH_OK ? status : kept;
}

static ach_status_t link_put(ach_channel_t *chan, const ach_header_t *h, const ach_type_t *type,
                             const void *body)
{
    size_t size = 0;
    ach_status_t status = body ? ach_encoded_size(type, body, &size) : ACH_OK;
    unsigned char *room;
    void *p;

    if (status == ACH_OK)
        status = ach_reserve(chan, ACH_FRAME_HEADER + size, &p);
    if (status != ACH_OK)
        return status;
    room = p;
    ach_frame_write(h, (uint32_t)size, room);
    if (body)
        status = ach_encode(type, body, room + ACH_FRAME_HEADER, size, &size);
    if (status == ACH_OK)
        return ach_commit(chan, ACH_FRAME_HEADER + size);
    ach_abort(chan);
    return status;
}

static ach_status_t not_put(ach_status_t status, const char *what)
{
    if (status == ACH_EINVAL) /* invalid body; ach_errstr is already set */
        return status;
    return ach_errstr_set(status, "the %s cannot be put into its channel: %s", what,
                          ach_result_to_string(status));
}

/* @needed: the access to a channel that this user lacks. */
static ach_status_t not_permitted(const struct devch_channel_link *l, const char *what,
                                  const char *needed)
{
    char text[ACH_ADDRESS_MAX];

    return ach_errstr_set(ACH_EACCES, "this user may not %s %s: not permitted to %s robot %u", what,
                          ach_address_text(&l->address, text), needed, l->robot);
}

ach_status_t achi_channel_link_command(struct devch_channel_link *l, const ach_header_t *header,
                                       const ach_type_t *type, const void *body)
{
    ach_header_t h = *header;
    ach_status_t status;

    if (!(l->rights & ACH_RIGHT_COMMAND))
        return not_permitted(l, "command", "write the device's command channel on");
    if (devch_watch_ended(&l->watch))
        return link_has_ended();
    h.address.host = l->pid;
    h.address.robot = l->handle;
    status = link_put(&l->cmd, &h, type, body);
    return status == ACH_OK ? ACH_OK : not_put(status, "command");
}

static bool mine(const struct devch_channel_link *l, const ach_header_t *h)
{
    return h->address.host == l->pid && h->address.robot == l->handle &&
           h->sequence == l->sequence && (h->type == ACH_MSG_ACK || h->type == ACH_MSG_NACK);
}

static ach_status_t link_await(struct devch_channel_link *l, double until, ach_message_t **answer)
{
    for (;;) {
        double left = until - monotonic_seconds();
        ach_header_t h = {.type = 0};
        size_t size;
        ach_status_t status = receive(l, &l->ans, left > 0 ? left : 0, ACH_O_WAIT, &size);

        if (status == ACH_CLOSED)
            return status;
        if (status != ACH_OK && status != ACH_MISSED_FRAME)
            return ach_errstr_set(status, "the device did not answer in time");
        if (peek(l, size, &h) != ACH_OK || !mine(l, &h)) {
            if (monotonic_seconds() >= until) /* answers to other clients may never stop */
                return ach_errstr_set(ACH_TIMEOUT, "the device did not answer in time");
            continue;
        }
        h.address.host = 0;
        h.address.robot = l->robot;
        return ach_message_wrap(&h, l->buffer + ACH_FRAME_HEADER, size - ACH_FRAME_HEADER, answer);
    }
}

ach_status_t achi_channel_link_request(struct devch_channel_link *l, const ach_header_t *header,
                                       const ach_type_t *type, const void *body, double timeout,
                                       ach_message_t **answer)
{
    ach_header_t h = *header;
    ach_status_t status;

    if (!(l->rights & ACH_RIGHT_REQUEST))
        return not_permitted(l, "send requests to", "write the request channel of");
    if (devch_watch_ended(&l->watch))
        return link_has_ended();
    h.address.host = l->pid;
    h.address.robot = l->handle;
    h.sequence = ++l->sequence;
    ach_flush(&l->ans);
    status = link_put(&l->req, &h, type, body);
    if (status != ACH_OK)
        return not_put(status, "request");
    return link_await(l, monotonic_seconds() + timeout, answer);
}

static ach_header_t access_header(void)
{
    ach_header_t h = {.address = {.interf = ACH_PLAYER_CODE},
                      .type = ACH_MSG_REQ,
                      .subtype = ACH_PLAYER_REQ_DEV,
                      .timestamp = wall()};

    return h;
}

static ach_player_device_req_t access_body(const struct devch_channel_link *l, uint8_t access)
{
    ach_player_device_req_t body = {
        .addr = {.interf = l->address.interf, .index = l->address.index}, .access = access};

    return body;
}

static ach_status_t subscribe(struct devch_channel_link *l, double timeout)
{
    const ach_header_t h = access_header();
    const ach_player_device_req_t body = access_body(l, ACH_PLAYER_OPEN_MODE);
    const ach_player_device_req_t *said;
    ach_message_t *answer;
    ach_status_t status =
        achi_channel_link_request(l, &h, &ach_player_device_req_type, &body, timeout, &answer);

    if (status != ACH_OK)
        return status;
    said = ach_message_body(answer);
    if (ach_message_header(answer)->type != ACH_MSG_ACK)
        status = ach_errstr_set(ACH_EACCES, "the device cannot be used: %s",
                                said && said->driver_name ? said->driver_name : "refused");
    ach_message_unref(answer);
    return status;
}

/* Without ACH_RIGHT_REQUEST the server cannot be asked. ACH_OK: the commands are in the channel. */
ach_status_t achi_channel_link_flush(struct devch_channel_link *l, double seconds)
{
    const ach_header_t h = {
        .address = l->address, .type = ACH_MSG_REQ, .subtype = ACH_REQ_FLUSH, .timestamp = wall()};
    ach_message_t *answer = NULL;
    ach_status_t status;

    if (!(l->rights & ACH_RIGHT_REQUEST))
        return ACH_OK;
    status = achi_channel_link_request(l, &h, NULL, NULL, seconds, &answer);
    return dev_unhandled_result(status, answer, seconds, &l->unhandled);
}

static void unsubscribe(struct devch_channel_link *l)
{
    ach_header_t h = access_header();
    const ach_player_device_req_t body = access_body(l, ACH_PLAYER_CLOSE_MODE);

    h.address.host = l->pid;
    h.address.robot = l->handle;
    link_put(&l->req, &h, &ach_player_device_req_type, &body);
}

/* *may: R_OK, or R_OK | W_OK; 0 if permission is denied: ACH_OK, and the channel is not open. */
static ach_status_t open_one(ach_channel_t *chan, const char *name, uint64_t anticipate,
                             unsigned *may)
{
    ach_attr_t attr;
    ach_status_t status;
    ach_info_t info;

    *may = 0;
    ach_attr_init(&attr);
    if (anticipate > UINT32_MAX ||
        ach_attr_set_anticipate(&attr, (uint32_t)anticipate, 0) != ACH_OK)
        return ach_errstr_set(ACH_EINVAL, "a device anticipates with at most 1000000 millionths");
    status = ach_open(chan, name, &attr);
    if (status == ACH_EACCES)
        return ACH_OK;
    if (status == ACH_OK && ach_channel_info(chan, &info) == ACH_OK)
        *may = info.readonly ? R_OK : R_OK | W_OK;
    return status;
}

static ach_status_t open_channels(struct devch_channel_link *l, uint32_t robot, uint64_t anticipate)
{
    char names[4][ACH_CHAN_NAME_MAX];
    ach_channel_t *const channels[] = {&l->data, &l->cmd, &l->req, &l->ans};
    unsigned i, may[4];
    ach_status_t status = ACH_OK;

    devch_device_channel(robot, &l->address, "data", names[0]);
    devch_device_channel(robot, &l->address, "cmd", names[1]);
    devch_robot_channel(robot, "req", names[2]);
    devch_robot_channel(robot, "ans", names[3]);
    for (i = 0; i < 4 && status == ACH_OK; i++)
        status = open_one(channels[i], names[i], i == 0 ? anticipate : 0, &may[i]);
    if (status != ACH_OK)
        return status;
    if (!may[0])
        return not_permitted(l, "use", "read the device's data channel on");
    l->rights = ACH_RIGHT_LIST | ACH_RIGHT_DATA;
    if (may[1] & W_OK)
        l->rights |= ACH_RIGHT_COMMAND;
    if (may[2] & W_OK && may[3])
        l->rights |= ACH_RIGHT_REQUEST;
    return ACH_OK;
}

static ach_status_t watch_server(struct devch_channel_link *l)
{
    char name[ACH_CHAN_NAME_MAX];

    devch_device_channel(l->robot, &l->address, "data", name);
    return devch_watch_begin(&l->watch, name, &l->data);
}

/* Close the channels before the watch: ach_close wakes a thread that polls their descriptors. */
static void close_channels(struct devch_channel_link *l)
{
    ach_close(&l->ans);
    ach_close(&l->req);
    ach_close(&l->cmd);
    ach_close(&l->data);
    devch_watch_end(&l->watch);
    free(l->buffer);
    free(l);
}

ach_status_t achi_channel_link_inherit(struct devch_channel_link *l, double timeout)
{
    l->pid = (uint32_t)getpid();
    l->handle = __atomic_add_fetch(&handles, 1, __ATOMIC_RELAXED);
    l->unhandled = (struct dev_unhandled){0};
    return l->rights & ACH_RIGHT_REQUEST ? subscribe(l, timeout) : ACH_OK;
}

ach_status_t achi_channel_link_open(const ach_place_t *place, const ach_device_attr_t *attr,
                                    struct devch_channel_link **link)
{
    uint32_t server, robot = place->robot ? place->robot : ACH_ROBOT_DEFAULT;
    struct devch_channel_link *l;
    ach_status_t status;

    if (!devch_robot_served(robot, &server))
        return ach_errstr_set(ACH_ENOENT,
                              "no server on this machine provides channels for robot %u", robot);
    l = calloc(1, sizeof(*l));
    if (!l || grow(l, ROOM_FIRST) != ACH_OK) {
        free(l);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a device");
    }
    l->robot = robot;
    l->pid = (uint32_t)getpid();
    l->handle = __atomic_add_fetch(&handles, 1, __ATOMIC_RELAXED);
    l->address = (ach_address_t){.interf = place->interf, .index = place->index};
    l->watch = (struct devch_watch){.epoll = -1, .fd = -1};
    status = open_channels(l, robot, attr->anticipate);
    if (status == ACH_OK)
        status = ach_flush(&l->data);
    if (status == ACH_OK)
        status = watch_server(l);
    if (status == ACH_OK && l->rights & ACH_RIGHT_REQUEST) {
        status = subscribe(l, attr->timeout);
        if (status != ACH_OK)
            unsubscribe(l);
    }
    if (status != ACH_OK)
        close_channels(l);
    else
        *link = l;
    return status;
}

void achi_channel_link_close(struct devch_channel_link *l)
{
    /* A forked child has no subscription of its own. */
    if (l->pid == (uint32_t)getpid() && l->rights & ACH_RIGHT_REQUEST)
        unsubscribe(l);
    close_channels(l);
}

unsigned achi_channel_link_rights(const struct devch_channel_link *l)
{
    return l->rights;
}

int achi_channel_link_fd(struct devch_channel_link *l)
{
    return devch_watch_fd(&l->watch);
}
