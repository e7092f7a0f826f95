/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * errors.c - calls with clocks and times that the kernel or the C library rejects
 *
 * The case prints the result of each call. table.py runs it natively and in simulation, and
 * compares the outputs. All valid times are in the past, so no call waits. The clocks CLOCK_*_ALARM
 * are omitted where they need a privilege and a device.
 */
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <threads.h>

#include "cases.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define SECOND 1000000000l
#define FUTEX_WAIT 0
#define FUTEX_LOCK_PI 6
#define FUTEX_WAIT_BITSET 9
#define FUTEX_LOCK_PI2 13
#define FUTEX_PRIVATE 128
#define FUTEX_REALTIME 256

static const struct {
    const char *name;
    struct timespec t;
} times[] = {{"zero", {0, 0}},           {"nsec -1", {0, -1}},
             {"nsec 1e9", {0, SECOND}},  {"nsec max", {0, INT32_MAX}},
             {"sec -1", {-1, 0}},        {"sec -1, nsec 999999999", {-1, SECOND - 1}},
             {"sec 1, nsec -1", {1, -1}}};

#define N_TIMES (sizeof(times) / sizeof(times[0]))

static const struct {
    const char *name;
    clockid_t clock;
} clocks[] = {{"REALTIME", CLOCK_REALTIME},
              {"MONOTONIC", CLOCK_MONOTONIC},
              {"PROCESS_CPUTIME_ID", CLOCK_PROCESS_CPUTIME_ID},
              {"THREAD_CPUTIME_ID", CLOCK_THREAD_CPUTIME_ID},
              {"MONOTONIC_RAW", CLOCK_MONOTONIC_RAW},
              {"REALTIME_COARSE", CLOCK_REALTIME_COARSE},
              {"MONOTONIC_COARSE", CLOCK_MONOTONIC_COARSE},
              {"BOOTTIME", CLOCK_BOOTTIME},
              {"TAI", CLOCK_TAI},
              {"REALTIME_ALARM", CLOCK_REALTIME_ALARM},
              {"BOOTTIME_ALARM", CLOCK_BOOTTIME_ALARM}};

#define N_CLOCKS (sizeof(clocks) / sizeof(clocks[0]))
#define N_USUAL (N_CLOCKS - 2) /* without the clocks of alarms */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, taken = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER, written = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t none;
static int epoll, pair[2], set;
static mqd_t queue;
static timer_t timer;
static int timer_fd;

static int of(int r)
{
    return r == -1 ? errno : 0;
}

/* Calls that take a time. They return 0, or the error as a number. */
typedef int timed_fun(const struct timespec *t);

#define TIMED(name, result)                                                                        \
    static int timed_##name(const struct timespec *t)                                              \
    {                                                                                              \
        return result;                                                                             \
    }

static struct sembuf operation = {.sem_op = -1};
static char room[64];

static int receive(const struct timespec *t)
{
    struct iovec part = {room, 1};
    struct mmsghdr m = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    struct timespec copy = *t;

    return of(recvmmsg(pair[0], &m, 1, MSG_DONTWAIT | MSG_PEEK, &copy) < 0 ? -1 : 0);
}

static int wait_signal(const struct timespec *t)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    return of(sigtimedwait(&signals, NULL, t));
}

static int select_now(const struct timespec *t)
{
    struct timeval v = {t->tv_sec, t->tv_nsec};
    fd_set ready;

    FD_ZERO(&ready);
    FD_SET(pair[0], &ready);
    return of(select(pair[0] + 1, &ready, NULL, NULL, &v) < 0 ? -1 : 0);
}

static int join_self(const struct timespec *t)
{
    return pthread_timedjoin_np(pthread_self(), NULL, t);
}

static int lock_free(const struct timespec *t)
{
    int r = pthread_mutex_timedlock(&mutex, t);

    if (r == 0)
        pthread_mutex_unlock(&mutex);
    return r;
}

static int wait_cond(const struct timespec *t)
{
    int r;

    pthread_mutex_lock(&mutex);
    r = pthread_cond_timedwait(&cond, &mutex, t);
    pthread_mutex_unlock(&mutex);
    return r;
}

