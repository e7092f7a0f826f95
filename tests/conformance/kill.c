/* SPDX-License-Identifier: BSD-3-Clause */
/* kill.c - processes that are killed in the middle of their work */
#include "conformance.h"

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>

struct job {
    uint32_t ready;
    uint64_t number; /* of the next message */
    size_t size;
    ach_channel_t *chan;
};

static struct job *job_make(size_t size)
{
    struct job *job = check_shared(sizeof(*job));

    job->size = size;
    return job;
}

/* Start a child, give it some time to work, and kill it. */
static void kill_after(int (*fun)(void *), struct job *job, uint64_t ns)
{
    const struct timespec t = {.tv_nsec = (long)ns};
    pid_t pid;

    store_word(&job->ready, 0);
    pid = start_child(fun, job);
    while (!load_word(&job->ready) && waitpid(pid, NULL, WNOHANG) == 0)
        sched_yield();
    nanosleep(&t, NULL);
    kill(pid, SIGKILL);
    REQUIRE(waitpid(pid, NULL, 0) == pid);
}

static int write_for_ever(void *cx)
{
    struct job *job = cx;
    unsigned char *messages[4];
    ach_channel_t chan;
    int i;

    for (i = 0; i < 4; i++) {
        messages[i] = malloc(job->size);
        REQUIRE(messages[i] != NULL);
        message_fill(messages[i], job->size, (uint64_t)i);
    }
    open_it(&chan);
    for (i = 0;; i++) {
        REQUIRE_OK(ach_put(&chan, messages[i % 4], job->size));
        store_word(&job->ready, 1);
    }
    return 1;
}

/* All messages left are intact, and put and get work. */
static void check_good(ach_channel_t *chan, size_t size)
{
    enum ach_status r;
    uint64_t number = 0;

    do {
        r = get_number(chan, &number, 0);
        CHECK(ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME | ACH_MASK_EAGAIN));
    } while (r == ACH_OK || r == ACH_MISSED_FRAME);
    REQUIRE_OK(put_number(chan, 77, size));
    CHECK_GET(chan, 0, ACH_OK, 77);
}

static void kill_writers(size_t size, uint64_t trials)
{
    struct job *job = job_make(size);
    uint64_t state = size, i, before, recovered = 0;
    ach_channel_t chan;

    make(4, size);
    open_it(&chan);
    for (i = 0; i < trials; i++) {
        before = recovered;
        kill_after(write_for_ever, job, check_random(&state) % 2000000);
        check_good(&chan, size);
        recovered = info_of(&chan).recovered;
        CHECK(recovered - before <= 1); /* a dead owner is counted once */
    }
    CHECK_OK(ach_close(&chan));
    remove_it();
    munmap(job, sizeof(*job));
}

static void small_messages(void)
{
    kill_writers(64, check_scale(100));
}

static void page_messages(void)
{
    kill_writers(4096, check_scale(100));
}

static void large_messages(void)
{
    kill_writers((size_t)1 << 20, check_scale(25));
}

