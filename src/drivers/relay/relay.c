/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * relay - publish the commands of clients as data
 *
 * Provides any interface. A command is published as the data message that has the same struct; if
 * there are several, as the one with the same number, else as the first. With opaque devices,
 * clients can exchange messages this way.
 */
#include <ach.h>

#include "../drivers.h"

/* The data message with the same struct as the command; NULL: none. */
static const ach_message_def_t *counterpart(const ach_interface_t *interf,
                                            const ach_message_def_t *command)
{
    const ach_message_def_t *found = NULL;
    uint32_t i;

    for (i = 0; i < interf->message_count; i++) {
        const ach_message_def_t *def = &interf->messages[i];

        if (def->type != ACH_MSG_DATA || def->body != command->body)
            continue;
        if (def->subtype == command->subtype)
            return def;
        if (!found)
            found = def;
    }
    return found;
}

static ach_status_t declare(ach_driver_t *driver, const ach_address_t *address)
{
    const ach_interface_t *interf = ach_interface_by_code(address->interf);
    ach_status_t status = ACH_OK;
    unsigned relayed = 0;
    uint32_t i;

    for (i = 0; interf && i < interf->message_count && status == ACH_OK; i++) {
        const ach_message_def_t *def = &interf->messages[i];

        if (def->type != ACH_MSG_CMD || !counterpart(interf, def))
            continue;
        status = ach_driver_handles(driver, address, ACH_MSG_CMD, def->subtype);
        relayed++;
    }
    if (status == ACH_OK && !relayed)
        status =
            ach_errstr_set(ACH_EINVAL, "interface %s has no command that can be relayed as data",
                           interf ? interf->name : "");
    return status;
}

static ach_status_t relay_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    ach_address_t address;
    ach_status_t status = ach_driver_provide_next(driver, NULL, &address);

    (void)options;
    (void)state;
    if (status != ACH_OK)
        return status; /* at least one device is required */
    while (status == ACH_OK) {
        status = declare(driver, &address);
        if (status == ACH_OK)
            status = ach_driver_provide_next(driver, NULL, &address);
    }
    return status == ACH_ENOENT ? ACH_OK : status;
}

static ach_status_t relay_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    ach_header_t h = *ach_message_header(message);
    const ach_interface_t *interf = ach_interface_by_code(h.address.interf);
    const ach_message_def_t *def = ach_interface_message(interf, h.type, h.subtype);
    ach_message_t *data;
    ach_status_t status;

    (void)state;
    def = h.type == ACH_MSG_CMD && def ? counterpart(interf, def) : NULL;
    if (!def)
        return ACH_ENOTSUP;
    h.subtype = def->subtype;
    h.timestamp = ach_driver_time(driver);
    status = ach_message_again(message, &h, &data);
    if (status != ACH_OK)
        return status;
    status = ach_driver_forward(driver, &h.address, data);
    ach_message_unref(data);
    return status;
}

const ach_driver_class_t drv_driver_relay = {
    .version = ACH_DRIVER_VERSION,
    .name = "relay",
    .create = relay_create,
    .process = relay_process,
};
