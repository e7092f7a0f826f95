/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * no-syscalls.c - put and get make no system call and no allocation (G7)
 *
 * A child forbids itself every system call and counts allocations, then puts
 * and gets messages of many sizes. Children that break the rule show that the
 * filter and the counter catch them.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "check.h"

#define NAME "quiet"
#define FRAMES 8u
#define FRAME_SIZE 20000u
#define CAPACITY (FRAMES * FRAME_SIZE)

enum { EXIT_TRAPPED = 3, EXIT_ALLOCATED = 4, EXIT_NO_SECCOMP = 5, EXIT_STATUS = 6 };

/* All allocations of the program go through the functions below, which count them here. */
static volatile unsigned long allocations;

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

void *malloc(size_t n)
{
    allocations++;
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    allocations++;
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    allocations++;
    return __libc_realloc(p, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
    allocations++;
    *p = __libc_memalign(align, n);
    return *p ? 0 : ENOMEM;
}

void free(void *p)
{
    allocations++;
    __libc_free(p);
}

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(EXIT_TRAPPED);
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    char digits[] = "system call 0000\n";
    int i, n = info->si_syscall;

    (void)number;
    (void)context;
    for (i = 15; i > 11; i--, n /= 10)
        digits[i] = (char)('0' + n % 10);
    say(digits);
    _exit(EXIT_TRAPPED);
}

/* From now on every system call but write, exit_group and rt_sigreturn raises SIGSYS. */
static void forbid_system_calls(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof(rules) / sizeof(rules[0]), .filter = rules};
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

    sigaction(SIGSYS, &action, NULL);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(EXIT_NO_SECCOMP);
}

static ach_channel_t writer, reader, subscriber;
static unsigned char message[CAPACITY], copy[CAPACITY];

static void must(enum ach_status s, ach_mask_t mask)
{
    if (!ach_status_match(s, mask)) {
        say(ach_result_to_string(s));
        say(" was not expected\n");
        _exit(EXIT_STATUS);
    }
}

#define DELIVERED (ACH_MASK_OK | ACH_MASK_MISSED_FRAME)

static void exchange(size_t n)
{
    const struct timespec soon = {.tv_sec = 1};
    const void *view;
    void *room;
    size_t size;

    must(ach_put(&writer, message, n), ACH_MASK_OK);
    must(ach_get(&reader, copy, sizeof(copy), &size, NULL, 0), DELIVERED);
    must(ach_get(&reader, copy, sizeof(copy), &size, NULL, 0), ACH_MASK_STALE_FRAMES);
    must(ach_get(&reader, copy, sizeof(copy), &size, NULL, ACH_O_COPY), ACH_MASK_OK);
    must(ach_reserve(&writer, n, &room), ACH_MASK_OK);
    must(ach_commit(&writer, n), ACH_MASK_OK);
    must(ach_get(&reader, copy, sizeof(copy), &size, &soon, ACH_O_WAIT | ACH_O_LAST), DELIVERED);
    must(ach_view(&subscriber, &view, &size, NULL, ACH_O_LAST), DELIVERED);
    must(ach_view_check(&subscriber), ACH_MASK_OK);
    must(ach_put(&writer, message, n), ACH_MASK_OK);
    must(ach_flush(&reader), ACH_MASK_OK);
    must(ach_put(&writer, message, CAPACITY + 1), ACH_MASK_OVERFLOW);
    must(ach_put(&subscriber, message, n), ACH_MASK_EACCES);
}

static void all_sizes(void)
{
    size_t n;

    for (n = 1; n <= 4096; n++)
        exchange(n);
    for (n = 4097; n < CAPACITY; n += n / 10)
        exchange(n);
    exchange(CAPACITY);
}

static void a_system_call(void)
{
    syscall(SYS_getppid);
}

static void an_allocation(void)
{
    free(malloc(10));
}

/* With readonly_wake every put makes a system call to wake: the documented cost. */
static void a_waking_put(void)
{
    must(ach_put(&writer, "x", 1), ACH_MASK_OK);
}

static void handles_open(const char *name)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    REQUIRE_OK(ach_open(&writer, name, NULL));
    REQUIRE_OK(ach_open(&reader, name, NULL));
    ach_attr_set_readonly(&attr, 1);
    REQUIRE_OK(ach_open(&subscriber, name, &attr));
}

/* A reader whose wait times out leaves the waiter flag set. */
static void leave_flag(void)
{
    const struct timespec brief = {.tv_nsec = 1000000};
    size_t size;

    REQUIRE(ach_get(&reader, copy, sizeof(copy), &size, &brief, ACH_O_WAIT | ACH_O_RELTIME) ==
            ACH_TIMEOUT);
}

/* Do it here: the first put of a thread calls gettid, the first reservation allocates. */
static void warm_up(void)
{
    void *room;

    REQUIRE_OK(ach_reserve(&writer, CAPACITY, &room));
    REQUIRE_OK(ach_commit(&writer, 1));
    REQUIRE_OK(ach_flush(&reader));
    leave_flag();
    REQUIRE_OK(ach_put(&writer, "x", 1)); /* clears the flag: the next put does not wake */
    REQUIRE_OK(ach_flush(&reader));
}

/* Run @fun in a child that may not make system calls; returns the child's exit status. */
static int under_the_net(const char *name, void (*fun)(void))
{
    int status;
    pid_t pid;

    pid = check_fork();
    if (pid == 0) {
        unsigned long before;

        handles_open(name);
        warm_up();
        forbid_system_calls();
        before = allocations;
        fun();
        _exit(allocations == before ? 0 : EXIT_ALLOCATED);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    ach_create_attr_t attr;
    int net;

    ach_create_attr_init(&attr);
    REQUIRE_OK(ach_create(NAME, FRAMES, FRAME_SIZE, &attr));
    ach_create_attr_set_readonly_wake(&attr, 1);
    REQUIRE_OK(ach_create(NAME "-wake", FRAMES, FRAME_SIZE, &attr));
    net = under_the_net(NAME, a_system_call);
    if (net != EXIT_NO_SECCOMP) {
        CHECK(net == EXIT_TRAPPED);
        CHECK(under_the_net(NAME, an_allocation) == EXIT_ALLOCATED);
        CHECK(under_the_net(NAME "-wake", a_waking_put) == EXIT_TRAPPED);
        CHECK(under_the_net(NAME, all_sizes) == 0);
    }
    CHECK_OK(ach_unlink(NAME));
    CHECK_OK(ach_unlink(NAME "-wake"));
    if (net == EXIT_NO_SECCOMP)
        check_skip("this system does not let a process filter its system calls");
    return check_result();
}
