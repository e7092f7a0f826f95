/* SPDX-License-Identifier: BSD-3-Clause */
/* raw.c - system calls by number, by an instruction of the program, and by the vDSO */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <syslog.h>

#include "cases.h"

#if defined(__aarch64__)
long raw(long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;

    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}
#elif defined(__x86_64__)
long raw(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long r;

    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return r;
}
#else
/* The sixth argument is passed in %ebp, which may be the frame pointer. */
long raw(long number, long a, long b, long c, long d, long e, long f)
{
    long r;

    __asm__ volatile("pushl %[f]\n pushl %%ebp\n movl 4(%%esp), %%ebp\n"
                     "int $0x80\n popl %%ebp\n addl $4, %%esp"
                     : "=a"(r)
                     : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), [f] "m"(f)
                     : "memory", "cc");
    return r;
}
#endif

typedef long call_fun(long number, long a, long b, long c, long d, long e, long f);

static long by_function(long number, long a, long b, long c, long d, long e, long f)
{
    long r = syscall(number, a, b, c, d, e, f);

    return r == -1 ? -errno : r;
}

#define CALL(name, a, b, c, d, e)                                                                  \
    call(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

static void clocks(call_fun *call)
{
    struct timespec t, r;
    struct timeval v;
    struct sysinfo info;
    struct tms cpu;

    usleep(1000);
    CHECK(CALL(clock_gettime, CLOCK_MONOTONIC, &t, 0, 0, 0) == 0);
    clock_gettime(CLOCK_MONOTONIC, &r);
    CHECK(t.tv_sec == r.tv_sec && t.tv_nsec == r.tv_nsec);
    CHECK(CALL(clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t, 0, 0, 0) == 0 && t.tv_nsec != r.tv_nsec);
    CHECK(CALL(clock_getres, CLOCK_REALTIME_COARSE, &t, 0, 0, 0) == 0 && t.tv_nsec == 1);
    CHECK(CALL(clock_settime, CLOCK_REALTIME, &t, 0, 0, 0) == -EPERM);
    CHECK(CALL(gettimeofday, &v, 0, 0, 0, 0) == 0 && v.tv_sec == time(NULL));
    CHECK(CALL(settimeofday, &v, 0, 0, 0, 0) == -EPERM);
    CHECK(CALL(sysinfo, &info, 0, 0, 0, 0) == 0 && info.uptime == r.tv_sec);
    CHECK(CALL(times, &cpu, 0, 0, 0, 0) == times(NULL));
#ifdef SYS_time
    CHECK(CALL(time, 0, 0, 0, 0, 0) == time(NULL));
#endif
}

static void waits(call_fun *call)
{
    struct timespec t = spec(20 * MS), again;
    struct timeval v = {.tv_usec = 20000};
    struct pollfd p = {.fd = -1};
    struct epoll_event e;
    int64_t wide[2] = {0, 20 * MS};
    uint32_t word = 1;
    sigset_t set;
    int ep = epoll_create1(0);

    (void)v;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    TAKES_NS(1000, CHECK(CALL(sched_yield, 0, 0, 0, 0, 0) == 0));
    TAKES(20, CHECK(CALL(nanosleep, &t, 0, 0, 0, 0) == 0));
    TAKES(20, CHECK(CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, &t, 0, 0) == 0));
    again = t;
    TAKES(20, CHECK(CALL(ppoll, &p, 1, &again, 0, 8) == 0));
    CHECK(again.tv_sec == 0 && again.tv_nsec == 0);
    again = t;
    TAKES(20, CHECK(call(SYS_pselect6, 0, 0, 0, 0, (long)&again, 0) == 0));
    TAKES(20, CHECK(CALL(epoll_pwait, ep, &e, 1, 20, 0) == 0));
    TAKES(20, CHECK(CALL(epoll_pwait2, ep, &e, 1, wide, 0) == 0));
    TAKES(20, CHECK(CALL(futex, &word, FUTEX_WAIT, 1, &t, 0) == -ETIMEDOUT));
    TAKES(0, CHECK(CALL(futex, &word, FUTEX_WAIT, 2, &t, 0) == -EAGAIN));
    again = from(CLOCK_MONOTONIC, 20 * MS);
    TAKES(20, CHECK(call(SYS_futex, (long)&word, FUTEX_WAIT_BITSET_PRIVATE, 1, (long)&again, 0,
                         (long)FUTEX_BITSET_MATCH_ANY) == -ETIMEDOUT));
    TAKES(20, CHECK(CALL(rt_sigtimedwait, &set, 0, &t, 8, 0) == -EAGAIN));
#ifdef SYS_poll
    TAKES(20, CHECK(CALL(poll, &p, 1, 20, 0, 0) == 0));
    TAKES(20, CHECK(CALL(epoll_wait, ep, &e, 1, 20, 0) == 0));
#endif
#ifdef __x86_64__
    TAKES(20, CHECK(CALL(select, 0, 0, 0, 0, &v) == 0));
#endif
#ifdef SYS__newselect
    TAKES(20, CHECK(CALL(_newselect, 0, 0, 0, 0, &v) == 0));
    v = (struct timeval){.tv_usec = 20000};
    TAKES(20, CHECK(CALL(select, ((const long[]){0, 0, 0, 0, (long)&v}), 0, 0, 0, 0) == 0));
#endif
    CHECK(call(-1, 0, 0, 0, 0, 0, 0) == -ENOSYS);
    CHECK(CALL(io_setup, 1, 0, 0, 0, 0) == -ENOSYS);
    CHECK(CALL(io_uring_setup, 1, 0, 0, 0, 0) == -ENOSYS);
#ifdef SYS_futex_waitv
    CHECK(CALL(futex_waitv, 0, 0, 0, 0, 0) == -ENOSYS);
#endif
}

