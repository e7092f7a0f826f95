/* SPDX-License-Identifier: BSD-3-Clause */
/* access.c - permissions, and subscribers that cannot write */
#include "conformance.h"

#include <sys/stat.h>

#define NEEDS_ROOT "needs root, to become somebody else"

static void make_with_mode(mode_t mode)
{
    ach_create_attr_t attr = create_attr();

    REQUIRE_OK(ach_create_attr_set_mode(&attr, mode));
    REQUIRE_OK(backend->create(CHAN, 4, 64, &attr));
}

/* Run a function in a child, with the channel directory accessible to other users. */
static void as_stranger(int (*fun)(void *), void *cx)
{
    share_directory(0755);
    CHECK(run_child(fun, cx));
    share_directory(0700);
}

static void need_root(void)
{
    if (getuid() != 0)
        skip(NEEDS_ROOT);
}

/* Does every put pay for waking read-only subscribers? Kernel channels wake them at no cost. */
static bool wakes_readonly(const ach_channel_t *chan)
{
    CHECK(info_of(chan).readonly_wake || backend->bit != KERNEL);
    return info_of(chan).readonly_wake && backend->bit != KERNEL;
}

static void cannot_put(void)
{
    ach_channel_t chan, writer;
    void *room;

    make(4, 64);
    open_it(&writer);
    open_readonly(&chan, CHAN);
    CHECK_STATUS(put_number(&chan, 1, 16), ACH_EACCES);
    CHECK_STATUS(ach_reserve(&chan, 16, &room), ACH_EACCES);
    put_range(&writer, 1, 1);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK(info_of(&chan).newest == 1);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_close(&writer));
    remove_it();
}

static int write_to_memory(void *cx)
{
    ach_channel_t chan;

    (void)cx;
    open_readonly(&chan, CHAN);
    signal(SIGSEGV, SIG_DFL);
    *(volatile char *)chan.shm = 1;
    return 0;
}

/* The memory of a read-only handle is mapped read-only: a write there raises SIGSEGV. */
static void mapped_readonly(void)
{
    int status = 0;
    pid_t pid;

    make(4, 64);
    pid = start_child(write_to_memory, NULL);
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    remove_it();
}

static int subscribe(void *cx)
{
    ach_channel_t chan;

    (void)cx;
    drop_power();
    REQUIRE_OK(backend->open(&chan, CHAN, NULL));
    CHECK(info_of(&chan).readonly);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_STATUS(put_number(&chan, 2, 16), ACH_EACCES);
    CHECK_OK(ach_close(&chan));
    return check_result();
}

