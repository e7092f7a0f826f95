/* SPDX-License-Identifier: BSD-3-Clause */
/* cameracompress - a camera whose images are compressed to JPEG */
#include <ach.h>
#include <ach/interface/camera.h>
#include <stdlib.h>
#include <turbojpeg.h>

#include "../common/convert.h"
#include "../drivers.h"

struct cameracompress {
    struct drv_convert convert;
    tjhandle jpeg;
    int quality;          /* 1 to 100 */
    bool only_new;        /* leave out an image with the time of the one before */
    bool request_only;    /* publish nothing, only answer requests */
    double last;          /* time of the last image */
    ach_message_t *image; /* the last image, compressed; NULL: none yet */
    bool failing;         /* the last image could not be compressed */
};

static void cameracompress_destroy(ach_driver_t *driver, void *state)
{
    struct cameracompress *c = state;

    if (c->jpeg)
        tjDestroy(c->jpeg);
    drv_convert_destroy(driver, c);
}

static void cameracompress_read_options(ach_driver_t *driver, ach_section_t *options,
                                        struct cameracompress *c)
{
    double quality = ach_section_double(options, "image_quality", 0.8);

    if (!(quality > 0 && quality <= 1))
        ach_section_refuse(options, "image_quality", 0, "a number above 0 and up to 1");
    else
        c->quality = quality < 0.01 ? 1 : (int)(quality * 100 + 0.5);
    c->only_new = ach_section_bool(options, "check_timestamps", false);
    c->request_only = ach_section_bool(options, "request_only", false);
    if (ach_section_bool(options, "save", false))
        ach_driver_log(driver, ACH_LOG_WARNING,
                       "the option save has no effect; the driver writelog saves images with its "
                       "option camera_save_images");
}

static ach_status_t cameracompress_create(ach_driver_t *driver, ach_section_t *options,
                                          void **state)
{
    static const struct drv_conversion conversion = {
        .here = ACH_CAMERA_CODE, .there = ACH_CAMERA_CODE, .requests = {ACH_CAMERA_REQ_GET_IMAGE}};
    ach_status_t status =
        drv_convert_create(driver, &conversion, sizeof(struct cameracompress), state);
    struct cameracompress *c;

    if (status != ACH_OK)
        return status;
    c = *state;
    cameracompress_read_options(driver, options, c);
    c->jpeg = tjInitCompress();
    if (c->jpeg)
        return ACH_OK;
    cameracompress_destroy(driver, c);
    return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to compress images");
}

static ach_status_t cameracompress_setup(ach_driver_t *driver, void *state)
{
    struct cameracompress *c = state;

    (void)driver;
    c->last = -1;
    c->failing = false;
    return ACH_OK;
}

static void cameracompress_shut_down(ach_driver_t *driver, void *state)
{
    struct cameracompress *c = state;

    drv_convert_shutdown(driver, c);
    ach_message_unref(c->image);
    c->image = NULL;
}

/* How libturbojpeg calls the format of an image, and its bytes per pixel. False: it has none. */
static bool pixel_format(const ach_camera_data_t *image, int *format, uint64_t *bytes)
{
    bool grey = image->format == ACH_CAMERA_FORMAT_MONO8;

    *format = grey ? TJPF_GRAY : TJPF_RGB;
    *bytes = grey ? 1 : 3;
    return grey || image->format == ACH_CAMERA_FORMAT_RGB888;
}

static ach_status_t compress_image(const struct cameracompress *c, const ach_header_t *h,
                                   const ach_camera_data_t *image, ach_message_t **m)
{
    ach_camera_data_t small = *image;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    uint64_t depth;
    int format;
    ach_status_t status;

    if (!pixel_format(image, &format, &depth))
        return ach_errstr_set(ACH_ENOTSUP, "images of format %u are not compressed", image->format);
    if (!image->width || image->width > UINT16_MAX || !image->height ||
        image->height > UINT16_MAX || image->image_count != depth * image->width * image->height)
        return ach_errstr_set(ACH_CORRUPT, "the size of an image is wrong");
    if (tjCompress2(c->jpeg, image->image, (int)image->width, 0, (int)image->height, format, &bytes,
                    &size, format == TJPF_GRAY ? TJSAMP_GRAY : TJSAMP_420, c->quality, 0) != 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "an image cannot be compressed: %s",
                              tjGetErrorStr2(c->jpeg));
    small.compression = ACH_CAMERA_COMPRESS_JPEG;
    small.image_count = (uint32_t)size;
    small.image = bytes;
    status = ach_message_create(h, &small, m);
    tjFree(bytes);
    return status;
}

/* An image that is compressed already is passed on. */
static ach_status_t convert_image(const struct cameracompress *c, const ach_message_t *from,
                                  ach_message_t **to)
{
    const ach_camera_data_t *image = ach_message_body(from);

    if (!image)
        return ach_errstr_set(ACH_CORRUPT, "no image");
    if (image->compression == ACH_CAMERA_COMPRESS_RAW)
        return compress_image(c, ach_message_header(from), image, to);
    return ach_message_again(from, ach_message_header(from), to);
}

static ach_status_t cameracompress_data(ach_driver_t *driver, struct cameracompress *c,
                                        const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    ach_message_t *image;

    if (h->subtype != ACH_CAMERA_DATA_STATE)
        return ACH_ENOTSUP;
    if (c->only_new && h->timestamp == c->last)
        return ACH_OK;
    c->last = h->timestamp;
    if (convert_image(c, m, &image) != ACH_OK) {
        if (!c->failing)
            ach_driver_log(driver, ACH_LOG_WARNING, "%s", ach_errstr());
        c->failing = true;
        return ACH_OK;
    }
    c->failing = false;
    ach_message_unref(c->image);
    c->image = image;
    return c->request_only ? ACH_OK : ach_driver_forward(driver, &c->convert.here, image);
}

static ach_status_t cameracompress_process(ach_driver_t *driver, void *state,
                                           const ach_message_t *message)
{
    struct cameracompress *c = state;
    const ach_header_t *h = ach_message_header(message);

    if (h->type == ACH_MSG_DATA)
        return cameracompress_data(driver, c, message);
    if (h->type != ACH_MSG_REQ || h->subtype != ACH_CAMERA_REQ_GET_IMAGE || !c->image)
        return ACH_ENOTSUP;
    return ach_driver_reply(driver, message, ACH_MSG_ACK, ach_message_body(c->image));
}

const ach_driver_class_t drv_driver_cameracompress = {
    .version = ACH_DRIVER_VERSION,
    .name = "cameracompress",
    .create = cameracompress_create,
    .destroy = cameracompress_destroy,
    .setup = cameracompress_setup,
    .shutdown = cameracompress_shut_down,
    .process = cameracompress_process,
};
