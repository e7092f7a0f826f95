/* SPDX-License-Identifier: BSD-3-Clause */
/* streams.c - pipes, sockets and eventfds between processes of the simulation */
#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "cases.h"

ssize_t __read(int fd, void *buf, size_t size) OLDER;
ssize_t __write(int fd, const void *buf, size_t size) OLDER;
ssize_t __send(int fd, const void *buf, size_t size, int flags) OLDER;
int __close(int fd) OLDER;
int __connect(int fd, const struct sockaddr *a, socklen_t n) OLDER;
ssize_t __read_chk(int fd, void *buf, size_t size, size_t room) OLDER;
ssize_t __recv_chk(int fd, void *buf, size_t size, size_t room, int flags) OLDER;
ssize_t __recvfrom_chk(int fd, void *buf, size_t size, size_t room, int flags,
                       struct sockaddr *from_address, socklen_t *length) OLDER;

/* Fork a child that calls act(fd) after 20 ms. */
static pid_t after_20ms(void (*act)(int), int fd)
{
    pid_t pid = fork();

    REQUIRE(pid >= 0);
    if (pid == 0) {
        usleep(20000);
        act(fd);
        _exit(0);
    }
    return pid;
}

static void end(pid_t pid)
{
    int status = -1;

    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static void write_one(int fd)
{
    if (write(fd, "x", 1) != 1)
        _exit(1);
}

static char buf[200000];

static void empty(int fd)
{
    size_t n = 0;

    while (n < sizeof(buf)) {
        ssize_t r = read(fd, buf, 4096);

        if (r <= 0)
            _exit(1);
        n += (size_t)r;
    }
}

static void pipe_case(void)
{
    struct iovec v = {buf, 10};
    int p[2];
    pid_t pid;

    REQUIRE(pipe2(p, O_CLOEXEC) == 0 && close(p[0]) == 0 && close(p[1]) == 0);
    REQUIRE(pipe(p) == 0);
    pid = after_20ms(write_one, p[1]);
    TAKES(20, CHECK(read(p[0], buf, 10) == 1));
    end(pid);
    pid = after_20ms(write_one, p[1]);
    TAKES(20, CHECK(__read(p[0], buf, 10) == 1));
    end(pid);
    pid = after_20ms(write_one, p[1]);
    TAKES(20, CHECK(__read_chk(p[0], buf, 10, sizeof(buf)) == 1));
    end(pid);
    pid = after_20ms(write_one, p[1]);
    TAKES(20, CHECK(readv(p[0], &v, 1) == 1));
    end(pid);
    pid = after_20ms(empty, p[0]);
    TAKES(20, CHECK(write(p[1], buf, sizeof(buf)) == sizeof(buf)));
    end(pid);
    CHECK(__write(p[1], buf, 5) == 5 && writev(p[1], &v, 1) == 10 && read(p[0], buf, 20) == 15);
    CHECK(fcntl(p[0], F_SETFL, O_NONBLOCK) == 0);
    TAKES(0, CHECK(read(p[0], buf, 1) == -1 && errno == EAGAIN));
    CHECK(close(p[0]) == 0 && __close(p[1]) == 0);
}

static void send_one(int fd)
{
    struct iovec v = {buf, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

    if (sendmsg(fd, &m, 0) != 1)
        _exit(1);
}

static void socket_case(void)
{
    struct iovec v = {buf, 10};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    struct mmsghdr mm = {.msg_hdr = m};
    struct timeval limit = {.tv_usec = 40000};
    int s[2];
    pid_t pid;

    REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM, 0, s) == 0);
#define WITHIN_20MS(call)                                                                          \
    pid = after_20ms(send_one, s[1]);                                                              \
    TAKES(20, CHECK((call) == 1));                                                                 \
    end(pid)
    WITHIN_20MS(recv(s[0], buf, 10, 0));
    WITHIN_20MS(recvfrom(s[0], buf, 10, 0, NULL, NULL));
    WITHIN_20MS(recvmsg(s[0], &m, 0));
    WITHIN_20MS(recvmmsg(s[0], &mm, 1, 0, NULL));
    WITHIN_20MS(__recv_chk(s[0], buf, 10, sizeof(buf), 0));
    WITHIN_20MS(__recvfrom_chk(s[0], buf, 10, sizeof(buf), 0, NULL, NULL));
    REQUIRE(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
    TAKES(40, CHECK(recv(s[0], buf, 10, 0) == -1 && errno == EAGAIN));
    TAKES(40, CHECK(read(s[0], buf, 10) == -1 && errno == EAGAIN));
    TAKES(0, CHECK(recv(s[0], buf, 10, MSG_DONTWAIT) == -1 && errno == EAGAIN));
    CHECK(send(s[1], buf, 1, 0) == 1 && __send(s[1], buf, 1, 0) == 1);
    CHECK(sendto(s[1], buf, 1, 0, NULL, 0) == 1 && sendmsg(s[1], &m, 0) >= 0);
    REQUIRE(setsockopt(s[1], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0);
    while (send(s[1], buf, 1000, MSG_DONTWAIT) > 0)
        ;
    TAKES(40, CHECK(send(s[1], buf, 1000, 0) == -1 && errno == EAGAIN));
}

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void connect_to_it(int unused)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)unused;
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
        _exit(1);
}

static void connect_under_its_other_name(int unused)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)unused;
    if (__connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
        _exit(1);
}

static void accept_case(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    pid_t pid;

    snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "vtime.%d", (int)getpid());
    REQUIRE(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 4) == 0);
    pid = after_20ms(connect_to_it, 0);
    TAKES(20, CHECK(accept(fd, NULL, NULL) >= 0));
    end(pid);
    pid = after_20ms(connect_under_its_other_name, 0);
    TAKES(20, CHECK(accept4(fd, NULL, NULL, SOCK_CLOEXEC) >= 0));
    end(pid);
}

static void *ring_later(void *fd)
{
    usleep(20000);
    eventfd_write(*(int *)fd, 3);
    return NULL;
}

static void eventfd_case(void)
{
    int fd = eventfd(0, 0);
    eventfd_t value;
    pthread_t thread;

    REQUIRE(fd >= 0 && pthread_create(&thread, NULL, ring_later, &fd) == 0);
    TAKES(20, CHECK(eventfd_read(fd, &value) == 0 && value == 3));
    pthread_join(thread, NULL);
}

const struct vtime_case vtime_streams[] = {{"pipe", pipe_case},
                                           {"socket", socket_case},
                                           {"accept", accept_case},
                                           {"eventfd", eventfd_case},
                                           {NULL, NULL}};
