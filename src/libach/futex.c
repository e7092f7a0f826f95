/* SPDX-License-Identifier: BSD-3-Clause */
#include "futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "tsan.h"

/* 32-bit systems have a second futex call for 64-bit time; use it alone. */
#if defined(SYS_futex_time64) && !defined(__LP64__)
#define FUTEX_CALL SYS_futex_time64
#else
#define FUTEX_CALL SYS_futex
#endif

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

#define WORDS_MAX 128
#define OPARG_MAX 2047u /* of FUTEX_WAKE_OP, which has 12 bits for it, one of them the sign */
#define BRIEFLY_NS 2000000
#define LOOK_NS 1000000

/* What the kernel calls struct __kernel_timespec: 64 bits on every machine. */
struct time64 {
    int64_t sec;
    int64_t nsec;
};

struct waitv {
    uint64_t val;
    uint64_t uaddr;
    uint32_t flags;
    uint32_t reserved;
};

#define WAITV_SIZE_U32 2u
#define WAITV_PRIVATE 128u

static struct time64 to_time64(const struct timespec *t)
{
    return (struct time64){.sec = t->tv_sec, .nsec = t->tv_nsec};
}

static long futex_call(const uint32_t *word, int op, uint32_t val, const void *timeout,
                       const uint32_t *word2, uint32_t val3)
{
    int saved = errno;
    long r = syscall(FUTEX_CALL, word, op, val, timeout, word2, val3);

    if (r < 0) {
        r = -errno;
        errno = saved;
    }
    return r;
}

static int scope(bool private_)
{
    return private_ ? FUTEX_PRIVATE_FLAG : 0;
}

void achi_futex_wake(const uint32_t *word, bool private_)
{
    futex_call(word, FUTEX_WAKE | scope(private_), INT_MAX, NULL, NULL, 0);
}

/* Order all earlier stores before the kernel's addition, which is a release on most machines. */
static void stores_first(uint32_t *word)
{
#if defined(ACHI_TSAN)
    __atomic_fetch_or(word, 0, __ATOMIC_SEQ_CST);
#elif defined(__aarch64__) || defined(__x86_64__) || defined(__i386__)
    (void)word;
#else
    (void)word;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* The last argument of FUTEX_WAKE_OP: add, and compare the old value. */
static uint32_t add_op(uint32_t add, uint32_t compare, uint32_t with)
{
    const bool small = add <= OPARG_MAX;
    const uint32_t how = small ? FUTEX_OP_ADD : FUTEX_OP_ADD | FUTEX_OP_OPARG_SHIFT;
    const uint32_t arg = small ? add : (uint32_t)__builtin_ctz(add);

    return how << 28 | compare << 24 | arg << 12 | with;
}

/*
 * Where FUTEX_WAKE_OP is missing or forbidden, adding and waking are two steps,
 * and a kill between them loses a wake. The kernel returns -EINVAL after the
 * addition: a hostile sleeper of another kind can keep it from waking.
 */
void achi_futex_add_wake(uint32_t *word, uint32_t add, bool private_)
{
    long r;

    stores_first(word);
    r = futex_call(word, FUTEX_WAKE_OP | scope(private_), INT_MAX, NULL, word,
                   add_op(add, FUTEX_OP_CMP_LT, 0));
    if (r >= 0 || r == -EINVAL)
        return;
    __atomic_fetch_add(word, add, __ATOMIC_SEQ_CST);
    achi_futex_wake(word, private_);
}

/* While the bit is set, the old value is not 0, so that the kernel wakes on the second word, too. */
bool achi_futex_clear_wake(const uint32_t *at, uint32_t *word, uint32_t bit, bool private_)
{
    long r =
        futex_call(at, FUTEX_WAKE_OP | scope(private_), INT_MAX, (const void *)(uintptr_t)INT_MAX,
                   word, (uint32_t)FUTEX_OP_ANDN << 28 | FUTEX_OP_CMP_NE << 24 | bit << 12);

    return r >= 0 || r == -EINVAL;
}

/* The kernel wakes on the second word if the comparison is true. */
void achi_futex_add_wake_at(const uint32_t *at, uint32_t *word, uint32_t add, bool both,
                            uint32_t never)
{
    const uint32_t compare = both ? FUTEX_OP_CMP_NE : FUTEX_OP_CMP_EQ;
    const void *how_many = both ? (const void *)(uintptr_t)INT_MAX : NULL;
    long r;

    stores_first(word);
    r = futex_call(at, FUTEX_WAKE_OP, INT_MAX, how_many, word, add_op(add, compare, never));
    if (r >= 0 || r == -EINVAL)
        return;
    __atomic_fetch_add(word, add, __ATOMIC_SEQ_CST);
    achi_futex_wake(at, false);
    achi_futex_wake(word, false); /* the page of at may be missing: its file was truncated */
}

bool achi_futex_has_waitv(void)
{
    int saved = errno;
    bool has = syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) == 0 || errno == EINVAL;

    errno = saved;
    return has;
}

