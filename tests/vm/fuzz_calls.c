/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_calls.c - every operation that a file can have */
#include "fuzz.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>

uint64_t fuzz_below(struct fuzz *f, uint64_t n)
{
    return n ? check_random(&f->random) % n : 0;
}

uint64_t fuzz_number(struct fuzz *f)
{
    uint64_t bit = 1ull << fuzz_below(f, 64);

    switch (fuzz_below(f, 4)) {
    case 0:
        return bit - 1;
    case 1:
        return bit;
    case 2:
        return ~bit;
    default:
        return check_random(&f->random);
    }
}

int fuzz_fd(struct fuzz *f)
{
    return f->fds[fuzz_below(f, FDS)];
}

void *fuzz_address(struct fuzz *f, size_t size)
{
    const struct fuzz_map *m = &f->maps[fuzz_below(f, MAPS)];
    size_t n = size < f->page ? size : f->page, i;

    switch (fuzz_below(f, 8)) {
    case 0:
        return (void *)(uintptr_t)fuzz_number(f);
    case 1: /* the end of the readable pages */
        return f->room + 2 * f->page - fuzz_below(f, n + 1);
    case 2: /* the end of the writable page */
        return f->room + f->page - fuzz_below(f, n + 1);
    case 3: /* the module's own memory */
        return m->at ? m->at + fuzz_below(f, m->size) : NULL;
    default:
        for (i = 0; i < n; i++)
            f->room[i] = (unsigned char)fuzz_below(f, 256);
        return f->room + fuzz_below(f, f->page - n + 1);
    }
}

static size_t some_size(struct fuzz *f)
{
    return fuzz_below(f, 8) ? fuzz_below(f, 4000) : (size_t)fuzz_number(f);
}

static void use(ssize_t r)
{
    (void)r;
}

static void transfer(struct fuzz *f)
{
    size_t size = some_size(f);
    struct iovec v[3];
    unsigned i;
    int fd = fuzz_fd(f);

    for (i = 0; i < 3; i++)
        v[i] = (struct iovec){fuzz_address(f, size), i ? some_size(f) : size};
    switch (fuzz_below(f, 6)) {
    case 0:
        use(read(fd, v[0].iov_base, size));
        break;
    case 1:
        use(write(fd, v[0].iov_base, size));
        break;
    case 2:
        use(readv(fd, v, (int)fuzz_below(f, 4)));
        break;
    case 3:
        use(writev(fd, v, (int)fuzz_below(f, 4)));
        break;
    case 4:
        use(pread(fd, v[0].iov_base, size, (off_t)fuzz_number(f)));
        break;
    default:
        use(pwrite(fd, v[0].iov_base, size, (off_t)fuzz_number(f)));
    }
}

static void reopen(struct fuzz *f)
{
    static const int modes[] = {O_RDONLY, O_WRONLY, O_RDWR, O_PATH};
    int *fd = &f->fds[fuzz_below(f, FDS)];
    int flags = modes[fuzz_below(f, 4)] | (fuzz_below(f, 2) ? O_NONBLOCK : 0) |
                (fuzz_below(f, 8) ? 0 : O_TRUNC | O_APPEND);
    char name[40];

    if (*fd >= 0)
        close(*fd);
    snprintf(name, sizeof(name), "fuzz-%u", (unsigned)fuzz_below(f, 6));
    switch (fuzz_below(f, 6)) {
    case 0:
        *fd = open(ACH_KERNEL_CONTROL, flags);
        break;
    case 1:
        *fd = device_open("honest", O_RDONLY | (flags & O_NONBLOCK));
        break;
    case 2:
        *fd = dup(fuzz_fd(f));
        break;
    case 3:
        snprintf(name, sizeof(name), "/proc/self/fd/%d", fuzz_fd(f));
        *fd = open(name, O_RDONLY | (flags & O_NONBLOCK));
        break;
    default:
        *fd = device_open(name, flags);
    }
}

static void wait_for(struct fuzz *f)
{
    struct pollfd p[3];
    struct epoll_event e = {.events = (uint32_t)fuzz_number(f)};
    int ep = epoll_create1(0), i;

    for (i = 0; i < 3; i++)
        p[i] = (struct pollfd){.fd = fuzz_fd(f), .events = (short)fuzz_number(f)};
    poll(p, 3, 1);
    for (i = 0; i < 3; i++)
        epoll_ctl(ep, EPOLL_CTL_ADD, fuzz_fd(f), &e);
    epoll_wait(ep, &e, 1, 1);
    close(ep);
}

/* Calls with little or no meaning for a channel. */
static void other(struct fuzz *f)
{
    int fd = fuzz_fd(f), fd2 = fuzz_fd(f), ends[2];
    struct stat st;

    switch (fuzz_below(f, 12)) {
    case 0:
        lseek(fd, (off_t)fuzz_number(f), (int)fuzz_below(f, 5));
        break;
    case 1:
        use(ftruncate(fd, (off_t)fuzz_number(f)));
        break;
    case 2:
        use(fallocate(fd, (int)fuzz_below(f, 128), 0, (off_t)fuzz_below(f, 100000)));
        break;
    case 3:
        fsync(fd);
        fstat(fd, &st);
        break;
    case 4:
        flock(fd, (int)(LOCK_NB | (1u << fuzz_below(f, 3))));
        break;
    case 5:
        fcntl(fd, F_SETFL, (int)fuzz_number(f) & (O_NONBLOCK | O_APPEND | O_ASYNC | O_DIRECT));
        break;
    case 6:
        posix_fadvise(fd, 0, 4096, (int)fuzz_below(f, 6));
        readahead(fd, 0, 4096);
        break;
    case 7:
        use(sendfile(fd, fd2, NULL, some_size(f)));
        break;
    case 8:
        use(copy_file_range(fd, NULL, fd2, NULL, some_size(f), 0));
        break;
    case 9:
        if (pipe2(ends, O_NONBLOCK) != 0)
            break;
        use(splice(fd, NULL, ends[1], NULL, some_size(f), SPLICE_F_NONBLOCK));
        use(write(ends[1], "splice", 6));
        use(splice(ends[0], NULL, fd2, NULL, some_size(f), SPLICE_F_NONBLOCK));
        close(ends[0]);
        close(ends[1]);
        break;
    case 10:
        fcntl(fd, F_SETOWN, getpid());
        fcntl(fd, F_SETLEASE, F_RDLCK);
        break;
    default: /* a child inherits all of this, and exits */
        if (fork() == 0)
            _exit(0);
        while (waitpid(-1, NULL, 0) < 0 && errno == EINTR)
            ;
    }
}

void fuzz_step(struct fuzz *f)
{
    switch (fuzz_below(f, 16)) {
    case 0 ... 5:
        fuzz_ioctl(f);
        break;
    case 6 ... 8:
        transfer(f);
        break;
    case 9 ... 11:
        fuzz_map_step(f);
        break;
    case 12 ... 13:
        reopen(f);
        break;
    case 14:
        wait_for(f);
        break;
    default:
        other(f);
    }
    atomic_fetch_add(&fuzz_counts->calls, 1);
}
