/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sleepers.c - who may only read sleeps on the writers' lock
 *
 * The mapping that a subscriber may have is enough to wait on the lock word, in
 * front of writers that the kernel queues there. It then neither queues the next
 * writer nor hands the lock to one. Writers must not take that for damage, nor
 * keep the lock.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "check.h"
#include "layout.h"

#define WRITERS 4
#define SLEEPERS 4
#define MESSAGE 200000
#define ATTACK_MS 600
#define REST_MS 200
#define CALM_PUTS 100
#define LOCK_NS 1000000000u

struct shared {
    uint64_t put;      /* messages */
    uint64_t corrupt;  /* puts that called the channel corrupt */
    uint64_t failed;   /* puts that ended in another way after the attack */
    uint32_t attacked; /* the attack is over, and what it delayed too */
    uint32_t calm[WRITERS];
};

static const uint32_t *lock;
static int how;
static time_t sleep_s = 1;

static void *sleep_on_lock(void *cx)
{
    static __thread uint32_t pi;

    (void)cx;
    for (;;) {
        uint32_t w = __atomic_load_n(lock, __ATOMIC_RELAXED);
        struct timespec end;

        if (!(w & FUTEX_WAITERS))
            continue;
        clock_gettime(CLOCK_MONOTONIC, &end);
        end.tv_sec += sleep_s;
        if (how == FUTEX_WAIT_REQUEUE_PI)
            syscall(SYS_futex, lock, how, w, &end, &pi, 0);
        else
            syscall(SYS_futex, lock, FUTEX_WAIT_BITSET, w, &end, NULL, FUTEX_BITSET_MATCH_ANY);
    }
    return NULL;
}

static void attack(const char *path)
{
    int fd = open(path, O_RDONLY);
    struct ach_header *hdr = mmap(NULL, ACHI_HEADER_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    pthread_t thread;
    int i;

    REQUIRE(fd >= 0 && hdr != MAP_FAILED);
    lock = &hdr->lock;
    for (i = 0; i < SLEEPERS; i++)
        REQUIRE(pthread_create(&thread, NULL, sleep_on_lock, NULL) == 0);
    for (;;)
        pause();
}

static void add(uint64_t *n)
{
    __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

/* As a writer whose lock timeout allows for a slow machine. */
static void open_target(ach_channel_t *chan)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    REQUIRE_OK(ach_attr_set_lock_timeout(&attr, check_time(LOCK_NS)));
    REQUIRE_OK(ach_open(chan, "target", &attr));
}

static void write_on(struct shared *s, int self)
{
    static char message[MESSAGE];
    ach_channel_t chan;

    open_target(&chan);
    while (s->calm[self] < CALM_PUTS) {
        bool calm = __atomic_load_n(&s->attacked, __ATOMIC_ACQUIRE);
        enum ach_status r = ach_put(&chan, message, sizeof(message));

        if (r == ACH_OK)
            add(&s->put);
        else if (r != ACH_LOCKED)
            add(&s->corrupt);
        else if (calm)
            add(&s->failed);
        s->calm[self] += calm;
    }
    exit(check_result());
}

static void suffer(void)
{
    struct shared *s = check_shared(sizeof(*s));
    pid_t writers[WRITERS], attacker;
    char path[4096];
    int i;

    REQUIRE_OK(ach_create("target", 16, 65536, NULL));
    REQUIRE_OK(ach_channel_path("target", path, sizeof(path)));
    attacker = fork();
    if (attacker == 0)
        attack(path);
    for (i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        if (writers[i] == 0)
            write_on(s, i);
    }
    check_sleep_ms(ATTACK_MS);
    kill(attacker, SIGKILL);
    waitpid(attacker, NULL, 0);
    check_sleep_ms((long)check_time(REST_MS));
    __atomic_store_n(&s->attacked, 1, __ATOMIC_RELEASE);
    for (i = 0; i < WRITERS; i++)
        CHECK(check_child(writers[i], 60000));
    printf("%s: %llu messages, %llu called corrupt, %llu failed afterwards\n",
           how == FUTEX_WAIT_REQUEUE_PI ? "sleeps to be requeued" : "sleeps",
           (unsigned long long)s->put, (unsigned long long)s->corrupt,
           (unsigned long long)s->failed);
    fflush(stdout); /* before the next fork */
    CHECK(s->put > 0 && s->corrupt == 0 && s->failed == 0);
    CHECK_OK(ach_unlink("target"));
    munmap(s, sizeof(*s));
}

static void stay(int sig)
{
    (void)sig;
    for (;;)
        pause();
}

/* A writer that does not come to the end of its message. */
static void write_half(void)
{
    char *half = mmap(NULL, MESSAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {.sa_handler = stay};
    ach_channel_t chan;

    REQUIRE(half != MAP_FAILED && sigaction(SIGSEGV, &action, NULL) == 0);
    REQUIRE_OK(ach_open(&chan, "target", NULL));
    ach_put(&chan, half, MESSAGE);
    exit(1);
}

/* The lock of a writer that was killed is taken although a sleeper is in front of all. */
static void inherit(void)
{
    static char message[MESSAGE];
    pid_t attacker, writer;
    ach_channel_t chan;
    char path[4096];
    int i;

    how = FUTEX_WAIT_REQUEUE_PI;
    sleep_s = 60;
    REQUIRE_OK(ach_create("target", 16, 65536, NULL));
    REQUIRE_OK(ach_channel_path("target", path, sizeof(path)));
    open_target(&chan);
    writer = fork();
    if (writer == 0)
        write_half();
    for (i = 0; i < 10000 && __atomic_load_n(&chan.shm->lock, __ATOMIC_RELAXED) == 0; i++)
        check_sleep_ms(1);
    attacker = fork();
    if (attacker == 0)
        attack(path);
    CHECK_STATUS(ach_put(&chan, message, MESSAGE), ACH_LOCKED); /* and the attacker sleeps now */
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    CHECK_OK(ach_put(&chan, message, MESSAGE));
    CHECK_OK(ach_put(&chan, message, MESSAGE));
    kill(attacker, SIGKILL);
    waitpid(attacker, NULL, 0);
    CHECK_OK(ach_put(&chan, message, MESSAGE));
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink("target"));
}

int main(void)
{
    how = FUTEX_WAIT_BITSET;
    suffer();
    how = FUTEX_WAIT_REQUEUE_PI;
    suffer();
    inherit();
    return check_result();
}
