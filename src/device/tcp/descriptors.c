/* SPDX-License-Identifier: BSD-3-Clause */
#include "descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>

#define RESERVE 256u

/* Descriptors to probe one by one if /proc is not mounted. */
#define LOOK_MAX 4096

static unsigned count_one_by_one(void)
{
    unsigned used = 0;
    int fd;

    for (fd = 0; fd < LOOK_MAX; fd++)
        used += fcntl(fd, F_GETFD) >= 0;
    return used;
}

static unsigned count_open(void)
{
    DIR *d = opendir("/proc/self/fd");
    const struct dirent *e;
    unsigned used = 0;

    if (!d)
        return count_one_by_one();
    while ((e = readdir(d)))
        used += e->d_name[0] != '.';
    closedir(d);
    return used ? used - 1 : 0; /* without the descriptor of the directory itself */
}

int tcp_descriptors_clients(int wanted)
{
    struct rlimit files;
    rlim_t used, room;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY)
        return wanted;
    used = count_open();
    room = files.rlim_cur > used ? files.rlim_cur - used : 0;
    room -= room / 2 < RESERVE ? room / 2 : RESERVE;
    if (room >= (rlim_t)wanted)
        return wanted;
    return room ? (int)room : 1;
}