static volatile int rang;

static void ring(int signo)
{
    (void)signo;
    rang++;
}

static void timers(call_fun *call)
{
    struct sigaction a = {.sa_handler = ring};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec t = {.it_value = spec(20 * MS)}, left;
    struct itimerval v = {.it_value.tv_usec = 20000};
    sigset_t none;
    uint64_t n;
    int id, fd;

    rang = 0;
    sigemptyset(&none);
    sigaction(SIGALRM, &a, NULL);
    CHECK(CALL(timer_create, CLOCK_MONOTONIC, &event, &id, 0, 0) == 0);
    CHECK(syscall(SYS_timer_settime, (long)id, 0l, &t, NULL) == 0);
    CHECK(syscall(SYS_timer_gettime, (long)id, &left) == 0 && left.it_value.tv_nsec == 20 * MS);
    TAKES(20, CHECK(CALL(rt_sigsuspend, &none, 8, 0, 0, 0) == -EINTR && rang == 1));
    CHECK(syscall(SYS_timer_getoverrun, (long)id) == 0);
    CHECK(syscall(SYS_timer_delete, (long)id) == 0);
    CHECK(CALL(setitimer, ITIMER_REAL, &v, 0, 0, 0) == 0);
    CHECK(CALL(getitimer, ITIMER_REAL, &v, 0, 0, 0) == 0 && v.it_value.tv_usec == 20000);
    TAKES(20, CHECK(usleep(900000) == -1 && rang == 2));
#ifdef SYS_sigsuspend
    CHECK(CALL(setitimer, ITIMER_REAL, &v, 0, 0, 0) == 0);
    TAKES(20, CHECK(CALL(sigsuspend, 0, 0, 0, 0, 0) == -EINTR && rang == 3));
#endif
    fd = (int)CALL(timerfd_create, CLOCK_MONOTONIC, 0, 0, 0, 0);
    CHECK(fd >= 0 && syscall(SYS_timerfd_settime, (long)fd, 0l, &t, NULL) == 0);
    CHECK(syscall(SYS_timerfd_gettime, (long)fd, &left) == 0);
    TAKES(20, CHECK(syscall(SYS_read, (long)fd, &n, sizeof(n)) == sizeof(n)));
    CHECK(syscall(SYS_close, (long)fd) == 0);
}

