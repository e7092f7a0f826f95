/* SPDX-License-Identifier: BSD-3-Clause */
/* unhandled.h - what the answer to a flush tells an application of its commands */
#ifndef DEV_UNHANDLED_H
#define DEV_UNHANDLED_H

#include <ach.h>
#include <ach/interface/common.h>
#include <ach/message.h>

/* Numbers of the last answer to a flush; at first zeros. */
struct dev_unhandled {
    uint32_t unhandled, overwritten;
};

static inline ach_status_t dev_unhandled_status(const ach_flush_t *now,
                                                const struct dev_unhandled *before)
{
    uint32_t count = now->unhandled - before->unhandled;
    int n = (int)now->why_count;

    if (now->overwritten != before->overwritten)
        return ach_errstr_set(ACH_OVERFLOW, "commands to the device came faster than its server "
                                            "read them, and some were overwritten");
    if (!count)
        return ACH_OK;
    if (count == 1)
        return ach_errstr_set(ACH_ENOTSUP, "1 command was not handled: %.*s", n, now->why);
    return ach_errstr_set(ACH_ENOTSUP, "%u commands were not handled; the last one: %.*s",
                          (unsigned)count, n, now->why);
}

/*
 * The result of a flush with this answer. *last: updated. A NACK: the server does not know what
 * became of the last commands.
 */
static inline ach_status_t dev_unhandled_read(const ach_message_t *answer,
                                              struct dev_unhandled *last)
{
    const ach_flush_t *now = ach_message_body(answer);
    ach_status_t status = ACH_OK;

    if (now) {
        status = dev_unhandled_status(now, last);
        *last = (struct dev_unhandled){now->unhandled, now->overwritten};
    }
    if (status == ACH_OK && ach_message_header(answer)->type != ACH_MSG_ACK)
        status = ach_errstr_set(ACH_CLOSED, "it is not known whether the driver has handled the "
                                            "last commands: it has ended, or the server refuses "
                                            "to wait for it");
    return status;
}

#endif
