/* SPDX-License-Identifier: BSD-3-Clause */
#include "file.h"

#include <ach.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void release(struct drv_logfile *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
    drv_pack_destroy(f->pack);
    f->pack = NULL;
}

bool drv_logfile_compressed(const char *name)
{
    size_t n = strlen(name);

    return n > 3 && strcasecmp(name + n - 3, ".gz") == 0;
}

ach_status_t drv_logfile_open(ach_driver_t *driver, struct drv_logfile *f)
{
    ach_status_t status;

    if (drv_logfile_compressed(f->entry.name) && !(f->pack = drv_pack_create()))
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to compress a log");
    if (f->entry.own_directory)
        mkdir(f->entry.directory, 0755); /* may fail: opening the log reports the error */
    status = drv_entry_create_log(&f->entry, &f->fd);
    if (status != ACH_OK) {
        release(f);
        return status;
    }
    f->failing = false;
    f->lost = 0;
    f->synced = ach_driver_time(driver);
    return ACH_OK;
}

/* Remove a partly written line. Use the file's current size: others may have truncated the file. */
static void take_back(int fd, size_t written)
{
    struct stat s;

    if (written && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && (size_t)s.st_size >= written &&
        ftruncate(fd, s.st_size - (off_t)written) != 0)
        return; /* a partial line remains; readers skip it */
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t n = write(fd, bytes + done, size - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            int error = n < 0 ? errno : ENOSPC;

            take_back(fd, done);
            errno = error;
            return false;
        }
        done += (size_t)n;
    }
    return true;
}

static bool write_packed(struct drv_logfile *f)
{
    size_t size;
    const char *bytes = drv_pack_bytes(f->pack, &size);

    if (!write_all(f->fd, bytes, size))
        return false;
    drv_pack_clear(f->pack);
    return true;
}

/* *kept: the lines are compressed, so that they can be written later. */
static bool write_lines(struct drv_logfile *f, const char *lines, size_t size, bool *kept)
{
    *kept = false;
    if (!f->pack)
        return write_all(f->fd, lines, size);
    if (!write_packed(f))
        return false;
    *kept = drv_pack_add(f->pack, lines, size, false);
    errno = ENOMEM;
    return *kept && write_packed(f);
}

static void sync_now(ach_driver_t *driver, struct drv_logfile *f)
{
    double now = ach_driver_time(driver);

    if (f->sync > 0 && now - f->synced >= f->sync) {
        fdatasync(f->fd);
        f->synced = now;
    }
}

void drv_logfile_append(ach_driver_t *driver, struct drv_logfile *f, const char *lines, size_t size)
{
    bool kept;

    if (f->fd < 0)
        return;
    if (!write_lines(f, lines, size, &kept)) {
        if (!f->failing)
            ach_driver_log(driver, ACH_LOG_ERROR, "%s: %s; messages are lost", f->entry.path,
                           strerror(errno));
        f->failing = true;
        f->lost += !kept;
        return;
    }
    if (f->failing)
        ach_driver_log(driver, ACH_LOG_WARNING, "%s: recording again after %llu messages were lost",
                       f->entry.path, (unsigned long long)f->lost);
    f->failing = false;
    f->lost = 0;
    sync_now(driver, f);
}

void drv_logfile_close(ach_driver_t *driver, struct drv_logfile *f)
{
    if (f->fd < 0)
        return;
    if (f->pack && !write_packed(f))
        f->lost++;
    else if (f->pack && drv_pack_add(f->pack, NULL, 0, true))
        write_packed(f); /* if this fails, only the check sum at the end is missing */
    if (f->lost)
        ach_driver_log(driver, ACH_LOG_WARNING, "%s: %llu messages at its end were lost",
                       f->entry.path, (unsigned long long)f->lost);
    if (f->sync > 0)
        fdatasync(f->fd);
    release(f);
}
