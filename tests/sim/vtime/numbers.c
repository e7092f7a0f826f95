/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.c - system calls through syscall() that need a child, a descriptor or another object */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "cases.h"

static pid_t fork_by_number(void)
{
#ifdef SYS_fork
    return (pid_t)syscall(SYS_fork);
#else
    return (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0l, 0l, 0l, 0l);
#endif
}

/* Fork a child that calls act after 20 ms and exits. */
static pid_t after_20ms(void (*act)(const void *), const void *cx)
{
    pid_t pid = fork_by_number();

    REQUIRE(pid >= 0);
    if (pid == 0) {
        usleep(20000);
        act(cx);
        syscall(SYS_exit_group, 0l);
    }
    return pid;
}

static void reap(pid_t pid)
{
    int status = -1;

    CHECK(syscall(SYS_wait4, (long)pid, &status, 0l, NULL) == pid && status == 0);
}

static void nothing(const void *unused)
{
    (void)unused;
}

/* The simulation polls for the end of a process, so these waits may take up to 2 ms longer. */
static void children(void)
{
    struct rusage usage = {.ru_maxrss = -1};
    siginfo_t info = {0};
    int64_t begin = now();
    pid_t pid = after_20ms(nothing, NULL);

    CHECK(syscall(SYS_waitid, (long)P_PID, (long)pid, &info, (long)WEXITED, &usage) == 0);
    CHECK(info.si_pid == pid && info.si_status == 0 && usage.ru_maxrss >= 0);
    CHECK(now() - begin >= 20 * MS && now() - begin <= 22 * MS);
#ifdef SYS_vfork
    begin = now();
    pid = (pid_t)syscall(SYS_vfork);
    if (pid == 0) {
        usleep(20000);
        syscall(SYS_exit_group, 0l);
    }
    reap(pid);
    CHECK(now() - begin >= 20 * MS && now() - begin <= 22 * MS);
#endif
}

/* A program executed without an environment sleeps in virtual time, too. */
static void programs(void)
{
    static char *const a_sleep[] = {"sleep", "0.5", NULL};
    static char *const nothing_set[] = {NULL};
    int way;

    for (way = 0; way < 2; way++) {
        int64_t begin = now();
        pid_t pid = fork_by_number();

        if (pid == 0) {
            if (way == 0)
                syscall(SYS_execve, "/bin/sleep", a_sleep, nothing_set);
            else
                syscall(SYS_execveat, (long)AT_FDCWD, "/bin/sleep", a_sleep, nothing_set, 0l);
            _exit(1);
        }
        reap(pid);
        CHECK(now() - begin >= 500 * MS && now() - begin < 600 * MS);
    }
}

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void connect_by_number(const void *unused)
{
    (void)unused;
    if (syscall(SYS_connect, (long)socket(AF_UNIX, SOCK_STREAM, 0), &address,
                (long)sizeof(address)) != 0)
        _exit(1);
}

static void connections(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    pid_t pid;

    snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "vtime-n.%d", (int)getpid());
    REQUIRE(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 4) == 0);
    pid = after_20ms(connect_by_number, NULL);
    TAKES(20, CHECK(syscall(SYS_accept4, (long)fd, NULL, NULL, (long)SOCK_CLOEXEC) >= 0));
    reap(pid);
#ifdef SYS_accept
    pid = after_20ms(connect_by_number, NULL);
    TAKES(20, CHECK(syscall(SYS_accept, (long)fd, NULL, NULL) >= 0));
    reap(pid);
#endif
}

static void send_all(const void *fds)
{
    static char bytes[2];
    const int *pipe_and_socket = fds;
    struct iovec v = {bytes, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

    syscall(SYS_write, (long)pipe_and_socket[0], bytes, 1l);
    syscall(SYS_writev, (long)pipe_and_socket[0], &v, 1l);
    syscall(SYS_sendto, (long)pipe_and_socket[1], bytes, 1l, 0l, NULL, 0l);
    syscall(SYS_sendmsg, (long)pipe_and_socket[1], &m, 0l);
    syscall(SYS_sendto, (long)pipe_and_socket[1], bytes, 1l, 0l, NULL, 0l);
}

static void messages(void)
{
    int pipes[2], sockets[2], ends[2];
    char byte = 'x';
    struct iovec v = {&byte, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    struct mmsghdr mm = {.msg_hdr = m};
    pid_t pid;

    REQUIRE(pipe(pipes) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) == 0);
    ends[0] = pipes[1];
    ends[1] = sockets[1];
    pid = after_20ms(send_all, ends);
    TAKES(20, CHECK(syscall(SYS_read, (long)pipes[0], &byte, 1l) == 1));
    TAKES(0, CHECK(syscall(SYS_readv, (long)pipes[0], &v, 1l) == 1));
    TAKES(0, CHECK(syscall(SYS_recvfrom, (long)sockets[0], &byte, 1l, 0l, NULL, NULL) == 1));
    TAKES(0, CHECK(syscall(SYS_recvmsg, (long)sockets[0], &m, 0l) == 1));
    TAKES(0, CHECK(syscall(SYS_recvmmsg, (long)sockets[0], &mm, 1l, 0l, NULL) == 1));
    reap(pid);
}

static void message_queue(void)
{
    struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};
    struct timespec t;
    char name[32];
    int queue;

    snprintf(name, sizeof(name), "/vtime-n-%d", (int)getpid());
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
    if (queue < 0)
        return; /* this kernel has none */
    mq_unlink(name);
    t = from(CLOCK_REALTIME, 20 * MS);
    TAKES(20, CHECK(raw(SYS_mq_timedreceive, queue, (long)name, 8, 0, (long)&t, 0) == -ETIMEDOUT));
    CHECK(raw(SYS_mq_timedsend, queue, (long)name, 1, 0, 0, 0) == 0);
    t = from(CLOCK_REALTIME, 20 * MS);
    TAKES(20, CHECK(raw(SYS_mq_timedsend, queue, (long)name, 1, 0, (long)&t, 0) == -ETIMEDOUT));
}

