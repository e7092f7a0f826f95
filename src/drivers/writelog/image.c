/* SPDX-License-Identifier: BSD-3-Clause */
#include "image.h"

#include <ach.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

#define NUMBER_MAX 999999u

/* The format of a raw image in a PNM file: its magic number; NULL: it has none. */
static const char *pnm_magic(const ach_camera_data_t *image)
{
    uint64_t pixels = (uint64_t)image->width * image->height;

    if (image->format == ACH_CAMERA_FORMAT_MONO8 && image->image_count == pixels)
        return "P5";
    if (image->format == ACH_CAMERA_FORMAT_RGB888 && image->image_count == 3 * pixels)
        return "P6";
    return NULL;
}

/* The length of a log's name without .gz and its extension. */
static int stem_length(const char *name)
{
    size_t n = strlen(name);
    const char *dot;

    if (drv_logfile_compressed(name))
        n -= strlen(".gz");
    dot = memrchr(name, '.', n);
    return (int)(dot && dot > name ? (size_t)(dot - name) : n);
}

static int create_next(const struct drv_entry *log, uint16_t camera, unsigned *number,
                       const char *extension)
{
    char name[DRV_ENTRY_NAME + 32];
    int fd = -1;

    errno = EEXIST;
    while (fd < 0 && errno == EEXIST && *number <= NUMBER_MAX) {
        snprintf(name, sizeof(name), "%.*s_camera_%02u_%06u.%s", stem_length(log->name), log->name,
                 camera, (*number)++, extension);
        fd = drv_entry_create_beside(log, name);
    }
    return fd;
}

static bool write_image(int fd, const char *magic, const ach_camera_data_t *image)
{
    FILE *file = fdopen(fd, "w");
    bool ok;

    if (!file) {
        close(fd);
        return false;
    }
    if (magic)
        fprintf(file, "%s\n%u %u\n255\n", magic, image->width, image->height);
    fwrite(image->image, 1, image->image_count, file);
    ok = !ferror(file);
    return fclose(file) == 0 && ok;
}

ach_status_t drv_image_save(const struct drv_entry *log, uint16_t camera, unsigned *number,
                            const ach_camera_data_t *image)
{
    bool jpeg = image->compression == ACH_CAMERA_COMPRESS_JPEG;
    const char *magic = jpeg ? NULL : pnm_magic(image);
    int fd;

    if (!jpeg && (image->compression != ACH_CAMERA_COMPRESS_RAW || !magic))
        return ach_errstr_set(ACH_ENOTSUP, "camera:%u: an image of format %u is not saved", camera,
                              image->format);
    fd = create_next(log, camera, number, jpeg ? "jpg" : "pnm");
    if (fd < 0 || !write_image(fd, magic, image))
        return ach_errstr_set(ACH_FAILED_SYSCALL, "camera:%u: an image cannot be saved: %s", camera,
                              strerror(errno));
    return ACH_OK;
}
