/* SPDX-License-Identifier: BSD-3-Clause */
/* unhandled.h - the error that tells an application of commands that no driver handled */
#ifndef DEV_UNHANDLED_H
#define DEV_UNHANDLED_H

#include <ach.h>

/* @why: the reason for the last one. */
static inline ach_status_t dev_unhandled_status(uint32_t count, const char *why)
{
    if (!count)
        return ACH_OK;
    if (count == 1)
        return ach_errstr_set(ACH_ENOTSUP, "1 command was not handled: %s", why);
    return ach_errstr_set(ACH_ENOTSUP, "%u commands were not handled; the last one: %s",
                          (unsigned)count, why);
}

#endif