static void post_all(const void *cx)
{
    static const struct sembuf up = {.sem_op = 1};
    static const char message[16] = {1};
    const int *ids = cx;

#ifdef SYS_semop
    syscall(SYS_semop, (long)ids[0], &up, 1l);
#else
    semop(ids[0], (struct sembuf *)(uintptr_t)&up, 1);
#endif
#ifdef SYS_msgsnd
    syscall(SYS_msgsnd, (long)ids[1], message, 1l, 0l);
#else
    msgsnd(ids[1], message, 1, 0);
#endif
}

static void system_v(void)
{
    struct sembuf down = {.sem_op = -1};
    struct timespec t = spec(20 * MS);
    char message[16];
    int ids[2] = {semget(IPC_PRIVATE, 1, 0600), msgget(IPC_PRIVATE, 0600)};
    pid_t pid;

    (void)t;
    REQUIRE(ids[0] >= 0 && ids[1] >= 0);
    pid = after_20ms(post_all, ids);
#ifdef SYS_msgrcv
    TAKES(20, CHECK(syscall(SYS_msgrcv, (long)ids[1], message, 8l, 0l, 0l) == 1));
#else
    TAKES(20, CHECK(msgrcv(ids[1], message, 8, 0, 0) == 1));
#endif
    CHECK(semop(ids[0], &down, 1) == 0);
#ifdef SYS_semtimedop
    TAKES(20, CHECK(raw(SYS_semtimedop, ids[0], (long)&down, 1, (long)&t, 0, 0) == -EAGAIN));
#endif
    reap(pid);
    semctl(ids[0], 0, IPC_RMID);
    msgctl(ids[1], IPC_RMID, NULL);
}

static void *ring(void *fd)
{
    const uint64_t one = 1;

    usleep(20000);
    syscall(SYS_write, (long)*(int *)fd, &one, (long)sizeof(one));
    return NULL;
}

static void bells(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    long fds[4] = {syscall(SYS_eventfd2, 0l, 0l), -1, syscall(SYS_epoll_create1, 0l), -1};
    pthread_t thread;
    uint64_t value;
    size_t i;

#ifdef SYS_eventfd
    fds[1] = syscall(SYS_eventfd, 0l);
    fds[3] = syscall(SYS_epoll_create, 1l);
#endif
    for (i = 0; i < 2 && fds[i] >= 0; i++) {
        int fd = (int)fds[i];

        CHECK(syscall(SYS_epoll_ctl, fds[i + 2], (long)EPOLL_CTL_ADD, fds[i], &event) == 0);
        REQUIRE(pthread_create(&thread, NULL, ring, &fd) == 0);
        TAKES(20, CHECK(syscall(SYS_epoll_pwait, fds[i + 2], &event, 1l, -1l, NULL, 8l) == 1));
        TAKES(0, CHECK(syscall(SYS_read, fds[i], &value, (long)sizeof(value)) == sizeof(value)));
        pthread_join(thread, NULL);
    }
}

static void hold_lock(const char *path, int ready)
{
    int fd = open(path, O_RDWR);

    if (fd < 0 || flock(fd, LOCK_EX) != 0 || write(ready, "x", 1) != 1)
        _exit(1);
    usleep(20000);
    _exit(0);
}

static void file_lock(void)
{
    char name[] = "/tmp/vtime-XXXXXX", byte;
    int fd = mkstemp(name), ready[2];
    pid_t pid;

    REQUIRE(fd >= 0 && pipe(ready) == 0);
    pid = fork();
    if (pid == 0)
        hold_lock(name, ready[1]);
    CHECK(read(ready[0], &byte, 1) == 1);
    CHECK(syscall(SYS_flock, (long)fd, (long)(LOCK_EX | LOCK_NB)) == -1);
    CHECK(syscall(SYS_flock, (long)fd, (long)LOCK_EX) == 0);
    CHECK(now() >= 20 * MS);
    reap(pid);
    unlink(name);
}

static volatile int rang;

static void count(int signo)
{
    (void)signo;
    rang++;
}

