/* SPDX-License-Identifier: BSD-3-Clause */
/* image.h - images of a camera as files beside the log */
#ifndef DRV_WRITELOG_IMAGE_H
#define DRV_WRITELOG_IMAGE_H

#include <ach/interface/camera.h>

#include "../log/entry.h"

/*
 * Save an image as STEM_camera_II_NNNNNN.pnm, or .jpg if it is a JPEG; STEM is the log's name
 * without its extension, II the index of the camera. @number: the next number of that camera; it
 * is increased, and numbers of files that exist are left out. ACH_ENOTSUP: an image of this format
 * cannot be saved.
 */
ach_status_t drv_image_save(const struct drv_entry *log, uint16_t camera, unsigned *number,
                            const ach_camera_data_t *image);

#endif
