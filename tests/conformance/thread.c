/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.c - threads that do nothing, or wait for a message */
#include "conformance.h"

#include <sys/syscall.h>

static void *parked_thread(void *cx)
{
    struct parked *p = cx;

    __atomic_store_n(&p->tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    pthread_mutex_lock(&p->gate);
    pthread_mutex_unlock(&p->gate);
    return NULL;
}

void park(struct parked *p)
{
    p->tid = 0;
    pthread_mutex_init(&p->gate, NULL);
    pthread_mutex_lock(&p->gate);
    REQUIRE(pthread_create(&p->thread, NULL, parked_thread, p) == 0);
    while (!__atomic_load_n(&p->tid, __ATOMIC_ACQUIRE))
        check_sleep_ms(1);
}

void unpark(struct parked *p)
{
    pthread_mutex_unlock(&p->gate);
    pthread_join(p->thread, NULL);
    pthread_mutex_destroy(&p->gate);
}

static void *waiter_thread(void *cx)
{
    struct waiter *w = cx;
    unsigned char buf[64];
    size_t size = 0;

    w->status = ach_get(w->chan, buf, sizeof(buf), &size, w->timeout, w->options | ACH_O_WAIT);
    if (w->status == ACH_OK || w->status == ACH_MISSED_FRAME)
        REQUIRE(message_whole(buf, size, &w->number));
    return NULL;
}

void waiter_start_until(struct waiter *w, ach_channel_t *chan, int options,
                        const struct timespec *timeout)
{
    *w = (struct waiter){.chan = chan, .options = options, .timeout = timeout};
    REQUIRE(pthread_create(&w->thread, NULL, waiter_thread, w) == 0);
}

void waiter_start(struct waiter *w, ach_channel_t *chan, int options)
{
    waiter_start_until(w, chan, options, NULL);
}

enum ach_status waiter_end(struct waiter *w)
{
    REQUIRE(pthread_join(w->thread, NULL) == 0);
    return w->status;
}

void let_sleep(void)
{
    check_sleep_ms(30);
}

uint32_t load_word(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

void store_word(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}
