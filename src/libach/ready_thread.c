/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready_thread.c - a thread that waits for a handle, and writes its eventfd
 *
 * The reader tells it how far it is; the thread looks, and sleeps as a waiting
 * get does. Looking and writing the eventfd are one step under the lock, and so
 * are draining it and arming: what the eventfd says is true whenever the lock
 * is free.
 */
#include <limits.h>
#include <signal.h>

#include "../core/order.h"
#include "clock.h"
#include "futex.h"
#include "ready.h"
#include "wait.h"

#define STACK_SIZE (256ul * 1024)
#define BRIEF_SLICE_NS 1000000ll /* while no wake may come */

/* Until the channel changes from word or the reader calls. */
static void sleep_until_news(struct achi_helper *t, uint32_t word, uint32_t calls)
{
    struct achi_handle *h = t->handle;
    const struct ach_header *hdr = h->view.hdr;
    struct achi_futex_word w[ACHI_SLEEP_WORDS + 1];
    struct timespec now, end;
    int64_t slice = ACHI_SLICE_NS;
    unsigned n;

    if (h->readonly ? !achi_load(&hdr->readonly_wake, WAIT_READONLY) : !achi_settle(h))
        slice = BRIEF_SLICE_NS;
    if (!h->readonly && !achi_raise(&h->view, &word))
        return;
    n = achi_sleep_words(h, word, w);
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

/* Under the lock: write the eventfd if there is more. *word: else sleep on this. */
static void look(struct achi_helper *t, uint32_t *word)
{
    struct achi_cursor cursor = {.seen = t->seen};

    if (!t->armed || achi_peek(&t->handle->view, &cursor, word) == ACH_EAGAIN)
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

/* Under the lock, but for the wake. */
static void call(struct achi_helper *t)
{
    __atomic_fetch_add(&t->calls, 1, __ATOMIC_RELAXED);
}

/*
 * Under the lock. Others than the thread may write late; so who gets nothing
 * twice in a row was misled, and the eventfd is read to be sure.
 */
static void make_quiet(struct achi_helper *t, bool told)
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
    t->seen = chan->priv->cursor.seen;
    if (!achi_ready_news(chan, &word)) {
        make_quiet(t, told);
        wake = !t->armed;
        t->armed = true;
        if (wake)
            call(t);
    }
    if ((!t->up || empty) && achi_ready_news(chan, &word)) { /* also what was drained just now */
        achi_ready_signal(t->eventfd);
        t->up = true;
    }
    pthread_mutex_unlock(&t->lock);
    if (wake)
        achi_futex_wake(&t->calls, true);
}

/* With priority inheritance where the kernel has it: the reader may be urgent. */
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

/* A small stack, for programs that lock their memory; the default one if the program needs more. */
static bool thread_start(struct achi_helper *t)
{
    pthread_attr_t attr;
    sigset_t all, before;
    int r;

    sigfillset(&all);
    sigdelset(&all, SIGBUS); /* for ach_handle_sigbus: a fault while it is blocked is the end */
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
    *t = (struct achi_helper){.handle = h, .eventfd = eventfd, .vain = 1};
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
    call(t);
    pthread_mutex_unlock(&t->lock);
    achi_futex_wake(&t->calls, true);
    pthread_join(t->thread, NULL);
    pthread_mutex_destroy(&t->lock);
}
