/* SPDX-License-Identifier: BSD-3-Clause */
/* ready_life.c - descriptors of handles across cancel, fork, threads and close */
#include "ready.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

/* A sleeping helper checks once a second; the limits allow for other load of the machine. */
#define IDLE_MS 1500
#define IDLE_LIMIT_US 500000
#define IDLE_SLEEPS 10
#define HANDLES 20
#define THREADS 40
#define CANCELED_THREADS 20

static ach_channel_t chan;
static int fd;

static void *cancel_soon(void *cx)
{
    let_sleep();
    CHECK_OK(ach_cancel(cx, NULL));
    return NULL;
}

static void on_alarm(int number)
{
    (void)number;
    ach_cancel(&chan, NULL);
}

static void cancel(void)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    pthread_t thread;
    int other_fd;
    ach_channel_t other;

    fd = ready_begin(&chan, 4);
    REQUIRE(pthread_create(&thread, NULL, cancel_soon, &chan) == 0);
    CHECK(becomes_readable(fd));
    pthread_join(thread, NULL);
    CHECK_GET(&chan, 0, ACH_CANCELED, 0);
    CHECK(readable(fd));
    chan.cancel = 0;
    CHECK_GET(&chan, 0, ACH_EAGAIN, 0);
    CHECK(!readable(fd));

    CHECK_OK(ach_cancel(&chan, NULL));
    chan.cancel = 0;
    CHECK_GET(&chan, 0, ACH_EAGAIN, 0);
    CHECK(!readable(fd));
    put_range(&chan, 1, 1);
    CHECK(becomes_readable(fd));
    CHECK_GET(&chan, 0, ACH_OK, 1);

    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
    if (emulated()) /* qemu-user does not come back from a signal beside a helper thread */
        on_alarm(0);
    else
        raise(SIGUSR1);
    CHECK(becomes_readable(fd));

    open_it(&other);
    CHECK_OK(ach_flush(&other));
    CHECK_OK(ach_cancel(&other, NULL));
    CHECK_OK(ach_channel_fd(&other, &other_fd));
    CHECK(readable(other_fd));
    CHECK_OK(ach_close(&other));
    ready_end(&chan);
}

/* When the name is removed, the descriptor is readable once, and a get can tell why. */
static void nameless(void)
{
    ach_channel_t writer;

    fd = ready_begin(&chan, 4);
    open_it(&writer);
    CHECK_GET(&chan, ACH_O_LINKED, ACH_EAGAIN, 0);
    CHECK(!readable(fd));
    remove_it();
    CHECK(becomes_readable(fd));
    CHECK_GET(&chan, 0, ACH_EAGAIN, 0);
    CHECK(!readable(fd));
    CHECK_GET(&chan, ACH_O_LINKED, ACH_ENOENT, 0);
    CHECK(!readable(fd));
    put_range(&writer, 1, 1);
    CHECK(becomes_readable(fd));
    CHECK_GET(&chan, ACH_O_LINKED, ACH_OK, 1);
    CHECK_GET(&chan, ACH_O_LINKED, ACH_ENOENT, 0);
    CHECK_GET(&chan, ACH_O_LINKED | ACH_O_COPY, ACH_OK, 1);
    check_sleep_ms(20);
    CHECK(!readable(fd));
    CHECK_OK(ach_close(&writer));
    CHECK_OK(ach_close(&chan));
}

static int child(void *cx)
{
    int *pipes = cx, own;
    char c;

    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_GET(&chan, 0, ACH_EAGAIN, 0);
    CHECK_OK(ach_flush(&chan));
    CHECK(info_of(&chan).ready == ACH_READY_NONE);
    CHECK(readable(fd)); /* the parent's descriptor */
    REQUIRE_OK(ach_channel_fd(&chan, &own));
    CHECK(!readable(own));
    CHECK(info_of(&chan).ready == ready_wanted);
    REQUIRE(write(pipes[1], "a", 1) == 1 && read(pipes[2], &c, 1) == 1);
    CHECK(becomes_readable(own));
    CHECK_GET(&chan, 0, ACH_OK, 2);
    CHECK(!readable(own));
    CHECK_OK(ach_cancel(&chan, NULL));
    CHECK(readable(own));
    CHECK_OK(ach_close(&chan));
    return check_result();
}

static int closing_child(void *cx)
{
    (void)cx;
    CHECK_OK(ach_cancel(&chan, NULL));
    CHECK_OK(ach_close(&chan));
    return check_result();
}

