/* SPDX-License-Identifier: BSD-3-Clause */
#include "convert.h"

#include <ach.h>
#include <stdlib.h>

static ach_status_t convert_claim(ach_driver_t *driver, const struct drv_conversion *conversion,
                                  struct drv_convert *c)
{
    const uint8_t *request = conversion->requests;
    ach_status_t status = ach_driver_provide(driver, conversion->here, NULL, &c->here);

    if (status == ACH_OK)
        status = ach_driver_require(driver, conversion->there, NULL, &c->there);
    for (; *request && status == ACH_OK; request++)
        status = ach_driver_handles(driver, &c->here, ACH_MSG_REQ, *request);
    return status;
}

ach_status_t drv_convert_create(ach_driver_t *driver, const struct drv_conversion *conversion,
                                size_t size, void **state)
{
    struct drv_convert *c = calloc(1, size);
    ach_status_t status;

    if (!c)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    status = convert_claim(driver, conversion, c);
    if (status == ACH_OK)
        *state = c;
    else
        free(c);
    return status;
}

void drv_convert_destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    free(state);
}

ach_status_t drv_convert_moved(ach_driver_t *driver, struct drv_convert *c, const ach_type_t *type,
                               uint8_t subtype, const void *geom)
{
    ach_status_t status;
    void *copy;

    if (c->geom && ach_body_equal(type, c->geom, geom))
        return ACH_OK;
    status = ach_body_copy(type, geom, &copy);
    if (status != ACH_OK)
        return status;
    free(c->geom);
    c->geom = copy;
    return ach_driver_publish(driver, &c->here, subtype, geom);
}

void drv_convert_ask(ach_driver_t *driver, struct drv_convert *c, uint8_t request)
{
    drv_pending_other(&c->asked, driver, &c->there, request, NULL, NULL);
}

void drv_convert_shutdown(ach_driver_t *driver, void *state)
{
    struct drv_convert *c = state;

    (void)driver;
    pending_release(&c->asked);
    free(c->geom);
    c->geom = NULL;
}
