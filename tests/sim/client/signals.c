/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signals - a signal handler runs at its exact time, puts messages, and cancels a get
 */
#include <check.h>
#include <errno.h>
#include <signal.h>

#define MS 1000000ull

static ach_channel_t in, out;
static volatile uint64_t start, count, wrong;

static void ask(int sig)
{
    (void)sig;
    wrong += check_now_ns() != start + count * MS / 2;
    count++;
    ach_put(&out, "x", 1);
}

static void cancel(int sig)
{
    (void)sig;
    ach_cancel(&in, NULL);
}

/* Fork a child that sends SIGUSR1 to its parent every half millisecond, and SIGUSR2 at last. */
static pid_t disturber(void)
{
    pid_t pid = fork();
    int i;

    if (pid == 0) {
        for (i = 0; i < 200; i++) {
            kill(getppid(), SIGUSR1);
            usleep(500);
        }
        usleep(200000);
        kill(getppid(), SIGUSR2);
        _exit(0);
    }
    return pid;
}

static void sleep_until(uint64_t ns)
{
    const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000),
                               .tv_nsec = (long)(ns % 1000000000)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

int main(void)
{
    size_t size;
    pid_t pid;
    char c;
    int i, status;

    REQUIRE_OK(ach_create("signals", 8, 8, NULL));
    REQUIRE_OK(ach_create("signals-none", 8, 8, NULL));
    REQUIRE_OK(ach_open(&in, "signals-none", NULL));
    REQUIRE_OK(ach_open(&out, "signals", NULL));
    signal(SIGUSR1, ask);
    signal(SIGUSR2, cancel);
    start = check_now_ns();
    pid = disturber();
    for (i = 1; i <= 100; i++) {
        sleep_until(start + (uint64_t)i * MS);
        CHECK(check_now_ns() == start + (uint64_t)i * MS);
    }
    CHECK(count >= 200 && wrong == 0);
    CHECK_STATUS(ach_get(&in, &c, 1, &size, NULL, ACH_O_WAIT), ACH_CANCELED);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    ach_close(&in);
    ach_close(&out);
    CHECK_OK(ach_unlink("signals"));
    CHECK_OK(ach_unlink("signals-none"));
    return check_result();
}
