/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * herd.c - processes that may only read a channel cannot make puts wake them
 *
 * A read-only mapping is enough to sleep on the commit word. A put wakes the
 * waiters that may write, wherever they sleep, and leaves the others asleep. The
 * kernel reports the number of sleepers on a word; it has removed those that a
 * put wakes from its queue when the put returns. So this test does not depend on
 * timing.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>

#include "check.h"
#include "layout.h"
#include "queued.h"

#define CHAN "herd"
#define STRANGERS 100
#define STACK_SIZE 65536
#define NOBODY 65534
#define ROUNDS 20

static char channel_path[PATH_MAX], wake_path[PATH_MAX];
static uint64_t *woken; /* number of strangers woken, in shared memory */

static void paths_init(void)
{
    REQUIRE_OK(ach_channel_path(CHAN, channel_path, sizeof(channel_path)));
    snprintf(wake_path, sizeof(wake_path), "%s/.achshm-%s.wake", getenv("ACH_DIR"), CHAN);
}

static void *sleep_on_commit(void *cx)
{
    const struct timespec limit = {.tv_sec = 2 * LIMIT_MS / 1000};
    const uint32_t *commit = cx;

    for (;;)
        if (syscall(SYS_futex, commit, FUTEX_WAIT, __atomic_load_n(commit, __ATOMIC_RELAXED),
                    &limit, NULL, 0) == 0)
            __atomic_fetch_add(woken, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Start a process, of another user if possible, that sleeps with only a read-only mapping. */
static pid_t strangers_start(void)
{
    struct ach_header *hdr;
    pthread_attr_t attr;
    pthread_t thread;
    pid_t pid;
    int i, fd;

    pid = check_fork();
    if (pid > 0)
        return pid;
    REQUIRE(geteuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0));
    fd = open(channel_path, O_RDONLY);
    hdr = mmap(NULL, ACHI_HEADER_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    REQUIRE(fd >= 0 && hdr != MAP_FAILED);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    for (i = 0; i < STRANGERS; i++)
        REQUIRE(pthread_create(&thread, &attr, sleep_on_commit, &hdr->commit) == 0);
    for (;;)
        pause();
}

static void child_end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Ways to wait for a message. */
static enum ach_status wait_get(ach_channel_t *chan)
{
    const struct timespec limit = {.tv_sec = LIMIT_MS / 1000};
    char buf[8];
    size_t size;

    return ach_get(chan, buf, sizeof(buf), &size, &limit, ACH_O_WAIT | ACH_O_RELTIME);
}

static enum ach_status wait_set(ach_channel_t *chan)
{
    const struct timespec limit = {.tv_sec = LIMIT_MS / 1000};
    ach_wait_item_t item = {.chan = chan};

    return ach_wait(&item, 1, &limit, ACH_O_RELTIME);
}

static enum ach_status wait_descriptor(ach_channel_t *chan)
{
    struct pollfd p = {.events = POLLIN};
    enum ach_status r = ach_channel_fd(chan, &p.fd);

    if (r != ACH_OK)
        return r;
    return poll(&p, 1, LIMIT_MS) == 1 ? ACH_OK : ACH_TIMEOUT;
}

static enum ach_status wait_ring(ach_channel_t *chan)
{
    setenv("ACH_FD", "io_uring", 1);
    return wait_descriptor(chan);
}

static enum ach_status wait_thread(ach_channel_t *chan)
{
    setenv("ACH_FD", "thread", 1);
    return wait_descriptor(chan);
}

/* Index of the first way that sleeps on the commit word too. */
#define FIRST_DESCRIPTOR 2

static const struct way {
    const char *name;
    enum ach_status (*wait)(ach_channel_t *chan);
} ways[] = {
    {"get", wait_get},
    {"wait on a set", wait_set},
    {"descriptor, io_uring", wait_ring},
    {"descriptor, thread", wait_thread},
};

static pid_t waiter_start(const struct way *way)
{
    ach_channel_t chan;
    enum ach_status r;
    pid_t pid;

    pid = check_fork();
    if (pid > 0)
        return pid;
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    r = way->wait(&chan);
    if (r == ACH_ENOTSUP)
        exit(CHECK_SKIPPED);
    CHECK_OK(r);
    CHECK_OK(ach_close(&chan));
    exit(check_result());
}

static bool exited_with(pid_t pid, int status)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid && info.si_code == CLD_EXITED && info.si_status == status &&
           waitpid(pid, NULL, 0) == pid;
}

/* A put wakes the waiter, but none of the sleeping strangers. */
static void put_beside(const ach_channel_t *chan, ach_channel_t *writer, const struct way *way)
{
    const uint32_t *commit = &chan->shm->commit;
    pid_t strangers = strangers_start(), waiter;
    bool skipped = false;

    EVENTUALLY(sleepers_on(commit) == STRANGERS);
    waiter = waiter_start(way);
    EVENTUALLY((skipped = exited_with(waiter, CHECK_SKIPPED)) ||
               (__atomic_load_n(commit, __ATOMIC_ACQUIRE) & ACHI_WAITER));
    if (skipped) {
        printf("%s: left out: this system refuses it\n", way->name);
    } else {
        __atomic_store_n(woken, 0, __ATOMIC_RELAXED);
        CHECK_OK(ach_put(writer, "news", 4));
        CHECK(check_child(waiter, LIMIT_MS));
        CHECK(sleepers_on(commit) == STRANGERS);
        printf("%s: %llu of %d strangers woken\n", way->name,
               (unsigned long long)__atomic_load_n(woken, __ATOMIC_RELAXED), STRANGERS);
        CHECK(__atomic_load_n(woken, __ATOMIC_RELAXED) == 0);
    }
    child_end(strangers);
}

static void test_strangers_sleep_on(void)
{
    ach_channel_t chan;
    size_t i;

    if (!have_waitv()) {
        printf("strangers: left out: without futex_waitv (Linux 5.16) all sleep on one word\n");
        return;
    }
    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        REQUIRE_OK(ach_create(CHAN, 8, 8, NULL));
        REQUIRE_OK(ach_open(&chan, CHAN, NULL));
        put_beside(&chan, &chan, &ways[i]);
        CHECK_OK(ach_close(&chan));
        CHECK_OK(ach_unlink(CHAN));
    }
}

