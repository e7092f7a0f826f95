/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready_thread.c - a thread that waits for a handle, and writes its eventfd
 *
 * The reader stores what it has seen; the thread checks for later messages, and
 * sleeps as a waiting get does. Checking and writing the eventfd are one step
 * under the lock, and so are draining it and arming: the eventfd is correct
 * whenever the lock is free.
 */
#include <limits.h>
#include <signal.h>

#include "clock.h"
#include "futex.h"
#include "ready.h"
#include "sleep.h"

#define STACK_SIZE (256ul * 1024)

/* Sleep until the commit word is no longer word, or the reader calls. */
static void sleep_until_news(struct achi_helper *t, uint32_t word, uint32_t calls)
{
    struct achi_handle *h = t->handle;
    struct achi_futex_word w[ACHI_SLEEP_WORDS + 1];
    struct achi_seen seen;
    struct timespec now, end;
    int64_t slice = ACHI_SLICE_NS;
    unsigned n;

    if (!achi_puts_wake(h))
        slice = ACHI_BRIEF_SLICE_NS;
    if (!h->readonly && !achi_raise(&h->view, &word))
        return;
    seen = achi_seen(h, word);
    n = achi_sleep_words(h, &seen, w);
    w[n++] = (struct achi_futex_word){&t->calls, calls, true};
    clock_gettime(CLOCK_MONOTONIC, &now);
    end = achi_time_add(&now, slice);
    achi_futex_wait(w, n, CLOCK_MONOTONIC, &end);
}

static void sleep_until_called(struct achi_helper *t, uint32_t calls)
{
    const struct achi_futex_word w = {&t->calls, calls, true};

    achi_futex_wait(&w, 1, CLOCK_MONOTONIC, NULL);
}

static bool marked_nameless(const struct achi_handle *h)
{
    return __atomic_load_n(&h->view.hdr->state, __ATOMIC_ACQUIRE) == ACHI_UNLINKED;
}

/* Has the channel lost its name since the last call? The mark is set before the commit word. */
static bool lost_name(struct achi_helper *t)
{
    bool before = t->nameless;

    t->nameless = marked_nameless(t->handle);
    return t->nameless && !before;
}

/*
 * Under the lock: write the eventfd if there is a later message, or the channel has just lost its
 * name. Else *word is what to sleep on.
 */
static void look(struct achi_helper *t, uint32_t *word)
{
    struct achi_cursor cursor = {.seen = t->seen};

    if (!t->armed)
        return;
    if (achi_peek(&t->handle->view, &cursor, word) == ACH_EAGAIN && !lost_name(t))
        return;
    achi_ready_signal(t->eventfd);
    t->up = true;
    t->armed = false;
}

static void *helper(void *cx)
{
    struct achi_helper *t = cx;
    bool armed, stop;

    do {
        uint32_t word = 0, calls;

        pthread_mutex_lock(&t->lock);
        look(t, &word);
        calls = __atomic_load_n(&t->calls, __ATOMIC_RELAXED);
        armed = t->armed;
        stop = t->stop;
        pthread_mutex_unlock(&t->lock);
        if (armed && !stop)
            sleep_until_news(t, word, calls);
        else if (!stop)
            sleep_until_called(t, calls);
    } while (!stop);
    return NULL;
}

/* Call it under the lock; wake the thread afterwards. */
static void ready_thread_call(struct achi_helper *t)
{
    __atomic_fetch_add(&t->calls, 1, __ATOMIC_RELAXED);
}

/*
 * Under the lock: drain the eventfd if it was written. Threads other than the
 * helper may write it late: so if the reader finds nothing twice in a row,
 * drain it in any case.
 */
static void ready_thread_make_quiet(struct achi_helper *t, bool told)
{
    if (!t->up && !told && t->vain++ == 0)
        return;
    achi_ready_drain(t->eventfd);
    t->up = false;
    t->vain = 0;
}

void achi_helper_update(struct achi_helper *t, const ach_channel_t *chan, bool told, bool empty)
{
    uint32_t word;
    bool wake = false;

    pthread_mutex_lock(&t->lock);
    t->seen = achi_cursor_in(chan)->seen;
    if (!achi_ready_news(chan, &word)) {
        ready_thread_make_quiet(t, told);
        wake = !t->armed;
        t->armed = true;
        if (wake)
            ready_thread_call(t);
    }
    if ((!t->up || empty) && achi_ready_news(chan, &word)) { /* check again after the drain */
        achi_ready_signal(t->eventfd);
        t->up = true;
    }
    pthread_mutex_unlock(&t->lock);
    if (wake)
        achi_futex_wake(&t->calls, true);
}

/* With priority inheritance where the kernel has it: the reader may have a real-time priority. */
static bool lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;
    bool ok;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    ok = pthread_mutex_init(lock, &attr) == 0;
    pthread_mutexattr_destroy(&attr);
    return ok || pthread_mutex_init(lock, NULL) == 0;
}

/* A small stack, for programs that lock their memory; the default size if that is too small. */
static bool thread_start(struct achi_helper *t)
{
    pthread_attr_t attr;
    sigset_t all, before;
    int r;

    sigfillset(&all);
    sigdelset(&all, SIGBUS); /* for ach_handle_sigbus: a fault while it is blocked is fatal */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    r = pthread_create(&t->thread, &attr, helper, t);
    pthread_attr_destroy(&attr);
    if (r != 0)
        r = pthread_create(&t->thread, NULL, helper, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return r == 0;
}

bool achi_helper_start(struct achi_helper *t, struct achi_handle *h, int eventfd)
{
    *t = (struct achi_helper){
        .handle = h, .eventfd = eventfd, .vain = 1, .nameless = marked_nameless(h)};
    if (!lock_init(&t->lock))
        return false;
    if (thread_start(t)) {
        pthread_setname_np(t->thread, "ach-fd");
        return true;
    }
    pthread_mutex_destroy(&t->lock);
    return false;
}

void achi_helper_stop(struct achi_helper *t)
{
    pthread_mutex_lock(&t->lock);
    t->stop = true;
    ready_thread_call(t);
    pthread_mutex_unlock(&t->lock);
    achi_futex_wake(&t->calls, true);
    pthread_join(t->thread, NULL);
    pthread_mutex_destroy(&t->lock);
}
