/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * null - devices that do nothing
 *
 * Provides any interface, requires any device. Commands and data are ignored; requests are not
 * supported.
 */
#include "../drivers.h"

static ach_status_t null_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    ach_address_t address;
    ach_status_t status;

    (void)options;
    (void)state;
    do
        status = ach_driver_provide_next(driver, NULL, &address);
    while (status == ACH_OK);
    while (status == ACH_ENOENT && ach_driver_require(driver, 0, NULL, &address) == ACH_OK)
        ;
    return status == ACH_ENOENT ? ACH_OK : status;
}

static ach_status_t null_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    (void)driver;
    (void)state;
    return ach_message_header(message)->type == ACH_MSG_REQ ? ACH_ENOTSUP : ACH_OK;
}

const ach_driver_class_t drv_driver_null = {
    .version = ACH_DRIVER_VERSION,
    .name = "null",
    .create = null_create,
    .process = null_process,
};