/* A handle that could not map the wake file, and never waits, changes nothing for strangers. */
static void test_opened_without_wake_file(void)
{
    char aside[PATH_MAX + 8];
    ach_channel_t chan, without;

    if (!have_waitv())
        return;
    REQUIRE_OK(ach_create(CHAN, 8, 8, NULL));
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    snprintf(aside, sizeof(aside), "%s.aside", wake_path);
    CHECK(rename(wake_path, aside) == 0);
    CHECK_OK(ach_open(&without, CHAN, NULL));
    CHECK_OK(ach_close(&without));
    CHECK(rename(aside, wake_path) == 0);
    put_beside(&chan, &chan, &ways[0]);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink(CHAN));
}

/* With readonly_wake every put wakes all who sleep on the commit word. */
static void test_readonly_wake(void)
{
    ach_create_attr_t attr;
    ach_channel_t chan;
    pid_t strangers;
    const uint32_t *commit;

    ach_create_attr_init(&attr);
    ach_create_attr_set_readonly_wake(&attr, 1);
    REQUIRE_OK(ach_create(CHAN, 8, 8, &attr));
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    commit = &chan.shm->commit;
    strangers = strangers_start();
    EVENTUALLY(sleepers_on(commit) == STRANGERS);
    __atomic_store_n(woken, 0, __ATOMIC_RELAXED);
    CHECK_OK(ach_put(&chan, "news", 4));
    EVENTUALLY(__atomic_load_n(woken, __ATOMIC_RELAXED) == STRANGERS);
    child_end(strangers);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink(CHAN));
}

/* Shared by a waiter and this process. */
struct talk {
    uint32_t rounds; /* number of rounds that may begin */
    uint32_t done;
};

static void wait_in_rounds(struct talk *talk, int rounds)
{
    ach_channel_t chan;
    uint32_t i;

    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    for (i = 0; i < (uint32_t)rounds; i++) {
        EVENTUALLY(__atomic_load_n(&talk->rounds, __ATOMIC_ACQUIRE) > i);
        CHECK_OK(wait_get(&chan));
        __atomic_store_n(&talk->done, i + 1, __ATOMIC_RELEASE);
    }
    CHECK_OK(ach_close(&chan));
    exit(check_result());
}

/* Each put through this handle wakes all waiters of the channel. */
static void put_in_rounds(ach_channel_t *writer, struct talk *talk, unsigned waiters)
{
    const uint32_t *commit = &writer->shm->commit;
    uint32_t i;
    unsigned w;

    for (i = 0; i < ROUNDS; i++) {
        for (w = 0; w < waiters; w++)
            __atomic_store_n(&talk[w].rounds, i + 1, __ATOMIC_RELEASE);
        EVENTUALLY(sleepers_on(commit) == (long)waiters);
        CHECK_OK(ach_put(writer, "news", 4));
        CHECK(sleepers_on(commit) == 0);
        for (w = 0; w < waiters; w++)
            EVENTUALLY(__atomic_load_n(&talk[w].done, __ATOMIC_ACQUIRE) == i + 1);
    }
}

