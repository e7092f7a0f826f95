/* SPDX-License-Identifier: BSD-3-Clause */
#include "push.h"

#include <string.h>

#include "common.h"
#include "payload.h"
#include "rawtype.h"

#define TIME_MAX 9000000000ll /* in seconds: in nanoseconds it is an int64_t */

/* The time of the put on the clock of DDS; now, if it is unknown or makes no sense. */
static dds_time_t source_time(const struct achdds_route *r)
{
    dds_time_t now = dds_time();
    struct timespec when;
    clockid_t clock;
    int64_t age, seconds;

    if (ach_channel_timestamp(&r->source, &when) != ACH_OK ||
        ach_channel_clock(&r->source, &clock) != ACH_OK)
        return now;
    seconds = when.tv_sec;
    if (seconds < 0 || seconds > TIME_MAX)
        return now;
    age = tool_clock_ns(clock) - tool_time_to_ns(&when);
    return age > 0 && age < now ? now - age : now;
}

/* Was the message pulled from the topic it would be pushed to? */
static bool is_echo(const struct achdds_route *r)
{
    ach_origin_t origin;

    return r->relayed && ach_channel_origin(&r->source, &origin) == ACH_OK &&
           origin.epoch == r->topic_number;
}

static void forward(struct achdds_route *r, struct achdds_sample *s, size_t size)
{
    size_t whole = size;
    dds_return_t code;

    if (achdds_payload_seal(r->type, s->payload, &whole) != ACH_OK) {
        achdds_route_refuse(&r->pushed, r->channel);
        ddsi_serdata_unref(&s->c);
        return;
    }
    s->size = (uint32_t)whole;
    s->c.timestamp.v = source_time(r);
    code = dds_forwardcdr(r->writer, &s->c); /* it releases the sample */
    if (code != DDS_RETCODE_OK) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "%s", dds_strretcode(code));
        achdds_route_refuse(&r->pushed, r->channel);
        return;
    }
    r->pushed.messages++;
    r->pushed.bytes += size;
}

/* Copy the message that is viewed. NULL: it is refused, or a writer has overwritten it. */
static struct achdds_sample *copy_message(struct achdds_route *r, const void *message, size_t size)
{
    struct achdds_sample *s = NULL;

    if (size <= ACHDDS_MESSAGE_MAX)
        s = achdds_sample_new(r->sertype, achdds_payload_room(size));
    if (!s) {
        ach_errstr_set(ACH_OVERFLOW, "it has %zu bytes", size);
        achdds_route_refuse(&r->pushed, r->channel);
        return NULL;
    }
    memcpy(achdds_payload_message(r->type, s->payload), message, size);
    if (ach_view_check(&r->source) == ACH_OK)
        return s;
    r->pushed.missed++;
    ddsi_serdata_unref(&s->c);
    return NULL;
}

static void count_gap(struct achdds_route *r)
{
    uint64_t missed;

    if (r->started && ach_channel_missed(&r->source, &missed, NULL) == ACH_OK)
        r->pushed.missed += missed;
}

static enum ach_status push_one(struct achdds_route *r, int options)
{
    struct achdds_sample *s;
    const void *message;
    size_t size;
    enum ach_status status = ach_view(&r->source, &message, &size, NULL, options | ACH_O_LINKED);

    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        return status;
    if (status == ACH_MISSED_FRAME)
        count_gap(r);
    if (!is_echo(r)) {
        s = copy_message(r, message, size);
        if (s)
            forward(r, s, size);
    }
    return ACH_OK;
}

bool achdds_push(struct achdds_route *r)
{
    enum ach_status status = ACH_OK;
    int32_t n;

    for (n = 1; r->started && status == ACH_OK && n < r->qos.depth; n++)
        status = push_one(r, 0);
    if (status == ACH_OK)
        status = push_one(r, ACH_O_LAST);
    r->started = true;
    if (status == ACH_OK || status == ACH_EAGAIN)
        return true;
    tool_complain("cannot get from the channel '%s': %s", r->channel, tool_status_text(status));
    return false;
}