/* Without write permission, open returns a read-only handle if nothing else was requested. */
static void falls_back(void)
{
    ach_channel_t chan;

    make_with_mode(0666);
    open_it(&chan);
    put_range(&chan, 1, 1);
    REQUIRE(chmod(path_of(CHAN), 0444) == 0);
    as_stranger(subscribe, NULL);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static int wait_for_two(void *cx)
{
    ach_channel_t chan;

    drop_power();
    REQUIRE_OK(backend->open(&chan, CHAN, NULL));
    CHECK(info_of(&chan).readonly);
    store_word(cx, 1);
    CHECK_GET(&chan, ACH_O_WAIT, ACH_OK, 1);
    CHECK_GET(&chan, ACH_O_WAIT, ACH_OK, 2);
    CHECK_OK(ach_close(&chan));
    return check_result();
}

/* Put two messages while an unprivileged child waits for them. */
static void two_for_a_stranger(ach_channel_t *writer)
{
    uint32_t *ready = check_shared(sizeof(*ready));
    pid_t pid;

    share_directory(0755);
    pid = start_child(wait_for_two, ready);
    while (!load_word(ready) && waitpid(pid, NULL, WNOHANG) == 0)
        check_sleep_ms(1);
    let_sleep();
    put_range(writer, 1, 1);
    let_sleep();
    put_range(writer, 2, 2);
    CHECK(check_child(pid, 30000));
    share_directory(0700);
    munmap(ready, sizeof(*ready));
}

static void stranger_waits(void)
{
    ach_channel_t chan;

    make_with_mode(0666);
    open_it(&chan);
    REQUIRE(chmod(path_of(CHAN), 0444) == 0);
    CHECK(!wakes_readonly(&chan));
    two_for_a_stranger(&chan);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void stranger_sleeps(void)
{
    ach_channel_t chan;

    make_with_mode(0666);
    open_it(&chan);
    CHECK_OK(ach_chmod(&chan, 0444));
    CHECK(info_of(&chan).readonly_wake);
    two_for_a_stranger(&chan);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static int cannot_open(void *cx)
{
    ach_channel_t chan;
    unsigned before;

    (void)cx;
    drop_power();
    before = open_descriptors();
    CHECK_STATUS(backend->open(&chan, CHAN, NULL), ACH_EACCES);
    CHECK(open_descriptors() == before);
    return check_result();
}

static void refused(void)
{
    make_with_mode(0);
    as_stranger(cannot_open, NULL);
    REQUIRE(chmod(path_of(CHAN), 0222) == 0);
    as_stranger(cannot_open, NULL);
    remove_it();
}

static int cannot_change(void *cx)
{
    ach_create_attr_t attr = create_attr();
    ach_channel_t chan;

    (void)cx;
    drop_power();
    if (backend->bit == USER) /* the module lets any user create channels, within limits */
        CHECK_STATUS(create("d", 4, 64), ACH_EACCES);
    CHECK_STATUS(ach_unlink(CHAN), ACH_EACCES);
    attr.truncate = 1;
    CHECK_STATUS(backend->create(CHAN, 4, 64, &attr), ACH_EACCES);
    REQUIRE_OK(backend->open(&chan, CHAN, NULL));
    CHECK_STATUS(ach_chmod(&chan, 0666), ACH_EACCES);
    CHECK_OK(ach_close(&chan));
    return check_result();
}

/* A user who neither may write to the directory nor owns the channel. */
static void strangers_change_nothing(void)
{
    need_root();
    make_with_mode(0644);
    as_stranger(cannot_change, NULL);
    remove_it();
}

static void change_mode(void)
{
    ach_channel_t chan;

    make_with_mode(0600);
    open_it(&chan);
    CHECK_OK(ach_chmod(&chan, 0666));
    CHECK(info_of(&chan).mode == 0666 && !wakes_readonly(&chan));
    CHECK_OK(ach_chmod(&chan, 0622));
    CHECK(!wakes_readonly(&chan));
    CHECK_OK(ach_chmod(&chan, 0664));
    CHECK(info_of(&chan).mode == 0664 && info_of(&chan).readonly_wake);
    CHECK_OK(ach_chmod(&chan, 0600));
    CHECK(info_of(&chan).readonly_wake);
    CHECK_STATUS(ach_chmod(&chan, 010000), ACH_EINVAL);
    CHECK(info_of(&chan).mode == 0600);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void heap_has_no_mode(void)
{
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    CHECK_STATUS(ach_chmod(&chan, 0666), ACH_ENOTSUP);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static int cannot_tell(void *cx)
{
    ach_create_attr_t attr = create_attr();
    ach_channel_t chan;

    (void)cx;
    drop_power();
    make(4, 64);
    open_it(&chan);
    CHECK_OK(ach_chmod(&chan, 0444));
    attr.truncate = 1;
    CHECK_STATUS(backend->create(CHAN, 4, 64, &attr), ACH_EACCES);
    CHECK(!info_of(&chan).replaced && !info_of(&chan).unlinked);
    put_range(&chan, 1, 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
    return check_result();
}

/* A process that cannot write to a channel cannot notify its users, so it must not replace it. */
static void untold(void)
{
    need_root();
    share_directory(0777);
    CHECK(run_child(cannot_tell, NULL));
    share_directory(0700);
}

static const struct test tests[] = {
    {"access-cannot-put", cannot_put, ALL, NULL},
    {"access-mapped-readonly", mapped_readonly, NAMED, "the heap is the process's own"},
    {"access-falls-back", falls_back, NAMED, NO_NAME},
    {"access-stranger-waits", stranger_waits, NAMED, NO_NAME},
    {"access-stranger-sleeps", stranger_sleeps, NAMED, NO_NAME},
    {"access-refused", refused, NAMED, NO_NAME},
    {"access-untold", untold, USER, NO_FILE},
    {"access-strangers-change-nothing", strangers_change_nothing, NAMED, NO_NAME},
    {"access-change-mode", change_mode, NAMED, NO_NAME},
    {"access-heap-has-no-mode", heap_has_no_mode, HEAP, "other channels have permissions"},
};
THEME(access_theme, tests);