/* 32-bit programs may use the system calls with 64-bit time. */
static void time64_case(void)
{
#ifdef SYS_clock_gettime64
    call_fun *const calls[] = {by_function, raw};
    int64_t t[2], wide[2];
    uint32_t word = 1;
    sigset_t set;
    size_t i;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    for (i = 0; i < 2; i++) {
        call_fun *call = calls[i];

        usleep(1000);
        CHECK(CALL(clock_gettime64, CLOCK_MONOTONIC, t, 0, 0, 0) == 0);
        CHECK(t[0] * 1000000000 + t[1] == now());
        wide[0] = 0;
        wide[1] = 20 * MS;
        TAKES(20, CHECK(CALL(clock_nanosleep_time64, CLOCK_MONOTONIC, 0, wide, 0, 0) == 0));
        TAKES(20, CHECK(CALL(futex_time64, &word, FUTEX_WAIT, 1, wide, 0) == -ETIMEDOUT));
        TAKES(20, CHECK(CALL(rt_sigtimedwait_time64, &set, 0, wide, 8, 0) == -EAGAIN));
        TAKES(20, CHECK(CALL(ppoll_time64, 0, 0, wide, 0, 8) == 0 && wide[1] == 0));
        wide[1] = 20 * MS;
        TAKES(20, CHECK(call(SYS_pselect6_time64, 0, 0, 0, 0, (long)wide, 0) == 0));
    }
#else
    puts("skipped: this machine has one width of time");
    exit(77);
#endif
}

static void syscall_case(void)
{
    clocks(by_function);
    waits(by_function);
    timers(by_function);
}

static void instruction_case(void)
{
    clocks(raw);
    waits(raw);
    timers(raw);
}

/* A futex waiter is woken at the virtual time of its waker. */
static uint32_t shared_word;

static void *wake_later(void *private_)
{
    usleep(20000);
    __atomic_store_n(&shared_word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &shared_word, FUTEX_WAKE | (private_ ? FUTEX_PRIVATE_FLAG : 0), 1l, NULL,
            NULL, 0l);
    return NULL;
}

static void *unlock_later(void *unused)
{
    (void)unused;
    syscall(SYS_futex, &shared_word, FUTEX_LOCK_PI_PRIVATE, 0l, NULL, NULL, 0l);
    usleep(20000);
    syscall(SYS_futex, &shared_word, FUTEX_UNLOCK_PI_PRIVATE, 0l, NULL, NULL, 0l);
    return NULL;
}

static void futex_case(void)
{
    pthread_t thread;
    long flag;

    for (flag = 0; flag < 2; flag++) {
        shared_word = 0;
        REQUIRE(pthread_create(&thread, NULL, wake_later, flag ? &thread : NULL) == 0);
        TAKES(20,
              CHECK(syscall(SYS_futex, &shared_word, FUTEX_WAIT | (flag ? FUTEX_PRIVATE_FLAG : 0),
                            0l, NULL, NULL, 0l) == 0));
        pthread_join(thread, NULL);
    }
    shared_word = 0;
    REQUIRE(pthread_create(&thread, NULL, unlock_later, NULL) == 0);
    usleep(1000);
    TAKES(19,
          CHECK(syscall(SYS_futex, &shared_word, FUTEX_LOCK_PI_PRIVATE, 0l, NULL, NULL, 0l) == 0));
    CHECK(syscall(SYS_futex, &shared_word, FUTEX_UNLOCK_PI_PRIVATE, 0l, NULL, NULL, 0l) == 0);
    pthread_join(thread, NULL);
}

/* Find a function of the vDSO as a runtime without a C library does. */
static void *vdso_function(const char *wanted)
{
    const char *start = (const char *)getauxval(AT_SYSINFO_EHDR);
    const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)start;
    const ElfW(Phdr) *h = (const ElfW(Phdr) *)(start + e->e_phoff);
    const ElfW(Dyn) *d = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    size_t i;

    for (i = 0; i < e->e_phnum; i++)
        if (h[i].p_type == PT_DYNAMIC)
            d = (const ElfW(Dyn) *)(start + h[i].p_offset);
    for (; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            symbols = (const ElfW(Sym) *)(start + d->d_un.d_ptr);
        if (d->d_tag == DT_STRTAB)
            names = start + d->d_un.d_ptr;
    }
    for (i = 0; symbols && (const char *)&symbols[i] < names; i++)
        if (strcmp(names + symbols[i].st_name, wanted) == 0)
            return (void *)(uintptr_t)(start + symbols[i].st_value);
    return NULL;
}

