/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hostile programs: garbage in every ioctl, page faults that are never served,
 * and many processes that do everything at once and are killed. A channel that
 * they do not use keeps working.
 */
#include "device.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "missing.h"

#define NAME "test-rogue"
#define OURS "test-rogue-ours"

static int control;

/* Structures of random bytes, some with a few valid fields. */
static void garbage(void)
{
    static const unsigned long on_channel[] = {
        ACH_KERNEL_INFO,   ACH_KERNEL_STATUS, ACH_KERNEL_OPTIONS,
        ACH_KERNEL_CANCEL, ACH_KERNEL_FLUSH,  ACH_KERNEL_SOURCE,
        ACH_KERNEL_CREATE, ACH_KERNEL_UNLINK, ACH_KERNEL_CREATE_TYPED,
    };
    static const unsigned long on_control[] = {ACH_KERNEL_CREATE, ACH_KERNEL_UNLINK,
                                               ACH_KERNEL_CREATE_TYPED};
    int fd = device_must_open(NAME, O_RDWR | O_NONBLOCK);
    uint64_t state = 1, buf[32], i, rounds = check_scale(20000);
    size_t k;

    for (i = 0; i < rounds; i++) {
        struct ach_kernel_wait w;

        for (k = 0; k < 32; k++)
            buf[k] = check_random(&state);
        ioctl(fd, on_channel[i % 9], buf);
        ioctl(control, on_control[i % 3], buf);
        memcpy(&w, buf, sizeof(w));
        w.deadline &= 0xffffff; /* long ago */
        w.clock &= 15;
        w.flags &= 1;
        w.reserved = 0;
        ioctl(fd, ACH_KERNEL_WAIT, &w);
        CHECK_ERRNO(ioctl(fd, _IO(0xAC, 0x20 + i % 64), buf), ENOTTY);
        CHECK_ERRNO(ioctl(control, _IO(0xAC, 0x20 + i % 64), buf), ENOTTY);
    }
    for (k = 0; k < 3; k++) {
        CHECK_ERRNO(ioctl(fd, on_channel[k], 8), EFAULT);
        CHECK_ERRNO(ioctl(fd, on_channel[k], -8l), EFAULT);
    }
    CHECK_ERRNO(ioctl(fd, ACH_KERNEL_WAIT, 8), EFAULT);
    CHECK_ERRNO(ioctl(control, ACH_KERNEL_CREATE, -64l), EFAULT);
    CHECK_ERRNO(ioctl(control, ACH_KERNEL_CREATE_TYPED, -64l), EFAULT);
    CHECK_ERRNO(ioctl(fd, ACH_KERNEL_CREATE, buf), ENOTTY);
    CHECK_ERRNO(ioctl(control, ACH_KERNEL_INFO, buf), ENOTTY);
    close(fd);
}

struct stuck {
    int fd;
    bool writes;
    size_t size;
};

static void be_stuck(void *arg)
{
    const struct stuck *s = arg;
    int uffd;
    void *p = missing_memory(1 << 20, &uffd);

    if (!p)
        return;
    if (s->writes)
        CHECK(write(s->fd, p, s->size) < 0);
    else
        CHECK(read(s->fd, p, s->size) < 0);
}

