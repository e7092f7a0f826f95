/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * herd.c - how long a put takes beside strangers who sleep
 *
 * A stranger may read the channel and not write it. That is enough to map it and
 * to sleep on its commit word. A reader that may write waits for each message, so
 * that every put wakes. Each row has more strangers, and the put shall take as long
 * as beside none.
 *
 *   threads   each sleeps on the commit word
 *   entries   a thread waits on 128 words at once, all of them the commit word
 *   walker    one more thread has the kernel walk along all of them, again and again, which
 *             holds the lock of the kernel's queue that a put needs too
 *   asked     the channel was made to wake who may only read: then it wakes them all
 *
 * The strangers are another user's processes if this one may be another user. Where the system
 * allows fewer than asked for, the row says how many there were.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "../../src/core/layout.h"
#include "channels.h"
#include "ticks.h"

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

#define CHAN "herd"
#define NOBODY 65534
#define PUTS 2000u
#define QUICK_PUTS 200u
#define PERIOD_NS 300000.0
#define STACK_SIZE (128u * 1024)
#define THREADS_PER_PROCESS 2000u
#define PROCESSES_MAX 64u
#define ENTRIES_PER_THREAD 128u
#define THREAD_COST 65536u /* bytes of memory, roughly, most of them the kernel's */
#define SETTLE_LOOKS 30000 /* of 1 ms */

struct strangers {
    const char *name;
    void *(*sleep)(void *word); /* what each thread does */
    unsigned count, quick_count;
    unsigned per_thread;
    bool walker, asked;
};

struct waitv {
    uint64_t val, uaddr;
    uint32_t flags, reserved;
};

static uint32_t value_of(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void *sleep_once(void *word)
{
    for (;;)
        syscall(SYS_futex, word, FUTEX_WAIT, value_of(word), NULL, NULL, 0);
    return NULL;
}

static void *sleep_often(void *word)
{
    struct waitv v[ENTRIES_PER_THREAD];
    unsigned i;

    for (;;) {
        for (i = 0; i < ENTRIES_PER_THREAD; i++)
            v[i] = (struct waitv){.val = value_of(word), .uaddr = (uintptr_t)word, .flags = 2};
        syscall(SYS_futex_waitv, v, ENTRIES_PER_THREAD, 0, NULL, CLOCK_MONOTONIC);
    }
    return NULL;
}

static void *sleep_with_bits(void *word)
{
    for (;;)
        syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value_of(word), NULL, NULL, 1);
    return NULL;
}

/* A private word is in another queue; a shared one that nobody waits for with these bits is not. */
static void *walk(void *word)
{
    for (;;)
        syscall(SYS_futex, word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 1u << 31);
    return NULL;
}

/* In a process of its own: so many threads, or as many as there can be. */
static _Noreturn void be_strangers(void *(*what)(void *), unsigned threads)
{
    char path[PATH_MAX];
    struct ach_header *hdr;
    pthread_attr_t attr;
    pthread_t thread;
    int fd;

    MUST_ACH(ach_channel_path(CHAN, path, sizeof(path)));
    MUST(sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0}) == 0);
    MUST(geteuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0));
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    hdr = mmap(NULL, ACHI_HEADER_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    MUST(fd >= 0 && hdr != MAP_FAILED);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    while (threads-- > 0 && pthread_create(&thread, &attr, what, &hdr->commit) == 0)
        continue;
    for (;;)
        pause();
}

static pid_t strangers_fork(void *(*what)(void *), unsigned threads)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    MUST_SYS(pid >= 0);
    if (pid == 0)
        be_strangers(what, threads);
    return pid;
}

/* No more than a quarter of the free memory. */
static unsigned affordable(unsigned threads)
{
    struct sysinfo s;
    uint64_t room;

    MUST_SYS(sysinfo(&s) == 0);
    room = (uint64_t)s.freeram * s.mem_unit / 4 / THREAD_COST;
    return room < threads ? (unsigned)room : threads;
}

