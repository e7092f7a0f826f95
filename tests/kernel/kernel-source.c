/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of a single-writer channel: which process is it, and until when? */
#include "device.h"

#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>

#include "missing.h"

#define NAME "test-source"

static int control;

static void create(void)
{
    struct ach_kernel_create wish = device_wish(NAME, 3, 1000);

    wish.flags = ACH_KERNEL_REPLACE | ACH_KERNEL_SINGLE_WRITER;
    REQUIRE(ioctl(control, ACH_KERNEL_CREATE, &wish) == 0);
}

static int declare(int fd)
{
    return ioctl(fd, ACH_KERNEL_SOURCE);
}

static void one_of_two(void)
{
    int a = device_must_open(NAME, O_RDWR), b = device_must_open(NAME, O_RDWR);
    int r = device_must_open(NAME, O_RDONLY);

    CHECK_ERRNO(write(a, "x", 1), EACCES);
    CHECK_ERRNO(declare(r), EBADF);
    CHECK(declare(a) == 0);
    CHECK(declare(a) == 0);
    CHECK_ERRNO(declare(b), EBUSY);
    device_put(a, "x");
    CHECK_ERRNO(write(b, "x", 1), EACCES);
    close(a);
    CHECK(declare(b) == 0);
    device_put(b, "y");
    CHECK_GOT(r, "x");
    CHECK_GOT(r, "y");
    close(b);
    close(r);
}

/* A file stays the source as long as its process has any descriptor of it. */
static void duplicates(void)
{
    int a = device_must_open(NAME, O_RDWR), b = device_must_open(NAME, O_RDWR);
    int copy = dup(a), far = fcntl(a, F_DUPFD, 200);

    CHECK(declare(a) == 0);
    close(copy);
    CHECK_ERRNO(declare(b), EBUSY);
    device_put(a, "x");
    close(a);
    CHECK_ERRNO(declare(b), EBUSY);
    device_put(far, "y");
    CHECK(dup2(b, far) == far); /* which closes it */
    CHECK(declare(b) == 0);
    close(far);
    device_put(b, "z");
    close(b);
}

/* A process that has inherited the open file. */
struct child {
    int fd;
    int to[2], from[2]; /* pipes: the parent lets the child go on; the child reports back */
};

static void tell(const int *pipe_ends)
{
    CHECK(write(pipe_ends[1], "", 1) == 1);
}

static void hear(const int *pipe_ends)
{
    CHECK(read(pipe_ends[0], &(char){0}, 1) == 1);
}

static void inherit(void *arg)
{
    const struct child *c = arg;
    int copy = dup(c->fd);

    device_put(c->fd, "the child's");
    CHECK_ERRNO(declare(c->fd), EBUSY);
    close(copy);
    tell(c->from);
    hear(c->to); /* the parent has no descriptor now */
    CHECK_ERRNO(write(c->fd, "x", 1), EACCES);
    CHECK(declare(c->fd) == 0);
    tell(c->from);
    hear(c->to);
}

/* A child neither ends nor keeps its parent's role as source; later it can be the source. */
static void forked(void)
{
    struct child c = {.fd = device_must_open(NAME, O_RDWR)};
    int b = device_must_open(NAME, O_RDWR);
    pid_t pid;

    REQUIRE(pipe(c.to) == 0 && pipe(c.from) == 0);
    CHECK(declare(c.fd) == 0);
    pid = device_fork(inherit, &c);
    hear(c.from);
    CHECK_ERRNO(declare(b), EBUSY);
    device_put(c.fd, "the parent's");
    close(c.fd);
    tell(c.to);
    hear(c.from);
    CHECK_ERRNO(declare(b), EBUSY);
    tell(c.to);
    CHECK(check_child(pid, 20000));
    CHECK(declare(b) == 0);
    close(b);
    close(c.to[0]);
    close(c.to[1]);
    close(c.from[0]);
    close(c.from[1]);
}

static void declare_and_die(void *arg)
{
    int fd = *(int *)arg;

    CHECK(dup(fd) >= 0 && declare(fd) == 0);
    kill(getpid(), check_failures ? SIGABRT : SIGKILL);
}

/* The end of a process closes all of its descriptors. */
static void killed(void)
{
    int fd = device_must_open(NAME, O_RDWR), status = 0;
    pid_t pid = device_fork(declare_and_die, &fd);

    CHECK(waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGKILL);
    CHECK(declare(fd) == 0);
    device_put(fd, "x");
    close(fd);
}

