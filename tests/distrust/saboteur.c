/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * saboteur.c - a process that may only read does no lasting harm
 *
 * A process with a read-only mapping queues itself on the commit word as a waiter
 * of another kind (FUTEX_WAIT_REQUEUE_PI). The kernel then adds to the word, but
 * refuses to wake. A writer that took this error to mean that nothing was done
 * would add twice, and damage the channel permanently.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "check.h"
#include "layout.h"

#define SABOTAGE_S 20
#define MESSAGES 50

/* Sleeps until it is killed. */
static void sabotage(const char *path, uint32_t *ready)
{
    int fd = open(path, O_RDONLY);
    struct ach_header *hdr = mmap(NULL, ACHI_HEADER_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    uint32_t *pi =
        mmap(NULL, ACHI_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct timespec end;

    REQUIRE(fd >= 0 && hdr != MAP_FAILED && pi != MAP_FAILED);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += SABOTAGE_S;
    __atomic_store_n(ready, 1, __ATOMIC_RELEASE);
    for (;;) {
        uint32_t word = __atomic_load_n(&hdr->commit, __ATOMIC_RELAXED);

        if (syscall(SYS_futex, &hdr->commit, FUTEX_WAIT_REQUEUE_PI, word, &end, pi, 0) != 0 &&
            errno == ENOSYS)
            exit(CHECK_SKIPPED);
    }
}

int main(void)
{
    uint32_t *ready =
        mmap(NULL, sizeof(*ready), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct timespec limit = {.tv_sec = 30};
    ach_channel_t writer, reader;
    ach_create_attr_t attr;
    uint64_t i, got;
    char path[4096];
    size_t size;
    pid_t pid;

    REQUIRE(ready != MAP_FAILED);
    ach_create_attr_init(&attr);
    ach_create_attr_set_readonly_wake(&attr, 1); /* every put wakes */
    REQUIRE_OK(ach_create("target", 8, 64, &attr));
    REQUIRE_OK(ach_channel_path("target", path, sizeof(path)));
    REQUIRE_OK(ach_open(&writer, "target", NULL));
    REQUIRE_OK(ach_open(&reader, "target", NULL));
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0)
        sabotage(path, ready);
    while (!__atomic_load_n(ready, __ATOMIC_ACQUIRE))
        sched_yield();
    for (i = 1; i <= MESSAGES; i++) {
        check_sleep_ms(2);
        CHECK_OK(ach_put(&writer, &i, sizeof(i)));
        REQUIRE_OK(ach_get(&reader, &got, sizeof(got), &size, &limit, ACH_O_WAIT | ACH_O_RELTIME));
        CHECK(got == i);
    }
    kill(pid, SIGKILL);
    check_child(pid, 10000);
    CHECK_OK(ach_close(&writer));
    CHECK_OK(ach_close(&reader));
    CHECK_OK(ach_unlink("target"));
    return check_result();
}
