/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * strangers.c - processes of another PID namespace may subscribe, not put
 *
 * Thread ids, which the writers' lock consists of, mean nothing across
 * namespaces.
 */
#include <sched.h>
#include <signal.h>

#include "check.h"

#define MESSAGES 200

/* In the new namespace: wait for each message, which is put from outside. */
static void subscribe(uint32_t *ready)
{
    const struct timespec limit = {.tv_sec = 30};
    ach_channel_t chan, own;
    uint64_t message, expected;
    size_t size;
    void *room;

    REQUIRE_OK(ach_open(&chan, "outside", NULL));
    CHECK_STATUS(ach_put(&chan, "x", 1), ACH_EACCES);
    if (ach_reserve(&chan, 1, &room) == ACH_OK)
        CHECK_STATUS(ach_commit(&chan, 1), ACH_EACCES);
    __atomic_store_n(ready, 1, __ATOMIC_RELEASE);
    for (expected = 1; expected <= MESSAGES; expected++) {
        REQUIRE_OK(
            ach_get(&chan, &message, sizeof(message), &size, &limit, ACH_O_WAIT | ACH_O_RELTIME));
        CHECK(message == expected);
    }
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_create("inside", 4, 100, NULL));
    REQUIRE_OK(ach_open(&own, "inside", NULL));
    CHECK_OK(ach_put(&own, "mine", 4));
    CHECK_OK(ach_close(&own));
}

/* The first child after unshare is in the new namespace. */
static int enter(uint32_t *ready)
{
    pid_t pid;

    if (unshare(CLONE_NEWPID) != 0)
        return CHECK_SKIPPED;
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        subscribe(ready);
        exit(check_result());
    }
    return check_child(pid, 60000) ? 0 : 1;
}

static void put_slowly(void)
{
    ach_channel_t chan;
    uint64_t i;

    REQUIRE_OK(ach_open(&chan, "outside", NULL));
    for (i = 1; i <= MESSAGES; i++) {
        CHECK_OK(ach_put(&chan, &i, sizeof(i)));
        if (i % 10 == 0)
            check_sleep_ms(1);
    }
    CHECK_OK(ach_close(&chan));
}

static void read_theirs(void)
{
    ach_channel_t chan;
    char buf[8];
    size_t size;

    REQUIRE_OK(ach_open(&chan, "inside", NULL));
    CHECK_OK(ach_get(&chan, buf, sizeof(buf), &size, NULL, 0));
    CHECK(size == 4 && memcmp(buf, "mine", 4) == 0);
    CHECK_STATUS(ach_put(&chan, "x", 1), ACH_EACCES);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink("inside"));
}

int main(void)
{
    uint32_t *ready = check_shared(sizeof(*ready));
    int status = 0;
    pid_t pid;

    REQUIRE_OK(ach_create("outside", MESSAGES, 8, NULL));
    fflush(NULL);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0)
        exit(enter(ready));
    while (!__atomic_load_n(ready, __ATOMIC_ACQUIRE) && waitpid(pid, &status, WNOHANG) == 0)
        check_sleep_ms(1);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHECK_SKIPPED) {
        CHECK_OK(ach_unlink("outside"));
        check_skip("this user may not make PID namespaces");
    }
    put_slowly();
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    read_theirs();
    CHECK_OK(ach_unlink("outside"));
    return check_result();
}
