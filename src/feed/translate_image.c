/* SPDX-License-Identifier: BSD-3-Clause */
/* translate_image.c - camera and pointcloud3d */
#include <stdlib.h>
#include <string.h>

#include "translate.h"

#define POINT_SIZE 16u
#define FLOAT32 7 /* sensor_msgs/PointField */

/* NULL: ROS does not know the format. */
static const char *image_encoding(uint32_t format)
{
    switch (format) {
    case ACH_CAMERA_FORMAT_MONO8:
        return "mono8";
    case ACH_CAMERA_FORMAT_MONO16:
        return "mono16";
    case ACH_CAMERA_FORMAT_RGB888:
        return "rgb8";
    default:
        return NULL;
    }
}

static bool image_jpeg(const struct feed_translation *t, const ach_camera_data_t *image)
{
    feed_cdr_begin(t->cdr);
    feed_part_header(t, t->device->frame);
    feed_cdr_text(t->cdr, "jpeg");
    feed_cdr_bytes(t->cdr, image->image, image->image_count);
    feed_translate_emit(t, "image_raw/compressed", &feed_ros_compressed_image);
    return true;
}

/* Devices send two bytes in the order of the network. */
static bool image_raw(const struct feed_translation *t, const ach_camera_data_t *image)
{
    const char *encoding = image_encoding(image->format);
    const uint64_t step = encoding ? (uint64_t)image->width * image->bpp / 8 : 0;

    if (step == 0 || image->height == 0 || image->image_count / step < image->height)
        return false;
    feed_cdr_begin(t->cdr);
    feed_part_header(t, t->device->frame);
    feed_cdr_u32(t->cdr, image->height);
    feed_cdr_u32(t->cdr, image->width);
    feed_cdr_text(t->cdr, encoding);
    feed_cdr_u8(t->cdr, 1);
    feed_cdr_u32(t->cdr, (uint32_t)step);
    feed_cdr_bytes(t->cdr, image->image, (uint32_t)(step * image->height));
    feed_translate_emit(t, "image_raw", &feed_ros_image);
    return true;
}

static bool image_camera(const struct feed_translation *t, const void *body)
{
    const ach_camera_data_t *image = body;

    return image->compression == ACH_CAMERA_COMPRESS_JPEG ? image_jpeg(t, image)
                                                          : image_raw(t, image);
}

static void cloud_field(struct feed_cdr *c, const char *name, uint32_t offset)
{
    feed_cdr_text(c, name);
    feed_cdr_u32(c, offset);
    feed_cdr_u8(c, FLOAT32);
    feed_cdr_u32(c, 1);
}

static void cloud_points(struct feed_cdr *c, const ach_pointcloud3d_data_t *cloud)
{
    uint32_t i;

    feed_cdr_u32(c, POINT_SIZE * cloud->points_count);
    for (i = 0; i < cloud->points_count; i++) {
        const ach_pointcloud3d_element_t *p = &cloud->points[i];

        feed_cdr_f32(c, (float)p->point.px);
        feed_cdr_f32(c, (float)p->point.py);
        feed_cdr_f32(c, (float)p->point.pz);
        feed_cdr_u8(c, p->color.blue);
        feed_cdr_u8(c, p->color.green);
        feed_cdr_u8(c, p->color.red);
        feed_cdr_u8(c, 0);
    }
}

static bool image_cloud(const struct feed_translation *t, const void *body)
{
    const ach_pointcloud3d_data_t *cloud = body;

    feed_cdr_begin(t->cdr);
    feed_part_header(t, t->device->frame);
    feed_cdr_u32(t->cdr, 1);
    feed_cdr_u32(t->cdr, cloud->points_count);
    feed_cdr_u32(t->cdr, 4);
    cloud_field(t->cdr, "x", 0);
    cloud_field(t->cdr, "y", 4);
    cloud_field(t->cdr, "z", 8);
    cloud_field(t->cdr, "rgb", 12);
    feed_cdr_u8(t->cdr, 0); /* little-endian */
    feed_cdr_u32(t->cdr, POINT_SIZE);
    feed_cdr_u32(t->cdr, POINT_SIZE * cloud->points_count);
    cloud_points(t->cdr, cloud);
    feed_cdr_u8(t->cdr, 1);
    feed_translate_emit(t, "points", &feed_ros_point_cloud);
    return true;
}

const struct feed_rule feed_rules_image[] = {
    {ACH_CAMERA_CODE, ACH_CAMERA_DATA_STATE, image_camera},
    {ACH_POINTCLOUD3D_CODE, ACH_POINTCLOUD3D_DATA_STATE, image_cloud},
    {0, 0, NULL},
};
