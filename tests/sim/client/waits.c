/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waits - each call that can wait, and how long it took in the time it shows
 *
 * Run under a referee whose model lets time move by waiting only, every duration is
 * exact. Knows nothing of simulations.
 */
#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/timerfd.h>
#include <threads.h>

#define MS 1000000ll

static int64_t now(void)
{
    return (int64_t)check_now_ns();
}

static struct timespec spec(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static struct timespec from(clockid_t clock, int64_t ns)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return spec(t.tv_sec * 1000000000ll + t.tv_nsec + ns);
}

/* Fail unless the statement takes exactly ms milliseconds. */
#define TAKES(ms, statement)                                                                       \
    do {                                                                                           \
        int64_t begin = now();                                                                     \
        statement;                                                                                 \
        if (now() - begin != (int64_t)((ms)*MS)) {                                                 \
            fprintf(stderr, "%s:%d: %s took %lld ns\n", __FILE__, __LINE__, #statement,            \
                    (long long)(now() - begin));                                                   \
            check_failures++;                                                                      \
        }                                                                                          \
    } while (0)

static void sleeps(void)
{
    struct timespec t = spec(1500 * MS);

    TAKES(1500, CHECK(nanosleep(&t, NULL) == 0));
    TAKES(1500, CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) == 0));
    TAKES(1500, CHECK(thrd_sleep(&t, NULL) == 0));
    t = from(CLOCK_REALTIME, 20 * MS);
    TAKES(20, CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) == 0));
    TAKES(0, CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) == 0));
    TAKES(3, CHECK(usleep(3000) == 0));
    TAKES(2000, CHECK(sleep(2) == 0));
    t = (struct timespec){.tv_nsec = -1};
    CHECK(nanosleep(&t, NULL) == -1 && errno == EINVAL);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) == EINVAL);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void clocks(void)
{
    struct timespec a, b;
    struct timeval v;
    struct timeb f;
    clockid_t clock;

    for (clock = CLOCK_MONOTONIC; clock <= CLOCK_BOOTTIME; clock++) {
        if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID ||
            clock == CLOCK_REALTIME_COARSE)
            continue;
        clock_gettime(clock, &a);
        clock_gettime(CLOCK_MONOTONIC, &b);
        CHECK(a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec);
    }
    clock_gettime(CLOCK_REALTIME, &a);
    CHECK(timespec_get(&b, TIME_UTC) == TIME_UTC && a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec);
    CHECK(gettimeofday(&v, NULL) == 0 && v.tv_sec == a.tv_sec && v.tv_usec == a.tv_nsec / 1000);
    CHECK(ftime(&f) == 0 && f.time == a.tv_sec);
    CHECK(time(NULL) == a.tv_sec);
    CHECK(clock_getres(CLOCK_MONOTONIC_COARSE, &b) == 0 && b.tv_nsec == 1);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    CHECK(b.tv_nsec != a.tv_nsec);
}

static void polls(void)
{
    int pipes[2], ep = epoll_create1(0);
    struct pollfd p = {.events = POLLIN};
    struct epoll_event e = {.events = EPOLLIN};
    struct timespec t = spec(7 * MS);
    struct timeval v = {.tv_usec = 9000};
    fd_set set;

    REQUIRE(pipe(pipes) == 0 && ep >= 0);
    p.fd = pipes[0];
    FD_ZERO(&set);
    FD_SET(pipes[0], &set);
    CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, pipes[0], &e) == 0);
    TAKES(250, CHECK(poll(&p, 1, 250) == 0));
    TAKES(250, CHECK(poll(NULL, 0, 250) == 0));
    TAKES(0, CHECK(poll(&p, 1, 0) == 0));
    TAKES(7, CHECK(ppoll(&p, 1, &t, NULL) == 0));
    TAKES(9, CHECK(select(pipes[0] + 1, &set, NULL, NULL, &v) == 0));
    CHECK(v.tv_sec == 0 && v.tv_usec == 0 && !FD_ISSET(pipes[0], &set));
    TAKES(7, CHECK(pselect(0, NULL, NULL, NULL, &t, NULL) == 0));
    TAKES(11, CHECK(epoll_wait(ep, &e, 1, 11) == 0));
    TAKES(11, CHECK(epoll_pwait(ep, &e, 1, 11, NULL) == 0));
    CHECK(write(pipes[1], "x", 1) == 1);
    TAKES(0, CHECK(poll(&p, 1, 250) == 1));
    FD_SET(pipes[0], &set);
    v.tv_usec = 9000;
    TAKES(0, CHECK(select(pipes[0] + 1, &set, NULL, NULL, &v) == 1));
    CHECK(v.tv_usec == 9000 && FD_ISSET(pipes[0], &set));
    TAKES(0, CHECK(epoll_wait(ep, &e, 1, -1) == 1));
    close(pipes[0]);
    close(pipes[1]);
    close(ep);
}

