/* SPDX-License-Identifier: BSD-3-Clause */
/* ready_support.c - descriptors of handles, for the tests */
#include "ready.h"

#include <dirent.h>
#include <poll.h>

enum ach_ready ready_wanted;

static void *nothing(void *cx)
{
    return cx;
}

void ready_mechanism(void)
{
    pthread_t thread;
    bool ring = ready_wanted == ACH_READY_IO_URING;
    enum ach_status r;
    ach_channel_t chan;
    bool there;
    int fd;

    if (backend->bit == KERNEL)
        return;
    /* Heap channels use io_uring only in a process that has started a thread. */
    REQUIRE(pthread_create(&thread, NULL, nothing, NULL) == 0);
    pthread_join(thread, NULL);
    REQUIRE(setenv("ACH_FD", ring ? "io_uring" : "thread", 1) == 0);
    make(4, 64);
    open_it(&chan);
    r = ach_channel_fd(&chan, &fd);
    there = r == ACH_OK && info_of(&chan).ready == ready_wanted;
    REQUIRE_OK(ach_close(&chan));
    remove_it();
    if (ring && !there)
        skip("this system has no io_uring, or none that waits on futexes");
    REQUIRE_OK(r);
    REQUIRE(there);
}

int ready_begin(ach_channel_t *chan, size_t frame_cnt)
{
    int fd = -7;

    ready_mechanism();
    make(frame_cnt, 64);
    open_it(chan);
    CHECK(info_of(chan).ready == ACH_READY_NONE);
    REQUIRE_OK(ach_channel_fd(chan, &fd));
    REQUIRE(fd > 2 && info_of(chan).ready == ready_wanted);
    return fd;
}

void ready_end(ach_channel_t *chan)
{
    CHECK_OK(ach_close(chan));
    remove_it();
}

static bool poll_for(int fd, int limit_ms)
{
    const int fine = backend->bit == KERNEL ? POLLIN | POLLHUP : POLLIN; /* hung up: replaced */
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n = poll(&p, 1, limit_ms);

    REQUIRE(n >= 0 && (p.revents & ~fine) == 0);
    return n == 1;
}

bool readable(int fd)
{
    return poll_for(fd, 0);
}

bool becomes_readable(int fd)
{
    return poll_for(fd, READY_LIMIT_MS);
}

unsigned get_all(ach_channel_t *chan, uint64_t *number)
{
    enum ach_status r;
    unsigned n = 0;

    while ((r = get_number(chan, number, 0)) == ACH_OK)
        n++;
    REQUIRE(r == ACH_EAGAIN);
    return n;
}

bool is_of_kernel(int fd)
{
    char link[64], target[PATH_SIZE];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, target, sizeof(target) - 1);
    if (n <= 0)
        return false;
    target[n] = '\0';
    return strstr(target, "eventfd") || strstr(target, "io_uring") || strstr(target, "/dev/ach-");
}

/* The name of a thread of this process, "" if it has ended. */
static void name_of(const char *tid, char *name, int size)
{
    char path[300];
    FILE *f;

    name[0] = '\0';
    snprintf(path, sizeof(path), "/proc/self/task/%s/comm", tid);
    f = fopen(path, "r");
    if (f && !fgets(name, size, f))
        name[0] = '\0';
    if (f)
        fclose(f);
}

unsigned helpers_now(pid_t *last)
{
    DIR *dir = opendir("/proc/self/task");
    const struct dirent *e;
    unsigned n = 0;

    REQUIRE(dir != NULL);
    while ((e = readdir(dir))) {
        char name[32];

        name_of(e->d_name, name, sizeof(name));
        if (strcmp(name, "ach-fd\n") != 0 && strncmp(name, "iou-", 4) != 0)
            continue;
        n++;
        if (last)
            *last = (pid_t)atol(e->d_name);
    }
    closedir(dir);
    return n;
}

bool helpers_become(unsigned n)
{
    int tries;

    for (tries = 0; tries < READY_LIMIT_MS && helpers_now(NULL) != n; tries++)
        check_sleep_ms(1);
    return helpers_now(NULL) == n;
}
