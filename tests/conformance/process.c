/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c - several processes on one channel */
#include "conformance.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

static ach_channel_t chan;

static int get_three(void *cx)
{
    (void)cx;
    CHECK_GET(&chan, 0, ACH_OK, 2);
    CHECK_GET(&chan, 0, ACH_OK, 3);
    CHECK_GET(&chan, 0, ACH_OK, 4);
    CHECK_OK(ach_cancel(&chan, NULL));
    CHECK_OK(ach_close(&chan));
    return check_result();
}

/* A child's copy of a handle has its own position. */
static void forked_position(void)
{
    make(8, 64);
    open_it(&chan);
    put_range(&chan, 1, 4);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK(run_child(get_three, NULL));
    CHECK_GET(&chan, 0, ACH_OK, 2);
    put_range(&chan, 5, 5);
    CHECK_GET(&chan, ACH_O_LAST, ACH_MISSED_FRAME, 5);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static int put_two(void *cx)
{
    (void)cx;
    put_range(&chan, 2, 3);
    return check_result();
}

/* A child puts through the handle that its parent has put through. */
static void forked_put(void)
{
    make(8, 64);
    open_it(&chan);
    put_range(&chan, 1, 1);
    CHECK(run_child(put_two, NULL));
    put_range(&chan, 4, 4);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_GET(&chan, 0, ACH_OK, 2);
    CHECK_GET(&chan, 0, ACH_OK, 3);
    CHECK_GET(&chan, 0, ACH_OK, 4);
    CHECK(info_of(&chan).recovered == 0);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static int answer(void *cx)
{
    ach_channel_t in, out;
    uint64_t i, n = *(uint64_t *)cx;

    open_named(&in, "to");
    open_named(&out, "from");
    for (i = 1; i <= n; i++) {
        CHECK_GET(&in, ACH_O_WAIT, ACH_OK, i);
        REQUIRE_OK(put_number(&out, i, 16 + (size_t)(i % 100)));
    }
    CHECK_OK(ach_close(&in));
    CHECK_OK(ach_close(&out));
    return check_result();
}

/* Messages go to another process and back; both sleep while they wait. */
static void round_trips(void)
{
    uint64_t i, n = check_scale(300);
    ach_channel_t to, from;
    pid_t pid;

    REQUIRE_OK(create("to", 4, 256));
    REQUIRE_OK(create("from", 4, 256));
    pid = start_child(answer, &n);
    open_named(&to, "to");
    open_named(&from, "from");
    for (i = 1; i <= n; i++) {
        put_range(&to, i, i);
        CHECK_GET(&from, ACH_O_WAIT, ACH_OK, i);
    }
    CHECK(check_child(pid, 30000));
    CHECK_OK(ach_close(&to));
    CHECK_OK(ach_close(&from));
    REQUIRE_OK(backend->unlink("to"));
    REQUIRE_OK(backend->unlink("from"));
}

#define WRITERS 3

struct writer {
    uint64_t id, n;
};

static int write_numbers(void *cx)
{
    const struct writer *w = cx;
    ach_channel_t c;
    uint64_t i;

    open_it(&c);
    for (i = 0; i < w->n; i++)
        REQUIRE_OK(put_number(&c, w->id * 1000000 + i, 16 + (size_t)(i % 100)));
    CHECK_OK(ach_close(&c));
    return check_result();
}

/* Each writer's messages arrive once, intact and in order. */
static void many_writers(void)
{
    uint64_t n = check_scale(1000), next[WRITERS] = {0}, i, number = 0;
    struct writer writers[WRITERS];
    pid_t pids[WRITERS];

    make((size_t)(WRITERS * n), 128);
    open_it(&chan);
    for (i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){i, n};
        pids[i] = start_child(write_numbers, &writers[i]);
    }
    for (i = 0; i < WRITERS * n; i++) {
        REQUIRE_OK(get_number(&chan, &number, ACH_O_WAIT));
        REQUIRE(number / 1000000 < WRITERS);
        REQUIRE(number % 1000000 == next[number / 1000000]++);
    }
    for (i = 0; i < WRITERS; i++)
        CHECK(check_child(pids[i], 30000));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

#define FOUR_MIB ((size_t)4 << 20)

static int copy_for_ever(void *ready)
{
    unsigned char *buf = malloc(FOUR_MIB);
    size_t size;

    REQUIRE(buf != NULL);
    for (;;) {
        ach_get(&chan, buf, FOUR_MIB, &size, NULL, ACH_O_COPY | ACH_O_LAST);
        store_word(ready, 1);
    }
    return 1;
}

/* A reader stopped in the middle of a copy does not hold up puts. */
static void stopped_reader(void)
{
    uint32_t *ready = check_shared(sizeof(*ready));
    unsigned char *buf = calloc(1, FOUR_MIB);
    uint64_t i, n = check_scale(10), state = 11;
    pid_t pid;

    REQUIRE(buf != NULL);
    make(2, FOUR_MIB / 2);
    open_it(&chan);
    REQUIRE_OK(ach_put(&chan, buf, FOUR_MIB));
    pid = start_child(copy_for_ever, ready);
    while (!load_word(ready) && waitpid(pid, NULL, WNOHANG) == 0)
        check_sleep_ms(1);
    for (i = 0; i < n; i++) {
        const struct timespec t = {.tv_nsec = (long)(check_random(&state) % 3000000)};
        int status;

        nanosleep(&t, NULL);
        kill(pid, SIGSTOP);
        REQUIRE(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
        CHECK_OK(ach_put(&chan, buf, 64));
        CHECK_OK(ach_put(&chan, buf, FOUR_MIB));
        CHECK_OK(ach_put(&chan, buf, FOUR_MIB));
        CHECK(info_of(&chan).newest == 4 + 3 * i);
        kill(pid, SIGCONT);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    free(buf);
    CHECK_OK(ach_close(&chan));
    remove_it();
    munmap(ready, sizeof(*ready));
}

/* A handle uses at most one descriptor, which is close-on-exec. */
static void descriptors(void)
{
    ach_channel_t writers[5], readers[7];
    unsigned before = open_descriptors();
    int fd, i;

    make(4, 64);
    CHECK(open_descriptors() == before);
    for (i = 0; i < 5; i++)
        open_it(&writers[i]);
    for (i = 0; i < 7; i++)
        open_readonly(&readers[i], CHAN);
    CHECK(open_descriptors() <= before + 5 + 7);
    for (fd = 3; fd < 64; fd++) {
        char link[64], target[PATH_SIZE];
        ssize_t n;

        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        n = readlink(link, target, sizeof(target) - 1);
        if (n > 0 && (target[n] = '\0', (strstr(target, "achshm-") || strstr(target, "/dev/ach-"))))
            CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    }
    for (i = 0; i < 5; i++)
        CHECK_OK(ach_close(&writers[i]));
    for (i = 0; i < 7; i++)
        CHECK_OK(ach_close(&readers[i]));
    CHECK(open_descriptors() == before);
    remove_it();
}

/* Create a channel with a message; later children are in another PID namespace. */
static void leave_namespace(void)
{
    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 1);
    if (unshare(CLONE_NEWPID) != 0) {
        remove_it();
        skip("cannot make a PID namespace");
    }
}

static int foreign_namespace(void *cx)
{
    enum ach_status want = backend->bit == KERNEL ? ACH_OK : ACH_EACCES;
    ach_channel_t c;

    (void)cx;
    open_it(&c);
    CHECK_GET(&c, 0, ACH_OK, 1);
    CHECK_STATUS(put_number(&c, 2, 16), want);
    CHECK_STATUS(put_number(&chan, 2, 16), want);
    CHECK_OK(ach_close(&c));
    return check_result();
}

/* From another PID namespace puts are refused, except on kernel channels: thread ids differ. */
static void other_namespace(void)
{
    leave_namespace();
    CHECK(run_child(foreign_namespace, NULL));
    CHECK(info_of(&chan).newest == (backend->bit == KERNEL ? 3 : 1));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* A child made without the handlers of pthread_atfork still has a thread id of its own. */
static void bare_fork(void)
{
    pid_t pid;
    int status;

    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 1);
    pid = _Fork();
    if (pid == 0)
        _exit(put_number(&chan, 2, 16) == ACH_OK ? 0 : 1);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    put_range(&chan, 3, 3);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void *put_in_thread(void *cx)
{
    *(enum ach_status *)cx = put_number(&chan, 2, 16);
    return NULL;
}

/* In a child each thread renews its own cached identity, even if another thread has done so. */
static void threads_of_a_child(void)
{
    enum ach_status want = backend->bit == KERNEL ? ACH_OK : ACH_EACCES, first = ACH_BUG;
    pthread_t thread;
    int status;
    pid_t pid;

    if (emulated())
        skip("qemu-user takes MADV_WIPEONFORK and does nothing");
    leave_namespace();
    pid = _Fork();
    if (pid == 0) {
        if (pthread_create(&thread, NULL, put_in_thread, &first) != 0 ||
            pthread_join(thread, NULL) != 0)
            _exit(2);
        _exit(first == want && put_number(&chan, 3, 16) == want ? 0 : 1);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* As process 1 of a PID namespace, with a child that is process 1 of another. */
static int same_number(void *cx)
{
    ach_channel_t source, other;
    ach_info_t info;
    int status;
    pid_t pid;

    (void)cx;
    REQUIRE(getpid() == 1);
    make_single(4, 64);
    open_source(&source);
    REQUIRE(unshare(CLONE_NEWPID) == 0);
    pid = fork();
    if (pid == 0)
        _exit(getpid() == 1 && ach_channel_info(&source, &info) == ACH_OK && !info.source &&
                      put_number(&source, 1, 16) == ACH_EACCES && ach_close(&source) == ACH_OK
                  ? 0
                  : 1);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK_STATUS(try_source(&other), ACH_EAGAIN);
    put_range(&source, 1, 1);
    CHECK_OK(ach_close(&source));
    remove_it();
    return check_result();
}

/* A child counts as another process even if it has the same process id. */
static void same_number_as_child(void)
{
    if (unshare(CLONE_NEWPID) != 0)
        skip("cannot make a PID namespace");
    CHECK(run_child(same_number, NULL));
}

/* Hide /proc, from this process only. */
static bool hide_proc(void)
{
    return unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/proc", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", "/proc", "tmpfs", 0, NULL) == 0;
}

static int put_foreign(void *cx)
{
    (void)cx;
    CHECK_STATUS(put_number(&chan, 2, 16), ACH_EACCES);
    return check_result();
}

/* The first put of a new thread, while the process cannot open files. */
static void *put_with_little(void *cx)
{
    struct rlimit all, none;

    (void)cx;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &all) == 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = all.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    CHECK_STATUS(put_number(&chan, 1, 16), ACH_EACCES);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &all) == 0);
    CHECK_OK(put_number(&chan, 1, 16));
    return NULL;
}

static void without_proc(void)
{
    enum ach_status r = create(CHAN, 4, 64);
    pthread_t thread;

    if (r != ACH_OK) { /* only Linux 6.11 and later report the namespace without /proc */
        CHECK(r == ACH_FAILED_SYSCALL && strstr(ach_errstr(), "/proc"));
        return;
    }
    open_it(&chan);
    REQUIRE(pthread_create(&thread, NULL, put_with_little, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    REQUIRE(unshare(CLONE_NEWPID) == 0);
    CHECK(run_child(put_foreign, NULL));
    CHECK_OK(put_number(&chan, 3, 16));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* Puts into a channel of another PID namespace are refused also without /proc. */
static void no_proc(void)
{
    if (backend->bit == KERNEL)
        skip("kernel channels know no thread ids");
    if (emulated())
        skip("qemu-user itself needs /proc");
    if (!hide_proc())
        skip("cannot hide /proc");
    without_proc();
    CHECK(umount("/proc") == 0);
}

static void *put_for_ever(void *stop)
{
    unsigned char *buf = calloc(1, FOUR_MIB);

    REQUIRE(buf != NULL);
    while (!load_word(stop))
        REQUIRE_OK(ach_put(&chan, buf, FOUR_MIB));
    free(buf);
    return NULL;
}

static int put_into_copy(void *cx)
{
    (void)cx;
    CHECK_OK(put_number(&chan, 1, 16));
    CHECK_OK(put_number(&chan, 2, 16));
    return check_result();
}

/* A child has a copy of a heap channel, maybe with a lock that a thread of its parent holds. */
static void copied_lock(void)
{
    uint64_t i, n = check_scale(20);
    pthread_t thread;
    uint32_t stop = 0;

    make(2, FOUR_MIB);
    open_it(&chan);
    REQUIRE(pthread_create(&thread, NULL, put_for_ever, &stop) == 0);
    for (i = 0; i < n; i++)
        CHECK(run_child(put_into_copy, NULL));
    store_word(&stop, 1);
    pthread_join(thread, NULL);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static const struct test tests[] = {
    {"process-forked-position", forked_position, NAMED, ONE_PROCESS},
    {"process-forked-put", forked_put, NAMED, ONE_PROCESS},
    {"process-round-trips", round_trips, NAMED, ONE_PROCESS},
    {"process-bare-fork", bare_fork, NAMED, ONE_PROCESS},
    {"process-many-writers", many_writers, NAMED, ONE_PROCESS},
    {"process-stopped-reader", stopped_reader, NAMED, ONE_PROCESS},
    {"process-descriptors", descriptors, ALL, NULL},
    {"process-other-namespace", other_namespace, NAMED, ONE_PROCESS},
    {"process-threads-of-a-child", threads_of_a_child, NAMED, ONE_PROCESS},
    {"process-same-number-as-child", same_number_as_child, NAMED, ONE_PROCESS},
    {"process-no-proc", no_proc, NAMED, ONE_PROCESS},
    {"process-copied-lock", copied_lock, HEAP, "only a heap channel is copied by fork"},
};
THEME(process_theme, tests);
