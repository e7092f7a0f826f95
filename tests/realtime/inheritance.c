/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inheritance.c - a writer that blocks one of higher priority inherits that priority (G10)
 *
 * Three threads of low, middle and high priority share one core. The low thread
 * is putting a large message when the middle thread starts to use up the core and
 * the high thread wants to put. With inheritance the low thread finishes its put
 * before the middle thread continues, so the high thread is done first. With an
 * ordinary mutex the middle thread is done first: this control run shows that the
 * test can tell the two apart.
 */
#include "fifo.h"
#include "layout.h"

#define NAME "inherit"
#define LOW 10
#define MIDDLE 20
#define HIGH 30
#define TOP 60
#define LARGE (16u << 20)
#define WORK_NS 60000000u
#define ROUNDS 20u
#define CONTROL_ROUNDS 5u
#define LIMIT_NS check_time(60000000000ull)

/* A lock that is held while a large message is copied: the channel's, or a mutex. */
struct contest {
    void (*low)(void);    /* copy a large message under the lock */
    void (*high)(void);   /* take the same lock, briefly */
    bool (*inside)(void); /* is the low thread copying? */
};

static ach_channel_t low_handle, high_handle;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *message, *copy;
static uint32_t mutex_held;
static int core;

static void channel_low(void)
{
    REQUIRE_OK(ach_put(&low_handle, message, LARGE));
}

static void channel_high(void)
{
    REQUIRE_OK(ach_put(&high_handle, "urgent", 6));
}

static bool channel_inside(void)
{
    return __atomic_load_n(&low_handle.shm->lock, __ATOMIC_ACQUIRE) != 0;
}

static void mutex_low(void)
{
    pthread_mutex_lock(&mutex);
    __atomic_store_n(&mutex_held, 1, __ATOMIC_RELEASE);
    memcpy(copy, message, LARGE);
    __atomic_store_n(&mutex_held, 0, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&mutex);
}

static void mutex_high(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static bool mutex_inside(void)
{
    return __atomic_load_n(&mutex_held, __ATOMIC_ACQUIRE) != 0;
}

static const struct contest on_channel = {channel_low, channel_high, channel_inside};
static const struct contest on_mutex = {mutex_low, mutex_high, mutex_inside};

/* The state of the current contest. */
static struct stage {
    const struct contest *contest;
    pthread_t low, middle, high;
    sem_t go_middle, go_high;
    pid_t low_tid;
    uint32_t stop;
    uint32_t middle_done, high_done; /* rounds completed */
    uint32_t high_was_first;         /* rounds that high completed before middle */
    uint32_t boosted;                /* samples in which low had the priority of high */
} stage;

static bool over(void)
{
    return __atomic_load_n(&stage.stop, __ATOMIC_ACQUIRE);
}

static void *be_low(void *unused)
{
    (void)unused;
    REQUIRE(fifo_become(core, LOW));
    __atomic_store_n(&stage.low_tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    while (!over())
        stage.contest->low();
    return NULL;
}

static void work(uint64_t ns)
{
    struct timespec now;
    uint64_t start = 0, used = 0;

    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        used = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        if (!start)
            start = used;
    } while (used - start < ns);
}

static void *be_middle(void *unused)
{
    (void)unused;
    REQUIRE(fifo_become(core, MIDDLE));
    for (;;) {
        while (sem_wait(&stage.go_middle) != 0)
            ;
        if (over())
            return NULL;
        work(WORK_NS);
        __atomic_fetch_add(&stage.middle_done, 1, __ATOMIC_ACQ_REL);
    }
}

static void *be_high(void *unused)
{
    (void)unused;
    REQUIRE(fifo_become(core, HIGH));
    for (;;) {
        while (sem_wait(&stage.go_high) != 0)
            ;
        if (over())
            return NULL;
        stage.contest->high();
        if (__atomic_load_n(&stage.middle_done, __ATOMIC_ACQUIRE) == stage.high_done)
            stage.high_was_first++;
        __atomic_fetch_add(&stage.high_done, 1, __ATOMIC_ACQ_REL);
    }
}

/* This thread has the highest priority on the core: while it runs, the low thread does not. */
static void one_round(uint32_t round, uint64_t *rng)
{
    uint64_t end = check_now_ns() + LIMIT_NS;
    long priority = 0;
    char state;

    do {
        fifo_sleep_us((long)(100 + check_random(rng) % 400));
        REQUIRE(check_now_ns() < end);
    } while (!stage.contest->inside());
    sem_post(&stage.go_middle);
    sem_post(&stage.go_high);
    while (__atomic_load_n(&stage.high_done, __ATOMIC_ACQUIRE) != round ||
           __atomic_load_n(&stage.middle_done, __ATOMIC_ACQUIRE) != round) {
        fifo_sleep_us(100);
        if (fifo_look(stage.low_tid, &state, &priority) && priority == fifo_shown(HIGH))
            stage.boosted++;
        REQUIRE(check_now_ns() < end);
    }
}

static void hold(const struct contest *contest, uint32_t rounds)
{
    uint64_t rng = 3;
    uint32_t round;

    stage = (struct stage){.contest = contest};
    REQUIRE(sem_init(&stage.go_middle, 0, 0) == 0 && sem_init(&stage.go_high, 0, 0) == 0);
    REQUIRE(pthread_create(&stage.high, NULL, be_high, NULL) == 0);
    REQUIRE(pthread_create(&stage.middle, NULL, be_middle, NULL) == 0);
    REQUIRE(pthread_create(&stage.low, NULL, be_low, NULL) == 0);
    while (!__atomic_load_n(&stage.low_tid, __ATOMIC_ACQUIRE))
        fifo_sleep_us(100);
    for (round = 1; round <= rounds; round++)
        one_round(round, &rng);
    __atomic_store_n(&stage.stop, 1, __ATOMIC_RELEASE);
    sem_post(&stage.go_middle);
    sem_post(&stage.go_high);
    pthread_join(stage.low, NULL);
    pthread_join(stage.middle, NULL);
    pthread_join(stage.high, NULL);
}

static void channel_open(ach_channel_t *chan)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_lock_timeout(&attr, LIMIT_NS);
    REQUIRE_OK(ach_open(chan, NAME, &attr));
}

int main(void)
{
    core = fifo_core();
    if (!fifo_become(core, TOP))
        check_skip("this user may not use SCHED_FIFO");
    message = calloc(1, LARGE);
    copy = calloc(1, LARGE);
    REQUIRE(message && copy);
    REQUIRE_OK(ach_create(NAME, 1, LARGE, NULL));
    channel_open(&low_handle);
    channel_open(&high_handle);
    hold(&on_mutex, CONTROL_ROUNDS);
    printf("ordinary mutex: the urgent one first in %u of %u rounds, seen boosted %u times\n",
           stage.high_was_first, CONTROL_ROUNDS, stage.boosted);
    CHECK(stage.high_was_first == 0 && stage.boosted == 0);
    hold(&on_channel, ROUNDS);
    printf("channel: the urgent one first in %u of %u rounds, seen boosted %u times\n",
           stage.high_was_first, ROUNDS, stage.boosted);
    CHECK(stage.high_was_first == ROUNDS && stage.boosted > 0);
    CHECK_OK(ach_close(&low_handle));
    CHECK_OK(ach_close(&high_handle));
    CHECK_OK(ach_unlink(NAME));
    free(message);
    free(copy);
    return check_result();
}
