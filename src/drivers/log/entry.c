/* SPDX-License-Identifier: BSD-3-Clause */
#include "entry.h"

#include <ach.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZLIB_CONST
#include <zlib.h>

/* Beginnings of a log's first two lines; other servers write other versions after them. */
#define HEAD_LINE "## "
#define HEAD_VERSION "\n## File version "
#define HEAD_MAX 256

/* As inflateInit, but with the header of gzip. */
#define GZIP (MAX_WBITS + 16)

/* Largest number of backups of one name. */
#define BACKUPS_MAX 9999u

static void set_name(struct drv_entry *e, const char *name)
{
    snprintf(e->name, sizeof(e->name), "%s", name);
    snprintf(e->path, sizeof(e->path), "%s%s", e->directory, e->name);
}

/* False: too long, or it does not end with a name. */
static bool entry_split(struct drv_entry *e, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = (size_t)(name - path);

    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
        strlen(name) >= DRV_ENTRY_NAME || n >= DRV_ENTRY_DIRECTORY)
        return false;
    if (n)
        memcpy(e->directory, path, n);
    e->directory[n] = '\0';
    set_name(e, name);
    return true;
}

/* Paths of the config file are relative to it; a name is within the log directory. */
void drv_entry_read(struct drv_entry *e, ach_section_t *options, const char *fallback,
                    const char *suffix)
{
    const char *directory = ach_section_path(options, "log_directory", NULL);
    const char *name = ach_section_string(options, "filename", fallback);
    char full[DRV_ENTRY_DIRECTORY + DRV_ENTRY_NAME];

    e->own_directory = directory && name && *name != '/';
    e->client_names = ach_section_bool(options, "client_names", e->own_directory);
    if (e->own_directory &&
        snprintf(full, sizeof(full), "%s%s/%s", directory, suffix, name) < (int)sizeof(full))
        name = full;
    else if (!e->own_directory)
        name = ach_section_path(options, "filename", fallback);
    if (!name || !entry_split(e, name))
        ach_section_refuse(options, "filename", 0, "the name of a log");
}

/* One entry of a directory, not hidden, in printable ASCII: the name goes to logs and terminals. */
static bool is_name(const ach_log_set_filename_t *body)
{
    const char *name = body ? body->filename : NULL;
    size_t i, n = name ? strnlen(name, body->filename_count) : 0;

    if (!n || n == body->filename_count || n >= DRV_ENTRY_NAME || *name == '.')
        return false;
    for (i = 0; i < n; i++)
        if (name[i] == '/' || name[i] < ' ' || name[i] > '~')
            return false;
    return true;
}

ach_status_t drv_entry_rename(struct drv_entry *e, const ach_log_set_filename_t *body)
{
    if (!e->client_names)
        return ach_errstr_set(ACH_EACCES, "clients may not name logs here; the options "
                                          "log_directory and client_names allow it");
    if (!is_name(body))
        return ach_errstr_set(ACH_EACCES, "a client may name only a file in the log's directory, "
                                          "in printable ASCII, without a path");
    set_name(e, body->filename);
    e->by_client = true;
    return ACH_OK;
}

static int open_directory(const struct drv_entry *e)
{
    int fd = open(*e->directory ? e->directory : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        ach_errstr_set(ACH_FAILED_SYSCALL, "%s: %s", e->path, strerror(errno));
    return fd;
}

/* Decompress the beginning of a file. False: it is not compressed. */
static bool unpack_head(const uint8_t *bytes, size_t size, char *text)
{
    z_stream z = {.next_in = bytes, .avail_in = (uInt)size};
    bool ok;

    if (inflateInit2(&z, GZIP) != Z_OK)
        return false;
    z.next_out = (Bytef *)text;
    z.avail_out = HEAD_MAX;
    ok = inflate(&z, Z_SYNC_FLUSH) >= Z_OK;
    inflateEnd(&z);
    return ok;
}

static bool begins_as_log(int fd)
{
    uint8_t bytes[2 * HEAD_MAX];
    char text[HEAD_MAX + 1] = "";
    const char *end;
    ssize_t n = pread(fd, bytes, sizeof(bytes), 0);

    if (n < 0)
        return false;
    if (!unpack_head(bytes, (size_t)n, text)) {
        memset(text, 0, sizeof(text));
        memcpy(text, bytes, (size_t)n < HEAD_MAX ? (size_t)n : HEAD_MAX);
    }
    end = strchr(text, '\n');
    return strncmp(text, HEAD_LINE, strlen(HEAD_LINE)) == 0 && end &&
           strncmp(end, HEAD_VERSION, strlen(HEAD_VERSION)) == 0;
}

/* Check before opening: merely opening some devices has side effects. */
static bool is_regular(int directory, const char *name)
{
    struct stat s;

    if (fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    errno = EMEDIUMTYPE;
    return S_ISREG(s.st_mode);
}

/* Returns -1 with errno on errors. EMEDIUMTYPE: not a log; ENOMSG: an empty file. */
static int entry_open_log(int directory, const char *name)
{
    struct stat s;
    int fd = -1, error = EMEDIUMTYPE;

    if (!is_regular(directory, name))
        return -1;
    fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode)) {
        if (begins_as_log(fd))
            return fd;
        if (s.st_size == 0)
            error = ENOMSG;
    }
    close(fd);
    errno = error;
    return -1;
}