static int set_timer(const struct timespec *value, const struct timespec *interval, int flags)
{
    const struct itimerspec t = {.it_value = *value, .it_interval = *interval};

    return of(timer_settime(timer, flags, &t, NULL));
}

static int set_timerfd(const struct timespec *value, const struct timespec *interval, int flags)
{
    const struct itimerspec t = {.it_value = *value, .it_interval = *interval};

    return of(timerfd_settime(timer_fd, flags, &t, NULL));
}

static int set_itimer(const struct timespec *value, const struct timespec *interval)
{
    const struct itimerval t = {{interval->tv_sec, interval->tv_nsec},
                                {value->tv_sec, value->tv_nsec}};

    return of(setitimer(ITIMER_REAL, &t, NULL));
}

static const struct timespec zero;

TIMED(nanosleep, of(nanosleep(t, NULL)))
TIMED(thrd_sleep, thrd_sleep(t, NULL))
TIMED(absolute, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, t, NULL))
TIMED(absolute_tai, clock_nanosleep(CLOCK_TAI, TIMER_ABSTIME, t, NULL))
TIMED(ppoll, of(ppoll(NULL, 0, t, NULL)))
TIMED(pselect, of(pselect(0, NULL, NULL, NULL, t, NULL)))
TIMED(epoll, of(epoll_pwait2(epoll, (struct epoll_event *)room, 1, t, NULL)))
TIMED(mutex, pthread_mutex_timedlock(&taken, t))
TIMED(mtx, mtx_timedlock((mtx_t *)&taken, t))
TIMED(read, pthread_rwlock_timedrdlock(&written, t))
TIMED(write, pthread_rwlock_timedwrlock(&written, t))
TIMED(sem, of(sem_timedwait(&none, t)))
TIMED(receive, of((int)mq_timedreceive(queue, room, sizeof(room), NULL, t)))
TIMED(send, of(mq_timedsend(queue, room, sizeof(room), 0, t)))
TIMED(semop, of(semtimedop(set, &operation, 1, t)))
TIMED(value, set_timer(t, &zero, 0))
TIMED(point, set_timer(t, &zero, TIMER_ABSTIME))
TIMED(interval, set_timer(&zero, t, 0))
TIMED(fd_value, set_timerfd(t, &zero, 0))
TIMED(fd_point, set_timerfd(t, &zero, TFD_TIMER_ABSTIME))
TIMED(fd_interval, set_timerfd(&zero, t, 0))
TIMED(fd_flags, set_timerfd(t, &zero, 64))
TIMED(itimer, set_itimer(t, &zero))
TIMED(itimer_interval, set_itimer(&zero, t))

static const struct {
    const char *name;
    timed_fun *call;
} timed[] = {{"nanosleep", timed_nanosleep},
             {"thrd_sleep", timed_thrd_sleep},
             {"clock_nanosleep TIMER_ABSTIME", timed_absolute},
             {"clock_nanosleep TAI", timed_absolute_tai},
             {"ppoll", timed_ppoll},
             {"pselect", timed_pselect},
             {"select", select_now},
             {"epoll_pwait2", timed_epoll},
             {"recvmmsg", receive},
             {"sigtimedwait", wait_signal},
             {"pthread_timedjoin_np", join_self},
             {"pthread_mutex_timedlock", timed_mutex},
             {"pthread_mutex_timedlock free", lock_free},
             {"mtx_timedlock", timed_mtx},
             {"pthread_cond_timedwait", wait_cond},
             {"pthread_rwlock_timedrdlock", timed_read},
             {"pthread_rwlock_timedwrlock", timed_write},
             {"sem_timedwait", timed_sem},
             {"mq_timedreceive", timed_receive},
             {"mq_timedsend", timed_send},
             {"semtimedop", timed_semop},
             {"timer_settime", timed_value},
             {"timer_settime TIMER_ABSTIME", timed_point},
             {"timer_settime interval", timed_interval},
             {"timerfd_settime", timed_fd_value},
             {"timerfd_settime TFD_TIMER_ABSTIME", timed_fd_point},
             {"timerfd_settime interval", timed_fd_interval},
             {"timerfd_settime flags", timed_fd_flags},
             {"setitimer", timed_itimer},
             {"setitimer interval", timed_itimer_interval}};