static pid_t waiter_in_rounds(struct talk *talk)
{
    pid_t pid;

    pid = check_fork();
    if (pid == 0) {
        wait_in_rounds(talk, ROUNDS);
    }
    return pid;
}

/* Handles with the wake file and without it wake each other. */
static void test_without_wake_file(bool writer_has_it)
{
    struct talk *talk = check_shared(2 * sizeof(*talk));
    ach_channel_t with, without;
    pid_t waiter[2];

    REQUIRE_OK(ach_create(CHAN, 8, 8, NULL));
    REQUIRE_OK(ach_open(&with, CHAN, NULL));
    waiter[0] = waiter_in_rounds(&talk[0]);
    check_sleep_ms(20); /* it may open the channel before or after the unlink: both must work */
    CHECK(unlink(wake_path) == 0);
    waiter[1] = waiter_in_rounds(&talk[1]);
    REQUIRE_OK(ach_open(&without, CHAN, NULL));
    put_in_rounds(writer_has_it ? &with : &without, talk, 2);
    CHECK(check_child(waiter[0], LIMIT_MS));
    CHECK(check_child(waiter[1], LIMIT_MS));
    CHECK_OK(ach_close(&with));
    CHECK_OK(ach_close(&without));
    CHECK_OK(ach_unlink(CHAN));
    munmap(talk, 2 * sizeof(*talk));
}

/* In each way to wait: the waiter has the wake file and the writer does not, or the reverse. */
static void test_ways(const struct way *way, bool writer_has_it)
{
    ach_channel_t with, without;
    pid_t waiter;
    bool skipped = false;

    REQUIRE_OK(ach_create(CHAN, 8, 8, NULL));
    REQUIRE_OK(ach_open(&with, CHAN, NULL));
    if (writer_has_it)
        CHECK(unlink(wake_path) == 0);
    waiter = waiter_start(way);
    EVENTUALLY((skipped = exited_with(waiter, CHECK_SKIPPED)) ||
               (__atomic_load_n(&with.shm->commit, __ATOMIC_ACQUIRE) & ACHI_WAITER));
    if (!writer_has_it)
        CHECK(unlink(wake_path) == 0);
    REQUIRE_OK(ach_open(&without, CHAN, NULL));
    check_sleep_ms(20); /* most waiters sleep by now */
    CHECK_OK(ach_put(writer_has_it ? &with : &without, "news", 4));
    CHECK(skipped || check_child(waiter, LIMIT_MS));
    CHECK_OK(ach_close(&with));
    CHECK_OK(ach_close(&without));
    CHECK_OK(ach_unlink(CHAN));
}

static void test_all_ways(void)
{
    size_t i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        test_ways(&ways[i], true);
        test_ways(&ways[i], false);
    }
}

/* A reader can requeue sleepers from the commit word to another; a put must still wake them. */
static void test_moved(const struct way *way)
{
    ach_channel_t chan;
    const uint32_t *commit, *elsewhere;
    bool skipped = false;
    pid_t waiter;

    REQUIRE_OK(ach_create(CHAN, 8, 8, NULL));
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    commit = &chan.shm->commit;
    elsewhere = (const uint32_t *)chan.shm + ACHI_HEADER_SIZE / sizeof(uint32_t) - 1;
    waiter = waiter_start(way);
    EVENTUALLY(
        (skipped = exited_with(waiter, CHECK_SKIPPED)) ||
        syscall(SYS_futex, commit, FUTEX_REQUEUE, 0, (void *)(uintptr_t)INT_MAX, elsewhere, 0) > 0);
    CHECK_OK(ach_put(&chan, "news", 4));
    CHECK(skipped || check_child(waiter, LIMIT_MS));
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink(CHAN));
}

static mode_t wake_mode(void)
{
    struct stat st;

    return stat(wake_path, &st) == 0 ? st.st_mode & 07777 : 07777;
}

