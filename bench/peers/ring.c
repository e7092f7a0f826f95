/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ring.c - messages of one sender in shared memory: both floors, and eventfd
 *
 * The least that carries a message to sleepers is the futex: copy the message into
 * shared memory, count, wake them all; each wakes up and copies it out. The
 * sequence counts what was put. Nobody waits for a slow receiver: what it missed
 * is overwritten, and it goes on with the newest. With eventfd, a descriptor wakes
 * each receiver instead. One that blocks does so in read, which has no time limit.
 *
 * The least that carries a message to spinners is a cache line: a slot begins with
 * its sequence, and the message follows, so the cache line that shows that there is
 * a message brings its first bytes too. The sequence of message n is n + 1. A slow
 * receiver goes on with what it finds in the slot.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "peers.h"
#include "ticks.h"

#define ALIGNMENT 128u
#define SLOTS_MIN 2u
#define SLOTS_MAX 64u
#define BYTES_ENOUGH ((size_t)2 * 1024 * 1024)
#define LOOKS 256u /* between two looks at the clock */

struct ring_memory {
    _Atomic uint32_t sequence APART; /* not of the cache line */
    unsigned char slots[] APART;
};

struct ring {
    struct ring_memory *memory;
    size_t mapped, stride;
    uint32_t slots; /* a power of two */
    uint64_t next;  /* that this end has not received, or, through a cache line, not sent */
    int fd[RECEIVERS_MAX];
    unsigned count; /* of fd */
};

struct line_slot {
    _Atomic uint64_t sequence;
    unsigned char bytes[];
};

static bool ring_init(struct link *l, size_t slot_size)
{
    struct ring *r = l->state;

    r->stride = (slot_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    r->slots = SLOTS_MAX;
    while (r->slots > SLOTS_MIN && r->slots * r->stride > BYTES_ENOUGH)
        r->slots /= 2;
    r->mapped = sizeof(*r->memory) + r->slots * r->stride;
    r->memory = shared_alloc(r->mapped);
    return true;
}

static bool futex_setup(struct link *l)
{
    return ring_init(l, l->size);
}

static void ring_finish(struct link *l)
{
    struct ring *r = l->state;

    while (r->count > 0)
        close(r->fd[--r->count]);
}

/* A child has the memory, and no page of it mapped: no message pays for that. */
static bool ring_open(struct link *l)
{
    struct ring *r = l->state;

    l->fd = r->fd[l->index];
    madvise(r->memory, r->mapped, MADV_POPULATE_WRITE);
    return true;
}

static void *slot_of(const struct ring *r, uint64_t number)
{
    return r->memory->slots + (number & (r->slots - 1)) * r->stride;
}

static void ring_put(struct link *l)
{
    struct ring *r = l->state;
    uint32_t number = atomic_load_explicit(&r->memory->sequence, memory_order_relaxed);

    /* The last message counts before this one's slot is touched: the fence in ring_get. */
    atomic_thread_fence(memory_order_release);
    memcpy(slot_of(r, number), l->message, l->size);
    atomic_store_explicit(&r->memory->sequence, number + 1, memory_order_release);
}

/* The slot of a message that is as far back as there are slots may be written to already. */
static bool is_whole(const struct ring *r, uint32_t sequence)
{
    return sequence - (uint32_t)r->next < r->slots;
}

/* False: nothing new. */
static bool ring_get(struct link *l)
{
    struct ring *r = l->state;
    uint32_t sequence;

    do {
        sequence = atomic_load_explicit(&r->memory->sequence, memory_order_acquire);
        if (sequence == (uint32_t)r->next)
            return false;
        if (!is_whole(r, sequence))
            r->next = sequence - 1;
        memcpy(l->message, slot_of(r, r->next), l->size);
        atomic_thread_fence(memory_order_acquire);
        sequence = atomic_load_explicit(&r->memory->sequence, memory_order_relaxed);
    } while (!is_whole(r, sequence));
    r->next++;
    return true;
}

static long ring_futex(struct link *l, int operation, uint32_t value, const struct timespec *limit)
{
    struct ring *r = l->state;

    return syscall(SYS_futex, &r->memory->sequence, operation, value, limit, NULL, 0);
}

static int futex_send(struct link *l)
{
    ring_put(l);
    return ring_futex(l, FUTEX_WAKE, INT_MAX, NULL) < 0 ? -1 : 1;
}

static ssize_t futex_receive(struct link *l, int timeout_ms)
{
    const struct timespec limit = milliseconds(timeout_ms);
    struct ring *r = l->state;

    while (!ring_get(l)) {
        if (ring_futex(l, FUTEX_WAIT, (uint32_t)r->next, &limit) == 0)
            continue;
        if (errno == ETIMEDOUT)
            return 0;
        if (errno != EAGAIN && errno != EINTR)
            return -1;
    }
    return (ssize_t)l->size;
}

static bool eventfd_setup(struct link *l)
{
    struct ring *r = l->state;

    for (; r->count < l->receivers; r->count++) {
        r->fd[r->count] = eventfd(0, EFD_CLOEXEC);
        if (r->fd[r->count] < 0)
            return refuse(l, "no eventfd: %s", strerror(errno));
    }
    return ring_init(l, l->size);
}

static int eventfd_send(struct link *l)
{
    const eventfd_t one = 1;
    struct ring *r = l->state;
    unsigned i;

    ring_put(l);
    for (i = 0; i < r->count; i++)
        while (write(r->fd[i], &one, sizeof(one)) < 0)
            if (errno != EINTR)
                return -1;
    return 1;
}

static ssize_t eventfd_receive(struct link *l, int timeout_ms)
{
    struct pollfd p = {.fd = l->fd, .events = POLLIN};
    eventfd_t events;

    while (!ring_get(l)) {
        int n = l->mode == MODE_POLL ? poll(&p, 1, timeout_ms) : 1;

        if (n == 0)
            return 0;
        if ((n < 0 || read(l->fd, &events, sizeof(events)) < 0) && errno != EINTR)
            return -1;
    }
    return (ssize_t)l->size;
}

static bool line_setup(struct link *l)
{
    return ring_init(l, sizeof(struct line_slot) + l->size);
}

static int line_send(struct link *l)
{
    struct ring *r = l->state;
    struct line_slot *s = slot_of(r, r->next);

    memcpy(s->bytes, l->message, l->size);
    atomic_store_explicit(&s->sequence, ++r->next, memory_order_release);
    /* This message counts before the next slot is touched: the fence in line_copy. */
    atomic_thread_fence(memory_order_release);
    return 1;
}

/* It is whole if the message that the sender writes before it overwrites this one is not there. */
static bool line_copy(struct link *l, uint64_t number)
{
    struct ring *r = l->state;
    const struct line_slot *s = slot_of(r, number), *before = slot_of(r, number - 1);

    memcpy(l->message, s->bytes, l->size);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&before->sequence, memory_order_relaxed) >= number + r->slots)
        return false;
    r->next = number + 1;
    return true;
}

