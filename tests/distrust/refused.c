/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * refused.c - each system call of a channel's life fails once: a clear status, no leftovers
 *
 * A thread runs the channel's life behind a seccomp filter that reports its system calls to the
 * main thread, which refuses one of them. Each refusal has a process of its own.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "check.h"

#define CALLS_MAX 2000
#define LIMIT_MS 30000

/* If the loaded word is k, allow. */
#define ALLOW_IF(k)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Report all system calls except those that cannot fail, that end or free something, or wait. */
static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW_IF(SYS_close),
    ALLOW_IF(SYS_munmap),
    ALLOW_IF(SYS_madvise),
    ALLOW_IF(SYS_exit),
    ALLOW_IF(SYS_exit_group),
    ALLOW_IF(SYS_futex),
    ALLOW_IF(SYS_futex_waitv),
    ALLOW_IF(SYS_clock_gettime),
    ALLOW_IF(SYS_clock_nanosleep),
    ALLOW_IF(SYS_gettid),
    ALLOW_IF(SYS_getpid),
    ALLOW_IF(SYS_geteuid),
    ALLOW_IF(SYS_rt_sigprocmask),
    ALLOW_IF(SYS_rt_sigreturn),
    ALLOW_IF(SYS_set_robust_list),
    ALLOW_IF(SYS_rseq),
    ALLOW_IF(SYS_write),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
};

struct course {
    int listener; /* -1: not yet opened; -2: not supported */
    int error;    /* what the refused call returns */
    unsigned nth; /* which call is refused */
    unsigned seen;
    int refused; /* system call number of the refused call; -1: none */
};

/* For calls that set ach_errstr: if they fail, there must be a text. */
static bool ok(enum ach_status r)
{
    CHECK(r == ACH_OK || ach_errstr()[0]);
    return r == ACH_OK;
}

static void use(ach_channel_t *chan)
{
    ach_create_attr_t attr;
    char got[64];
    size_t size;
    void *room;
    int fd;

    if (ach_put(chan, "first", 6) == ACH_OK) {
        CHECK_OK(ach_get(chan, got, sizeof(got), &size, NULL, ACH_O_LAST));
        CHECK(size == 6 && strcmp(got, "first") == 0);
    }
    if (ach_channel_fd(chan, &fd) == ACH_OK && ach_put(chan, "second", 7) == ACH_OK) {
        CHECK_OK(ach_get(chan, got, sizeof(got), &size, NULL, 0));
        CHECK(size == 7 && strcmp(got, "second") == 0);
    }
    if (ach_reserve(chan, 6, &room) == ACH_OK) {
        memcpy(room, "third", 6);
        CHECK_OK(ach_commit(chan, 6));
    }
    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    ok(ach_create("life", 8, 128, &attr));
}

static void live(void)
{
    ach_channel_t chan;

    if (ok(ach_create("life", 4, 64, NULL)) && ok(ach_open(&chan, "life", NULL))) {
        use(&chan);
        CHECK_OK(ach_close(&chan));
    }
    ok(ach_unlink("life"));
}

static void *run_life(void *cx)
{
    struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};
    struct course *c = cx;
    long fd = -1;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                     &program);
    __atomic_store_n(&c->listener, fd < 0 ? -2 : (int)fd, __ATOMIC_RELEASE);
    if (fd >= 0)
        live();
    return NULL;
}

/* Allow all calls but one, until no thread with the filter is left. */
static void supervise(struct course *c)
{
    struct pollfd p = {.fd = c->listener, .events = POLLIN};

    while (poll(&p, 1, -1) > 0 && p.revents & POLLIN) {
        struct seccomp_notif call = {0};
        struct seccomp_notif_resp answer = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

        if (ioctl(c->listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
            continue;
        answer.id = call.id;
        if (++c->seen == c->nth) {
            c->refused = call.data.nr;
            answer.flags = 0;
            answer.error = -c->error;
        }
        (void)!ioctl(c->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
    close(c->listener);
}

static unsigned maps_of(const char *dir)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[5000];
    unsigned n = 0;

    REQUIRE(f);
    while (fgets(line, sizeof(line), f))
        n += strstr(line, dir) != NULL;
    fclose(f);
    return n;
}

/* The next ach_create succeeds, and removes what was left. */
static void check_nothing_left(void)
{
    enum ach_status r = ach_unlink("life");

    CHECK(r == ACH_OK || r == ACH_ENOENT);
    CHECK_OK(ach_create("life", 4, 64, NULL));
    CHECK_OK(ach_unlink("life"));
    CHECK(check_entries(getenv("ACH_DIR")) == 0);
    CHECK(maps_of(getenv("ACH_DIR")) == 0);
}

static int refuse_one(struct course *c)
{
    unsigned open_before = check_entries("/proc/self/fd");
    pthread_t thread;

    REQUIRE(pthread_create(&thread, NULL, run_life, c) == 0);
    while (__atomic_load_n(&c->listener, __ATOMIC_ACQUIRE) == -1)
        check_sleep_ms(1);
    if (c->listener >= 0)
        supervise(c);
    REQUIRE(pthread_join(thread, NULL) == 0);
    CHECK(check_entries("/proc/self/fd") == open_before);
    check_nothing_left();
    return check_result();
}

/* Refuse each call in turn with this error. Returns the number of calls. */
static unsigned refuse_each(struct course *c, int error)
{
    unsigned nth;
    pid_t pid;

    for (nth = 1; nth < CALLS_MAX; nth++) {
        *c = (struct course){.listener = -1, .error = error, .nth = nth, .refused = -1};
        pid = check_fork();
        if (pid == 0)
            exit(refuse_one(c));
        if (!CHECK(check_child(pid, LIMIT_MS)))
            fprintf(stderr, "with call %u, number %d, refused: %s\n", nth, c->refused,
                    strerror(error));
        if (c->listener == -2)
            check_skip("this system lets no process watch another's system calls with seccomp");
        if (c->refused < 0)
            break;
    }
    return nth - 1;
}

int main(void)
{
    static const int errors[] = {ENOMEM, EACCES, ENOENT, EEXIST, EOPNOTSUPP};
    struct course *c = check_shared(sizeof(*c));
    size_t i;

    for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        unsigned n = refuse_each(c, errors[i]);

        printf("%u calls refused: %s\n", n, strerror(errors[i]));
        CHECK(n > 20 && n < CALLS_MAX - 1);
    }
    return check_result();
}
