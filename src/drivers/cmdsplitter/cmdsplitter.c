/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cmdsplitter - several devices that are commanded as one
 *
 * Commands are forwarded to all required devices. Requests are forwarded to the first one, whose
 * answers and data are passed back.
 */
#include <ach.h>
#include <ach/interface/common.h>
#include <stdlib.h>

#include "../common/pending.h"
#include "../drivers.h"

struct splitter {
    ach_address_t here;
    ach_address_t *there;
    size_t count;
    struct pending_table asked;
};

static void cmdsplitter_destroy(ach_driver_t *driver, void *state)
{
    struct splitter *s = state;

    (void)driver;
    free(s->there);
    free(s);
}

static ach_status_t cmdsplitter_claim(ach_driver_t *driver, ach_section_t *options,
                                      struct splitter *s, size_t n)
{
    ach_status_t status = ach_driver_provide_next(driver, NULL, &s->here);

    while (status == ACH_OK && s->count < n) {
        status = ach_driver_require(driver, 0, NULL, &s->there[s->count]);
        if (status == ACH_OK && s->there[s->count].interf != s->here.interf) {
            ach_section_refuse(options, "requires", s->count,
                               "a device of the interface that is provided");
            status = ACH_EINVAL;
        }
        s->count++;
    }
    return status;
}

static ach_status_t cmdsplitter_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    size_t n = ach_section_tuple_count(options, "requires");
    int devices = ach_section_int(options, "devices", (int)n);
    struct splitter *s = calloc(1, sizeof(*s));
    ach_status_t status;

    if (s)
        s->there = calloc(n ? n : 1, sizeof(*s->there));
    if (!s || !s->there) {
        free(s);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    }
    if (n == 0)
        ach_section_refuse(options, "requires", 0, "one device or more");
    else if (devices != (int)n)
        ach_section_refuse(options, "devices", 0, "the number of devices in requires");
    ach_section_bool(options, "rq_first_device_only", true); /* of Player; always so here */
    status = n ? cmdsplitter_claim(driver, options, s, n) : ACH_EINVAL;
    if (status != ACH_OK)
        cmdsplitter_destroy(driver, s);
    *state = s;
    return status;
}

/* If one device fails, the others still get the command. */
static ach_status_t cmdsplitter_split(ach_driver_t *driver, const struct splitter *s,
                                      const ach_message_t *m)
{
    ach_status_t status = ACH_OK;
    size_t i;

    for (i = 0; i < s->count; i++) {
        ach_status_t one = ach_driver_send(driver, &s->there[i], m);

        if (one != ACH_OK)
            status = one;
    }
    return status;
}

/* A flush goes to one device after the other, because all of them got the commands. */
static ach_status_t cmdsplitter_answer(ach_driver_t *driver, struct splitter *s,
                                       const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    ach_message_t *request = drv_pending_take(&s->asked, m);
    ach_status_t status;
    size_t next = 1;

    if (!request)
        return ACH_OK;
    while (next < s->count && !ach_address_equal(&h->address, &s->there[next - 1]))
        next++;
    if (h->subtype == ACH_REQ_FLUSH && h->type == ACH_MSG_ACK && next < s->count)
        status = drv_pending_pass(&s->asked, driver, &s->there[next], request);
    else
        status = ach_driver_relay(driver, request, m);
    ach_message_unref(request);
    return status;
}

static ach_status_t cmdsplitter_process(ach_driver_t *driver, void *state,
                                        const ach_message_t *message)
{
    struct splitter *s = state;
    const ach_header_t *h = ach_message_header(message);

    switch (h->type) {
    case ACH_MSG_DATA:
        return ach_address_equal(&h->address, &s->there[0])
                   ? ach_driver_forward(driver, &s->here, message)
                   : ACH_OK;
    case ACH_MSG_CMD:
        return cmdsplitter_split(driver, s, message);
    case ACH_MSG_REQ:
        return drv_pending_pass(&s->asked, driver, &s->there[0], message);
    default:
        return cmdsplitter_answer(driver, s, message);
    }
}

static void cmdsplitter_shut_down(ach_driver_t *driver, void *state)
{
    struct splitter *s = state;

    (void)driver;
    pending_release(&s->asked);
}

const ach_driver_class_t drv_driver_cmdsplitter = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_TRANSPARENT,
    .name = "cmdsplitter",
    .create = cmdsplitter_create,
    .destroy = cmdsplitter_destroy,
    .shutdown = cmdsplitter_shut_down,
    .process = cmdsplitter_process,
};
