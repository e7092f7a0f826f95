/* SPDX-License-Identifier: BSD-3-Clause */
/* laserbarcode - a laser that finds barcodes of reflecting strips, as a fiducial device */
#include <ach.h>
#include <stdlib.h>

#include "../common/convert.h"
#include "../drivers.h"
#include "barcode.h"

/* Most barcodes in a scan. */
#define FOUND_MAX 64u

struct laserbarcode {
    struct drv_convert convert;
    struct drv_barcode_options options;
};

static void laserbarcode_read_options(ach_section_t *options, struct drv_barcode_options *o)
{
    o->bits = ach_section_int(options, "bit_count", 8);
    o->width = ach_section_length(options, "bit_width", 0.05);
    o->depth = ach_section_length(options, "max_depth", 0.05);
    o->accept = ach_section_double(options, "accept_thresh", 1);
    o->zero = ach_section_double(options, "zero_thresh", 0.6);
    o->one = ach_section_double(options, "one_thresh", 0.6);
    if (o->bits < 3 || o->bits > DRV_BARCODE_BITS_MAX)
        ach_section_refuse(options, "bit_count", 0, "a number from 3 to 30");
    if (!(o->width > 0))
        ach_section_refuse(options, "bit_width", 0, "a length above 0");
    if (!(o->depth > 0))
        ach_section_refuse(options, "max_depth", 0, "a length above 0");
}

static ach_status_t laserbarcode_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    static const struct drv_conversion conversion = {.here = ACH_FIDUCIAL_CODE,
                                                     .there = ACH_LASER_CODE,
                                                     .requests = {ACH_FIDUCIAL_REQ_GET_GEOM}};
    ach_status_t status =
        drv_convert_create(driver, &conversion, sizeof(struct laserbarcode), state);

    if (status == ACH_OK)
        laserbarcode_read_options(options, &((struct laserbarcode *)*state)->options);
    return status;
}

static ach_status_t laserbarcode_scan(ach_driver_t *driver, const struct laserbarcode *l,
                                      const ach_laser_data_t *scan, double time)
{
    ach_fiducial_item_t found[FOUND_MAX];
    ach_fiducial_data_t body = {.fiducials_count =
                                    drv_barcode_find(scan, &l->options, found, FOUND_MAX),
                                .fiducials = found};

    return ach_driver_publish_at(driver, &l->convert.here, ACH_FIDUCIAL_DATA_SCAN, &body, time);
}

static ach_status_t laserbarcode_data(ach_driver_t *driver, const struct laserbarcode *l,
                                      const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    const void *body = ach_message_body(m);

    if (body && h->subtype == ACH_LASER_DATA_SCAN)
        return laserbarcode_scan(driver, l, body, h->timestamp);
    if (body && h->subtype == ACH_LASER_DATA_SCANPOSE)
        return laserbarcode_scan(driver, l, &((const ach_laser_data_scanpose_t *)body)->scan,
                                 h->timestamp);
    return ACH_ENOTSUP;
}

/* The geometry is that of the laser, and the size of a barcode. */
static ach_status_t laserbarcode_answered(ach_driver_t *driver, struct laserbarcode *l,
                                          const ach_message_t *answer)
{
    const ach_header_t *h = ach_message_header(answer);
    ach_message_t *request = drv_pending_take(&l->convert.asked, answer);
    const ach_laser_geom_t *laser = ach_message_body(answer);
    ach_fiducial_geom_t geom = {.fiducial_size = {.sw = l->options.bits * l->options.width}};
    ach_status_t status = ACH_OK;

    if (request && laser && h->type == ACH_MSG_ACK) {
        geom.pose = laser->pose;
        geom.size = laser->size;
        status = ach_driver_reply(driver, request, ACH_MSG_ACK, &geom);
    }
    ach_message_unref(request); /* sends a NACK if it was not answered */
    return status;
}

static ach_status_t laserbarcode_process(ach_driver_t *driver, void *state,
                                         const ach_message_t *message)
{
    struct laserbarcode *l = state;
    struct drv_convert *c = &l->convert;

    switch (ach_message_header(message)->type) {
    case ACH_MSG_DATA:
        return laserbarcode_data(driver, l, message);
    case ACH_MSG_REQ:
        if (ach_message_header(message)->subtype != ACH_FIDUCIAL_REQ_GET_GEOM)
            return ACH_ENOTSUP;
        return drv_pending_other(&c->asked, driver, &c->there, ACH_LASER_REQ_GET_GEOM, NULL,
                                 message);
    case ACH_MSG_ACK:
    case ACH_MSG_NACK:
        return laserbarcode_answered(driver, l, message);
    default:
        return ACH_ENOTSUP;
    }
}

const ach_driver_class_t drv_driver_laserbarcode = {
    .version = ACH_DRIVER_VERSION,
    .name = "laserbarcode",
    .create = laserbarcode_create,
    .destroy = drv_convert_destroy,
    .shutdown = drv_convert_shutdown,
    .process = laserbarcode_process,
};
