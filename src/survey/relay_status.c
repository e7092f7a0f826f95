/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trust.h"

/* achd puts its figures as JSON into a channel of this name; while it runs, it is the source. */
#define STATUS_PREFIX "achd-status."
#define STATUS_MAX (1u << 20) /* what a channel of achd holds at most */
#define STATUS_COUNT 16u      /* of daemons that a program believes */

struct status_reader {
    relay_text_t *fun;
    void *context;
    bool all;
    unsigned count;
};

static void status_get(struct status_reader *r, ach_channel_t *chan)
{
    char *text = malloc(STATUS_MAX);
    enum ach_status status;
    size_t size;

    if (!text)
        return;
    status = ach_get(chan, text, STATUS_MAX, &size, NULL, ACH_O_LAST);
    if (status == ACH_OK || status == ACH_MISSED_FRAME)
        r->fun(r->context, text, size);
    r->count++;
    free(text);
}

/* A channel that is nobody's was left by a daemon that was killed. */
static void status_read(struct status_reader *r, const char *name, bool sourced)
{
    ach_channel_t chan;
    ach_info_t info;
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    if (ach_open(&chan, name, &attr) != ACH_OK)
        return;
    if (ach_channel_info(&chan, &info) == ACH_OK && (r->all || trust_relay(&info)) &&
        (!sourced || info.sourced))
        status_get(r, &chan);
    ach_close(&chan);
}

static enum ach_status status_one(void *cx, const char *name, enum ach_map map)
{
    struct status_reader *r = cx;

    if (map == ACH_MAP_USER && (r->all || r->count < STATUS_COUNT) &&
        strncmp(name, STATUS_PREFIX, strlen(STATUS_PREFIX)) == 0)
        status_read(r, name, true);
    return ACH_OK;
}

enum ach_status relay_status_each(bool all, relay_text_t *fun, void *context)
{
    struct status_reader r = {.fun = fun, .context = context, .all = all};

    return ach_list(status_one, &r);
}

void relay_status_newest(const char *channel, bool all, relay_text_t *fun, void *context)
{
    struct status_reader r = {.fun = fun, .context = context, .all = all};

    status_read(&r, channel, false);
}
