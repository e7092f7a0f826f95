/* SPDX-License-Identifier: BSD-3-Clause */
#include "file.h"

#include <ach.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ach_status_t drv_logfile_open(ach_driver_t *driver, struct drv_logfile *f)
{
    ach_status_t status;

    if (f->entry.own_directory)
        mkdir(f->entry.directory, 0755); /* may fail: opening the log reports the error */
    status = drv_entry_create_log(&f->entry, &f->fd);
    if (status != ACH_OK)
        return status;
    f->failing = false;
    f->lost = 0;
    f->synced = ach_driver_time(driver);
    return ACH_OK;
}

void drv_logfile_close(ach_driver_t *driver, struct drv_logfile *f)
{
    if (f->fd < 0)
        return;
    if (f->lost)
        ach_driver_log(driver, ACH_LOG_WARNING, "%s: %llu messages at its end were lost",
                       f->entry.path, (unsigned long long)f->lost);
    if (f->sync > 0)
        fdatasync(f->fd);
    close(f->fd);
    f->fd = -1;
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
    if (f->fd < 0)
        return;
    if (!write_all(f->fd, lines, size)) {
        if (!f->failing)
            ach_driver_log(driver, ACH_LOG_ERROR, "%s: %s; messages are lost", f->entry.path,
                           strerror(errno));
        f->failing = true;
        f->lost++;
        return;
    }
    if (f->failing)
        ach_driver_log(driver, ACH_LOG_WARNING, "%s: recording again after %llu messages were lost",
                       f->entry.path, (unsigned long long)f->lost);
    f->failing = false;
    f->lost = 0;
    sync_now(driver, f);
}