/* How many are queued on the word, once that no longer grows. They are moved from it to itself. */
static unsigned sleepers_on(const uint32_t *word, unsigned wanted)
{
    long seen = 0, before = -1;
    int looks, steady = 0;

    for (looks = 0; seen < (long)wanted && looks < SETTLE_LOOKS && steady < 1000; looks++) {
        seen = syscall(SYS_futex, word, FUTEX_REQUEUE, 0, (void *)(uintptr_t)INT_MAX, word, 0);
        steady = seen == before ? steady + 1 : 0;
        before = seen;
        usleep(1000);
    }
    return seen > 0 ? (unsigned)seen : 0;
}

/* Waits for each message until it is killed. */
static void wait_for_messages(void *arg)
{
    ach_channel_t chan;
    char buf[MESSAGE_SIZE];
    size_t size;

    (void)arg;
    channel_open(&chan, CHAN, false, 0);
    peer_ready();
    for (;;)
        MUST_ACH(ach_get(&chan, buf, sizeof(buf), &size, NULL, ACH_O_WAIT | ACH_O_LAST));
}

/* Only puts that find somebody waiting count. */
static void time_puts(ach_channel_t *chan, unsigned puts, struct samples *samples)
{
    const uint64_t end = clock_ns() + 20000000000ull;
    char message[MESSAGE_SIZE] = {0};

    while (samples->count < puts && clock_ns() < end) {
        uint64_t start;

        ticks_pause(PERIOD_NS);
        if (!(value_of(&chan->shm->commit) & ACHI_WAITER))
            continue;
        start = ticks();
        MUST_ACH(ach_put(chan, message, sizeof(message)));
        samples_add(samples, ticks_to_ns(start, ticks()));
    }
}

static void measure_beside(const struct group *g, const struct strangers *s)
{
    unsigned held = held_count, left, processes = 0, sleeping,
             wanted = bench.quick ? s->quick_count : s->count;
    struct outcome once = {0};
    ach_create_attr_t attr;
    pid_t pid[PROCESSES_MAX];
    ach_channel_t chan;

    ach_create_attr_init(&attr);
    ach_create_attr_set_readonly_wake(&attr, s->asked);
    ach_create_attr_set_mode(&attr, 0644);
    MUST_ACH(ach_create(CHAN, 16, MESSAGE_SIZE, &attr));
    channel_open(&chan, CHAN, false, 0);
    left = affordable((wanted + s->per_thread - 1) / s->per_thread);
    for (; left > 0; left -= left < THREADS_PER_PROCESS ? left : THREADS_PER_PROCESS)
        pid[processes++] =
            strangers_fork(s->sleep, left < THREADS_PER_PROCESS ? left : THREADS_PER_PROCESS);
    sleeping = sleepers_on(&chan.shm->commit, wanted);
    if (s->walker)
        pid[processes++] = strangers_fork(walk, 1);
    pid[processes++] = peer_start(wait_for_messages, NULL);
    time_puts(&chan, bench.quick ? QUICK_PUTS : PUTS, &once.ns);
    while (processes > 0)
        peer_kill(pid[--processes]);
    release_to(held);
    MUST_ACH(ach_unlink(CHAN));
    note("Herd, %s: %u of %u strangers slept%s; %zu puts woke a reader.", s->name, sleeping, wanted,
         sleeping < wanted ? ", as many as the system allowed" : "", once.ns.count);
    row_add(row_of(g, s->name, NULL, 0), 0, &once);
}

void herd_measure(const struct group *g, unsigned round)
{
    static const struct strangers all[] = {
        {"none", sleep_once, 0, 0, 1, false, false},
        {"some threads", sleep_once, 2000, 100, 1, false, false},
        {"threads", sleep_once, 20000, 500, 1, false, false},
        {"entries", sleep_often, 20000, 500, ENTRIES_PER_THREAD, false, false},
        {"threads, and a walker", sleep_with_bits, 20000, 500, 1, true, false},
        {"threads, asked to be woken", sleep_once, 2000, 100, 1, false, true},
    };
    size_t i;

    (void)round;
    MUST_SYS(chmod(getenv("ACH_DIR"), 0755) == 0);
    if (geteuid() != 0)
        note("The strangers are this user's: only root can be another one.");
    for (i = 0; i < ARRAY_SIZE(all); i++)
        measure_beside(g, &all[i]);
}