/* Only users who may read and write the channel may open the wake file. */
static void test_modes(void)
{
    static const struct {
        mode_t channel, wake;
    } modes[] = {{0600, 0600}, {0644, 0600}, {0640, 0600}, {0664, 0660},
                 {0666, 0666}, {0606, 0606}, {0622, 0600}, {0444, 0600}};
    ach_create_attr_t attr;
    ach_channel_t chan;
    size_t i;

    for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        ach_create_attr_init(&attr);
        ach_create_attr_set_mode(&attr, modes[i].channel);
        REQUIRE_OK(ach_create(CHAN, 1, 8, &attr));
        CHECK(wake_mode() == modes[i].wake);
        CHECK_OK(ach_unlink(CHAN));
        CHECK(access(wake_path, F_OK) != 0);
    }
    REQUIRE_OK(ach_create(CHAN, 1, 8, NULL));
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        CHECK_OK(ach_chmod(&chan, modes[i].channel));
        CHECK(wake_mode() == modes[i].wake);
        CHECK_OK(ach_chmod(&chan, 0600));
    }
    CHECK_OK(ach_close(&chan));
    REQUIRE(chmod(channel_path, 0664) == 0);
    CHECK(wake_mode() == 0600);
    REQUIRE_OK(ach_open(&chan, CHAN, NULL)); /* the owner's next open follows chmod(1) */
    CHECK(wake_mode() == 0660);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink(CHAN));
}

/* A replacing channel has a new wake file. rm(1) leaves the wake file; ach_unlink removes it. */
static void test_replaced_and_removed(void)
{
    ach_create_attr_t attr;
    struct stat before, after;

    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    REQUIRE_OK(ach_create(CHAN, 1, 8, NULL));
    REQUIRE(stat(wake_path, &before) == 0);
    REQUIRE_OK(ach_create(CHAN, 1, 8, &attr));
    REQUIRE(stat(wake_path, &after) == 0);
    CHECK(before.st_ino != after.st_ino);
    CHECK(unlink(channel_path) == 0);
    REQUIRE_OK(ach_create(CHAN, 1, 8, NULL));
    REQUIRE(stat(wake_path, &before) == 0);
    CHECK(before.st_ino != after.st_ino);
    CHECK(unlink(channel_path) == 0);
    CHECK_STATUS(ach_unlink(CHAN), ACH_ENOENT);
    CHECK(access(wake_path, F_OK) != 0);
}

/* Another user's file with the name of the wake file does not help that user. */
static void test_squatters(void)
{
    int fd = open(wake_path, O_CREAT | O_EXCL | O_RDWR, 0666);
    ach_channel_t chan;

    REQUIRE(fd >= 0 && fchmod(fd, 0666) == 0);
    close(fd);
    if (chown(wake_path, NOBODY, NOBODY) != 0) {
        printf("squatters: left out: this user cannot make another one's file\n");
        unlink(wake_path);
        return;
    }
    REQUIRE_OK(ach_create(CHAN, 8, 8, NULL));
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    CHECK(chan.shm->wake_number != 0);
    if (have_waitv())
        put_beside(&chan, &chan, &ways[0]);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink(CHAN));
    CHECK(unlink(wake_path) == 0);
}

/* A file with the wake file's name, but not the inode named in the header, is not used. */
static void test_false_wake_file(void)
{
    ach_channel_t with, without;
    struct talk *talk = check_shared(sizeof(*talk));
    pid_t waiter;
    int fd;

    REQUIRE_OK(ach_create(CHAN, 8, 8, NULL));
    REQUIRE_OK(ach_open(&with, CHAN, NULL));
    CHECK(unlink(wake_path) == 0);
    fd = open(wake_path, O_CREAT | O_EXCL | O_RDWR, 0600);
    REQUIRE(fd >= 0 && ftruncate(fd, 65536) == 0);
    close(fd);
    waiter = waiter_in_rounds(talk);
    REQUIRE_OK(ach_open(&without, CHAN, NULL));
    put_in_rounds(&with, talk, 1);
    CHECK(check_child(waiter, LIMIT_MS));
    CHECK_OK(ach_close(&with));
    CHECK_OK(ach_close(&without));
    CHECK_OK(ach_unlink(CHAN));
    munmap(talk, sizeof(*talk));
}

int main(void)
{
    size_t i;

    paths_init();
    woken = check_shared(sizeof(*woken));
    umask(022);
    REQUIRE(chmod(getenv("ACH_DIR"), 0755) == 0);
    if (geteuid() != 0)
        printf("strangers are processes of the same user: only root can be another one\n");
    test_modes();
    test_replaced_and_removed();
    test_strangers_sleep_on();
    test_opened_without_wake_file();
    test_readonly_wake();
    test_without_wake_file(true);
    test_without_wake_file(false);
    test_all_ways();
    if (have_waitv())
        for (i = FIRST_DESCRIPTOR; i < sizeof(ways) / sizeof(ways[0]); i++)
            test_moved(&ways[i]);
    test_false_wake_file();
    test_squatters();
    return check_result();
}
