/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lowered.c - a read-only process cannot keep others asleep on a channel whose flag is lowered (G6)
 *
 * One handle anticipates, and lowers the flag when its window opens; another sleeps, and must be
 * woken for that. A hostile process that may only read waits on the commit word in ways that end
 * the kernel's walk through the sleepers, or takes sleepers away from there.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"
#include "layout.h"
#include "periodic.h"

#define CHAN "lowered"
#define MESSAGES 500u
#define PERIOD_NS 2000000
#define ATTEMPTS 3

enum attack { NONE, WAITS_FOR_PI, REQUEUES };

static uint64_t got; /* by the handle that sleeps */

static void attack_on(enum attack how)
{
    static uint32_t mine;
    const struct ach_header *h;
    char path[PATH_MAX];
    int fd;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    REQUIRE_OK(ach_channel_path(CHAN, path, sizeof(path)));
    fd = open(path, O_RDONLY);
    h = mmap(NULL, ACHI_HEADER_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    REQUIRE(fd >= 0 && h != MAP_FAILED);
    for (;;) {
        struct timespec end;

        clock_gettime(CLOCK_MONOTONIC, &end);
        end.tv_sec += 60;
        if (how == WAITS_FOR_PI)
            syscall(SYS_futex, &h->commit, FUTEX_WAIT_REQUEUE_PI, h->commit, &end, &mine, 0);
        else if (how == REQUEUES)
            syscall(SYS_futex, &h->commit, FUTEX_REQUEUE, 0, (void *)1000, &mine, 0);
        usleep(20);
    }
}

static void get_all(ach_channel_t *chan, uint64_t *count)
{
    uint64_t number = 0;

    while (number < MESSAGES) {
        size_t size;
        enum ach_status r =
            ach_get(chan, &number, sizeof(number), &size, NULL, ACH_O_WAIT | ACH_O_LAST);

        CHECK(r == ACH_OK || r == ACH_MISSED_FRAME);
        if (count)
            ++*count;
    }
}

static void *sleep_on(void *unused)
{
    ach_channel_t chan;

    (void)unused;
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    get_all(&chan, &got);
    CHECK_OK(ach_close(&chan));
    return NULL;
}

static void *anticipate(void *unused)
{
    ach_channel_t chan;
    ach_attr_t attr;

    (void)unused;
    ach_attr_init(&attr);
    ach_attr_set_anticipate(&attr, 1000000, 1);
    REQUIRE_OK(ach_open(&chan, CHAN, &attr));
    get_all(&chan, NULL);
    CHECK_OK(ach_close(&chan));
    return NULL;
}

/* How many messages the sleeper gets. One that is not woken sleeps for a second, as long as all messages take. */
static uint64_t play(enum attack how)
{
    pthread_t sleeper, other;
    ach_create_attr_t attr;
    pid_t hostile;

    ach_create_attr_init(&attr);
    ach_create_attr_set_timestamps(&attr, 1);
    ach_create_attr_set_anticipated(&attr, 1);
    REQUIRE_OK(ach_create(CHAN, 64, 8, &attr));
    fflush(NULL);
    hostile = fork();
    if (hostile == 0)
        attack_on(how);
    REQUIRE(hostile > 0);
    check_sleep_ms(50);
    got = 0;
    REQUIRE(pthread_create(&sleeper, NULL, sleep_on, NULL) == 0);
    REQUIRE(pthread_create(&other, NULL, anticipate, NULL) == 0);
    check_sleep_ms(50);
    put_periodically(CHAN, MESSAGES, PERIOD_NS);
    REQUIRE(pthread_join(sleeper, NULL) == 0);
    REQUIRE(pthread_join(other, NULL) == 0);
    kill(hostile, SIGKILL);
    waitpid(hostile, NULL, 0);
    printf("attack %d: the sleeper got %llu of %u\n", (int)how, (unsigned long long)got, MESSAGES);
    CHECK_OK(ach_unlink(CHAN));
    return got;
}

/* Half of what it gets without an attack; a busy machine may need several attempts. */
static bool withstands(enum attack how)
{
    unsigned i;

    for (i = 0; i < ATTEMPTS; i++)
        if (play(how) >= play(NONE) / 2)
            return true;
    return false;
}

int main(void)
{
    CHECK(withstands(WAITS_FOR_PI));
    CHECK(withstands(REQUEUES));
    return check_result();
}
