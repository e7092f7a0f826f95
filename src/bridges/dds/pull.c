/* SPDX-License-Identifier: BSD-3-Clause */
#include "pull.h"

#include <sys/eventfd.h>

#include "common.h"
#include "payload.h"
#include "rawtype.h"

#define SAMPLES_AT_ONCE 16

/* Find the message of a sample. False: it is refused. */
static bool open_sample(struct achdds_route *r, const struct achdds_sample *s,
                        const uint8_t **message, size_t *size)
{
    enum ach_status status = ACH_OK;

    if (s->size < s->arrived)
        status =
            ach_errstr_set(ACH_OVERFLOW, "a sample of %zu bytes does not fit into the channel '%s'",
                           s->arrived, r->channel);
    if (status == ACH_OK)
        status = achdds_payload_open(r->type, s->payload, s->size, message, size);
    if (status == ACH_OK && *size == 0)
        status = ach_errstr_set(ACH_CORRUPT, "a message has at least one byte");
    if (status != ACH_OK)
        achdds_route_refuse(&r->pulled, r->topic_name);
    return status == ACH_OK;
}

static enum ach_status put_message(struct achdds_route *r, const uint8_t *message, size_t size,
                                   dds_time_t when)
{
    ach_origin_t origin = {r->topic_number, r->taken, when > 0 ? (uint64_t)when : 0};

    if (r->relayed)
        return ach_put_relayed(&r->sink, message, size, &origin);
    return ach_put(&r->sink, message, size);
}

/* A message that one put cannot store does not end the program, unless no put can. */
static bool put_sample(struct achdds_route *r, const struct achdds_sample *s, dds_time_t when)
{
    const uint8_t *message;
    size_t size;
    enum ach_status status;

    if (!open_sample(r, s, &message, &size))
        return true;
    status = put_message(r, message, size, when);
    if (status == ACH_OK) {
        r->pulled.messages++;
        r->pulled.bytes += size;
        return true;
    }
    if (status == ACH_OVERFLOW || status == ACH_LOCKED) {
        ach_errstr_set(status, "%s", tool_status_text(status));
        achdds_route_refuse(&r->pulled, r->topic_name);
        return true;
    }
    tool_complain("cannot put into the channel '%s': %s", r->channel, tool_status_text(status));
    return false;
}

/* Readers of a channel that was removed have moved on. */
static bool is_linked(struct achdds_route *r)
{
    ach_info_t info;

    if (ach_channel_info(&r->sink, &info) != ACH_OK || !info.unlinked)
        return true;
    tool_complain("cannot put into the channel '%s': %s", r->channel, tool_status_text(ACH_ENOENT));
    return false;
}

bool achdds_pull(struct achdds_route *r)
{
    struct ddsi_serdata *samples[SAMPLES_AT_ONCE] = {NULL};
    dds_sample_info_t infos[SAMPLES_AT_ONCE];
    eventfd_t ignored;
    dds_return_t i, n;
    bool ok = is_linked(r);

    eventfd_read(r->wake, &ignored);
    n = dds_takecdr(r->reader, samples, SAMPLES_AT_ONCE, infos, DDS_ANY_STATE);
    for (i = 0; i < n; i++) {
        if (infos[i].valid_data) {
            r->taken++;
            ok = ok &&
                 put_sample(r, (const struct achdds_sample *)samples[i], infos[i].source_timestamp);
        }
        ddsi_serdata_unref(samples[i]);
    }
    if (n == SAMPLES_AT_ONCE) /* there may be more; other routes come first */
        eventfd_write(r->wake, 1);
    if (n < 0)
        tool_complain("cannot read %s: %s", r->topic_name, dds_strretcode(n));
    return ok && n >= 0;
}