static void print_timed(void)
{
    size_t i, j;

    for (i = 0; i < sizeof(timed) / sizeof(timed[0]); i++)
        for (j = 0; j < N_TIMES; j++)
            printf("%s: %s: %d\n", timed[i].name, times[j].name, timed[i].call(&times[j].t));
}

/* Calls that take a clock. */
typedef int clocked_fun(clockid_t clock, const struct timespec *t);

static int sleep_on(clockid_t clock, const struct timespec *t)
{
    return clock_nanosleep(clock, 0, t, NULL);
}

static int create_timer(clockid_t clock, int notify, int signo)
{
    struct sigevent event = {.sigev_notify = notify, .sigev_signo = signo};
    timer_t id;
    int r = of(timer_create(clock, &event, &id));

    if (r == 0)
        timer_delete(id);
    return r;
}

static int timer_on(clockid_t clock, const struct timespec *t)
{
    (void)t;
    return create_timer(clock, SIGEV_NONE, 0);
}

static int timerfd_on(clockid_t clock, const struct timespec *t)
{
    int fd = timerfd_create(clock, 0);

    (void)t;
    if (fd >= 0)
        close(fd);
    return of(fd);
}

static int mutex_on(clockid_t clock, const struct timespec *t)
{
    return pthread_mutex_clocklock(&taken, clock, t);
}

static int mutex_free_on(clockid_t clock, const struct timespec *t)
{
    int r = pthread_mutex_clocklock(&mutex, clock, t);

    if (r == 0)
        pthread_mutex_unlock(&mutex);
    return r;
}

static int cond_on(clockid_t clock, const struct timespec *t)
{
    int r;

    pthread_mutex_lock(&mutex);
    r = pthread_cond_clockwait(&cond, &mutex, clock, t);
    pthread_mutex_unlock(&mutex);
    return r;
}

static int read_on(clockid_t clock, const struct timespec *t)
{
    return pthread_rwlock_clockrdlock(&written, clock, t);
}

static int write_on(clockid_t clock, const struct timespec *t)
{
    return pthread_rwlock_clockwrlock(&written, clock, t);
}

static int read_free_on(clockid_t clock, const struct timespec *t)
{
    int r = pthread_rwlock_clockrdlock(&rwlock, clock, t);

    if (r == 0)
        pthread_rwlock_unlock(&rwlock);
    return r;
}

static int write_free_on(clockid_t clock, const struct timespec *t)
{
    int r = pthread_rwlock_clockwrlock(&rwlock, clock, t);

    if (r == 0)
        pthread_rwlock_unlock(&rwlock);
    return r;
}

static int sem_on(clockid_t clock, const struct timespec *t)
{
    return of(sem_clockwait(&none, clock, t));
}

static int sem_free_on(clockid_t clock, const struct timespec *t)
{
    sem_t one;

    sem_init(&one, 0, 1);
    return of(sem_clockwait(&one, clock, t));
}

static sem_t locked;

static void await(sem_t *sem)
{
    while (sem_wait(sem) != 0)
        ;
}

static const struct {
    const char *name;
    clocked_fun *call;
    size_t clocks;
} clocked[] = {{"clock_nanosleep", sleep_on, N_USUAL},
               {"timer_create", timer_on, N_USUAL},
               {"timerfd_create", timerfd_on, N_USUAL},
               {"pthread_mutex_clocklock", mutex_on, N_CLOCKS},
               {"pthread_mutex_clocklock free", mutex_free_on, N_CLOCKS},
               {"pthread_cond_clockwait", cond_on, N_CLOCKS},
               {"pthread_rwlock_clockrdlock", read_on, N_CLOCKS},
               {"pthread_rwlock_clockwrlock", write_on, N_CLOCKS},
               {"pthread_rwlock_clockrdlock free", read_free_on, N_CLOCKS},
               {"pthread_rwlock_clockwrlock free", write_free_on, N_CLOCKS},
               {"sem_clockwait", sem_on, N_CLOCKS},
               {"sem_clockwait free", sem_free_on, N_CLOCKS}};

static void print_clocked(void)
{
    size_t i, j, k;

    for (i = 0; i < sizeof(clocked) / sizeof(clocked[0]); i++)
        for (j = 0; j < clocked[i].clocks; j++)
            for (k = 0; k < N_TIMES; k++)
                printf("%s: %s: %s: %d\n", clocked[i].name, clocks[j].name, times[k].name,
                       clocked[i].call(clocks[j].clock, &times[k].t));
}

