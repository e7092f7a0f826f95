/* SPDX-License-Identifier: BSD-3-Clause */
#include "filelock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Does another open file hold the write lock? 0: no; -1: errno says why this is unknown. */
static int held_by_writer(int fd)
{
    struct flock look = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};

    return fcntl(fd, F_OFD_GETLK, &look) != 0 ? -1 : look.l_type != F_UNLCK;
}

bool filelock_free(int fd)
{
    return held_by_writer(fd) == 0;
}

bool filelock_held(int fd)
{
    return held_by_writer(fd) > 0;
}

enum filelock filelock_take(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    int held;

    if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
        return FILELOCK_TAKEN;
    if (errno != EAGAIN && errno != EACCES)
        return FILELOCK_FAILED;
    held = held_by_writer(fd);
    return held < 0 ? FILELOCK_FAILED : held ? FILELOCK_WRITER : FILELOCK_READER;
}