/* The C library does not know of a child of raw clone. A put succeeds while it is a zombie. */
static void raw_clone(void)
{
    const size_t size = (size_t)8 << 20;
    unsigned char *buf = calloc(1, size);
    uint64_t state = 9, i, trials = check_scale(20);
    ach_channel_t chan;
    siginfo_t info;

    if (!have_robust_lists())
        skip("this system has no robust lists");
    REQUIRE(buf != NULL);
    make(2, size);
    open_it(&chan);
    for (i = 0; i < trials; i++) {
        const struct timespec t = {.tv_nsec = 20000000 + (long)(check_random(&state) % 2000000)};
        pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

        if (pid == 0)
            for (;;)
                ach_put(&chan, buf, size);
        REQUIRE(pid > 0);
        nanosleep(&t, NULL);
        kill(pid, SIGKILL);
        REQUIRE(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
        CHECK_OK(put_number(&chan, 1, 16));
        waitpid(pid, NULL, 0);
    }
    free(buf);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static int reserve_for_ever(void *cx)
{
    struct job *job = cx;
    ach_channel_t chan;
    void *room;

    open_source(&chan);
    for (;;) {
        REQUIRE_OK(ach_reserve(&chan, job->size, &room));
        message_fill(room, job->size, 5);
        REQUIRE_OK(ach_commit(&chan, job->size));
        store_word(&job->ready, 1);
    }
    return 1;
}

/* The source is killed, with and without an open reservation; another takes its place. */
static void single_writers(void)
{
    struct job *job = job_make(4096);
    uint64_t state = 4, i, trials = check_scale(40);
    ach_channel_t chan;

    make_single(4, 4096);
    for (i = 0; i < trials; i++) {
        kill_after(reserve_for_ever, job, check_random(&state) % 2000000);
        open_source(&chan);
        check_good(&chan, 4096);
        CHECK_OK(ach_close(&chan));
    }
    remove_it();
    munmap(job, sizeof(*job));
}

static int wait_for_ever(void *cx)
{
    struct job *job = cx;
    ach_channel_t chan;
    uint64_t number;

    open_it(&chan);
    for (;;) {
        store_word(&job->ready, 1);
        get_number(&chan, &number, ACH_O_WAIT);
    }
    return 1;
}

static void waiters(void)
{
    struct job *job = job_make(64);
    uint64_t state = 8, i, trials = check_scale(40);
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    for (i = 0; i < trials; i++) {
        kill_after(wait_for_ever, job, check_random(&state) % 2000000);
        check_good(&chan, 64);
    }
    CHECK_OK(ach_close(&chan));
    remove_it();
    munmap(job, sizeof(*job));
}

static int wait_for_77(void *cx)
{
    struct job *job = cx;
    ach_channel_t chan;
    uint64_t number = 0;

    open_it(&chan);
    store_word(&job->ready, 1);
    while (number != 77) {
        enum ach_status r = get_number(&chan, &number, ACH_O_WAIT | ACH_O_LAST);

        REQUIRE(r == ACH_OK || r == ACH_MISSED_FRAME);
    }
    CHECK_OK(ach_close(&chan));
    return check_result();
}

/* Waiters whose writer is killed get the message that the next writer puts. */
static void waiters_stay(void)
{
    struct job *job = job_make(64), *waiting = job_make(64);
    uint64_t state = 6, i, trials = check_scale(20);
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    for (i = 0; i < trials; i++) {
        pid_t pid;

        store_word(&waiting->ready, 0);
        pid = start_child(wait_for_77, waiting);
        while (!load_word(&waiting->ready))
            sched_yield();
        kill_after(write_for_ever, job, check_random(&state) % 1000000);
        check_good(&chan, 64);
        CHECK(check_child(pid, 30000));
        REQUIRE_OK(put_number(&chan, 1, 16));
    }
    CHECK_OK(ach_close(&chan));
    remove_it();
    munmap(job, sizeof(*job));
    munmap(waiting, sizeof(*waiting));
}

static int make_for_ever(void *cx)
{
    struct job *job = cx;

    for (;;) {
        make(16, 4096);
        remove_it();
        store_word(&job->ready, 1);
    }
    return 1;
}

/* Does the directory contain at most the channel and its wake file, which never is there alone? */
static bool only_the_channel(void)
{
    DIR *dir = opendir(getenv("ACH_DIR"));
    bool channel = false, wake = false, others = false;
    struct dirent *e;

    REQUIRE(dir != NULL);
    while ((e = readdir(dir))) {
        bool is_channel = strcmp(e->d_name, "achshm-" CHAN) == 0;
        bool is_wake = strcmp(e->d_name, ".achshm-" CHAN ".wake") == 0;

        channel |= is_channel;
        wake |= is_wake;
        others |=
            !is_channel && !is_wake && strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    }
    closedir(dir);
    return !others && (channel || !wake);
}

/* A process killed while it creates a channel leaves a complete channel, or nothing. */
static void makers(void)
{
    struct job *job = job_make(0);
    uint64_t state = 3, i, trials = check_scale(40);
    ach_channel_t chan;

    if (!getenv("ACH_DIR"))
        skip("needs a channel directory of its own in ACH_DIR");
    if (backend->bit == USER && !have_nameless_files())
        skip("no O_TMPFILE: a channel in the making has a name, which the next maker removes");
    for (i = 0; i < trials; i++) {
        enum ach_status r;

        kill_after(make_for_ever, job, check_random(&state) % 2000000);
        CHECK(only_the_channel());
        r = ach_open(&chan, CHAN, NULL);
        CHECK(r == ACH_OK || r == ACH_ENOENT);
        if (r == ACH_OK) {
            check_good(&chan, 4096);
            CHECK_OK(ach_close(&chan));
            remove_it();
        }
    }
    munmap(job, sizeof(*job));
}

static const struct test tests[] = {
    {"kill-raw-clone", raw_clone, USER, "only shared-memory channels are locked by threads"},
    {"kill-small-messages", small_messages, NAMED, ONE_PROCESS},
    {"kill-page-messages", page_messages, NAMED, ONE_PROCESS},
    {"kill-large-messages", large_messages, NAMED, ONE_PROCESS},
    {"kill-single-writers", single_writers, NAMED, ONE_PROCESS},
    {"kill-waiters", waiters, NAMED, ONE_PROCESS},
    {"kill-waiters-stay", waiters_stay, NAMED, ONE_PROCESS},
    {"kill-makers", makers, NAMED, NO_NAME},
};
THEME(kill_theme, tests);
