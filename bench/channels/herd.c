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
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
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

enum kind { THREADS, ENTRIES, WALKER, ASKED };

struct strangers {
    const char *name;
    enum kind kind;
    unsigned count, quick_count;
};

struct waitv {
    uint64_t val, uaddr;
    uint32_t flags, reserved;
};

struct herd {
    pid_t pid[PROCESSES_MAX];
    unsigned processes;
    const uint32_t *commit;
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

/* A private word is in another queue; a shared one that nobody waits for with these bits is not. */
static void *walk(void *word)
{
    for (;;)
        syscall(SYS_futex, word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 1u << 31);
    return NULL;
}

static void *sleep_with_bits(void *word)
{
    for (;;)
        syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value_of(word), NULL, NULL, 1);
    return NULL;
}

/* In a process of its own: so many threads, or as many as there can be. */
static void be_strangers(void *(*what)(void *), unsigned threads, bool walker)
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
    if (walker)
        walk(&hdr->commit);
    for (;;)
        pause();
}

static void herd_add(struct herd *h, void *(*what)(void *), unsigned threads, bool walker)
{
    pid_t pid;

    MUST(h->processes < PROCESSES_MAX);
    fflush(NULL);
    pid = fork();
    MUST(pid >= 0);
    if (pid == 0)
        be_strangers(what, threads, walker);
    h->pid[h->processes++] = pid;
}

static void *(*behaviour(enum kind kind))(void *)
{
    switch (kind) {
    case ENTRIES:
        return sleep_often;
    case WALKER:
        return sleep_with_bits;
    default:
        return sleep_once;
    }
}

/* How many are queued on the word: they are moved from it to itself. */
static long sleepers_on(const uint32_t *word)
{
    return syscall(SYS_futex, word, FUTEX_REQUEUE, 0, (void *)(uintptr_t)INT_MAX, word, 0);
}

/* No more than a quarter of the free memory. */
static unsigned affordable(unsigned strangers)
{
    struct sysinfo s;
    uint64_t room;

    MUST(sysinfo(&s) == 0);
    room = (uint64_t)s.freeram * s.mem_unit / 4 / THREAD_COST;
    return room < strangers ? (unsigned)room : strangers;
}

/* Returns how many sleep, once that no longer grows. */
static unsigned herd_start(struct herd *h, enum kind kind, unsigned n, const uint32_t *commit)
{
    unsigned per = kind == ENTRIES ? ENTRIES_PER_THREAD : 1;
    unsigned left = affordable((n + per - 1) / per);
    long seen = 0, before = -1;
    int looks, steady = 0;

    h->processes = 0;
    h->commit = commit;
    while (left > 0) {
        unsigned some = left < THREADS_PER_PROCESS ? left : THREADS_PER_PROCESS;

        herd_add(h, behaviour(kind), some, false);
        left -= some;
    }
    for (looks = 0; n > 0 && looks < SETTLE_LOOKS && steady < 1000; looks++) {
        seen = sleepers_on(commit);
        if (seen >= (long)n)
            break;
        steady = seen == before ? steady + 1 : 0;
        before = seen;
        usleep(1000);
    }
    if (kind == WALKER)
        herd_add(h, NULL, 0, true);
    return seen > 0 ? (unsigned)seen : 0;
}

static void herd_end(struct herd *h)
{
    unsigned i;

    for (i = 0; i < h->processes; i++)
        kill(h->pid[i], SIGKILL);
    for (i = 0; i < h->processes; i++)
        waitpid(h->pid[i], NULL, 0);
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

static void channel_make_for(enum kind kind)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_readonly_wake(&attr, kind == ASKED);
    ach_create_attr_set_mode(&attr, 0644);
    MUST_ACH(ach_create(CHAN, 16, MESSAGE_SIZE, &attr));
}

static void measure_beside(const struct group *g, const struct strangers *s)
{
    unsigned sleeping, wanted = bench.quick ? s->quick_count : s->count;
    struct outcome once = {0};
    struct herd herd;
    ach_channel_t chan;
    pid_t reader;

    progress("herd: %s", s->name);
    channel_make_for(s->kind);
    channel_open(&chan, CHAN, false, 0);
    sleeping = herd_start(&herd, s->kind, wanted, &chan.shm->commit);
    reader = peer_start(wait_for_messages, NULL);
    time_puts(&chan, bench.quick ? QUICK_PUTS : PUTS, &once.ns);
    kill(reader, SIGKILL);
    waitpid(reader, NULL, 0);
    herd_end(&herd);
    MUST_ACH(ach_close(&chan));
    MUST_ACH(ach_unlink(CHAN));
    note("Herd, %s: %u of %u strangers slept%s; %zu puts woke a reader.", s->name, sleeping, wanted,
         sleeping < wanted ? ", as many as the system allowed" : "", once.ns.count);
    row_add(row_of(g, s->name, NULL, 0), 0, &once);
}

void herd_measure(const struct group *g)
{
    static const struct strangers all[] = {
        {"none", THREADS, 0, 0},
        {"some threads", THREADS, 2000, 100},
        {"threads", THREADS, 20000, 500},
        {"entries", ENTRIES, 20000, 500},
        {"threads, and a walker", WALKER, 20000, 500},
        {"threads, asked to be woken", ASKED, 2000, 100},
    };
    size_t i;

    MUST_SYS(chmod(getenv("ACH_DIR"), 0755) == 0);
    if (geteuid() != 0)
        note("The strangers are this user's: only root can be another one.");
    for (i = 0; i < ARRAY_SIZE(all); i++)
        measure_beside(g, &all[i]);
}
