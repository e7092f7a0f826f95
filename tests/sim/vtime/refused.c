/* SPDX-License-Identifier: BSD-3-Clause */
/* refused.c - what ends the run, beside the functions that main.c calls by name */
#include <linux/futex.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "cases.h"

static char words[64];

#define REFUSED(name, call)                                                                        \
    static void name##_case(void)                                                                  \
    {                                                                                              \
        call;                                                                                      \
        check_failures++;                                                                          \
    }

static void abort_on_signal(int signo)
{
    (void)signo;
    abort();
}

REFUSED(requeue_pi, syscall(SYS_futex, words, (long)FUTEX_WAIT_REQUEUE_PI, 0l, NULL, words + 8, 0l))
REFUSED(sigsys, signal(SIGSYS, abort_on_signal))
REFUSED(alarm, (alarm(10), execlp("true", "true", NULL)))

#if defined(__aarch64__)
#define READ_COUNTER(v) __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v))
#else
#define READ_COUNTER(v) __asm__ volatile("rdtsc" : "=A"(v))
#endif

#ifndef PR_SET_TSC
#define PR_SET_TSC 26
#endif

static void counter_case(void)
{
    uint64_t v;
    int mode;

    if (prctl(PR_GET_TSC, &mode, 0, 0, 0) != 0) {
        puts("skipped: this kernel cannot hide the processor's counter");
        exit(77);
    }
    READ_COUNTER(v);
    (void)v;
    check_failures++;
}

/* Programs that are started may read it in their dynamic linker; this one may not. */
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

const struct vtime_case vtime_refused[] = {{"refused-requeue_pi", requeue_pi_case},
                                           {"refused-sigsys", sigsys_case},
                                           {"refused-alarm", alarm_case},
                                           {"refused-counter", counter_case},
                                           {"refused-counter-again", counter_again_case},
                                           {NULL, NULL}};
