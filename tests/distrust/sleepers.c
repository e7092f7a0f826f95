/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sleepers.c - a process that may only read sleeps on the writers' lock
 *
 * A read-only mapping is enough to wait on the lock word, in front of writers
 * that the kernel queues there. The kernel then neither queues the next writer
 * nor hands the lock to one. Writers must not treat that as damage, nor keep the
 * lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "check.h"
#include "layout.h"
#include "queued.h"

#define WRITERS 4
#define SLEEPERS 4
#define MESSAGE 200000
#define ATTACK_MS 600
#define REST_MS 200
#define CALM_PUTS 100
#define LOCK_NS 1000000000u
#define KEEP_AT_LEAST_NS 400000000u

struct shared {
    uint64_t put;      /* successful puts */
    uint64_t corrupt;  /* puts that returned neither ACH_OK nor ACH_LOCKED */
    uint64_t failed;   /* puts that returned ACH_LOCKED after the attack */
    uint32_t attacked; /* the attack and its delays are over */
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

/* Open the channel with a lock timeout that allows for a slow machine. */
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

/* A writer that stops in the middle of its put until go_on is set. */
struct half {
    uint32_t go_on;
    enum ach_status status;
    uint64_t unlock_ns; /* time from go_on until the put returned */
};

static struct half *half;
static char *half_message;

static void wait_to_go_on(int sig)
{
    (void)sig;
    while (!__atomic_load_n(&half->go_on, __ATOMIC_ACQUIRE))
        check_sleep_ms(1);
    mprotect(half_message, MESSAGE, PROT_READ);
    half->unlock_ns = check_now_ns();
}

static void write_half(void)
{
    struct sigaction action = {.sa_handler = wait_to_go_on};
    ach_channel_t chan;

    half_message = mmap(NULL, MESSAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(half_message != MAP_FAILED && sigaction(SIGSEGV, &action, NULL) == 0);
    open_target(&chan);
    half->status = ach_put(&chan, half_message, MESSAGE);
    half->unlock_ns = check_now_ns() - half->unlock_ns;
    exit(check_result());
}

/* Start a writer that stops while it holds the lock. */
static pid_t start_half(ach_channel_t *chan)
{
    pid_t pid;

    half = check_shared(sizeof(*half));
    pid = fork();
    if (pid == 0)
        write_half();
    EVENTUALLY(__atomic_load_n(&chan->shm->lock, __ATOMIC_RELAXED) != 0);
    return pid;
}

/* A put acquires the lock of a killed writer although a sleeper is first in the queue. */
static void inherit(void)
{
    static char message[MESSAGE];
    pid_t attacker, writer;
    ach_channel_t chan;
    char path[4096];

    REQUIRE_OK(ach_create("target", 16, 65536, NULL));
    REQUIRE_OK(ach_channel_path("target", path, sizeof(path)));
    open_target(&chan);
    writer = start_half(&chan);
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
    munmap(half, sizeof(*half));
}

/* Start a writer, and stop it while it is counted as queued for the lock. */
static pid_t start_queued(ach_channel_t *chan)
{
    static char message[MESSAGE];
    const uint32_t *queued = &chan->shm->queued;
    pid_t pid = fork();

    if (pid == 0) {
        ach_attr_t attr;

        ach_attr_init(&attr);
        REQUIRE_OK(ach_attr_set_lock_timeout(&attr, LIMIT_MS * UINT64_C(1000000)));
        REQUIRE_OK(ach_open(chan, "target", &attr));
        CHECK_OK(ach_put(chan, message, MESSAGE));
        exit(check_result());
    }
    do {
        kill(pid, SIGCONT);
        EVENTUALLY(__atomic_load_n(queued, __ATOMIC_RELAXED) == 1);
        kill(pid, SIGSTOP);
        REQUIRE(waitpid(pid, NULL, WUNTRACED) == pid);
    } while (__atomic_load_n(queued, __ATOMIC_RELAXED) != 1);
    return pid;
}

/* The kernel refuses, with EINVAL, to queue a writer behind a sleeper. */
static bool sleeper_in_front(uint32_t *word)
{
    return syscall(SYS_futex, word, FUTEX_TRYLOCK_PI, 0, NULL) == -1 && errno == EINVAL;
}

/*
 * The kernel hands the lock of a thread that exits to a queued writer. So while
 * a writer is counted as queued, the owner keeps the lock, for a limited time.
 */
static void keep(void)
{
    pid_t attacker, owner, queued;
    ach_channel_t chan;
    char path[4096];

    REQUIRE_OK(ach_create("target", 16, 65536, NULL));
    REQUIRE_OK(ach_channel_path("target", path, sizeof(path)));
    open_target(&chan);
    owner = start_half(&chan);
    queued = start_queued(&chan);
    attacker = fork();
    if (attacker == 0)
        attack(path);
    EVENTUALLY(sleeper_in_front(&chan.shm->lock));
    __atomic_store_n(&half->go_on, 1, __ATOMIC_RELEASE);
    CHECK(check_child(owner, LIMIT_MS));
    CHECK_OK(half->status);
    printf("kept the lock for %.1f ms beside a queued writer\n", (double)half->unlock_ns / 1e6);
    CHECK(half->unlock_ns >= KEEP_AT_LEAST_NS);
    kill(queued, SIGCONT);
    CHECK(check_child(queued, LIMIT_MS));
    kill(attacker, SIGKILL);
    waitpid(attacker, NULL, 0);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink("target"));
    munmap(half, sizeof(*half));
}

int main(void)
{
    how = FUTEX_WAIT_BITSET;
    suffer();
    how = FUTEX_WAIT_REQUEUE_PI;
    suffer();
    sleep_s = 60;
    inherit();
    keep();
    return check_result();
}
