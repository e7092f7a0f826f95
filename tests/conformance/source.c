/* SPDX-License-Identifier: BSD-3-Clause */
/* source.c - being the only source of a channel */
#include <fcntl.h>
#include <sched.h>

#include "conformance.h"

static void one_at_a_time(void)
{
    ach_channel_t source, other;

    make_single(4, 64);
    open_source(&source);
    CHECK(info_of(&source).source);
    CHECK_STATUS(try_source(&other), ACH_EAGAIN);
    CHECK_OK(ach_close(&source));
    CHECK_OK(try_source(&other));
    CHECK_STATUS(try_source(&source), ACH_LOCKED);
    CHECK_OK(ach_close(&other));
    remove_it();
}

/* A handle that does not request the source lock is not restricted by it. */
static void others_put(void)
{
    ach_channel_t source, other;

    make(4, 64);
    open_source(&source);
    open_it(&other);
    CHECK(!info_of(&other).source);
    put_range(&other, 1, 1);
    put_range(&source, 2, 2);
    CHECK_GET(&source, 0, ACH_OK, 1);
    CHECK_OK(ach_close(&other));
    CHECK_OK(ach_close(&source));
    remove_it();
}

static int is_refused(void *unused)
{
    ach_channel_t chan;

    (void)unused;
    CHECK_STATUS(try_source(&chan), ACH_EAGAIN);
    return check_result();
}

static int is_accepted(void *unused)
{
    ach_channel_t chan;

    (void)unused;
    CHECK_OK(try_source(&chan));
    return check_result();
}

static int closes(void *inherited)
{
    CHECK(!info_of(inherited).source);
    CHECK_OK(ach_close(inherited));
    return is_refused(NULL);
}

/* Several handles of one process share the lock, and no other process gets it meanwhile. */
static void shared(void)
{
    unsigned before = open_descriptors();
    ach_channel_t a, b;

    make(4, 64);
    open_source(&a);
    open_source(&b);
    CHECK(info_of(&a).source && info_of(&b).source);
    put_range(&a, 1, 1);
    put_range(&b, 2, 2);
    CHECK(check_child(start_child(is_refused, NULL), 30000));
    CHECK(check_child(start_child(closes, &a), 30000));
    CHECK_OK(ach_close(&a));
    CHECK(info_of(&b).source);
    CHECK(check_child(start_child(closes, &b), 30000));
    CHECK(check_child(start_child(is_refused, NULL), 30000));
    CHECK_OK(ach_close(&b));
    CHECK(check_child(start_child(is_accepted, NULL), 30000));
    open_source(&b);
    CHECK_OK(ach_close(&b));
    CHECK(open_descriptors() == before);
    remove_it();
}

static void single_writer(void)
{
    ach_channel_t source, other;

    make_single(4, 64);
    open_source(&source);
    open_it(&other);
    CHECK_STATUS(put_number(&other, 1, 16), ACH_EACCES);
    put_range(&source, 2, 2);
    CHECK_GET(&other, 0, ACH_OK, 2);
    CHECK_OK(ach_close(&source));
    CHECK_STATUS(put_number(&other, 1, 16), ACH_EACCES);
    CHECK(info_of(&other).newest == 1);
    CHECK_OK(ach_close(&other));
    remove_it();
}

static void no_leaks(void)
{
    ach_channel_t source, other;
    unsigned before;
    int i;

    make_single(4, 64);
    open_source(&source);
    before = open_descriptors();
    for (i = 0; i < 20; i++)
        CHECK_STATUS(try_source(&other), ACH_EAGAIN);
    CHECK(open_descriptors() == before);
    CHECK_OK(ach_close(&source));
    remove_it();
}