/* Each process has its own descriptor; neither consumes the other's wake-ups. */
static void forked(void)
{
    int pipes[4];
    pid_t pid;
    char c;

    if (emulated())
        skip("qemu-user cannot fork a process with threads");
    if (under_thread_sanitizer() && ready_wanted == ACH_READY_THREAD)
        skip("a child under the thread sanitizer cannot start a thread if its parent had several");
    fd = ready_begin(&chan, 4);
    REQUIRE(pipe(pipes) == 0 && pipe(pipes + 2) == 0);
    put_range(&chan, 1, 1);
    CHECK(becomes_readable(fd));
    pid = start_child(child, pipes);
    REQUIRE(read(pipes[0], &c, 1) == 1);
    CHECK(readable(fd));
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK(!readable(fd));
    put_range(&chan, 2, 2);
    CHECK(becomes_readable(fd));
    CHECK_GET(&chan, 0, ACH_OK, 2);
    REQUIRE(write(pipes[3], "b", 1) == 1);
    CHECK(check_child(pid, 30000));
    CHECK(run_child(closing_child, NULL));
    CHECK_GET(&chan, 0, ACH_EAGAIN, 0); /* the child's cancel woke all waiters */
    CHECK(!readable(fd));
    put_range(&chan, 3, 3);
    CHECK(becomes_readable(fd));
    CHECK_GET(&chan, 0, ACH_OK, 3);
    CHECK(!readable(fd));
    for (c = 0; c < 4; c++)
        close(pipes[(int)c]);
    ready_end(&chan);
}

/* Get messages up to this number, which another handle puts. */
static void *take_turn(void *cx)
{
    uint64_t want = *(uint64_t *)cx, got = 0;

    while (got < want) {
        REQUIRE(becomes_readable(fd));
        get_all(&chan, &got);
    }
    return NULL;
}

/* The descriptor is used by other threads, which end, and then by the first thread again. */
static void handed_over(void)
{
    ach_channel_t writer;
    uint64_t i, seen = 0;

    fd = ready_begin(&chan, 4);
    open_it(&writer);
    for (i = 1; i <= 20; i++) {
        pthread_t thread;

        REQUIRE(pthread_create(&thread, NULL, take_turn, &i) == 0);
        if (i % 2)
            let_sleep();
        put_range(&writer, i, i);
        pthread_join(thread, NULL);
    }
    CHECK(info_of(&chan).ready == (backend->bit == KERNEL ? ready_wanted : ACH_READY_THREAD));
    for (; i <= 30; i++) {
        put_range(&writer, i, i);
        take_turn(&i);
    }
    get_all(&chan, &seen);
    let_sleep(); /* an abandoned ring may signal once more */
    get_all(&chan, &seen);
    CHECK(!readable(fd));
    CHECK_OK(ach_close(&writer));
    ready_end(&chan);
}

static void *ask_for_it(void *cx)
{
    REQUIRE_OK(ach_channel_fd(cx, &fd));
    return NULL;
}

/* The thread that requested the descriptor has ended. */
static void outlived(void)
{
    pthread_t thread;
    uint64_t got = 0;
    int i;

    ready_mechanism();
    make(4, 64);
    open_it(&chan);
    REQUIRE(pthread_create(&thread, NULL, ask_for_it, &chan) == 0);
    pthread_join(thread, NULL);
    put_range(&chan, 1, 1);
    for (i = 0; i < 100 && got < 1; i++) {
        REQUIRE(becomes_readable(fd));
        get_all(&chan, &got);
    }
    CHECK(got == 1);
    ready_end(&chan);
}

static void *get_until_canceled(void *cx)
{
    uint64_t got = 0;

    (void)cx;
    for (;;) {
        get_all(&chan, &got);
        ach_cancel(&chan, NULL);
        chan.cancel = 0;
        pthread_testcancel();
    }
    return NULL;
}

/* A thread ended by pthread_cancel leaves nothing locked. */
static void thread_canceled(void)
{
    pthread_t thread;
    int i;

    if (backend->bit == KERNEL)
        skip("a device has no lock in this process");
    for (i = 0; i < CANCELED_THREADS; i++) {
        fd = ready_begin(&chan, 4);
        REQUIRE(pthread_create(&thread, NULL, get_until_canceled, NULL) == 0);
        check_sleep_ms(2);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
        ready_end(&chan);
    }
}

static void *poll_it(void *cx)
{
    struct pollfd p = {.fd = *(int *)cx, .events = POLLIN};

    REQUIRE(poll(&p, 1, READY_LIMIT_MS) == 1);
    return NULL;
}

static void closed(void)
{
    pthread_t thread;

    fd = ready_begin(&chan, 4);
    REQUIRE(pthread_create(&thread, NULL, poll_it, &fd) == 0);
    let_sleep();
    CHECK_OK(ach_close(&chan));
    pthread_join(thread, NULL);
    remove_it();
}

/* Each handle has its own descriptor; close leaves neither descriptors nor threads. */
static void many(void)
{
    ach_channel_t c[HANDLES];
    unsigned before;
    int fds[HANDLES], i;

    fd = ready_begin(&chan, 4);
    before = open_descriptors();
    for (i = 0; i < HANDLES; i++) {
        open_it(&c[i]);
        REQUIRE_OK(ach_channel_fd(&c[i], &fds[i]));
    }
    CHECK(helpers_become(ready_wanted == ACH_READY_THREAD ? HANDLES + 1 : 0));
    put_range(&chan, 1, 1);
    CHECK(becomes_readable(fd));
    for (i = 0; i < HANDLES; i++) {
        CHECK(becomes_readable(fds[i]));
        CHECK_GET(&c[i], 0, ACH_OK, 1);
        CHECK(!readable(fds[i]));
        CHECK_OK(ach_close(&c[i]));
    }
    CHECK(readable(fd));
    CHECK(open_descriptors() == before);
    ready_end(&chan);
    CHECK(helpers_become(0));
}

