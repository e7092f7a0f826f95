/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log.c - any bytes as a line of a log of devices
 *
 * It is refused with a sentence, or it is a message: then that is sound, and
 * writing and reading it again gives the same line.
 */
#include <stdlib.h>
#include <string.h>

#include "../src/drivers/log/line.h"
#include "property.h"

/* A copy of its own, so that a step beyond its end is seen. */
static enum ach_status read_line(const char *line, size_t size, ach_message_t **m)
{
    char *copy = malloc(size + 1);
    enum ach_status status;

    HOLDS(copy);
    if (size)
        memcpy(copy, line, size);
    copy[size] = '\0';
    status = STATUS(drv_line_read(copy, size, m), ACH_MASK_OK | ACH_MASK_EAGAIN | ACH_MASK_EINVAL |
                                                      ACH_MASK_OVERFLOW | ACH_MASK_FAILED_SYSCALL);
    free(copy);
    return status;
}

static struct drv_text write_line(const ach_message_t *m)
{
    struct drv_text t = {0};

    STATUS(drv_line_write(&t, m, 0), ACH_MASK_OK);
    HOLDS(t.size && t.data[t.size - 1] == '\n' && !memchr(t.data, '\n', t.size - 1));
    return t;
}

void property_log(const uint8_t *data, size_t size)
{
    struct drv_text one, two;
    ach_message_t *m, *again;

    if (read_line((const char *)data, size, &m) != ACH_OK)
        return;
    STATUS(ach_message_check(m), ACH_MASK_OK);
    one = write_line(m);
    HOLDS(read_line(one.data, one.size - 1, &again) == ACH_OK);
    two = write_line(again);
    HOLDS(one.size == two.size && memcmp(one.data, two.data, one.size) == 0);
    ach_message_unref(m);
    ach_message_unref(again);
    free(one.data);
    free(two.data);
}
