/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check.h - what test programs share
 *
 * A test program is a main that runs checks and returns check_result(). A
 * failed check prints where and what, and the program goes on. Exit status: 0
 * passed, 1 failed, 77 skipped. tests/support/run gives each program a
 * directory of its own in ACH_DIR and a time limit, and checks afterwards that
 * neither processes nor channels are left.
 */
#ifndef CHECK_H
#define CHECK_H

#include <ach.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK_SKIPPED 77

/* One count for all source files of a program. */
__attribute__((weak)) int check_failures;

#define CHECK(cond) check_that((cond), __FILE__, __LINE__, #cond)

/* An expression of type ach_status_t has this value. */
#define CHECK_STATUS(expr, want) check_status((expr), (want), __FILE__, __LINE__, #expr)
#define CHECK_OK(expr) CHECK_STATUS(expr, ACH_OK)

/* Exit if the check fails, because the rest of the test depends on it. */
#define REQUIRE(cond)                                                                              \
    do {                                                                                           \
        if (!check_that((cond), __FILE__, __LINE__, #cond))                                        \
            exit(1);                                                                               \
    } while (0)
#define REQUIRE_OK(expr)                                                                           \
    do {                                                                                           \
        if (!check_status((expr), ACH_OK, __FILE__, __LINE__, #expr))                              \
            exit(1);                                                                               \
    } while (0)

static inline bool check_that(bool ok, const char *file, int line, const char *what)
{
    if (!ok) {
        fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
        check_failures++;
    }
    return ok;
}

static inline bool check_status(enum ach_status got, enum ach_status want, const char *file,
                                int line, const char *what)
{
    if (got != want) {
        fprintf(stderr, "%s:%d: %s is %s, not %s (%s)\n", file, line, what,
                ach_result_to_string(got), ach_result_to_string(want), ach_errstr());
        check_failures++;
    }
    return got == want;
}

static inline int check_result(void)
{
    return check_failures ? 1 : 0;
}

static inline void check_skip(const char *why)
{
    printf("skipped: %s\n", why);
    exit(CHECK_SKIPPED);
}

/* Amount of work: ACH_TEST_SCALE percent of n, at least 1. Slow builds set it lower. */
static inline uint64_t check_scale(uint64_t n)
{
    const char *s = getenv("ACH_TEST_SCALE");
    uint64_t scaled = s ? n * strtoull(s, NULL, 10) / 100 : n;

    return scaled ? scaled : 1;
}

/*
 * A time limit, in any unit: ACH_TEST_TIME times n. A limit only ends tests that hang; slow
 * machines set a larger factor.
 */
static inline uint64_t check_time(uint64_t n)
{
    const char *s = getenv("ACH_TEST_TIME");
    uint64_t factor = s ? strtoull(s, NULL, 10) : 1;

    return factor > 1 ? n * factor : n;
}

static inline uint64_t check_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void check_sleep_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        ;
}

/* A small fast random generator; each user keeps its own state. */
static inline uint64_t check_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Fork a child that counts its own failures. Returns 0 in the child, its id in the parent. */
static inline pid_t check_fork(void)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0)
        check_failures = 0;
    return pid;
}

/* Wait for a child, for at most check_time(limit_ms), then kill it. True: it exited with 0. */
static inline bool check_child(pid_t pid, long limit_ms)
{
    uint64_t end = check_now_ns() + check_time((uint64_t)limit_ms) * 1000000u;
    int status;

    for (;;) {
        pid_t r = waitpid(pid, &status, WNOHANG);

        if (r == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (r < 0)
            return false;
        if (check_now_ns() > end) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return false;
        }
        check_sleep_ms(1);
    }
}

/* How many files are in a directory, also hidden ones. */
static inline unsigned check_entries(const char *path)
{
    DIR *dir = opendir(path);
    unsigned n = 0;
    struct dirent *e;

    REQUIRE(dir != NULL);
    while ((e = readdir(dir)))
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return n;
}

/* The state letter that /proc shows of a thread, such as 'S' or 'Z'. 0: there is no such thread. */
static inline char check_state(pid_t tid)
{
    char path[64], text[512] = "";
    const char *end;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    end = read(fd, text, sizeof(text) - 1) > 0 ? strrchr(text, ')') : NULL;
    close(fd);
    return end && end[1] ? end[2] : 0;
}

/* Memory that children share with this process. */
static inline void *check_shared(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    REQUIRE(p != MAP_FAILED);
    return p;
}

#endif
