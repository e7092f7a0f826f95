/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nameless.c - channels on a file system that has no nameless files
 *
 * This program overrides open: it refuses O_TMPFILE, and records the mode with which each file is
 * created.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "check.h"

#define CHAN "c"
#define MADE_MAX 8

static mode_t made[MADE_MAX];
static int n_made;

static void keep_mode(int fd)
{
    struct stat st;

    REQUIRE(n_made < MADE_MAX && fstat(fd, &st) == 0);
    made[n_made++] = st.st_mode & 07777;
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    int fd;

    if ((flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (flags & O_CREAT) {
        va_list ap;

        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (fd >= 0 && flags & O_CREAT)
        keep_mode(fd);
    return fd;
}

static mode_t mode_of(const char *prefix, const char *tail)
{
    char path[4096];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%sachshm-" CHAN "%s", getenv("ACH_DIR"), prefix, tail);
    REQUIRE(stat(path, &st) == 0);
    return st.st_mode & 07777;
}

/* A draft of the wake file has a name at once: other users must not open it before its chmod. */
static void wake_file_is_never_open(void)
{
    umask(002);
    REQUIRE_OK(ach_create(CHAN, 4, 64, NULL));
    CHECK(n_made == 2 && made[0] == 0664 && made[1] == 0600);
    CHECK(mode_of("", "") == 0664 && mode_of(".", ".wake") == 0660);
    CHECK_OK(ach_unlink(CHAN));
}

int main(void)
{
    REQUIRE(getenv("ACH_DIR") != NULL);
    wake_file_is_never_open();
    return check_result();
}
