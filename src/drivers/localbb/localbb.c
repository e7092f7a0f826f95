/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * localbb - a blackboard: values under a group and a key, which all clients share
 *
 * A value that is set is published to all clients that are subscribed to the device. The requests
 * that subscribe to a key or group return the values so far.
 */
#include <ach.h>
#include <ach/interface/blackboard.h>
#include <stdlib.h>
#include <string.h>

#include "../drivers.h"

/* Default of max_bytes. */
#define BYTES_MAX (64 << 20)

struct localbb_entry {
    struct localbb_entry *next;
    ach_message_t *update; /* the message that was published when it was set */
};

struct localbb {
    ach_driver_t *driver;
    ach_address_t here;
    struct localbb_entry *entries; /* the newest key first */
    size_t bytes, max_bytes;       /* of all entries */
};

static void localbb_destroy(ach_driver_t *driver, void *state)
{
    struct localbb *b = state;

    (void)driver;
    while (b->entries) {
        struct localbb_entry *e = b->entries;

        b->entries = e->next;
        ach_message_unref(e->update);
        free(e);
    }
    free(b);
}

static ach_status_t localbb_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct localbb *b = calloc(1, sizeof(*b));
    int max = ach_section_int(options, "max_bytes", BYTES_MAX);
    ach_status_t status;
    uint8_t subtype;

    if (!b)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    if (max < 1)
        ach_section_refuse(options, "max_bytes", 0, "a number above 0");
    b->driver = driver;
    b->max_bytes = (size_t)max;
    status = ach_driver_provide(driver, ACH_BLACKBOARD_CODE, NULL, &b->here);
    for (subtype = ACH_BLACKBOARD_REQ_SUBSCRIBE_TO_KEY;
         subtype <= ACH_BLACKBOARD_REQ_GET_ENTRY && status == ACH_OK; subtype++)
        status = ach_driver_handles(driver, &b->here, ACH_MSG_REQ, subtype);
    if (status == ACH_OK)
        *state = b;
    else
        localbb_destroy(driver, b);
    return status;
}

/* An empty array is NULL. */
static size_t text_length(const char *text, uint32_t count)
{
    return count ? strnlen(text, count) : 0;
}

static bool same_text(const char *a, uint32_t a_count, const char *b, uint32_t b_count)
{
    size_t n = text_length(a, a_count);

    return n == text_length(b, b_count) && (n == 0 || memcmp(a, b, n) == 0);
}

static bool same_group(const ach_blackboard_entry_t *a, const ach_blackboard_entry_t *b)
{
    return same_text(a->group, a->group_count, b->group, b->group_count);
}

static struct localbb_entry *find(const struct localbb *b, const ach_blackboard_entry_t *wanted)
{
    struct localbb_entry *e = b->entries;

    for (; e; e = e->next) {
        const ach_blackboard_entry_t *body = ach_message_body(e->update);

        if (same_group(body, wanted) &&
            same_text(body->key, body->key_count, wanted->key, wanted->key_count))
            break;
    }
    return e;
}

static size_t size_of(const ach_message_t *m)
{
    size_t size;

    ach_message_bytes(m, &size);
    return size + sizeof(struct localbb_entry);
}

/* Replace an entry, or add one if @e is NULL. Takes over the caller's reference. */
static bool localbb_keep(struct localbb *b, struct localbb_entry *e, ach_message_t *update)
{
    if (!e && (e = calloc(1, sizeof(*e)))) {
        e->next = b->entries;
        b->entries = e;
    }
    if (!e) {
        ach_message_unref(update);
        return false;
    }
    ach_message_unref(e->update);
    e->update = update;
    return true;
}

static ach_status_t set_entry(struct localbb *b, const ach_blackboard_entry_t *body,
                              const ach_message_t *m)
{
    ach_header_t h = {.address = b->here,
                      .type = ACH_MSG_DATA,
                      .subtype = ACH_BLACKBOARD_DATA_UPDATE,
                      .timestamp = ach_driver_time(b->driver)};
    struct localbb_entry *e = find(b, body);
    size_t before = e ? size_of(e->update) : 0;
    ach_message_t *update;

    if (b->bytes - before + size_of(m) > b->max_bytes)
        return ach_errstr_set(ACH_OVERFLOW, "the blackboard is full: the option max_bytes is %zu",
                              b->max_bytes);
    if (ach_message_again(m, &h, &update) != ACH_OK || !localbb_keep(b, e, update))
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for an entry");
    b->bytes += size_of(update) - before;
    ach_driver_forward(b->driver, &b->here, update);
    return ach_driver_reply(b->driver, m, ACH_MSG_ACK, NULL);
}

/* An entry that was never set has no data. */
static ach_status_t get_entry(const struct localbb *b, const ach_blackboard_entry_t *body,
                              const ach_message_t *m)
{
    ach_blackboard_entry_t none = {.key_count = body->key_count,
                                   .key = body->key,
                                   .group_count = body->group_count,
                                   .group = body->group};
    const struct localbb_entry *e = find(b, body);

    return ach_driver_reply(b->driver, m, ACH_MSG_ACK, e ? ach_message_body(e->update) : &none);
}

static ach_status_t publish_group(const struct localbb *b, const ach_blackboard_entry_t *body,
                                  const ach_message_t *m)
{
    const struct localbb_entry *e;

    for (e = b->entries; e; e = e->next)
        if (same_group(ach_message_body(e->update), body))
            ach_driver_forward(b->driver, &b->here, e->update);
    return ach_driver_reply(b->driver, m, ACH_MSG_ACK, NULL);
}

static ach_status_t localbb_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    const ach_header_t *h = ach_message_header(message);
    const ach_blackboard_entry_t *body = ach_message_body(message);

    if (h->type != ACH_MSG_REQ || !body)
        return ACH_ENOTSUP;
    switch (h->subtype) {
    case ACH_BLACKBOARD_REQ_SET_ENTRY:
        return set_entry(state, body, message);
    case ACH_BLACKBOARD_REQ_GET_ENTRY:
    case ACH_BLACKBOARD_REQ_SUBSCRIBE_TO_KEY:
        return get_entry(state, body, message);
    case ACH_BLACKBOARD_REQ_SUBSCRIBE_TO_GROUP:
        return publish_group(state, body, message);
    case ACH_BLACKBOARD_REQ_UNSUBSCRIBE_FROM_KEY:
    case ACH_BLACKBOARD_REQ_UNSUBSCRIBE_FROM_GROUP:
        return ach_driver_reply(driver, message, ACH_MSG_ACK, NULL);
    default:
        return ACH_ENOTSUP;
    }
}

const ach_driver_class_t drv_driver_localbb = {
    .version = ACH_DRIVER_VERSION,
    .name = "localbb",
    .create = localbb_create,
    .destroy = localbb_destroy,
    .process = localbb_process,
};
