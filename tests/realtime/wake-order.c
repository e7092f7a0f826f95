/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wake-order.c - of several waiters, the one with the highest priority runs first (G10)
 *
 * All threads share one core. The waiters go to sleep in random order; the put
 * wakes all of them, and they record the order in which they ran. They wait in get,
 * or poll a descriptor; a helper thread has the priority of the thread it helps.
 */
#include "fifo.h"

#include <poll.h>

#define WAITERS 5u
#define ROUNDS 200u
#define TOP 60
#define NAME "order"
#define LIMIT_NS check_time(60000000000ull)

static const int priorities[WAITERS] = {12, 20, 10, 18, 15};

/* How the waiters wait. */
struct way {
    const char *name;
    bool readonly;
    const char *fd; /* poll a descriptor, with this value of ACH_FD; NULL: wait in get */
};

static const struct way ways[] = {
    {"ordinary", false, NULL},
    {"read-only", true, NULL},
    {"polling, io_uring", false, "io_uring"},
    {"polling, helper thread", false, "thread"},
    {"read-only, polling, io_uring", true, "io_uring"},
    {"read-only, polling, helper thread", true, "thread"},
};

struct waiter {
    pthread_t thread;
    int priority;
    const struct way *way;
    sem_t go;
    pid_t tid;
    uint32_t entered; /* number of rounds in which it has begun to wait */
};

static struct waiter waiters[WAITERS];
static uint32_t stop, finished;
static unsigned order[WAITERS];
static int core;

/* Open the handle of a waiter, which has its priority already. Returns its descriptor, or -1. */
static int open_handle(const struct way *way, ach_channel_t *chan)
{
    ach_attr_t attr;
    int fd = -1;

    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, way->readonly);
    REQUIRE_OK(ach_open(chan, NAME, &attr));
    if (way->fd)
        REQUIRE_OK(ach_channel_fd(chan, &fd));
    return fd;
}

static void await_message(ach_channel_t *chan, int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    uint64_t message;
    size_t size;

    if (fd < 0) {
        REQUIRE_OK(ach_get(chan, &message, sizeof(message), &size, NULL, ACH_O_WAIT));
        return;
    }
    REQUIRE(poll(&p, 1, -1) == 1);
    REQUIRE_OK(ach_get(chan, &message, sizeof(message), &size, NULL, 0));
}

static void *wait_for_it(void *arg)
{
    struct waiter *w = arg;
    ach_channel_t chan;
    int fd;

    REQUIRE(fifo_become(core, w->priority));
    fd = open_handle(w->way, &chan);
    __atomic_store_n(&w->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    for (;;) {
        while (sem_wait(&w->go) != 0)
            ;
        if (__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
            break;
        __atomic_fetch_add(&w->entered, 1, __ATOMIC_RELEASE);
        await_message(&chan, fd);
        order[__atomic_fetch_add(&finished, 1, __ATOMIC_ACQ_REL) % WAITERS] =
            (unsigned)(w - waiters);
    }
    CHECK_OK(ach_close(&chan));
    return NULL;
}

/* Let one waiter go to sleep on the channel, and return when it sleeps. */
static void send_to_sleep(struct waiter *w, uint32_t round)
{
    uint64_t end = check_now_ns() + LIMIT_NS;
    char state = '?';
    long unused;

    sem_post(&w->go);
    do {
        fifo_sleep_us(100);
        REQUIRE(check_now_ns() < end);
    } while (__atomic_load_n(&w->entered, __ATOMIC_ACQUIRE) != round ||
             !fifo_look(w->tid, &state, &unused) || state != 'S');
}

static void all_to_sleep(uint32_t round, uint64_t *rng)
{
    unsigned turn[WAITERS], i;

    for (i = 0; i < WAITERS; i++) {
        unsigned k = (unsigned)(check_random(rng) % (i + 1));

        turn[i] = turn[k];
        turn[k] = i;
    }
    for (i = 0; i < WAITERS; i++)
        send_to_sleep(&waiters[turn[i]], round);
}

/* Put once, and check that the waiters ran in order of priority. */
static bool one_round(ach_channel_t *chan, uint32_t round, uint64_t *rng)
{
    uint64_t end = check_now_ns() + LIMIT_NS, message = round;
    bool sorted = true;
    unsigned i;

    all_to_sleep(round, rng);
    REQUIRE_OK(ach_put(chan, &message, sizeof(message)));
    while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) != round * WAITERS) {
        fifo_sleep_us(100);
        REQUIRE(check_now_ns() < end);
    }
    for (i = 1; i < WAITERS; i++)
        sorted &= waiters[order[i - 1]].priority > waiters[order[i]].priority;
    return sorted;
}

static void waiters_start(const struct way *way)
{
    unsigned i;

    stop = finished = 0;
    for (i = 0; i < WAITERS; i++) {
        waiters[i] = (struct waiter){.priority = priorities[i], .way = way};
        REQUIRE(sem_init(&waiters[i].go, 0, 0) == 0);
        REQUIRE(pthread_create(&waiters[i].thread, NULL, wait_for_it, &waiters[i]) == 0);
        while (!__atomic_load_n(&waiters[i].tid, __ATOMIC_ACQUIRE))
            fifo_sleep_us(100);
    }
}

static void waiters_end(void)
{
    unsigned i;

    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (i = 0; i < WAITERS; i++) {
        sem_post(&waiters[i].go);
        pthread_join(waiters[i].thread, NULL);
    }
}

static void exercise(const struct way *way)
{
    uint32_t round, right = 0, rounds = (uint32_t)check_scale(ROUNDS);
    ach_create_attr_t attr;
    ach_channel_t chan;
    uint64_t rng = 7;

    ach_create_attr_init(&attr);
    ach_create_attr_set_readonly_wake(&attr, way->readonly);
    REQUIRE_OK(ach_create(NAME, 16, 8, &attr));
    REQUIRE_OK(ach_open(&chan, NAME, NULL));
    waiters_start(way);
    for (round = 1; round <= rounds; round++)
        right += one_round(&chan, round, &rng);
    waiters_end();
    printf("%s waiters: in order of priority in %u of %u rounds\n", way->name, right, rounds);
    CHECK(right == rounds);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink(NAME));
}

/* Whether this system supports this way of waiting. */
static bool possible(const struct way *way)
{
    ach_channel_t chan;
    enum ach_status r;
    int fd;

    if (!way->fd)
        return true;
    REQUIRE(setenv("ACH_FD", way->fd, 1) == 0);
    REQUIRE_OK(ach_create(NAME, 16, 8, NULL));
    REQUIRE_OK(ach_open(&chan, NAME, NULL));
    r = ach_channel_fd(&chan, &fd);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink(NAME));
    return r == ACH_OK;
}

int main(void)
{
    unsigned i;

    core = fifo_core();
    if (!fifo_become(core, TOP))
        check_skip("this user may not use SCHED_FIFO");
    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (possible(&ways[i]))
            exercise(&ways[i]);
        else
            printf("%s waiters: left out, this system refuses it\n", ways[i].name);
    }
    return check_result();
}