/* The same by number: directly by an instruction, or through syscall(). */
typedef long number_fun(long number, long a, long b, long c, long d, long e, long f);

static long by_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    long r = syscall(number, a, b, c, d, e, f);

    return r == -1 ? -errno : r;
}

static const struct {
    const char *name;
    number_fun *call;
} ways[] = {{"syscall", by_syscall}, {"instruction", raw}};

static void print_futex(const char *way, number_fun *call, const char *name, int operation_,
                        uint32_t *word, uint32_t bits)
{
    struct timespec t;
    size_t i;

    for (i = 0; i < N_TIMES; i++) {
        t = times[i].t;
        printf("%s: futex %s: %s: %ld\n", way, name, times[i].name,
               call(SYS_futex, (long)word, operation_ | FUTEX_PRIVATE, 0, (long)&t, 0, (long)bits));
    }
}

static bool linux_since(int major, int minor)
{
    struct utsname system;
    int a = 0, b = 0;

    uname(&system);
    sscanf(system.release, "%d.%d", &a, &b);
    return a > major || (a == major && b >= minor);
}

static void print_futexes(const char *way, number_fun *call)
{
    uint32_t words[2] = {0}, owned = (uint32_t)gettid();

    print_futex(way, call, "WAIT", FUTEX_WAIT, words, 0);
    print_futex(way, call, "WAIT odd", FUTEX_WAIT, (uint32_t *)((char *)words + 1), 0);
    print_futex(way, call, "WAIT_BITSET", FUTEX_WAIT_BITSET, words, UINT32_MAX);
    print_futex(way, call, "WAIT_BITSET REALTIME", FUTEX_WAIT_BITSET | FUTEX_REALTIME, words, 1);
    print_futex(way, call, "WAIT_BITSET without bits", FUTEX_WAIT_BITSET, words, 0);
    print_futex(way, call, "LOCK_PI", FUTEX_LOCK_PI, &owned, 0);
    if (!linux_since(5, 14))
        return;
    print_futex(way, call, "WAIT REALTIME", FUTEX_WAIT | FUTEX_REALTIME, words, 0);
    print_futex(way, call, "LOCK_PI2", FUTEX_LOCK_PI2, &owned, 0);
}

static long negative(long r)
{
    return r < 0 ? r : 0;
}

