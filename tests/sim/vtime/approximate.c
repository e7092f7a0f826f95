/* SPDX-License-Identifier: BSD-3-Clause */
/* approximate.c - what calls of CPU time, of time stamps and of signals do instead of virtual time */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <utime.h>

#include "cases.h"

#define DAYS 86400

int vtimes(void *current, void *child) OLDER;
int pidfd_send_signal(int fd, int signo, siginfo_t *info, unsigned flags) OLDER;

/* 32-bit programs with 64-bit time have these names. */
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

/* The stamp was set to the computer's time, which is far from the virtual one. */
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

static volatile int came;
static volatile int64_t came_at;

static void note_time(int signo)
{
    (void)signo;
    came++;
    came_at = now();
}

static void *sleep_long(void *took)
{
    int64_t begin = now();

    usleep(500000);
    *(int64_t *)took = now() - begin;
    return NULL;
}

/* All that send a signal to this process, this thread, or a thread that is known by its number. */
static void send_all(pthread_t thread)
{
    const union sigval value = {0};
    pid_t pid = getpid(), tid = gettid();
    siginfo_t info = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
    int fd = (int)syscall(SYS_pidfd_open, (long)pid, 0l), before = came, sent = 11;

    CHECK(raise(SIGUSR1) == 0 && gsignal(SIGUSR1) == 0 && kill(pid, SIGUSR1) == 0);
    CHECK(sigqueue(pid, SIGUSR1, value) == 0 && tgkill(pid, tid, SIGUSR1) == 0);
    CHECK(pthread_sigqueue(thread, SIGUSR1, value) == 0);
    CHECK(syscall(SYS_kill, (long)pid, (long)SIGUSR1) == 0);
    CHECK(syscall(SYS_tkill, (long)tid, (long)SIGUSR1) == 0);
    CHECK(syscall(SYS_tgkill, (long)pid, (long)tid, (long)SIGUSR1) == 0);
    CHECK(syscall(SYS_rt_sigqueueinfo, (long)pid, (long)SIGUSR1, &info) == 0);
    CHECK(syscall(SYS_rt_tgsigqueueinfo, (long)pid, (long)tid, (long)SIGUSR1, &info) == 0);
    if (fd >= 0) {
        CHECK(syscall(SYS_pidfd_send_signal, (long)fd, (long)SIGUSR1, NULL, 0l) == 0);
        sent++;
        if (pidfd_send_signal) { /* since glibc 2.36 */
            CHECK(pidfd_send_signal(fd, SIGUSR1, NULL, 0) == 0);
            sent++;
        }
        close(fd);
    }
    CHECK(setpgid(0, 0) == 0 && killpg(0, SIGUSR1) == 0);
    CHECK(came - before == sent + 1);
}

/* The handler runs while the other thread waits: at the time when its wait began. */
static void kill_case(void)
{
    struct sigaction a = {.sa_handler = note_time, .sa_flags = SA_RESTART};
    int64_t took = 0, begin = now();
    pthread_t thread;

    sigaction(SIGUSR1, &a, NULL);
    REQUIRE(pthread_create(&thread, NULL, sleep_long, &took) == 0);
    usleep(20000);
    CHECK(pthread_kill(thread, SIGUSR1) == 0);
    while (!came)
        sched_yield();
    CHECK(came_at == begin);
    CHECK(pthread_join(thread, NULL) == 0 && took == 500 * MS);
    TAKES(0, send_all(pthread_self()));
}

/* A program that gets this answer uses clone, which is refused. */
static void clone3_case(void)
{
    CHECK(syscall(SYS_clone3, NULL, 0l) == -1 && errno == ENOSYS);
}

const struct vtime_case vtime_approximate[] = {{"clone3", clone3_case},
                                               {"cpu", cpu_case},
                                               {"stamps", stamps_case},
                                               {"kill", kill_case},
                                               {NULL, NULL}};