/* The first thread of a process, and many more, start while the descriptor is armed. */
static void threads_come(void)
{
    struct parked threads[THREADS];
    int i;

    make(4, 64);
    open_it(&chan);
    REQUIRE_OK(ach_channel_fd(&chan, &fd));
    for (i = 0; i < THREADS; i++)
        park(&threads[i]);
    CHECK(!readable(fd));
    put_range(&chan, 1, 1);
    CHECK(becomes_readable(fd));
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK(!readable(fd));
    for (i = 0; i < THREADS; i++)
        unpark(&threads[i]);
    put_range(&chan, 2, 2);
    CHECK(becomes_readable(fd));
    ready_end(&chan);
}

/* The same in a process that has had a thread before. */
static void more_threads_come(void)
{
    ready_mechanism();
    threads_come();
}

/* The voluntary context switches of a thread. */
static long sleeps_of(pid_t tid)
{
    char path[64], line[128];
    long n = -1;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
    f = fopen(path, "r");
    REQUIRE(f != NULL);
    while (fgets(line, sizeof(line), f))
        sscanf(line, "voluntary_ctxt_switches: %ld", &n);
    fclose(f);
    REQUIRE(n >= 0);
    return n;
}

/* A helper without futex_waitv has to poll every few milliseconds. */
static bool may_look(void)
{
    return ready_wanted == ACH_READY_THREAD &&
           syscall(SYS_futex_waitv, NULL, 0, 0, NULL, CLOCK_MONOTONIC) != 0 && errno == ENOSYS;
}

/* While nothing happens, the polling thread and the helper stay asleep. */
static void idle(void)
{
    struct pollfd p = {.events = POLLIN};
    pid_t helper = getpid();
    int64_t cpu;
    long sleeps;
    int i;

    fd = ready_begin(&chan, 4);
    put_range(&chan, 1, 1);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    let_sleep();
    helpers_now(&helper);
    p.fd = fd;
    for (i = 0; i < IDLE_TRIES; i++) {
        cpu = cpu_us();
        sleeps = sleeps_of(getpid()) + sleeps_of(helper);
        CHECK(poll(&p, 1, IDLE_MS) == 0);
        CHECK(may_look() || sleeps_of(getpid()) + sleeps_of(helper) - sleeps < IDLE_SLEEPS);
        if (cpu_us() - cpu < IDLE_LIMIT_US)
            break;
    }
    CHECK(i < IDLE_TRIES);
    ready_end(&chan);
}

/* A helper has the priority of the thread that requested the descriptor. */
static void priority(void)
{
    struct sched_param p = {.sched_priority = 7}, none = {0};
    pid_t helper = 0;

    ready_wanted = ACH_READY_THREAD;
    ready_mechanism();
    if (sched_setscheduler(0, SCHED_FIFO, &p) != 0)
        skip("cannot have real-time priority");
    fd = ready_begin(&chan, 4);
    CHECK(helpers_become(1)); /* the first one, of ready_mechanism, may still be ending */
    helpers_now(&helper);
    CHECK(sched_getscheduler(helper) == SCHED_FIFO);
    p.sched_priority = 0;
    CHECK(sched_getparam(helper, &p) == 0 && p.sched_priority == 7);
    CHECK(sched_setscheduler(0, SCHED_OTHER, &none) == 0);
    ready_end(&chan);
}

READY_TEST(cancel)
READY_TEST(nameless)
READY_TEST(forked)
READY_TEST(handed_over)
READY_TEST(outlived)
READY_TEST(closed)
READY_TEST(thread_canceled)
READY_TEST(many)
READY_TEST(idle)
READY_TEST(more_threads_come)

static const struct test tests[] = {
    READY_ROWS("fd-cancel", cancel, MEMORY, IS_A_FILE),
    READY_ROWS("fd-nameless", nameless, USER, NO_FILE),
    READY_ROWS("fd-fork", forked, USER, NO_FILE),
    READY_ROWS("fd-handed-over", handed_over, MEMORY, IS_A_FILE),
    READY_ROWS("fd-outlived", outlived, MEMORY, IS_A_FILE),
    READY_ROWS("fd-closed", closed, MEMORY, IS_A_FILE),
    READY_ROWS("fd-thread-canceled", thread_canceled, MEMORY, IS_A_FILE),
    READY_ROWS("fd-many", many, MEMORY, IS_A_FILE),
    READY_ROWS("fd-idle", idle, MEMORY, IS_A_FILE),
    READY_ROWS("fd-threads", more_threads_come, MEMORY, IS_A_FILE),
    {"fd-first-threads", threads_come, ALL, NULL},
    {"fd-priority", priority, MEMORY, IS_A_FILE},
};
THEME(ready_life_theme, tests);
