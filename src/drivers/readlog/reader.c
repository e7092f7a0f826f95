/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include <ach.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../log/line.h"

/* Most wrong lines that are logged. */
#define WRONG_MAX 20u

/* A file that is not compressed is read as it is. Consumes the descriptor. */
static ach_status_t read_from(struct drv_reader *r, int fd)
{
    r->file = gzdopen(fd, "r");
    if (r->file)
        return ACH_OK;
    close(fd);
    return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to read a log");
}

static ach_status_t open_path(struct drv_reader *r)
{
    int fd = open(r->entry.path, O_RDONLY | O_CLOEXEC);
    struct stat s;

    if (fd >= 0 && fstat(fd, &s) == 0 && S_ISDIR(s.st_mode)) {
        close(fd);
        fd = -1;
        errno = EISDIR;
    }
    if (fd < 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "%s: %s", r->entry.path, strerror(errno));
    return read_from(r, fd);
}

static ach_status_t open_entry(struct drv_reader *r)
{
    int fd = drv_entry_open_log(&r->entry);

    return fd < 0 ? ACH_EACCES : read_from(r, fd);
}

ach_status_t drv_reader_open(struct drv_reader *r, bool trusted)
{
    ach_status_t status = trusted ? open_path(r) : open_entry(r);

    r->number = 0;
    r->wrong = 0;
    return status;
}

void drv_reader_rewind(struct drv_reader *r)
{
    gzrewind(r->file);
    r->number = 0;
}

void drv_reader_close(struct drv_reader *r)
{
    if (r->file)
        gzclose(r->file);
    free(r->line);
    r->file = NULL;
    r->line = NULL;
    r->room = 0;
}

static bool keep(struct drv_reader *r, int c)
{
    size_t room = r->room ? 2 * r->room : 4096;
    char *more;

    if (r->size + 1 >= r->room) {
        more = r->size < DRV_READER_LINE_MAX ? realloc(r->line, room) : NULL;
        if (!more)
            return false;
        r->line = more;
        r->room = room;
    }
    r->line[r->size++] = (char)c;
    return true;
}

/* True: a line was read, without its newline. The last line needs no newline. */
static bool read_line(struct drv_reader *r, bool *too_long)
{
    int c;

    r->size = 0;
    *too_long = false;
    while ((c = gzgetc(r->file)) >= 0 && c != '\n')
        if (!*too_long && !keep(r, c))
            *too_long = true;
    if (c < 0 && r->size == 0)
        return false;
    r->number++;
    if (r->line)
        r->line[r->size] = '\0';
    return true;
}

static void complain(ach_driver_t *driver, struct drv_reader *r, const char *why)
{
    if (++r->wrong <= WRONG_MAX)
        ach_driver_log(driver, ACH_LOG_WARNING, "%s:%lu: %s", r->entry.path, r->number, why);
    if (r->wrong == WRONG_MAX)
        ach_driver_log(driver, ACH_LOG_WARNING, "%s: further wrong lines are not logged",
                       r->entry.path);
}

/* A recorder that was killed leaves a compressed log without an end. */
static void complain_of_end(ach_driver_t *driver, struct drv_reader *r)
{
    int error;

    gzerror(r->file, &error);
    if (error == Z_BUF_ERROR)
        complain(driver, r, "the compressed log has no end; it was not closed");
    else if (error == Z_DATA_ERROR)
        complain(driver, r, "the compressed log is damaged");
}

ach_message_t *drv_reader_next(ach_driver_t *driver, struct drv_reader *r)
{
    ach_message_t *m;
    bool too_long;

    while (read_line(r, &too_long)) {
        ach_status_t status = ACH_EAGAIN;

        if (too_long)
            complain(driver, r, "the line is too long");
        else if (r->size)
            status = drv_line_read(r->line, r->size, &m);
        if (status == ACH_OK)
            return m;
        if (status != ACH_EAGAIN)
            complain(driver, r, ach_errstr());
    }
    complain_of_end(driver, r);
    return NULL;
}