static ssize_t line_receive(struct link *l, int timeout_ms)
{
    struct ring *r = l->state;
    const struct line_slot *s = slot_of(r, r->next);
    uint64_t end = 0;
    unsigned looks;

    do {
        for (looks = 0; looks < LOOKS; looks++) {
            uint64_t sequence = atomic_load_explicit(&s->sequence, memory_order_acquire);

            if (sequence > r->next && line_copy(l, sequence - 1))
                return (ssize_t)l->size;
            relax();
        }
        if (!end)
            end = clock_ns() + (uint64_t)timeout_ms * 1000000u;
    } while (clock_ns() < end);
    return 0;
}

#define RING(kind_, modes_, waits_, noun)                                                          \
    .kind = (kind_), .modes = (modes_), .waits = (waits_), .source = __FILE__ ":" #noun,           \
    .max_senders = 1, .state_size = sizeof(struct ring), .setup = noun##_setup,                    \
    .finish = ring_finish, .open = ring_open, .send = noun##_send, .receive = noun##_receive

/* The futex is the floor of those that poll, too. */
const struct contender ring_contenders[] = {
    {.name = "futex",
     .settings = "a ring in shared memory, 64 slots or 2 MiB, at least 2; one wake for all",
     RING(KIND_FLOOR, MODE_BLOCK | MODE_POLL, MODE_POLL, futex)},
    {.name = "cache line",
     .settings = "the sequence and the message side by side, 64 slots or 2 MiB, at least 2",
     RING(KIND_FLOOR, MODE_SPIN, MODE_SPIN, line)},
    {.name = "eventfd",
     .settings = "an eventfd per receiver; the message in a ring in shared memory, 64 slots or "
                 "2 MiB, at least 2",
     RING(KIND_KERNEL, MODE_BLOCK | MODE_POLL, MODE_POLL, eventfd)},
    {0},
};