/* struct sigaction of the kernel */
struct action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

static void signals(void)
{
    const struct action action = {.handler = count, .mask = ~(uint64_t)0};
    const uint64_t all = ~(uint64_t)0;
    struct itimerspec soon = {.it_value = spec(20 * MS)};
    struct timespec t = spec(20 * MS);
    uint64_t mask = 0, set = (uint64_t)1 << (SIGUSR1 - 1);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct action old;
    char info[128];
    timer_t timer;
    int64_t begin;
    long fd;

    /* SIGSYS, which traps calls, cannot be blocked by sigprocmask or the mask of an action. */
    CHECK(syscall(SYS_rt_sigaction, (long)SIGALRM, &action, NULL, 8l) == 0);
    CHECK(syscall(SYS_rt_sigaction, (long)SIGALRM, NULL, &old, 8l) == 0);
    CHECK(old.handler == count && !(old.mask & (uint64_t)1 << (SIGSYS - 1)));
    CHECK(syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &all, &mask, 8l) == 0);
    TAKES(20, CHECK(raw(SYS_nanosleep, (long)&t, 0, 0, 0, 0, 0) == 0));
    fd = syscall(SYS_signalfd4, -1l, &set, 8l, 0l);
    REQUIRE(fd >= 0);
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    begin = now();
    CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
    CHECK(read((int)fd, info, sizeof(info)) == sizeof(info));
    CHECK(now() - begin >= 20 * MS && now() - begin <= 22 * MS);
    CHECK(timer_delete(timer) == 0);
#ifdef SYS_signalfd
    CHECK(syscall(SYS_signalfd, fd, &set, 8l) == fd);
#endif
    CHECK(syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &mask, NULL, 8l) == 0);
#ifdef SYS_alarm
    CHECK(syscall(SYS_alarm, 1l) == 0);
    TAKES(1000, CHECK(syscall(SYS_pause) == -1 && errno == EINTR && rang == 1));
#endif
}

/* Send a signal to this process or thread by each system call that can. */
static void send_by_number(void)
{
    pid_t pid = getpid(), tid = gettid();
    siginfo_t info = {.si_signo = SIGUSR2, .si_code = SI_QUEUE};
    int fd = (int)syscall(SYS_pidfd_open, (long)pid, 0l), before = rang, sent = 5;

    signal(SIGUSR2, count);
    CHECK(syscall(SYS_kill, (long)pid, (long)SIGUSR2) == 0);
    CHECK(syscall(SYS_tkill, (long)tid, (long)SIGUSR2) == 0);
    CHECK(syscall(SYS_tgkill, (long)pid, (long)tid, (long)SIGUSR2) == 0);
    CHECK(syscall(SYS_rt_sigqueueinfo, (long)pid, (long)SIGUSR2, &info) == 0);
    CHECK(syscall(SYS_rt_tgsigqueueinfo, (long)pid, (long)tid, (long)SIGUSR2, &info) == 0);
    if (fd >= 0) {
        CHECK(syscall(SYS_pidfd_send_signal, (long)fd, (long)SIGUSR2, NULL, 0l) == 0);
        close(fd);
        sent++;
    }
    CHECK(rang - before == sent);
}

/* Send a signal to a sleeping process. */
static void kill_sleeper(const void *pid)
{
    syscall(SYS_kill, (long)*(const pid_t *)pid, (long)SIGUSR2);
}

static void sent_signals(void)
{
    struct timespec t = spec(500 * MS);
    pid_t own = getpid(), pid;

    TAKES(0, send_by_number());
    pid = after_20ms(kill_sleeper, &own);
    TAKES(20, CHECK(nanosleep(&t, NULL) == -1 && errno == EINTR));
    reap(pid);
}

/* Duplicates of descriptors, and record locks. */
static void copies(void)
{
    struct flock lock = {.l_type = F_WRLCK};
    char name[] = "/tmp/vtime-XXXXXX";
    int fd = mkstemp(name);
    long copy = syscall(SYS_dup, (long)fd);

    REQUIRE(fd >= 0);
    unlink(name);
    CHECK(copy >= 0 && syscall(SYS_dup3, (long)fd, copy, 0l) == copy);
#ifdef SYS_dup2
    CHECK(syscall(SYS_dup2, (long)fd, copy) == copy);
#endif
    CHECK(syscall(SYS_fcntl, (long)fd, (long)F_DUPFD, 100l) >= 100);
#ifdef SYS_fcntl64
    CHECK(syscall(SYS_fcntl64, (long)fd, (long)F_GETFD) == 0);
#endif
    TAKES(0, CHECK(syscall(SYS_fcntl, (long)fd, (long)F_SETLKW, &lock) == 0));
}

static void numbers_case(void)
{
    file_lock();
    children();
    programs();
    connections();
    messages();
    message_queue();
    system_v();
    bells();
    signals();
    sent_signals();
    copies();
}

const struct vtime_case vtime_numbers[] = {{"numbers", numbers_case}, {NULL, NULL}};