static int wait_on_one(const struct achi_futex_word *w, clockid_t clock,
                       const struct timespec *deadline)
{
    struct time64 t;
    int op = FUTEX_WAIT_BITSET | scope(w->private_);

    if (deadline)
        t = to_time64(deadline);
    if (clock == CLOCK_REALTIME)
        op |= FUTEX_CLOCK_REALTIME;
    return (int)futex_call(w->word, op, w->value, deadline ? &t : NULL, NULL,
                           FUTEX_BITSET_MATCH_ANY);
}

/* Without futex_waitv: sleep briefly on the first word; the caller soon checks the others. */
static int wait_briefly(const struct achi_futex_word *w, clockid_t clock,
                        const struct timespec *deadline)
{
    struct timespec now, end;
    int r;

    clock_gettime(clock, &now);
    end = achi_time_add(&now, BRIEFLY_NS);
    if (deadline && achi_time_before(deadline, &end))
        return wait_on_one(w, clock, deadline);
    r = wait_on_one(w, clock, &end);
    return r == -ETIMEDOUT ? 0 : r;
}

static int wait_on_many(const struct achi_futex_word *words, unsigned n, clockid_t clock,
                        const struct timespec *deadline)
{
    struct waitv v[WORDS_MAX];
    struct time64 t;
    int saved = errno;
    unsigned i;
    long r;

    for (i = 0; i < n && i < WORDS_MAX; i++)
        v[i] = (struct waitv){.val = words[i].value,
                              .uaddr = (uintptr_t)words[i].word,
                              .flags = WAITV_SIZE_U32 | (words[i].private_ ? WAITV_PRIVATE : 0)};
    if (deadline)
        t = to_time64(deadline);
    r = syscall(SYS_futex_waitv, v, i, 0, deadline ? &t : NULL, clock);
    if (r < 0)
        r = -errno;
    errno = saved;
    if (r == -ENOSYS || r == -EPERM) /* EPERM: a system call filter that does not know it */
        return wait_briefly(&words[0], clock, deadline);
    return (int)r;
}

int achi_futex_wait(const struct achi_futex_word *words, unsigned n, clockid_t clock,
                    const struct timespec *deadline)
{
    int r =
        n == 1 ? wait_on_one(&words[0], clock, deadline) : wait_on_many(words, n, clock, deadline);

    /* The page of a word is missing: its file was truncated. Let the caller check again. */
    if (r == -EFAULT) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
        return 0;
    }
    return r >= 0 || r == -EAGAIN ? 0 : r;
}

int achi_futex_lock_pi(uint32_t *word, const struct timespec *monotonic, bool private_)
{
    struct time64 t = to_time64(monotonic);
    struct timespec now, wall;
    long r = futex_call(word, FUTEX_LOCK_PI2 | scope(private_), 0, &t, NULL, 0);

    if (r != -ENOSYS)
        return (int)r;
    /* Linux before 5.14 has FUTEX_LOCK_PI only, whose timeout is on CLOCK_REALTIME. */
    achi_kernel_now(CLOCK_MONOTONIC, &now);
    achi_kernel_now(CLOCK_REALTIME, &wall);
    wall = achi_time_add(&wall, achi_time_until(&now, monotonic));
    t = to_time64(&wall);
    return (int)futex_call(word, FUTEX_LOCK_PI | scope(private_), 0, &t, NULL, 0);
}

int achi_futex_unlock_pi(uint32_t *word, bool private_)
{
    return (int)futex_call(word, FUTEX_UNLOCK_PI | scope(private_), 0, NULL, NULL, 0);
}