static int close_it(void *arg)
{
    return close(*(int *)arg);
}

/* A process that shares the descriptor table (CLONE_FILES) counts as the same process. */
static void shared_table(void)
{
    static char stack[64 << 10] __attribute__((aligned(16)));
    int fd = device_must_open(NAME, O_RDWR), copy = dup(fd), b = device_must_open(NAME, O_RDWR);
    int flags = CLONE_VM | CLONE_FILES | SIGCHLD;
    pid_t pid;

    CHECK(declare(fd) == 0);
    pid = clone(close_it, stack + sizeof(stack), flags, &fd);
    CHECK(pid > 0 && check_child(pid, 20000));
    CHECK_ERRNO(declare(b), EBUSY);
    device_put(copy, "x");
    pid = clone(close_it, stack + sizeof(stack), flags, &copy);
    CHECK(pid > 0 && check_child(pid, 20000));
    CHECK(declare(b) == 0);
    close(b);
}

struct late {
    int fd;
    void *from;
    size_t size;
    pid_t tid;
    ssize_t r;
    int error;
};

static void *write_late(void *arg)
{
    struct late *l = arg;

    __atomic_store_n(&l->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    l->r = write(l->fd, l->from, l->size);
    l->error = errno;
    return NULL;
}

/* A write in progress fails if its writer stops being the source meanwhile. */
static void under_way(size_t size)
{
    struct late l = {.fd = device_must_open(NAME, O_RDWR), .size = size};
    int b = device_must_open(NAME, O_RDWR), uffd;
    struct ach_kernel_info before, after;
    pthread_t thread;

    l.from = missing_memory(1 << 20, &uffd);
    if (!l.from) {
        printf("no userfaultfd: writes under way are left out\n");
        return;
    }
    CHECK(declare(l.fd) == 0);
    REQUIRE(pthread_create(&thread, NULL, write_late, &l) == 0);
    while (!__atomic_load_n(&l.tid, __ATOMIC_ACQUIRE))
        check_sleep_ms(1);
    CHECK(device_asleep(l.tid));
    close(l.fd);
    CHECK(declare(b) == 0);
    device_put(b, "the source's");
    CHECK(ioctl(b, ACH_KERNEL_INFO, &before) == 0);
    missing_give(uffd, l.from, 1 << 20);
    pthread_join(thread, NULL);
    CHECK(l.r == -1 && l.error == EACCES);
    CHECK(ioctl(b, ACH_KERNEL_INFO, &after) == 0 && after.newest == before.newest);
    close(b);
    close(uffd);
    munmap(l.from, 1 << 20);
}

/* Send a descriptor into a socket, which keeps the file open. */
static void stow(int socket, int fd)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } c = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
                      .cmsg_level = SOL_SOCKET,
                      .cmsg_type = SCM_RIGHTS}};
    struct iovec v = {.iov_base = "", .iov_len = 1};
    struct msghdr m = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = c.room, .msg_controllen = sizeof(c.room)};

    memcpy(CMSG_DATA(&c.header), &fd, sizeof(fd));
    CHECK(sendmsg(socket, &m, 0) == 1);
}

static void *declare_often(void *arg)
{
    const int *fd = arg;
    int i;

    for (i = 0; i < 50; i++)
        declare(__atomic_load_n(fd, __ATOMIC_RELAXED));
    return NULL;
}

/* A source declared while its descriptor is closed does not last, though the file stays open. */
static void while_closing(void)
{
    uint64_t i, rounds = check_scale(2000);
    int b = device_must_open(NAME, O_RDWR);

    for (i = 0; i < rounds; i++) {
        int keep[2], fd = device_must_open(NAME, O_RDWR);
        pthread_t thread;

        REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM, 0, keep) == 0);
        stow(keep[0], fd);
        REQUIRE(pthread_create(&thread, NULL, declare_often, &fd) == 0);
        if (i % 2)
            check_sleep_ms(0);
        close(fd);
        pthread_join(thread, NULL);
        CHECK(declare(b) == 0);
        close(b);
        b = device_must_open(NAME, O_RDWR);
        close(keep[0]);
        close(keep[1]);
    }
    close(b);
}

int main(void)
{
    control = device_control();
    create();
    one_of_two();
    duplicates();
    forked();
    killed();
    shared_table();
    under_way(100);
    under_way(3000);
    while_closing();
    CHECK(device_unlink(control, NAME) == 0);
    return check_result();
}