static uint64_t expired(int fd)
{
    uint64_t n = 0;

    return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static void timers(void)
{
    struct itimerspec i = {.it_value = spec(5 * MS), .it_interval = spec(10 * MS)}, old;
    struct epoll_event e = {.events = EPOLLIN};
    int ep = epoll_create1(EPOLL_CLOEXEC), fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    int loose = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);

    REQUIRE(ep >= 0 && fd >= 0 && loose >= 0);
    CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e) == 0);
    CHECK(timerfd_settime(fd, 0, &i, NULL) == 0);
    TAKES(5, CHECK(epoll_wait(ep, &e, 1, 1000) == 1));
    TAKES(0, CHECK(expired(fd) == 1));
    TAKES(3, CHECK(epoll_wait(ep, &e, 1, 3) == 0));
    TAKES(7, CHECK(epoll_wait(ep, &e, 1, -1) == 1));
    TAKES(35, usleep(35000));
    TAKES(0, CHECK(expired(fd) == 4));
    TAKES(5, CHECK(expired(fd) == 1));
    CHECK(timerfd_gettime(fd, &old) == 0 && old.it_value.tv_nsec == 10 * MS);
    i = (struct itimerspec){.it_value = from(CLOCK_REALTIME, 2 * MS)};
    CHECK(timerfd_settime(loose, TFD_TIMER_ABSTIME, &i, NULL) == 0);
    CHECK(expired(loose) == 0 && errno == EAGAIN);
    TAKES(2, usleep(2000));
    CHECK(expired(loose) == 1 && expired(loose) == 0);
    close(fd);
    close(loose);
    close(ep);
}

/* A timer ends only waits for its own descriptor. */
static void other_timers(void)
{
    const struct itimerspec soon = {.it_value = spec(5 * MS)}, later = {.it_value = spec(10 * MS)};
    int a = timerfd_create(CLOCK_MONOTONIC, 0), b = timerfd_create(CLOCK_MONOTONIC, 0), pipes[2];
    struct pollfd p = {.events = POLLIN};

    REQUIRE(a >= 0 && b >= 0 && pipe(pipes) == 0);
    p.fd = pipes[0];
    CHECK(timerfd_settime(a, 0, &soon, NULL) == 0);
    TAKES(20, CHECK(poll(&p, 1, 20) == 0));
    CHECK(timerfd_settime(a, 0, &soon, NULL) == 0 && timerfd_settime(b, 0, &later, NULL) == 0);
    TAKES(10, CHECK(expired(b) == 1));
    close(a);
    close(b);
    close(pipes[0]);
    close(pipes[1]);
}

/* Two threads take turns through a condition variable. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    int turn;
    sem_t sem;
} shared;

static void *other(void *arg)
{
    (void)arg;
    usleep(40000);
    pthread_mutex_lock(&shared.lock);
    shared.turn = 1;
    pthread_cond_signal(&shared.cond);
    usleep(5000); /* the woken thread cannot lock the mutex yet */
    pthread_mutex_unlock(&shared.lock);
    usleep(10000);
    sem_post(&shared.sem);
    usleep(30000);
    return NULL;
}

