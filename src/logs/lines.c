/* SPDX-License-Identifier: BSD-3-Clause */
#include "lines.h"

#include <ach.h>
#include <ach/interface/player.h>
#include <ach/message.h>
#include <stdlib.h>

#include "../drivers/log/line.h"
#include "keys.h"

bool logs_lines_available(void)
{
    return true;
}

static void lines_flush(struct drv_text *t, FILE *to)
{
    fwrite(t->data, 1, t->size, to);
    free(t->data);
}

void logs_lines_head(FILE *to)
{
    struct drv_text t = {.data = NULL};

    drv_line_head(&t);
    lines_flush(&t, to);
}

/* The number of the robot, which the channel's name has: dev.6665.laser.0.data */
static uint32_t lines_robot(const struct logs_topic *t)
{
    const char *channel = logs_metadata(t, LOGS_KEY_CHANNEL);
    unsigned robot;

    if (sscanf(channel ? channel : t->name, "dev.%u.", &robot) == 1)
        return robot;
    return ACH_ROBOT_DEFAULT;
}

/* Times of the server are not those of the robot. */
static bool lines_has(const ach_header_t *h)
{
    return (h->type == ACH_MSG_DATA || h->type == ACH_MSG_ACK) &&
           h->address.interf != ACH_PLAYER_CODE;
}

/* The message is not trusted. */
static enum logs_line lines_message(const struct logs_message *m, ach_message_t **message)
{
    const char *bytes = m->data;
    ach_header_t h;
    uint32_t body;

    if (m->size < ACH_FRAME_HEADER || ach_frame_read(bytes, &h, &body) != ACH_OK ||
        body != m->size - ACH_FRAME_HEADER) {
        ach_errstr_set(ACH_CORRUPT, "it is not a message of a device");
        return LOGS_LINE_WRONG;
    }
    if (!lines_has(&h))
        return LOGS_LINE_NONE;
    if (h.type == ACH_MSG_ACK) /* in a channel, the address has the client's process and handle */
        h.address.host = h.address.robot = 0;
    if (ach_message_wrap(&h, bytes + ACH_FRAME_HEADER, body, message) != ACH_OK)
        return LOGS_LINE_WRONG;
    if (ach_message_check(*message) == ACH_OK)
        return LOGS_LINE_WRITTEN;
    ach_message_unref(*message);
    return LOGS_LINE_WRONG;
}

enum logs_line logs_line_write(FILE *to, const struct logs_message *m)
{
    struct drv_text t = {.data = NULL};
    ach_message_t *message;
    enum logs_line result = lines_message(m, &message);

    if (result != LOGS_LINE_WRITTEN)
        return result;
    if (drv_line_write(&t, message, lines_robot(m->topic)) != ACH_OK)
        result = LOGS_LINE_WRONG;
    ach_message_unref(message);
    if (result == LOGS_LINE_WRITTEN)
        lines_flush(&t, to);
    else
        free(t.data);
    return result;
}
