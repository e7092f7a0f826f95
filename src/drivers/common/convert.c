/* SPDX-License-Identifier: BSD-3-Clause */
#include "convert.h"

#include <stdlib.h>

ach_status_t achi_convert_claim(ach_driver_t *driver, struct achi_convert *c, uint16_t here,
                                uint16_t there)
{
    ach_status_t status = ach_driver_provide(driver, here, NULL, &c->here);

    return status == ACH_OK ? ach_driver_require(driver, there, NULL, &c->there) : status;
}

ach_status_t achi_convert_handles(ach_driver_t *driver, const struct achi_convert *c,
                                  const uint8_t *requests)
{
    ach_status_t status = ACH_OK;

    for (; *requests && status == ACH_OK; requests++)
        status = ach_driver_handles(driver, &c->here, ACH_MSG_REQ, *requests);
    return status;
}

ach_status_t achi_convert_moved(ach_driver_t *driver, struct achi_convert *c,
                                const ach_type_t *type, uint8_t subtype, const void *geom)
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

void achi_convert_reset(struct achi_convert *c)
{
    achi_asked_forget(&c->asked);
    free(c->geom);
    c->geom = NULL;
}