/* 0: it is a log; else the errno of entry_open_log. */
static int not_log(int directory, const char *name)
{
    int fd = entry_open_log(directory, name);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

/* On file systems without RENAME_NOREPLACE use link and unlink. */
static int rename_new(int directory, const char *from, const char *to)
{
    if (renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (linkat(directory, from, directory, to, 0) != 0)
        return -1;
    return unlinkat(directory, from, 0);
}

static ach_status_t refuse_other(const struct drv_entry *e)
{
    return ach_errstr_set(ACH_EEXIST, "%s exists and is not a log, so it is not replaced", e->path);
}

static ach_status_t fail(const struct drv_entry *e, int error)
{
    return ach_errstr_set(ACH_FAILED_SYSCALL, "%s: %s", e->path, strerror(error));
}

/* Never replace a backup: any client that may subscribe can start recordings repeatedly. */
static ach_status_t keep_old(const struct drv_entry *e, int directory)
{
    char backup[DRV_ENTRY_NAME + 16];
    unsigned i;

    snprintf(backup, sizeof(backup), "%s~", e->name);
    for (i = 2; rename_new(directory, e->name, backup) != 0; i++) {
        if (errno != EEXIST || i > BACKUPS_MAX)
            return fail(e, errno);
        snprintf(backup, sizeof(backup), "%s~%u", e->name, i);
    }
    return ACH_OK;
}

/* A recorder leaves an empty file if the disk was full: appending to it loses nothing. */
static int open_empty(int directory, const char *name)
{
    struct stat s;
    int fd = openat(directory, name,
                    O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size == 0 && s.st_nlink == 1 &&
        s.st_uid == geteuid())
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int create_new(int directory, const char *name)
{
    return openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                  0644);
}

/* A file of that name exists. */
static ach_status_t replace_log(const struct drv_entry *e, int directory, int *fd)
{
    int why = not_log(directory, e->name);
    ach_status_t status = ACH_OK;

    if (!why && e->by_client)
        return ach_errstr_set(ACH_EEXIST, "%s exists; a client can record only to new files",
                              e->path);
    if (why == ENOMSG && (*fd = open_empty(directory, e->name)) >= 0)
        return ACH_OK;
    if (why == EMEDIUMTYPE || why == ENOMSG || why == ELOOP)
        return refuse_other(e);
    if (why && why != ENOENT)
        return fail(e, why);
    if (!why)
        status = keep_old(e, directory);
    if (status == ACH_OK && (*fd = create_new(directory, e->name)) < 0)
        status = fail(e, errno);
    return status;
}

ach_status_t drv_entry_create_log(const struct drv_entry *e, int *fd)
{
    int directory = open_directory(e);
    ach_status_t status = ACH_OK;

    if (directory < 0)
        return ACH_FAILED_SYSCALL;
    *fd = create_new(directory, e->name);
    if (*fd < 0)
        status = errno == EEXIST ? replace_log(e, directory, fd) : fail(e, errno);
    close(directory);
    return status;
}

int drv_entry_open_log(const struct drv_entry *e)
{
    int directory = open_directory(e), fd;

    if (directory < 0)
        return -1;
    fd = entry_open_log(directory, e->name);
    if (fd < 0 && (errno == EMEDIUMTYPE || errno == ENOMSG || errno == ELOOP))
        ach_errstr_set(ACH_EACCES, "%s is not a log", e->path);
    else if (fd < 0)
        fail(e, errno);
    close(directory);
    return fd;
}

int drv_entry_create_beside(const struct drv_entry *e, const char *name)
{
    int directory = open_directory(e), fd = -1, error = errno;

    if (directory >= 0) {
        fd = create_new(directory, name);
        error = errno;
        close(directory);
    }
    errno = error;
    return fd;
}
