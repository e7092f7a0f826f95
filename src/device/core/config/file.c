/* SPDX-License-Identifier: BSD-3-Clause */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

static enum ach_status system_refused(struct dev_text *why)
{
    int e = errno;

    dev_text_add(why, "%s", strerror(e));
    if (e == ENOENT)
        return ACH_ENOENT;
    return e == EACCES || e == EPERM ? ACH_EACCES : ACH_FAILED_SYSCALL;
}

/* Read until the end, or one byte more than is allowed. */
static ssize_t read_all(int fd, char *bytes)
{
    size_t used = 0;
    ssize_t n;

    do {
        n = read(fd, bytes + used, ACH_CONFIG_FILE_MAX + 1 - used);
        if (n > 0)
            used += (size_t)n;
    } while ((n > 0 && used <= ACH_CONFIG_FILE_MAX) || (n < 0 && errno == EINTR));
    return n < 0 ? -1 : (ssize_t)used;
}

static enum ach_status check_kind(const struct stat *st, bool included, struct dev_text *why)
{
    if (S_ISREG(st->st_mode) || (!included && !S_ISDIR(st->st_mode)))
        return ACH_OK;
    dev_text_add(why, S_ISDIR(st->st_mode) ? "it is a directory" : "it is not a regular file");
    return ACH_EINVAL;
}

static enum ach_status read_open(struct dev_file *file, int fd, struct dev_text *why)
{
    ssize_t n = read_all(fd, file->bytes);

    if (n < 0)
        return system_refused(why);
    if ((size_t)n > ACH_CONFIG_FILE_MAX) {
        dev_text_add(why, DEV_TOO_LARGE);
        return ACH_OVERFLOW;
    }
    file->size = (size_t)n;
    return ACH_OK;
}

static enum ach_status read_checked(struct dev_file *file, int fd, bool included,
                                    struct dev_text *why)
{
    enum ach_status r;
    struct stat st;

    if (fstat(fd, &st) != 0)
        return system_refused(why);
    r = check_kind(&st, included, why);
    if (r != ACH_OK)
        return r;
    *file = (struct dev_file){
        .bytes = malloc(ACH_CONFIG_FILE_MAX + 1), .device = st.st_dev, .inode = st.st_ino};
    if (!file->bytes)
        return system_refused(why);
    r = read_open(file, fd, why);
    if (r != ACH_OK)
        free(file->bytes);
    return r;
}

enum ach_status dev_file_read(struct dev_file *file, const char *path, bool included,
                              struct dev_text *why)
{
    /* O_NONBLOCK: do not wait for the other end of a FIFO, which is refused afterwards. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (included ? O_NONBLOCK : 0));
    enum ach_status r;

    if (fd < 0)
        return system_refused(why);
    r = read_checked(file, fd, included, why);
    close(fd);
    return r;
}

const char *dev_config_path(struct ach_config *config, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    size_t directory = slash ? (size_t)(slash + 1 - file) : 0;
    char *joined;

    if (*path == '/' || directory == 0)
        return path;
    joined = dev_config_alloc(config, directory + strlen(path) + 1);
    if (!joined)
        return NULL;
    memcpy(joined, file, directory);
    strcpy(joined + directory, path);
    return joined;
}
