/* SPDX-License-Identifier: BSD-3-Clause */
/* unhandled.h - what the answer to a flush tells an application of its commands */
#ifndef DEV_UNHANDLED_H
#define DEV_UNHANDLED_H

#include <ach.h>
#include <ach/interface/common.h>
#include <ach/message.h>
#include <stdio.h>

/* Numbers of the last answer to a flush; at first zeros. */
struct dev_unhandled {
    uint32_t unhandled, overwritten;
};

/* A sentence about commands that were not handled. The reason comes from another process. */
static inline void dev_unhandled_describe(uint32_t count, const ach_flush_t *now, char text[256])
{
    char *c;

    if (count == 1)
        snprintf(text, 256, "1 command was not handled: %.*s", (int)now->why_count, now->why);
    else
        snprintf(text, 256, "%u commands were not handled; the last one: %.*s", (unsigned)count,
                 (int)now->why_count, now->why);
    for (c = text; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

static inline ach_status_t dev_unhandled_late(double seconds)
{
    return ach_errstr_set(
        ACH_TIMEOUT, "the server or the driver did not handle all commands within %g s", seconds);
}

/* The result of a flush with this answer. *last: updated. */
static inline ach_status_t dev_unhandled_read(const ach_message_t *answer,
                                              struct dev_unhandled *last)
{
    static const ach_flush_t nothing;
    const ach_flush_t *body = ach_message_body(answer), *now = body ? body : &nothing;
    uint32_t count = now->unhandled - last->unhandled;
    char text[256] = "";

    if (body && now->overwritten != last->overwritten) { /* a later flush reports the count */
        last->overwritten = now->overwritten;
        return ach_errstr_set(ACH_OVERFLOW, "commands to the device came faster than its server "
                                            "read them, and some were overwritten");
    }
    if (!body)
        count = 0;
    if (count)
        dev_unhandled_describe(count, now, text);
    last->unhandled += count;
    if (ach_message_header(answer)->type != ACH_MSG_ACK)
        return ach_errstr_set(ACH_CLOSED,
                              "it is not known whether the driver has handled the last commands: "
                              "it has ended, or the server refuses to wait for it%s%s",
                              count ? "; " : "", text);
    return count ? ach_errstr_set(ACH_ENOTSUP, "%s", text) : ACH_OK;
}

/* The result of a flush whose request ended with this status. Releases the answer, if it was OK. */
static inline ach_status_t dev_unhandled_result(ach_status_t status, ach_message_t *answer,
                                                double seconds, struct dev_unhandled *last)
{
    if (status == ACH_TIMEOUT)
        return dev_unhandled_late(seconds);
    if (status != ACH_OK)
        return status;
    status = dev_unhandled_read(answer, last);
    ach_message_unref(answer);
    return status;
}

#endif
