/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lowering.c - a receiver stops lowering the flag if that takes until the message comes
 *
 * Linked with --wrap=syscall: the call that lowers the flag and wakes all sleepers returns when the
 * commit word has changed again, as beside many sleepers.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "check.h"
#include "layout.h"
#include "periodic.h"

#define CHAN "lowering"
#define MESSAGES 300u
#define PERIOD_NS 2000000
#define CALL_LIMIT_NS 1000000000u

#define WINDOWS_MIN 16u

static unsigned lowered;

long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, ...);

/* The flag is down: wait for a message or for another waiter. */
static void wait_for_change(const uint32_t *commit)
{
    uint64_t end = check_now_ns() + CALL_LIMIT_NS;
    uint32_t before = __atomic_load_n(commit, __ATOMIC_RELAXED);

    while (__atomic_load_n(commit, __ATOMIC_RELAXED) == before && check_now_ns() < end)
        ;
}

/* Other calls have fewer arguments than are passed on here. */
__attribute__((no_sanitize_address)) long __wrap_syscall(long number, ...)
{
    long v[6], r;
    va_list ap;

    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        v[i] = va_arg(ap, long);
    va_end(ap);
    r = __real_syscall(number, v[0], v[1], v[2], v[3], v[4], v[5]);
    if (number == SYS_futex && (v[1] & FUTEX_CMD_MASK) == FUTEX_WAKE_OP &&
        ((uint32_t)v[5] >> 28 & 7) == FUTEX_OP_ANDN) {
        lowered++;
        wait_for_change((const uint32_t *)v[4]);
    }
    return r;
}

static void *put_all(void *unused)
{
    (void)unused;
    put_periodically(CHAN, MESSAGES, PERIOD_NS);
    return NULL;
}

/* The number of windows in which the receiver has looked for messages. */
static uint64_t play(void)
{
    uint64_t number = 0;
    ach_anticipation_t a;
    ach_create_attr_t create;
    ach_channel_t chan;
    pthread_t writer;
    ach_attr_t attr;

    ach_create_attr_init(&create);
    ach_create_attr_set_timestamps(&create, 1);
    ach_create_attr_set_anticipated(&create, 1);
    REQUIRE_OK(ach_create(CHAN, 64, 16, &create));
    ach_attr_init(&attr);
    ach_attr_set_anticipate(&attr, 1000000, 1);
    REQUIRE_OK(ach_open(&chan, CHAN, &attr));
    REQUIRE(pthread_create(&writer, NULL, put_all, NULL) == 0);
    while (number < MESSAGES) {
        size_t size;
        enum ach_status r =
            ach_get(&chan, &number, sizeof(number), &size, NULL, ACH_O_WAIT | ACH_O_LAST);

        CHECK(r == ACH_OK || r == ACH_MISSED_FRAME);
    }
    REQUIRE(pthread_join(writer, NULL) == 0);
    REQUIRE_OK(ach_channel_anticipation(&chan, &a));
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink(CHAN));
    printf("%u of %llu windows lowered the flag\n", lowered, (unsigned long long)a.windows);
    return a.windows;
}

int main(void)
{
    uint64_t windows = play();

    /* The windows 1, 3, 7, 15, ... lower it. */
    CHECK(lowered < 12);
    if (windows < WINDOWS_MIN)
        check_skip("this machine's timers are too late for windows");
    return check_result();
}