static void conditions(void)
{
    struct timespec t;
    pthread_condattr_t attr;
    pthread_t thread;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&shared.lock, NULL);
    pthread_cond_init(&shared.cond, &attr);
    sem_init(&shared.sem, 0, 0);
    pthread_mutex_lock(&shared.lock);
    t = from(CLOCK_MONOTONIC, 30 * MS);
    TAKES(30, CHECK(pthread_cond_timedwait(&shared.cond, &shared.lock, &t) == ETIMEDOUT));
    t = from(CLOCK_REALTIME, 30 * MS);
    TAKES(30, CHECK(pthread_cond_clockwait(&shared.cond, &shared.lock, CLOCK_REALTIME, &t) ==
                    ETIMEDOUT));
    t = from(CLOCK_REALTIME, 8 * MS);
    TAKES(8, CHECK(sem_timedwait(&shared.sem, &t) == -1 && errno == ETIMEDOUT));
    TAKES(0, CHECK(pthread_create(&thread, NULL, other, NULL) == 0));
    TAKES(45, while (!shared.turn) pthread_cond_wait(&shared.cond, &shared.lock));
    pthread_mutex_unlock(&shared.lock);
    TAKES(10, CHECK(sem_wait(&shared.sem) == 0));
    TAKES(30, CHECK(pthread_join(thread, NULL) == 0));
    pthread_cond_destroy(&shared.cond);
}

static void *holder(void *arg)
{
    pthread_mutex_lock(&shared.lock);
    sem_post(&shared.sem);
    usleep(20000);
    pthread_mutex_unlock(&shared.lock);
    return arg;
}

static void mutexes(void)
{
    struct timespec t;
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, holder, NULL) == 0);
    TAKES(0, CHECK(sem_wait(&shared.sem) == 0));
    t = from(CLOCK_REALTIME, 6 * MS);
    TAKES(6, CHECK(pthread_mutex_timedlock(&shared.lock, &t) == ETIMEDOUT));
    TAKES(14, CHECK(pthread_mutex_lock(&shared.lock) == 0));
    CHECK(pthread_mutex_unlock(&shared.lock) == 0);
    TAKES(0, CHECK(pthread_join(thread, NULL) == 0));
}

/* The only signal comes as soon as pthread_cond_wait has unlocked the mutex: it is not lost. */
static void *late_waiter(void *arg)
{
    pthread_mutex_lock(&shared.lock);
    sem_post(&shared.sem);
    usleep(5000);
    while (shared.turn != 2)
        pthread_cond_wait(&shared.cond, &shared.lock);
    pthread_mutex_unlock(&shared.lock);
    return arg;
}

static void early_signal(void)
{
    pthread_t thread;

    pthread_cond_init(&shared.cond, NULL);
    CHECK(pthread_create(&thread, NULL, late_waiter, NULL) == 0);
    CHECK(sem_wait(&shared.sem) == 0);
    TAKES(5, pthread_mutex_lock(&shared.lock));
    shared.turn = 2;
    pthread_cond_signal(&shared.cond);
    pthread_mutex_unlock(&shared.lock);
    TAKES(0, CHECK(pthread_join(thread, NULL) == 0));
}

/* One thread arms the timerfd that another thread polls, and later writes to an eventfd. */
static int late_timer, bell;

static void *arm(void *arg)
{
    struct itimerspec i = {.it_value = spec(4 * MS)};

    usleep(3300);
    CHECK(timerfd_settime(late_timer, 0, &i, NULL) == 0);
    usleep(6300);
    CHECK(eventfd_write(bell, 1) == 0);
    return arg;
}

static void descriptors(void)
{
    pthread_t thread;
    struct pollfd p[2] = {{.events = POLLIN}, {.events = POLLIN}};

    p[0].fd = late_timer = timerfd_create(CLOCK_MONOTONIC, 0);
    p[1].fd = bell = eventfd(0, EFD_NONBLOCK);
    CHECK(pthread_create(&thread, NULL, arm, NULL) == 0);
    TAKES(7.3, CHECK(poll(p, 1, -1) == 1));
    CHECK(expired(late_timer) == 1);
    TAKES(2.3, CHECK(poll(p, 2, -1) == 1));
    CHECK(p[1].revents == POLLIN);
    CHECK(pthread_join(thread, NULL) == 0);
    close(late_timer);
    close(bell);
}

/* A child of fork is a process of its own, and its parent waits for it. */
static void children(void)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        usleep(12000);
        _exit(7);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(void)
{
    sleeps();
    clocks();
    polls();
    timers();
    other_timers();
    conditions();
    mutexes();
    early_signal();
    descriptors();
    children();
    return check_result();
}
