/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * passthrough - a device under another address
 *
 * The first provided device stands for the first required one, and so on. Data goes one way,
 * commands and requests the other; bodies are forwarded unchanged.
 */
#include <ach.h>
#include <stdlib.h>

#include "../common/pending.h"
#include "../drivers.h"

struct pair {
    ach_address_t here, there;
};

struct passthrough {
    struct pair *pairs;
    size_t count;
    struct pending_table asked;
};

static ach_status_t add_pair(ach_driver_t *driver, ach_section_t *options, struct passthrough *p)
{
    struct pair *pair = &p->pairs[p->count];
    ach_status_t status = ach_driver_provide_next(driver, NULL, &pair->here);

    if (status == ACH_OK)
        status = ach_driver_require(driver, 0, NULL, &pair->there);
    if (status != ACH_OK)
        return status;
    if (pair->here.interf != pair->there.interf) {
        ach_section_refuse(options, "requires", p->count,
                           "a device of the interface that it is provided as");
        return ACH_EINVAL;
    }
    p->count++;
    return ACH_OK;
}

static void passthrough_destroy(ach_driver_t *driver, void *state)
{
    struct passthrough *p = state;

    (void)driver;
    free(p->pairs);
    free(p);
}

static ach_status_t passthrough_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    size_t i, n = ach_section_tuple_count(options, "provides");
    struct passthrough *p = calloc(1, sizeof(*p));
    ach_status_t status = ACH_OK;

    if (p)
        p->pairs = calloc(n ? n : 1, sizeof(*p->pairs));
    if (!p || !p->pairs) {
        free(p);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    }
    if (n == 0 || n != ach_section_tuple_count(options, "requires")) {
        ach_section_refuse(options, NULL, 0, "as many addresses in requires as in provides");
        status = ACH_EINVAL;
    }
    for (i = 0; i < n && status == ACH_OK; i++)
        status = add_pair(driver, options, p);
    if (status != ACH_OK)
        passthrough_destroy(driver, p);
    *state = p;
    return status;
}

static const struct pair *pair_of(const struct passthrough *p, const ach_address_t *a)
{
    size_t i;

    for (i = 0; i < p->count; i++)
        if (ach_address_equal(&p->pairs[i].here, a) || ach_address_equal(&p->pairs[i].there, a))
            return &p->pairs[i];
    return NULL;
}

static ach_status_t passthrough_process(ach_driver_t *driver, void *state,
                                        const ach_message_t *message)
{
    struct passthrough *p = state;
    const ach_header_t *h = ach_message_header(message);
    const struct pair *pair = pair_of(p, &h->address);

    if (!pair)
        return ACH_ENOTSUP;
    switch (h->type) {
    case ACH_MSG_DATA:
        return ach_driver_forward(driver, &pair->here, message);
    case ACH_MSG_CMD:
        return ach_driver_send(driver, &pair->there, message);
    case ACH_MSG_REQ:
        return drv_pending_pass(&p->asked, driver, &pair->there, message);
    default:
        return drv_pending_relay(&p->asked, driver, message);
    }
}

static void passthrough_shut_down(ach_driver_t *driver, void *state)
{
    struct passthrough *p = state;

    (void)driver;
    pending_release(&p->asked);
}

const ach_driver_class_t drv_driver_passthrough = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_TRANSPARENT,
    .name = "passthrough",
    .create = passthrough_create,
    .destroy = passthrough_destroy,
    .shutdown = passthrough_shut_down,
    .process = passthrough_process,
};
