/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wakeword.c - a waiter sleeps on the wake word alone only if every put announces itself there
 *
 * The kernel reports on which words a waiter sleeps. This test does not depend on timing, except
 * that a waiter checks again after a second, and that a busy machine has no windows.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "check.h"
#include "layout.h"
#include "periodic.h"
#include "queued.h"

#define CHAN "wakeword"
#define MANY 100
#define PERIODIC 300u
#define PERIOD_NS 2000000
#define SAMPLES 20
#define SLICE_NS 1000000000u /* how long a waiter sleeps before it checks again */

static ach_channel_t chan;
static uint32_t *wake_word;
static char wake_path[PATH_MAX];

static void begin_with(ach_create_attr_t *attr)
{
    int fd;

    REQUIRE_OK(ach_create(CHAN, 8, 8, attr));
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    snprintf(wake_path, sizeof(wake_path), "%s/.achshm-%s.wake", getenv("ACH_DIR"), CHAN);
    fd = open(wake_path, O_RDWR);
    wake_word = mmap(NULL, sizeof(*wake_word), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(fd >= 0 && wake_word != MAP_FAILED);
    close(fd);
}

static void begin(void)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    begin_with(&attr);
}

static void end(void)
{
    CHECK(munmap(wake_word, sizeof(*wake_word)) == 0);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink(CHAN));
}

static uint32_t commit_word(void)
{
    return __atomic_load_n(&chan.shm->commit, __ATOMIC_SEQ_CST);
}

/* Waits for one message that comes after its start, for half a second at a time. */
static pid_t waiter_start(void)
{
    const struct timespec limit = {.tv_nsec = 500000000};
    enum ach_status r = ACH_TIMEOUT;
    ach_channel_t c;
    char buf[8];
    size_t size;
    pid_t pid;
    int i;

    pid = check_fork();
    if (pid > 0)
        return pid;
    REQUIRE_OK(ach_open(&c, CHAN, NULL));
    REQUIRE_OK(ach_flush(&c));
    for (i = 0; r == ACH_TIMEOUT && i < LIMIT_MS / 500; i++)
        r = ach_get(&c, buf, sizeof(buf), &size, &limit, ACH_O_WAIT | ACH_O_RELTIME);
    CHECK_OK(r);
    CHECK_OK(ach_close(&c));
    _exit(check_result());
}

static bool sleeps_alone(void)
{
    return sleepers_on(&chan.shm->commit) == 0 && sleepers_on(wake_word) == 1;
}

static bool sleeps_on_both(void)
{
    return sleepers_on(&chan.shm->commit) == 1 && sleepers_on(wake_word) == 1;
}

/* The kernel has removed the waiter from the word's queue when the put returns. */
static void put_wakes(ach_channel_t *writer, const uint32_t *word, pid_t waiter)
{
    CHECK_OK(ach_put(writer, "news", 4));
    CHECK(sleepers_on(word) == 0);
    CHECK(check_child(waiter, LIMIT_MS));
}

static void test_alone(void)
{
    pid_t waiter;
    int i;

    begin();
    for (i = 0; i < MANY; i++)
        CHECK_OK(ach_put(&chan, "more", 4));
    CHECK(ACHI_SEQ(*wake_word) == 0); /* nobody waited */
    waiter = waiter_start();
    EVENTUALLY(sleeps_alone());
    put_wakes(&chan, wake_word, waiter);
    CHECK(ACHI_SEQ(*wake_word) == MANY + 1 && ACHI_SEQ(commit_word()) == MANY + 1);
    end();
}

/* A writer was killed between the announcement and the commit. */
static void test_announced(void)
{
    pid_t waiter;

    begin();
    CHECK_OK(ach_put(&chan, "more", 4));
    __atomic_store_n(wake_word, commit_word() + ACHI_ONE_MESSAGE, __ATOMIC_SEQ_CST);
    waiter = waiter_start();
    EVENTUALLY(sleeps_on_both());
    put_wakes(&chan, wake_word, waiter);
    waiter = waiter_start();
    EVENTUALLY(sleeps_alone());
    put_wakes(&chan, wake_word, waiter);
    end();
}