/* A process stuck in a page fault can be killed, and no other process waits for it. */
static void stuck(bool writes, size_t size)
{
    int fd = device_must_open(NAME, O_RDWR | O_NONBLOCK);
    int other = device_must_open(NAME, O_RDWR | O_NONBLOCK);
    struct stuck s = {.fd = fd, .writes = writes, .size = size};
    struct ach_kernel_status status;
    struct ach_kernel_info info;
    char buf[1024];
    pid_t pid;
    int i;

    device_put(fd, "unread");
    pid = device_fork(be_stuck, &s);
    check_sleep_ms(100);
    for (i = 0; i < 10; i++) {
        memset(buf, i, sizeof(buf));
        CHECK(write(other, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
        CHECK(read(other, buf, sizeof(buf)) > 0);
        CHECK(write(fd, "small", 5) == 5);
        CHECK(device_readable(fd));
        CHECK(ioctl(fd, ACH_KERNEL_INFO, &info) == 0);
        CHECK(ioctl(fd, ACH_KERNEL_STATUS, &status) == 0);
        CHECK(ioctl(fd, ACH_KERNEL_CANCEL) == 0);
    }
    CHECK(read(fd, buf, sizeof(buf)) > 0);
    kill(pid, SIGKILL);
    CHECK(waitpid(pid, NULL, 0) == pid);
    CHECK(write(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
    close(fd);
    close(other);
}

static void stuck_everywhere(void)
{
    int uffd;

    if (!missing_memory(1 << 20, &uffd)) {
        printf("no userfaultfd: pages that never come are left out\n");
        return;
    }
    close(uffd);
    stuck(true, 100);
    stuck(true, 1000);
    stuck(false, 1024);
}

/* One random thing that a program can do. */
static void anything(uint64_t *state, int *fds, void **maps)
{
    uint64_t r = check_random(state);
    unsigned k = r % 8;
    int *fd = &fds[k];
    struct pollfd p[2] = {{.fd = fds[0], .events = POLLIN}, {.fd = fds[1], .events = POLLIN}};
    struct ach_kernel_create wish = device_wish(NAME, 1 + (r >> 20) % 8, 1 + (r >> 24) % 3000);
    struct ach_kernel_options o = {.options = (uint32_t)(r >> 30) % 8,
                                   .timeout = (r >> 40) % 100000};
    static char buf[1 << 16];
    int cursor;

    switch ((r >> 8) % 17) {
    case 0:
        wish.flags = (uint32_t)(r >> 36) % 2 ? ACH_KERNEL_REPLACE : 0;
        wish.mode = (r >> 38) % 4 ? 0666 : 0660;
        ioctl(control, ACH_KERNEL_CREATE, &wish);
        break;
    case 1:
        if ((r >> 36) % 4 == 0)
            device_unlink(control, NAME);
        break;
    case 2:
    case 3:
        close(*fd);
        *fd = device_open(NAME, (r >> 36) % 2 ? O_RDWR : O_RDWR | O_NONBLOCK);
        ioctl(*fd, ACH_KERNEL_OPTIONS, &o);
        break;
    case 4:
        if (maps[k])
            munmap(maps[k], 4096);
        maps[k] = mmap(NULL, 4096, PROT_READ, MAP_SHARED, *fd, 0);
        if (maps[k] == MAP_FAILED)
            maps[k] = NULL;
        break;
    case 5:
        cursor = ioctl(*fd, ACH_KERNEL_CURSOR);
        if (maps[k])
            munmap(maps[k], 4096);
        maps[k] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, cursor, 0);
        if (maps[k] == MAP_FAILED)
            maps[k] = NULL;
        else
            *(uint64_t *)maps[k] = (r >> 36) % 3 ? (r >> 40) % 100 : UINT64_MAX;
        close(cursor);
        break;
    case 6:
        poll(p, 2, (int)(r >> 60));
        break;
    case 7:
        device_wait(*fd, (r >> 36) % 100, device_clock(CLOCK_BOOTTIME) + (r >> 40) % 1000000,
                    CLOCK_BOOTTIME, (r >> 38) % 2);
        break;
    case 8:
        ioctl(*fd, (r >> 36) % 2 ? ACH_KERNEL_CANCEL : ACH_KERNEL_FLUSH);
        break;
    case 9:
        ioctl(*fd, ACH_KERNEL_SOURCE);
        close(*fd);
        *fd = ioctl(fds[(k + 1) % 8], ACH_KERNEL_AGAIN);
        break;
    case 10:
    case 11:
    case 12:
        if (read(*fd, buf, sizeof(buf)) < 0)
            ioctl(*fd, ACH_KERNEL_OPTIONS, &o);
        break;
    default:
        if (write(*fd, buf, (r >> 36) % 5000) < 0)
            ioctl(*fd, ACH_KERNEL_OPTIONS, &o);
    }
}

_Noreturn static void *riot_thread(void *arg)
{
    uint64_t state = (uint64_t)(uintptr_t)arg;
    static int fds[8]; /* shared by all threads of the process, on purpose */
    void *maps[8] = {NULL};

    for (;;)
        anything(&state, fds, maps);
}

static void riot(void *arg)
{
    uintptr_t seed = (uintptr_t)arg;
    pthread_t thread;
    int null = open("/dev/null", O_RDWR);

    dup2(null, 0);
    dup2(null, 1);
    pthread_create(&thread, NULL, riot_thread, (void *)(seed * 2 + 1));
    riot_thread((void *)(seed * 2));
}

/* Our own channel works while rioting processes are killed and restarted. */
static void riots(void)
{
    uint64_t end = check_now_ns() + check_scale(10000) * 1000000u, seed = 1, sent = 0;
    int w = device_must_open(OURS, O_WRONLY), r = device_must_open(OURS, O_RDONLY | O_NONBLOCK);
    pid_t pids[6] = {0};
    size_t i;

    while (check_now_ns() < end) {
        uint64_t got;

        i = check_random(&seed) % 6;
        if (pids[i]) {
            kill(pids[i], SIGKILL);
            CHECK(waitpid(pids[i], NULL, 0) == pids[i]);
        }
        pids[i] = device_fork(riot, (void *)(uintptr_t)(seed >> 8));
        sent++;
        CHECK(write(w, &sent, sizeof(sent)) == sizeof(sent));
        CHECK(read(r, &got, sizeof(got)) == sizeof(got) && got == sent);
        check_sleep_ms(20);
    }
    for (i = 0; i < 6; i++) {
        if (!pids[i])
            continue;
        kill(pids[i], SIGKILL);
        CHECK(waitpid(pids[i], NULL, 0) == pids[i]);
    }
    close(w);
    close(r);
}

int main(void)
{
    control = device_control();
    device_create(control, NAME, 4, 2000);
    device_create(control, OURS, 4, 64);
    garbage();
    device_create(control, NAME, 4, 2000);
    stuck_everywhere();
    riots();
    device_unlink(control, NAME);
    CHECK(device_unlink(control, OURS) == 0);
    return check_result();
}