static void not_readonly(void)
{
    ach_channel_t chan;
    ach_attr_t attr;

    make(4, 64);
    ach_attr_init(&attr);
    REQUIRE_OK(ach_attr_set_lock_source(&attr, 1));
    REQUIRE_OK(ach_attr_set_readonly(&attr, 1));
    CHECK_STATUS(backend->open(&chan, CHAN, &attr), ACH_EACCES);
    open_source(&chan);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static int stay(void *stop)
{
    while (!load_word(stop))
        check_sleep_ms(1);
    return check_result();
}

/* A child inherits the descriptor of a source, but neither has the lock nor keeps it held. */
static void not_inherited(void)
{
    uint32_t *stop = check_shared(sizeof(*stop));
    ach_channel_t source, other;
    pid_t pid;

    make_single(4, 64);
    open_source(&source);
    pid = start_child(stay, stop);
    CHECK_STATUS(try_source(&other), ACH_EAGAIN);
    CHECK_OK(ach_close(&source));
    CHECK_OK(try_source(&other));
    put_range(&other, 1, 1);
    CHECK_OK(ach_close(&other));
    store_word(stop, 1);
    CHECK(check_child(pid, 30000));
    remove_it();
    munmap(stop, sizeof(*stop));
}

struct family {
    uint32_t ready;
    pid_t child;
};

static int tell_and_stay(void *cx)
{
    struct family *family = cx;
    uint32_t never = 0;

    store_word(&family->ready, 1);
    return stay(&never);
}

static int hold(void *family)
{
    ach_channel_t chan;

    open_source(&chan);
    return tell_and_stay(family);
}

static int hold_and_fork(void *cx)
{
    struct family *family = cx;
    uint32_t never = 0;
    ach_channel_t chan;

    open_source(&chan);
    family->child = start_child(tell_and_stay, family);
    return stay(&never);
}

/* Another process is the source, until it is killed. Returns its id. */
static pid_t killed_source(int (*source)(void *), struct family *family)
{
    ach_channel_t chan;
    pid_t pid = start_child(source, family);

    while (!load_word(&family->ready) && waitpid(pid, NULL, WNOHANG) == 0)
        check_sleep_ms(1);
    CHECK_STATUS(try_source(&chan), ACH_EAGAIN);
    CHECK_OK(ach_open(&chan, CHAN, NULL));
    CHECK(info_of(&chan).sourced == (backend->bit == USER)); /* kernel channels do not report it */
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    CHECK(!info_of(&chan).sourced);
    CHECK_OK(ach_close(&chan));
    store_word(&family->ready, 0);
    return pid;
}

static void until_killed(int (*source)(void *))
{
    struct family *family = check_shared(sizeof(*family));
    ach_channel_t chan;

    make_single(4, 64);
    killed_source(source, family);
    CHECK_OK(try_source(&chan));
    put_range(&chan, 1, 1);
    CHECK_OK(ach_close(&chan));
    if (family->child > 0)
        kill(family->child, SIGKILL);
    remove_it();
    munmap(family, sizeof(*family));
}

/* The source lock is released when its process is killed. */
static void ends_with_process(void)
{
    until_killed(hold);
}

/* A child of the killed source does not keep the lock. */
static void not_kept_by_child(void)
{
    until_killed(hold_and_fork);
}

static int be_source(void *inherited)
{
    ach_channel_t own, other;

    CHECK(!info_of(inherited).source);
    CHECK_OK(try_source(&own));
    CHECK_OK(ach_close(inherited));
    CHECK_STATUS(try_source(&other), ACH_EAGAIN);
    put_range(&own, 1, 1);
    CHECK_OK(ach_close(&own));
    return check_result();
}

/* Lock what a process that may only read the channel can lock: the whole file, for reading. */
static int lock_as_reader(void)
{
    struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    int fd = open(path_of(CHAN), O_RDONLY | O_CLOEXEC);

    REQUIRE(fd >= 0 && fcntl(fd, F_OFD_SETLK, &all) == 0);
    return fd;
}

/* A reader's locks neither prevent a source nor allow a second one. */
static void readers_lock_nobody_out(void)
{
    struct family *family = check_shared(sizeof(*family));
    ach_channel_t source, other;
    int reader;

    make_single(4, 64);
    CHECK_OK(ach_open(&other, CHAN, NULL));
    reader = lock_as_reader();
    CHECK(!info_of(&other).sourced);
    open_source(&source);
    CHECK(info_of(&other).sourced && info_of(&other).source_pid == (uint32_t)getpid());
    CHECK_OK(ach_close(&other));
    put_range(&source, 1, 1);
    CHECK_STATUS(try_source(&other), ACH_EAGAIN);
    CHECK(strstr(ach_errstr(), "has a source already: process"));
    close(reader); /* the source still is one */
    CHECK_STATUS(try_source(&other), ACH_EAGAIN);
    CHECK_OK(ach_close(&source));

    open_source(&source);
    CHECK_STATUS(try_source(&other), ACH_EAGAIN);
    CHECK_OK(ach_close(&source));

    reader = lock_as_reader(); /* a killed source no longer holds the lock */
    killed_source(hold, family);
    CHECK_OK(try_source(&other));
    CHECK_OK(ach_close(&other));
    close(reader);
    munmap(family, sizeof(*family));
    remove_it();
}

/* Make the kernel give this id to the next process. */
static bool choose_id(pid_t pid)
{
    FILE *out = fopen("/proc/sys/kernel/ns_last_pid", "we");
    bool written = out && fprintf(out, "%d", (int)pid - 1) > 0;

    return out && fclose(out) == 0 && written;
}

/* Start a child with the id of a process that has ended. */
static pid_t start_as(pid_t pid, int (*fun)(void *), void *cx)
{
    check_sleep_ms(50); /* several clock ticks, the unit of process start times */
    if (!choose_id(pid))
        exit(CHECK_SKIPPED);
    CHECK(start_child(fun, cx) == pid);
    return pid;
}

static int become_source(void *cx)
{
    ach_channel_t chan;

    (void)cx;
    CHECK_OK(try_source(&chan));
    CHECK_OK(ach_close(&chan));
    return check_result();
}

/* A source was killed, and an unrelated process got its id. */
static void reuse_id(int (*source)(void *))
{
    struct family *family = check_shared(sizeof(*family));
    uint32_t *stop = check_shared(sizeof(*stop));
    pid_t pid = start_as(killed_source(source, family), stay, stop);

    CHECK(run_child(become_source, NULL));
    store_word(stop, 1);
    CHECK(check_child(pid, 30000));
    if (family->child > 0)
        kill(family->child, SIGKILL);
    munmap(stop, sizeof(*stop));
    munmap(family, sizeof(*family));
}

/* As process 1 of a PID namespace, where ids can be chosen. */
static int reuse_ids(void *cx)
{
    struct family *family = check_shared(sizeof(*family));
    int reader;

    (void)cx;
    make_single(4, 64);
    reader = lock_as_reader();
    reuse_id(hold);
    CHECK(check_child(start_as(killed_source(hold, family), become_source, NULL), 30000));
    close(reader);
    reuse_id(hold_and_fork);
    munmap(family, sizeof(*family));
    return check_result();
}

/* A killed source no longer holds the lock, even if another process has its id. */
static void id_reused(void)
{
    int status = 0;
    pid_t pid;

    if (unshare(CLONE_NEWPID) != 0)
        skip("cannot make a PID namespace");
    pid = start_child(reuse_ids, NULL);
    CHECK(waitpid(pid, &status, 0) == pid);
    remove_it();
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHECK_SKIPPED)
        skip("cannot choose the id of a process");
    CHECK(status == 0);
}

/* fork copies a heap channel; the child's copy has no source. */
static void copied(void)
{
    ach_channel_t source;

    make_single(4, 64);
    open_source(&source);
    CHECK(run_child(be_source, &source));
    put_range(&source, 1, 1);
    CHECK_OK(ach_close(&source));
    remove_it();
}

static const struct test tests[] = {
    {"source-one-at-a-time", one_at_a_time, ALL, NULL},
    {"source-others-put", others_put, ALL, NULL},
    {"source-shared", shared, NAMED, NO_NAME},
    {"source-single-writer", single_writer, ALL, NULL},
    {"source-no-leaks", no_leaks, ALL, NULL},
    {"source-not-readonly", not_readonly, ALL, NULL},
    {"source-not-inherited", not_inherited, NAMED, ONE_PROCESS},
    {"source-not-kept-by-child", not_kept_by_child, NAMED, ONE_PROCESS},
    {"source-despite-readers", readers_lock_nobody_out, USER, NO_NAME},
    {"source-id-reused", id_reused, USER, NO_NAME},
    {"source-copied", copied, HEAP, "only a heap channel is copied by fork"},
    {"source-ends-with-process", ends_with_process, NAMED, ONE_PROCESS},
};
THEME(source_theme, tests);