/*
 * On CLOCK_REALTIME a waiter sleeps on both words: if the clock is set back, its sleep may outlast
 * the time for which an opening writer without the wake file waits.
 */
static void test_wall_clock(void)
{
    ach_create_attr_t attr;
    pid_t waiter;

    ach_create_attr_init(&attr);
    REQUIRE_OK(ach_create_attr_set_clock(&attr, CLOCK_REALTIME));
    begin_with(&attr);
    waiter = waiter_start();
    EVENTUALLY(sleeps_on_both());
    put_wakes(&chan, wake_word, waiter);
    end();
}

/* Opening a writer without the wake file waits until no waiter sleeps on the wake word alone. */
static void test_unmapped(void)
{
    ach_channel_t unmapped;
    uint64_t began, took;
    pid_t waiter;
    int i, alone = 0;

    begin();
    waiter = waiter_start();
    EVENTUALLY(sleeps_alone());
    CHECK(unlink(wake_path) == 0);
    began = check_now_ns();
    CHECK_OK(ach_open(&unmapped, CHAN, NULL));
    took = check_now_ns() - began;
    for (i = 0; i < SAMPLES; i++) /* a waiter that is just waking up may seem to sleep alone */
        alone += sleeps_alone();
    CHECK(alone < SAMPLES || took >= SLICE_NS); /* on a busy machine it may wake up late */
    EVENTUALLY(sleeps_on_both());
    put_wakes(&unmapped, &chan.shm->commit, waiter);
    CHECK_OK(ach_close(&unmapped));
    end();
}

/* Gets periodic messages, and lowers the flag in its windows. */
static void anticipate(void)
{
    uint64_t number = 0;
    ach_channel_t c;
    ach_attr_t attr;
    size_t size;

    ach_attr_init(&attr);
    ach_attr_set_anticipate(&attr, 1000000, 1);
    REQUIRE_OK(ach_open(&c, CHAN, &attr));
    REQUIRE_OK(ach_flush(&c));
    while (number < PERIODIC) {
        enum ach_status r =
            ach_get(&c, &number, sizeof(number), &size, NULL, ACH_O_WAIT | ACH_O_LAST);

        CHECK(r == ACH_OK || r == ACH_MISSED_FRAME);
    }
    CHECK_OK(ach_close(&c));
    _exit(check_result());
}

/* Waiters on a channel whose flag may be lowered sleep on both words from when a receiver does it. */
static void test_lowered(void)
{
    ach_create_attr_t attr;
    pid_t waiter, receiver;
    bool lowers;

    ach_create_attr_init(&attr);
    ach_create_attr_set_timestamps(&attr, 1);
    ach_create_attr_set_anticipated(&attr, 1);
    begin_with(&attr);
    waiter = waiter_start();
    EVENTUALLY(sleeps_alone());
    put_wakes(&chan, wake_word, waiter);
    receiver = check_fork();
    if (receiver == 0)
        anticipate();
    put_periodically(CHAN, PERIODIC, PERIOD_NS);
    CHECK(check_child(receiver, LIMIT_MS));
    lowers = chan.shm->both_words != ACHI_ONE_WORD; /* not on a machine too busy for windows */
    printf("a receiver lowers the flag: %d\n", lowers);
    waiter = waiter_start();
    EVENTUALLY(lowers ? sleeps_on_both() : sleeps_alone());
    put_wakes(&chan, wake_word, waiter);
    end();
}

int main(void)
{
    if (!have_waitv()) {
        puts("without futex_waitv (Linux 5.16) all sleep on the commit word");
        return CHECK_SKIPPED;
    }
    test_alone();
    test_announced();
    test_wall_clock();
    test_unmapped();
    test_lowered();
    return check_result();
}
