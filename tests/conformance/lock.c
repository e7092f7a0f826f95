/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.c - writers that hold the lock too long, or died holding it */
#include "conformance.h"

#include <sys/syscall.h>

#include "layout.h"

static void open_patient(ach_channel_t *chan, uint64_t timeout_ns)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    REQUIRE_OK(ach_attr_set_lock_timeout(&attr, timeout_ns));
    REQUIRE_OK(backend->open(chan, CHAN, &attr));
}

static void need_pi(void)
{
    if (!have_pi_futexes())
        skip("this system has no PI futexes");
}

static int nothing(void *cx)
{
    (void)cx;
    return 0;
}

/* The id of a process that has ended. */
static uint32_t dead_tid(void)
{
    pid_t pid = start_child(nothing, NULL);

    REQUIRE(check_child(pid, 30000));
    return (uint32_t)pid;
}

/* If the lock's owner does not go on, a put returns ACH_LOCKED at its timeout, and puts nothing. */
static void held(void)
{
    ach_channel_t chan;
    struct parked p;
    uint64_t start;

    make(4, 64);
    open_patient(&chan, 50000000);
    put_range(&chan, 1, 1);
    park(&p);
    store_word(&chan.shm->lock, p.tid);
    start = check_now_ns();
    CHECK_STATUS(put_number(&chan, 2, 16), ACH_LOCKED);
    CHECK(check_now_ns() - start >= 50000000);
    CHECK(info_of(&chan).newest == 1);
    store_word(&chan.shm->lock, 0);
    put_range(&chan, 2, 2);
    CHECK(info_of(&chan).recovered == 0);
    unpark(&p);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* With a lock timeout of 0 a put waits for the default of one second. */
static void default_limit(void)
{
    ach_channel_t chan;
    struct parked p;
    uint64_t start;

    make(4, 64);
    open_patient(&chan, 0);
    park(&p);
    put_range(&chan, 1, 1);
    store_word(&chan.shm->lock, p.tid);
    start = check_now_ns();
    CHECK_STATUS(put_number(&chan, 2, 16), ACH_LOCKED);
    CHECK(check_now_ns() - start >= 1000000000);
    store_word(&chan.shm->lock, 0);
    put_range(&chan, 2, 2);
    unpark(&p);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* Readers do not take the lock. */
static void readers_free(void)
{
    ach_channel_t chan, reader;
    struct timespec t = ms(20);
    struct parked p;
    char buf[64];
    size_t size;

    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 3);
    park(&p);
    store_word(&chan.shm->lock, p.tid);
    open_it(&reader);
    CHECK_GET(&reader, 0, ACH_OK, 1);
    CHECK_GET(&reader, ACH_O_LAST, ACH_MISSED_FRAME, 3);
    CHECK_STATUS(ach_get(&reader, buf, sizeof(buf), &size, &t, ACH_O_WAIT | ACH_O_RELTIME),
                 ACH_TIMEOUT);
    CHECK_OK(ach_flush(&reader));
    store_word(&chan.shm->lock, 0);
    unpark(&p);
    CHECK_OK(ach_close(&reader));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void dead_holder(void)
{
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 1);
    store_word(&chan.shm->lock, dead_tid());
    CHECK_OK(put_number(&chan, 2, 16));
    CHECK(load_word(&chan.shm->lock) == 0);
    put_range(&chan, 3, 3);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_GET(&chan, 0, ACH_OK, 2);
    CHECK_GET(&chan, 0, ACH_OK, 3);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void counts_dead(void)
{
    ach_channel_t chan;
    uint64_t i;

    need_pi();
    make(4, 64);
    open_it(&chan);
    for (i = 1; i <= 3; i++) {
        store_word(&chan.shm->lock, dead_tid());
        CHECK_OK(put_number(&chan, i, 16));
        CHECK(info_of(&chan).recovered == i);
    }
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* A lock word with the caller's own thread id is damage, since puts always release the lock. */
static void own(void)
{
    ach_channel_t chan;

    need_pi();
    make(4, 64);
    open_patient(&chan, 200000000);
    store_word(&chan.shm->lock, (uint32_t)syscall(SYS_gettid));
    CHECK_STATUS(put_number(&chan, 1, 16), ACH_CORRUPT);
    store_word(&chan.shm->lock, 0);
    CHECK_OK(put_number(&chan, 1, 16));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* After ACH_LOCKED the reservation is still open, and can be committed later. */
static void commit_held(void)
{
    ach_channel_t chan;
    struct parked p;
    void *room = NULL;

    make(4, 64);
    open_patient(&chan, 10000000);
    REQUIRE_OK(ach_reserve(&chan, 32, &room));
    message_fill(room, 32, 5);
    park(&p);
    store_word(&chan.shm->lock, p.tid);
    CHECK_STATUS(ach_commit(&chan, 32), ACH_LOCKED);
    store_word(&chan.shm->lock, 0);
    CHECK_OK(ach_commit(&chan, 32));
    CHECK_GET(&chan, 0, ACH_OK, 5);
    unpark(&p);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* Removing a channel does not wait for an owner of the lock that does not go on. */
static void unlink_held(void)
{
    ach_channel_t chan;
    struct parked p;

    make(4, 64);
    open_it(&chan);
    park(&p);
    store_word(&chan.shm->lock, p.tid);
    remove_it();
    CHECK(info_of(&chan).unlinked);
    store_word(&chan.shm->lock, 0);
    unpark(&p);
    CHECK_OK(ach_close(&chan));
}

static const struct test tests[] = {
    {"lock-held", held, MEMORY, NO_MEMORY},
    {"lock-default-limit", default_limit, MEMORY, NO_MEMORY},
    {"lock-readers-free", readers_free, MEMORY, NO_MEMORY},
    {"lock-dead-holder", dead_holder, MEMORY, NO_MEMORY},
    {"lock-counts-dead", counts_dead, MEMORY, NO_MEMORY},
    {"lock-own", own, MEMORY, NO_MEMORY},
    {"lock-commit-held", commit_held, MEMORY, NO_MEMORY},
    {"lock-unlink-held", unlink_held, USER, NO_FILE},
};
THEME(lock_theme, tests);