static void vdso_case(void)
{
    int (*gettime)(clockid_t, struct timespec *) = NULL;
    struct timespec t, r;

    if (getauxval(AT_SYSINFO_EHDR))
        gettime = (int (*)(clockid_t, struct timespec *))vdso_function(
#ifdef __aarch64__
            "__kernel_clock_gettime"
#else
            "__vdso_clock_gettime"
#endif
        );
    if (!gettime) {
        puts("skipped: this kernel has no vDSO");
        exit(77);
    }
    sleep(3);
    CHECK(gettime(CLOCK_MONOTONIC, &t) == 0);
    clock_gettime(CLOCK_MONOTONIC, &r);
    CHECK(t.tv_sec == r.tv_sec && t.tv_nsec == r.tv_nsec);
    CHECK(gettime(CLOCK_REALTIME, &t) == 0 && t.tv_sec == time(NULL));
}

/* The C library's own function, which the preload library overrides. */
static void *behind(const char *name)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY);

    REQUIRE(libc != NULL);
#ifdef __aarch64__
    return dlvsym(libc, name, "GLIBC_2.17");
#elif defined(__x86_64__)
    return dlvsym(libc, name, "GLIBC_2.2.5");
#else
    return dlvsym(libc, name, "GLIBC_2.0");
#endif
}

void __syslog_chk(int priority, int flag, const char *format, ...) OLDER;
void __vsyslog_chk(int priority, int flag, const char *format, va_list more) OLDER;

static void log_all(int priority, const char *text, ...)
{
    va_list more;

    syslog(priority, "%s", text);
    __syslog_chk(priority, 1, "%s", text);
    va_start(more, text);
    vsyslog(priority, text, more);
    va_end(more);
    va_start(more, text);
    __vsyslog_chk(priority, 1, text, more);
    va_end(more);
}

/* System calls that the C library makes internally are trapped. */
static void inside_case(void)
{
    int (*real_nanosleep)(const struct timespec *, struct timespec *) = NULL;
    int (*real_poll)(struct pollfd *, nfds_t, int) = NULL;
    time_t (*real_time)(time_t *) = NULL;
    struct timespec t = spec(20 * MS);
    struct tm *date, copy;
    char name[] = "/tmp/vtime-XXXXXX";
    int fd = mkstemp(name);

    *(void **)&real_nanosleep = behind("nanosleep");
    *(void **)&real_poll = behind("poll");
    *(void **)&real_time = behind("time");
    REQUIRE(fd >= 0 && real_nanosleep && real_poll && real_time && real_nanosleep != nanosleep);
    TAKES(20, CHECK(real_nanosleep(&t, NULL) == 0));
    TAKES(20, CHECK(real_poll(NULL, 0, 20) == 0));
    CHECK(real_time(NULL) == time(NULL));
    REQUIRE(write(fd, "%H:%M\n", 6) == 6 && setenv("DATEMSK", name, 1) == 0);
    date = getdate("23:59"); /* the next 23:59 in virtual time */
    CHECK(date && date->tm_year == 123);
    CHECK(getdate_r("23:59", &copy) == 0 && copy.tm_year == 123);
    unlink(name);
    TAKES(0, log_all(LOG_DEBUG, "a test of Ach"));
}

static void dlsym_case(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY);
    int (*found)(useconds_t) = NULL;

    REQUIRE(libc != NULL);
    *(void **)&found = dlsym(libc, "usleep");
    CHECK(found == usleep);
    TAKES(5, CHECK(found(5000) == 0));
    CHECK(dlsym(libc, "strlen") != NULL && dlsym(libc, "no_such_function") == NULL);
}

const struct vtime_case vtime_raw[] = {{"inside", inside_case},
                                       {"dlsym", dlsym_case},
                                       {"syscall", syscall_case},
                                       {"time64", time64_case},
                                       {"instruction", instruction_case},
                                       {"futex", futex_case},
                                       {"vdso", vdso_case},
                                       {NULL, NULL}};
