/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One put wakes sleepers by priority, whether they block in read, in
 * ACH_KERNEL_WAIT, in poll or in epoll_wait. All run on one CPU with the writer,
 * which is less urgent than any of them: so each runs as soon as it is woken,
 * and the order in which they run is the order of waking.
 */
#include "device.h"

#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#define NAME "test-order"
#define SLEEPERS 12

static int control;
static unsigned place;

struct sleeper {
    pthread_t thread;
    int how, prio;
    pid_t tid;
    unsigned ran; /* position in the order of running, from 1 */
    bool woken;
};

static bool sleep_somehow(int how, int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct epoll_event event = {.events = EPOLLIN};
    char c;
    int e;

    switch (how % 4) {
    case 0:
        return read(fd, &c, 1) == 1;
    case 1:
        return device_wait(fd, 0, ACH_KERNEL_FOREVER, CLOCK_MONOTONIC, 0) == 0;
    case 2:
        return poll(&p, 1, -1) == 1;
    default:
        e = epoll_create1(EPOLL_CLOEXEC);
        epoll_ctl(e, EPOLL_CTL_ADD, fd, &event);
        return epoll_wait(e, &event, 1, -1) == 1;
    }
}

static void *run(void *arg)
{
    struct sleeper *s = arg;
    int fd = device_must_open(NAME, O_RDONLY);

    __atomic_store_n(&s->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    s->woken = sleep_somehow(s->how, fd);
    s->ran = __atomic_add_fetch(&place, 1, __ATOMIC_RELAXED);
    close(fd);
    return NULL;
}

static bool create_thread(pthread_t *thread, int prio, void *(*f)(void *), void *arg)
{
    struct sched_param param = {.sched_priority = prio};
    pthread_attr_t attr;
    int r;

    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
    pthread_attr_setschedparam(&attr, &param);
    r = pthread_create(thread, &attr, f, arg);
    pthread_attr_destroy(&attr);
    return r == 0;
}

/* Wait until a thread has stored its id and sleeps. */
static void await_sleep(const pid_t *tid)
{
    while (!__atomic_load_n(tid, __ATOMIC_ACQUIRE))
        check_sleep_ms(1);
    CHECK(device_asleep(*tid));
}

static bool start(struct sleeper *s)
{
    if (!create_thread(&s->thread, s->prio, run, s))
        return false;
    await_sleep(&s->tid);
    return true;
}

static void stay_here(void)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
}

/* One round; the seed selects the kinds and priorities of the sleepers. */
static void round_of(uint64_t seed)
{
    struct sleeper all[SLEEPERS] = {{0}};
    int i, j, w;

    device_create(control, NAME, 4, 8);
    w = device_must_open(NAME, O_WRONLY);
    place = 0;
    for (i = 0; i < SLEEPERS; i++) {
        all[i].how = (int)(check_random(&seed) % 4);
        all[i].prio = 10 + (int)(check_random(&seed) % 6);
        if (!start(&all[i]))
            check_skip("real-time priorities are not permitted");
    }
    device_put(w, "!");
    for (i = 0; i < SLEEPERS; i++) {
        pthread_join(all[i].thread, NULL);
        CHECK(all[i].woken);
    }
    for (i = 0; i < SLEEPERS; i++)
        for (j = 0; j < i; j++)
            if (all[i].prio != all[j].prio)
                CHECK((all[i].prio > all[j].prio) == (all[i].ran < all[j].ran));
    close(w);
}

/* A thread that polls a file, or a more urgent thread that polls it later. */
struct mover {
    int fd;       /* both poll it */
    int first_fd; /* the urgent thread waits on this file first */
    pid_t tid;
    bool done;
};

static void *poll_patiently(void *arg)
{
    struct mover *m = arg;
    struct pollfd p = {.fd = m->fd, .events = POLLIN};

    __atomic_store_n(&m->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    CHECK(poll(&p, 1, -1) == 1);
    __atomic_store_n(&m->done, true, __ATOMIC_RELEASE);
    return NULL;
}

static void *poll_meanwhile(void *arg)
{
    struct mover *m = arg;
    struct pollfd p = {.fd = m->fd, .events = POLLIN};

    __atomic_store_n(&m->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    CHECK(device_wait(m->first_fd, 0, ACH_KERNEL_FOREVER, CLOCK_MONOTONIC, 0) == 0);
    CHECK(poll(&p, 1, 0) == 1);
    return NULL;
}

/*
 * The put wakes the urgent thread first. It runs at once, and polls the file whose pollers are
 * still to be woken. That moves the file to a place in the order that the put has passed. The
 * patient thread must be woken nevertheless.
 */
static void moved(void)
{
    struct mover patient = {0}, urgent = {0};
    pthread_t threads[2];
    int i, w;

    device_create(control, NAME, 4, 8);
    w = device_must_open(NAME, O_WRONLY);
    patient.fd = urgent.fd = device_must_open(NAME, O_RDONLY);
    urgent.first_fd = device_must_open(NAME, O_RDONLY);
    REQUIRE(create_thread(&threads[0], 10, poll_patiently, &patient));
    REQUIRE(create_thread(&threads[1], 50, poll_meanwhile, &urgent));
    await_sleep(&patient.tid);
    await_sleep(&urgent.tid);
    device_put(w, "!");
    for (i = 0; i < 10000 && !__atomic_load_n(&patient.done, __ATOMIC_ACQUIRE); i++)
        check_sleep_ms(1);
    CHECK(__atomic_load_n(&patient.done, __ATOMIC_ACQUIRE));
    device_put(w, "!"); /* wakes the threads even if a wake-up was lost */
    for (i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    close(w);
    close(patient.fd);
    close(urgent.first_fd);
}

int main(void)
{
    uint64_t round, rounds = check_scale(50);

    control = device_control();
    stay_here();
    for (round = 0; round < rounds; round++)
        round_of(round);
    for (round = 0; round < rounds; round++)
        moved();
    CHECK(device_unlink(control, NAME) == 0);
    return check_result();
}
