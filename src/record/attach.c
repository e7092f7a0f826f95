/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "description.h"
#include "part.h"

static const char *attach_media_type(const char *name)
{
    static const char *const types[][2] = {
        {".cfg", "text/plain"},        {".txt", "text/plain"}, {".ini", "text/plain"},
        {".conf", "text/plain"},       {".yaml", "text/yaml"}, {".yml", "text/yaml"},
        {".json", "application/json"}, {".xml", "text/xml"},   {".urdf", "text/xml"},
        {".sdf", "text/xml"},          {".csv", "text/csv"},   {".png", "image/png"},
    };
    const char *dot = strrchr(name, '.');
    size_t i;

    for (i = 0; dot && i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(dot, types[i][0]) == 0)
            return types[i][1];
    return "application/octet-stream";
}

/* The size of a regular file; negative: errno says why it cannot be read. */
static int attach_open(const char *path, struct stat *st)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return -1;
    if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && (uint64_t)st->st_size <= MCAP_DATA_MAX)
        return fd;
    errno = S_ISREG(st->st_mode) ? EFBIG : EINVAL;
    close(fd);
    return -1;
}

/* It would be emptied before it is read. */
static bool attach_is_output(const struct record_settings *o, const struct stat *attached)
{
    char *first = record_path(o, 1);
    struct stat st;
    bool same = first && stat(first, &st) == 0 && st.st_dev == attached->st_dev &&
                st.st_ino == attached->st_ino;

    free(first);
    return same;
}

bool record_attach_check(const struct record_settings *options)
{
    struct stat st;
    size_t i;
    int fd;

    for (i = 0; i < options->nattachments; i++) {
        fd = attach_open(options->attachments[i], &st);
        if (fd < 0) {
            record_complain("cannot attach '%s': %s", options->attachments[i],
                            errno == EINVAL ? "it is not a regular file" : strerror(errno));
            return false;
        }
        close(fd);
        if (attach_is_output(options, &st)) {
            record_complain("cannot attach '%s': it is the file to be recorded into",
                            options->attachments[i]);
            return false;
        }
    }
    return true;
}

static bool attach_read(int fd, char *bytes, size_t *size)
{
    size_t done = 0;
    ssize_t n = 1;

    while (done < *size && n > 0) {
        n = read(fd, bytes + done, *size - done);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            done += (size_t)n;
    }
    *size = done;
    return true;
}

static bool attach_one(struct mcap_writer *w, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct stat st;
    int fd = attach_open(path, &st);
    size_t size = fd < 0 ? 0 : (size_t)st.st_size;
    char *bytes = malloc(size + 1);
    bool ok = fd >= 0 && bytes && attach_read(fd, bytes, &size);
    const struct mcap_attachment a = {
        .log_time = (uint64_t)record_wall(),
        .create_time =
            fd < 0 ? 0 : (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec,
        .name = mcap_text(name),
        .media_type = mcap_text(attach_media_type(name)),
        .data = bytes,
        .size = size,
    };

    ok = ok && mcap_writer_attachment(w, &a);
    free(bytes);
    if (fd >= 0)
        close(fd);
    return ok;
}

bool record_attach(struct mcap_writer *w, const struct record_settings *options)
{
    size_t i;

    for (i = 0; i < options->nattachments; i++)
        if (!attach_one(w, options->attachments[i]))
            return false;
    return true;
}
