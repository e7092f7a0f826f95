/* SPDX-License-Identifier: BSD-3-Clause */
/* devices_none.c - in a build without devices their logs cannot be read */
#include "file.h"

static bool none_open(struct logs_file *f)
{
    return logs_fail(f, "no recording that this program reads: it was built without devices");
}

static void none_close(struct logs_file *f)
{
    (void)f;
}

static bool none_next(struct logs_file *f, struct logs_message *m)
{
    (void)f;
    (void)m;
    return false;
}

const struct logs_reader logs_devices_reader = {
    .format = LOGS_DEVICES, .open = none_open, .close = none_close, .next = none_next};
