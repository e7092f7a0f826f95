/* SPDX-License-Identifier: BSD-3-Clause */
/* refused.c - refused calls, which end the run; main.c calls other refused functions by name */
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "cases.h"

static char words[64] __attribute__((aligned(8)));

#define REFUSED(name, call)                                                                        \
    static void name##_case(void)                                                                  \
    {                                                                                              \
        call;                                                                                      \
        check_failures++;                                                                          \
    }

REFUSED(requeue_pi, syscall(SYS_futex, words, (long)FUTEX_WAIT_REQUEUE_PI, 0l, NULL, words + 8, 0l))
REFUSED(timerfd_copy, dup(timerfd_create(CLOCK_MONOTONIC, 0)))
REFUSED(timerfd_copy_by_fcntl, fcntl(timerfd_create(CLOCK_MONOTONIC, 0), F_DUPFD, 0))
/* -5: the clock of an open file, such as /dev/ptp0. */
REFUSED(device_clock, clock_gettime(-5, &(struct timespec){0}))
REFUSED(device_clock_raw, syscall(SYS_clock_gettime, -5l, words))
REFUSED(alarm, (alarm(10), execlp("true", "true", NULL)))

REFUSED(stop, (kill(fork() ?: getppid(), SIGSTOP), usleep(1000)))

/* killpg is refused if the group has more than 64 processes (TARGETS_MAX in kill.c). */
static void crowd_case(void)
{
    int i;

    REQUIRE(setpgid(0, 0) == 0);
    for (i = 0; i < 70; i++)
        if (fork() == 0)
            _exit(usleep(1000000));
    killpg(0, SIGURG);
    check_failures++;
}

static void do_nothing(union sigval value)
{
    (void)value;
}

/* A timer may not skip its thread, even if that cannot be created. */
static void timer_thread_case(void)
{
    const struct itimerspec t = {.it_value.tv_nsec = MS};
    pthread_attr_t attr;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD,
                             .sigev_notify_function = do_nothing,
                             .sigev_notify_attributes = &attr};
    timer_t id;

    pthread_attr_init(&attr);
    REQUIRE(pthread_attr_setstacksize(&attr, SIZE_MAX / 4 & ~(size_t)0xffff) == 0);
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &id) == 0);
    REQUIRE(timer_settime(id, 0, &t, NULL) == 0);
    usleep(5000);
    check_failures++;
}

/* A child may not poll a timerfd of its parent: both would have to see it expire. */
static void timerfd_child_case(void)
{
    struct pollfd p = {.fd = timerfd_create(CLOCK_MONOTONIC, 0), .events = POLLIN};
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(poll(&p, 1, 1000) > 0);
    waitpid(pid, &status, 0);
    check_failures++;
}

static void timerfd_child_copy_case(void)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, 0), status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(dup(fd) >= 0);
    waitpid(pid, &status, 0);
    check_failures++;
}

#if defined(__aarch64__)
#define READ_COUNTER(v) __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v))
#define READ_FREQUENCY(v) __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(v))
#else
#define READ_COUNTER(v) __asm__ volatile("rdtsc" : "=A"(v))
#define READ_FREQUENCY READ_COUNTER
#endif

#ifndef PR_SET_TSC
#define PR_SET_TSC 26
#endif

static void skip_without_faults(void)
{
    int mode;

    if (prctl(PR_GET_TSC, &mode, 0, 0, 0) != 0) {
        puts("skipped: this kernel cannot hide the processor's counter");
        exit(77);
    }
}

static void counter_case(void)
{
    uint64_t v;

    skip_without_faults();
    READ_COUNTER(v);
    (void)v;
    check_failures++;
}

/* On aarch64, hiding the counter also hides its frequency. */
static void frequency_case(void)
{
    uint64_t v;

    skip_without_faults();
    READ_FREQUENCY(v);
    (void)v;
    check_failures++;
}

/*
 * The counter is shown during spawn and exec, because the dynamic linker of the new program reads
 * it. Afterwards it is hidden again in this process.
 */
static void counter_again_case(void)
{
    static char *const words_of_true[] = {"true", NULL};
    int status = -1;
    pid_t pid;

    REQUIRE(posix_spawnp(&pid, "true", NULL, NULL, words_of_true, environ) == 0);
    REQUIRE(waitpid(pid, &status, 0) == pid && status == 0);
    REQUIRE(execv("/no/such/program", words_of_true) == -1);
    counter_case();
}

#ifdef __x86_64__
static void skip_int80(int signo)
{
    (void)signo;
    puts("skipped: this kernel runs no 32-bit programs");
    _exit(77);
}

static void int80_case(void)
{
    long r;

    signal(SIGSEGV, skip_int80);
    __asm__ volatile("int $0x80" : "=a"(r) : "a"(20l) : "memory", "r8", "r9", "r10", "r11");
    check_failures++;
}

REFUSED(x32, raw(0x40000000l + SYS_getpid, 0, 0, 0, 0, 0, 0))
REFUSED(x32_number, syscall(0x40000000l + SYS_getpid))
#else
static void one_table_case(void)
{
    puts("skipped: this machine has one table of system calls");
    exit(77);
}
#define int80_case one_table_case
#define x32_case one_table_case
#define x32_number_case one_table_case
#endif

const struct vtime_case vtime_refused[] = {{"refused-requeue_pi", requeue_pi_case},
                                           {"refused-timerfd-copy", timerfd_copy_case},
                                           {"refused-timerfd-fcntl", timerfd_copy_by_fcntl_case},
                                           {"refused-timerfd-child", timerfd_child_case},
                                           {"refused-timerfd-child-copy", timerfd_child_copy_case},
                                           {"refused-timer-thread", timer_thread_case},
                                           {"refused-stop", stop_case},
                                           {"refused-crowd", crowd_case},
                                           {"refused-alarm", alarm_case},
                                           {"refused-device-clock", device_clock_case},
                                           {"refused-device-clock-raw", device_clock_raw_case},
                                           {"refused-counter", counter_case},
                                           {"refused-counter-again", counter_again_case},
                                           {"refused-frequency", frequency_case},
                                           {"refused-int80", int80_case},
                                           {"refused-x32", x32_case},
                                           {"refused-x32-number", x32_number_case},
                                           {NULL, NULL}};