static void print_numbers(const char *way, number_fun *call)
{
    const uint64_t signals = 1ull << (SIGUSR2 - 1);
    struct timespec t;
    size_t i;
    long id;

    print_futexes(way, call);
    for (i = 0; i < N_USUAL; i++) {
        t = zero;
        printf("%s: clock_nanosleep %s: %ld\n", way, clocks[i].name,
               call(SYS_clock_nanosleep, clocks[i].clock, 0, (long)&t, 0, 0, 0));
        id = 0;
        printf("%s: timer_create %s: %ld\n", way, clocks[i].name,
               call(SYS_timer_create, clocks[i].clock,
                    (long)&(struct sigevent){.sigev_notify = SIGEV_NONE}, (long)&id, 0, 0, 0));
        printf("%s: timerfd_create %s: %ld\n", way, clocks[i].name,
               negative(call(SYS_timerfd_create, clocks[i].clock, 0, 0, 0, 0, 0)));
    }
    for (i = 0; i < N_TIMES; i++) {
#define PRINT(what, ...)                                                                           \
    do {                                                                                           \
        t = times[i].t;                                                                            \
        printf("%s: %s: %s: %ld\n", way, #what, times[i].name, call(SYS_##what, __VA_ARGS__));     \
    } while (0)
        PRINT(ppoll, 0, 0, (long)&t, 0, 8, 0);
        PRINT(pselect6, 0, 0, 0, 0, (long)&t, 0);
#ifdef SYS_epoll_pwait2
        PRINT(epoll_pwait2, epoll, (long)room, 1, (long)&t, 0, 8);
#endif
#ifdef SYS_semtimedop
        PRINT(semtimedop, set, (long)&operation, 1, (long)&t, 0, 0);
#endif
        PRINT(rt_sigtimedwait, (long)&signals, 0, (long)&t, 8, 0, 0);
        PRINT(mq_timedreceive, queue, (long)room, sizeof(room), 0, (long)&t, 0);
        PRINT(nanosleep, (long)&t, 0, 0, 0, 0, 0);
        PRINT(setitimer, ITIMER_REAL, (long)&(struct itimerval){.it_value = {t.tv_sec, t.tv_nsec}},
              0, 0, 0, 0);
#undef PRINT
    }
}

/* A rejected timeout is not changed. */
static long left_after_error(void)
{
    struct timespec t = {.tv_nsec = -5};

    raw(SYS_ppoll, 0, 0, (long)&t, 0, 8, 0);
    return t.tv_nsec;
}

static void print_others(void)
{
    static const int notify[] = {SIGEV_SIGNAL, SIGEV_NONE, 3, 5, 99, -1};
    static const int signos[] = {-1, 0, 1, 64, 65};
    const struct itimerspec t = {0};
    size_t i, j;

    for (i = 0; i < sizeof(notify) / sizeof(notify[0]); i++)
        for (j = 0; j < sizeof(signos) / sizeof(signos[0]); j++)
            printf("timer_create notify %d signal %d: %d\n", notify[i], signos[j],
                   create_timer(CLOCK_MONOTONIC, notify[i], signos[j]));
    printf("timerfd_create flags: %d\n", of(timerfd_create(CLOCK_MONOTONIC, 1)));
    printf("timerfd_settime of a socket: %d\n", of(timerfd_settime(pair[0], 0, &t, NULL)));
    printf("timer_settime flags: %d\n", of(timer_settime(timer, 64, &t, NULL)));
    printf("setitimer which: %d\n", of(setitimer((__itimer_which_t)7, NULL, NULL)));
    printf("ualarm: %d\n", (int)ualarm(1000000, 0));
    printf("ualarm: %d\n", (int)ualarm(0, 1000000));
    printf("ualarm: %d\n", (int)ualarm(0, 0));
    printf("left after an error: %ld\n", left_after_error());
    printf("epoll_wait without room: %d\n",
           of(epoll_wait(epoll, (struct epoll_event *)room, 0, 0)));
    printf("select of -1: %d\n", of(select(-1, NULL, NULL, NULL, &(struct timeval){0})));
    printf("pselect of -1: %d\n", of(pselect(-1, NULL, NULL, NULL, &zero, NULL)));
}

static void *take_locks(void *unused)
{
    (void)unused;
    REQUIRE(pthread_mutex_lock(&taken) == 0 && pthread_rwlock_wrlock(&written) == 0);
    sem_post(&locked);
    return NULL;
}

static void errors_case(void)
{
    struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = sizeof(room)};
    pthread_t owner;
    sigset_t block;
    char name[64];
    size_t i;

    setvbuf(stdout, NULL, _IOLBF, 0); /* if a call waits for ever, the last line shows which */
    sigemptyset(&block);
    sigaddset(&block, SIGUSR2);
    sigprocmask(SIG_BLOCK, &block, NULL);
    sem_init(&none, 0, 0);
    sem_init(&locked, 0, 0);
    REQUIRE(pthread_create(&owner, NULL, take_locks, NULL) == 0);
    await(&locked);
    snprintf(name, sizeof(name), "/ach-errors-%d", (int)getpid());
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
    mq_unlink(name);
    epoll = epoll_create1(0);
    set = semget(IPC_PRIVATE, 1, 0600);
    timer_fd = timerfd_create(CLOCK_MONOTONIC, 0);
    REQUIRE(epoll >= 0 && set >= 0 && timer_fd >= 0 && queue >= 0);
    REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    REQUIRE(send(pair[1], "", 1, 0) == 1);
    REQUIRE(timer_create(CLOCK_MONOTONIC, &(struct sigevent){.sigev_notify = SIGEV_NONE}, &timer) ==
            0);
    print_timed();
    print_clocked();
    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        print_numbers(ways[i].name, ways[i].call);
    print_others();
    semctl(set, 0, IPC_RMID);
    fflush(stdout);
}

const struct vtime_case vtime_errors[] = {{"errors", errors_case}, {NULL, NULL}};
