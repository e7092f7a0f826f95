/* SPDX-License-Identifier: BSD-3-Clause */
/* approximate.c - clocks of CPU time and time stamps of files, which are not in virtual time */
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <utime.h>

#include "cases.h"

#define DAYS 86400

int vtimes(void *current, void *child) OLDER;

/* Names that 32-bit programs with 64-bit time call. */
int __getrusage64(int who, void *usage) OLDER;
int __futimens64(int fd, const void *times) OLDER;
int __futimes64(int fd, const void *times) OLDER;
int __futimesat64(int dir, const char *path, const void *times) OLDER;
int __lutimes64(const char *path, const void *times) OLDER;
int __utime64(const char *path, const void *times) OLDER;
int __utimensat64(int dir, const char *path, const void *times, int flags) OLDER;
int __utimes64(const char *path, const void *times) OLDER;

static int64_t cpu_of(clockid_t clock)
{
    struct timespec t = {0};

    CHECK(clock_gettime(clock, &t) == 0);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int64_t cpu_used(void)
{
    struct rusage r;

    CHECK(getrusage(RUSAGE_SELF, &r) == 0 && syscall(SYS_getrusage, (long)RUSAGE_SELF, &r) == 0);
    return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000ll + r.ru_utime.tv_usec +
           r.ru_stime.tv_usec;
}

/* Computing is free: it moves the clocks of CPU time, and no other. */
static void cpu_case(void)
{
    clockid_t process = CLOCK_PROCESS_CPUTIME_ID, thread = CLOCK_THREAD_CPUTIME_ID;
    int64_t begin = now(), used = cpu_used();
    clock_t ticks = clock();
    int64_t of_process, of_thread;

    CHECK(clock_getcpuclockid(0, &process) == 0 &&
          pthread_getcpuclockid(pthread_self(), &thread) == 0);
    of_process = cpu_of(process);
    of_thread = cpu_of(thread);
    while (clock() - ticks < CLOCKS_PER_SEC / 20 || cpu_used() - used < 50000)
        continue;
    CHECK(cpu_of(process) - of_process >= 40 * MS && cpu_of(thread) - of_thread >= 40 * MS);
    if (vtimes)
        vtimes(NULL, NULL);
    if (__getrusage64) {
        long long usage[32]; /* larger than any struct rusage */

        CHECK(__getrusage64(RUSAGE_SELF, usage) == 0);
    }
    CHECK(now() == begin);
}

static char stamped[] = "/tmp/vtime-XXXXXX";

/* The stamp must have been set to real time, which is far from virtual time. */
static void has_real_stamp(int result, const char *call)
{
    struct stat st;

    CHECK(result == 0 && stat(stamped, &st) == 0);
    if (llabs((long long)st.st_mtime - (long long)time(NULL)) < 10 * DAYS) {
        fprintf(stderr, "%s has set the stamp to virtual time\n", call);
        check_failures++;
    }
}

#define STAMPS(name, ...)                                                                          \
    do {                                                                                           \
        CHECK(utimes(stamped, past) == 0);                                                         \
        has_real_stamp((int)name(__VA_ARGS__), #name " " #__VA_ARGS__);                            \
    } while (0)

static void stamps_case(void)
{
    const struct timeval past[2] = {{.tv_sec = 1700000000}, {.tv_sec = 1700000000}};
    int fd = mkstemp(stamped);

    REQUIRE(fd >= 0);
    STAMPS(futimens, fd, NULL);
    STAMPS(futimes, fd, NULL);
    STAMPS(futimesat, AT_FDCWD, stamped, NULL);
    STAMPS(lutimes, stamped, NULL);
    STAMPS(utime, stamped, NULL);
    STAMPS(utimensat, AT_FDCWD, stamped, NULL, 0);
    STAMPS(utimes, stamped, NULL);
    STAMPS(syscall, SYS_utimensat, (long)AT_FDCWD, stamped, NULL, 0l);
#ifdef SYS_utimes
    STAMPS(syscall, SYS_utimes, stamped, NULL);
    STAMPS(syscall, SYS_utime, stamped, NULL);
    STAMPS(syscall, SYS_futimesat, (long)AT_FDCWD, stamped, NULL);
#endif
#ifdef SYS_utimensat_time64
    STAMPS(syscall, SYS_utimensat_time64, (long)AT_FDCWD, stamped, NULL, 0l);
#endif
    if (__futimens64)
        STAMPS(__futimens64, fd, NULL);
    if (__futimes64)
        STAMPS(__futimes64, fd, NULL);
    if (__futimesat64)
        STAMPS(__futimesat64, AT_FDCWD, stamped, NULL);
    if (__lutimes64)
        STAMPS(__lutimes64, stamped, NULL);
    if (__utime64)
        STAMPS(__utime64, stamped, NULL);
    if (__utimensat64)
        STAMPS(__utimensat64, AT_FDCWD, stamped, NULL, 0);
    if (__utimes64)
        STAMPS(__utimes64, stamped, NULL);
    unlink(stamped);
}

/* After ENOSYS a program falls back to clone, which is refused. */
static void clone3_case(void)
{
    CHECK(syscall(SYS_clone3, NULL, 0l) == -1 && errno == ENOSYS);
}

const struct vtime_case vtime_approximate[] = {
    {"clone3", clone3_case}, {"cpu", cpu_case}, {"stamps", stamps_case}, {NULL, NULL}};
