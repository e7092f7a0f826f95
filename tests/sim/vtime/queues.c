/* SPDX-License-Identifier: BSD-3-Clause */
/* queues.c - message queues and semaphores of the kernel, file locks */
#include <fcntl.h>
#include <mqueue.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>

#include "cases.h"

static pid_t child_after_20ms(void)
{
    pid_t pid = fork();

    REQUIRE(pid >= 0);
    if (pid == 0)
        usleep(20000);
    return pid;
}

static void end(pid_t pid)
{
    int status = -1;

    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static void mq_case(void)
{
    struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};
    struct timespec t;
    char name[32], buf[8];
    mqd_t q;
    pid_t pid;

    snprintf(name, sizeof(name), "/vtime-%d", (int)getpid());
    q = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
    if (q < 0) {
        printf("skipped: no message queues here: %s\n", strerror(errno));
        exit(77);
    }
    mq_unlink(name);
    t = from(CLOCK_REALTIME, 5 * MS);
    TAKES(5, CHECK(mq_timedreceive(q, buf, 8, NULL, &t) == -1 && errno == ETIMEDOUT));
    pid = child_after_20ms();
    if (pid == 0)
        _exit(mq_send(q, "x", 1, 0) != 0);
    TAKES(20, CHECK(mq_receive(q, buf, 8, NULL) == 1));
    end(pid);
    CHECK(mq_send(q, "x", 1, 0) == 0);
    t = from(CLOCK_REALTIME, 5 * MS);
    TAKES(5, CHECK(mq_timedsend(q, "x", 1, 0, &t) == -1 && errno == ETIMEDOUT));
    CHECK(mq_close(q) == 0);
}

static void sysv_case(void)
{
    struct {
        long type;
        char text[8];
    } m = {.type = 1};
    struct sembuf down = {.sem_op = -1}, up = {.sem_op = 1};
    struct timespec t = spec(5 * MS);
    int q = msgget(IPC_PRIVATE, 0600), s = semget(IPC_PRIVATE, 1, 0600);
    pid_t pid;

    REQUIRE(q >= 0 && s >= 0);
    pid = child_after_20ms();
    if (pid == 0)
        _exit(msgsnd(q, &m, 1, 0) != 0 || semop(s, &up, 1) != 0);
    TAKES(20, CHECK(msgrcv(q, &m, 8, 0, 0) == 1));
    TAKES(0, CHECK(semop(s, &down, 1) == 0));
    TAKES(5, CHECK(semtimedop(s, &down, 1, &t) == -1 && errno == EAGAIN));
    end(pid);
    msgctl(q, IPC_RMID, NULL);
    semctl(s, 0, IPC_RMID);
}

static void flock_case(void)
{
    char name[] = "/tmp/vtime-XXXXXX";
    int fd = mkstemp(name), other = open(name, O_RDWR);
    pid_t pid;

    REQUIRE(fd >= 0 && other >= 0);
    unlink(name);
    CHECK(flock(fd, LOCK_EX) == 0);
    TAKES(0, CHECK(flock(other, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK));
    pid = child_after_20ms();
    if (pid == 0)
        _exit(flock(fd, LOCK_UN) != 0);
    TAKES(20, CHECK(flock(other, LOCK_EX) == 0));
    end(pid);
}

int __fcntl(int fd, int command, ...) OLDER;
int plain_fcntl(int fd, int command, ...) __asm__("fcntl");
int plain_lockf(int fd, int command, long size) __asm__("lockf");

/* Fork a child that holds a lock on the whole file for 20 ms. */
static pid_t with_lock(int fd)
{
    int ready[2];
    char byte;
    pid_t pid;

    REQUIRE(pipe(ready) == 0);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        if (lockf(fd, F_TLOCK, 0) != 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        usleep(20000);
        _exit(0);
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

/* The kernel releases the lock when the child ends. The simulation polls, so up to 2 ms later. */
#define LOCKS(statement)                                                                           \
    do {                                                                                           \
        pid_t pid = with_lock(fd);                                                                 \
        int64_t began = now();                                                                     \
        statement;                                                                                 \
        CHECK(now() - began >= 20 * MS && now() - began <= 22 * MS);                               \
        end(pid);                                                                                  \
        CHECK(lockf(fd, F_ULOCK, 0) == 0);                                                         \
    } while (0)

static void ranges_case(void)
{
    char name[] = "/tmp/vtime-XXXXXX";
    int fd = mkstemp(name);
    struct flock lock = {.l_type = F_WRLCK};

    REQUIRE(fd >= 0);
    unlink(name);
    LOCKS(CHECK(fcntl(fd, F_SETLKW, &lock) == 0));
    LOCKS(CHECK(lockf(fd, F_LOCK, 0) == 0));
    LOCKS(CHECK(plain_lockf(fd, F_LOCK, 0) == 0));
    CHECK(plain_fcntl(fd, F_GETFD) == 0 && (!__fcntl || __fcntl(fd, F_GETFD) == 0));
}

int __dup2(int fd, int copy) OLDER;

/* A write to a duplicate of an eventfd signals the eventfd. */
static void dup_case(void)
{
    uint64_t value = 1;
    int fd = eventfd(0, 0), copy = dup(fd);

    CHECK(copy >= 0 && dup2(fd, copy) == copy && dup3(fd, copy, 0) == copy);
    CHECK(!__dup2 || __dup2(fd, copy) == copy);
    CHECK(write(copy, &value, sizeof(value)) == sizeof(value));
    TAKES(0, CHECK(read(fd, &value, sizeof(value)) == sizeof(value) && value == 1));
}

const struct vtime_case vtime_queues[] = {{"mq", mq_case},       {"sysv", sysv_case},
                                          {"flock", flock_case}, {"ranges", ranges_case},
                                          {"dup", dup_case},     {NULL, NULL}};
