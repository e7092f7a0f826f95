/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.c - timers that send signals, waits for signals, and their handlers */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "cases.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int __sigsuspend(const sigset_t *mask) OLDER;
int older_sigpause(int mask) __asm__("sigpause");
int __sigpause(int mask, int is_signal) OLDER;
sighandler_t bsd_signal(int signo, sighandler_t handler) OLDER;
int pidfd_send_signal(int fd, int signo, siginfo_t *info, unsigned flags) OLDER;
int __sigaction(int signo, const struct sigaction *action, struct sigaction *old) OLDER;

static volatile int rang;
static volatile int64_t rang_at;

static void ring(int signo)
{
    (void)signo;
    rang++;
    rang_at = now();
}

static void handle(int signo, int flags)
{
    struct sigaction a = {.sa_handler = ring, .sa_flags = flags};

    REQUIRE(sigaction(signo, &a, NULL) == 0);
    rang = 0;
}

static void set_itimer(int ms, int interval)
{
    struct itimerval t = {.it_value.tv_usec = ms * 1000, .it_interval.tv_usec = interval * 1000};

    REQUIRE(setitimer(ITIMER_REAL, &t, NULL) == 0);
}

/* A signal ends a sleep at its exact time, and the handler sees that time. */
static void itimer_case(void)
{
    struct itimerval left;
    struct timespec t = spec(50 * MS), rest;
    struct pollfd p = {.fd = -1};
    int64_t begin = now();
    sem_t s;

    handle(SIGALRM, 0);
    set_itimer(20, 0);
    CHECK(getitimer(ITIMER_REAL, &left) == 0 && left.it_value.tv_usec == 20000);
    TAKES(20, CHECK(nanosleep(&t, &rest) == -1 && errno == EINTR && rest.tv_nsec == 30 * MS));
    CHECK(rang == 1 && rang_at == begin + 20 * MS);
    set_itimer(20, 0);
    TAKES(20, CHECK(poll(&p, 1, 1000) == -1 && errno == EINTR));
    set_itimer(20, 0);
    sem_init(&s, 0, 0);
    TAKES(20, CHECK(sem_wait(&s) == -1 && errno == EINTR));
    CHECK(rang == 3);
    handle(SIGALRM, SA_RESTART);
    set_itimer(10, 10);
    begin = now();
    while (now() - begin < 100 * MS)
        usleep(100000);
    CHECK(rang == 10);
    set_itimer(0, 0);
    TAKES(1000, CHECK(usleep(1000000) == 0 && rang == 10));
}

static void alarm_case(void)
{
    handle(SIGALRM, 0);
    CHECK(alarm(10) == 0);
    TAKES(4000, CHECK(sleep(4) == 0));
    CHECK(alarm(3) == 6);
    TAKES(3000, CHECK(sleep(10) == 7));
    CHECK(rang == 1);
    CHECK(alarm(1) == 0 && alarm(0) == 1);
    TAKES(2000, CHECK(sleep(2) == 0));
    CHECK(ualarm(5000, 0) == 0);
    TAKES(5, CHECK(usleep(900000) == -1 && errno == EINTR));
    CHECK(rang == 2);
}

static volatile int64_t thread_at;
static sem_t thread_ran;

static void in_thread(union sigval value)
{
    thread_at = now() + value.sival_int;
    sem_post(&thread_ran);
}

static siginfo_t last;

static void keep_info(int signo, siginfo_t *info, void *context)
{
    (void)signo;
    (void)context;
    last = *info;
}

static void timer_case(void)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 42};
    struct sigevent thread = {.sigev_notify = SIGEV_THREAD,
                              .sigev_value.sival_int = 1,
                              .sigev_notify_function = in_thread};
    struct itimerspec t = {.it_value = spec(20 * MS)}, left;
    struct sigaction action = {.sa_sigaction = keep_info, .sa_flags = SA_SIGINFO};
    int64_t begin;
    timer_t id, other;

    REQUIRE(__sigaction(SIGUSR1, &action, NULL) == 0);
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &id) == 0);
    REQUIRE(timer_settime(id, 0, &t, NULL) == 0);
    TAKES(5, usleep(5000));
    CHECK(timer_gettime(id, &left) == 0 && left.it_value.tv_nsec == 15 * MS);
    TAKES(15, CHECK(usleep(900000) == -1));
    CHECK(last.si_value.sival_int == 42 && last.si_code == SI_TIMER);
    CHECK(timer_getoverrun(id) == 0 && timer_delete(id) == 0 && timer_delete(id) == -1);
    sem_init(&thread_ran, 0, 0);
    REQUIRE(timer_create(CLOCK_REALTIME, &thread, &other) == 0);
    begin = now();
    REQUIRE(timer_settime(other, 0, &t, NULL) == 0);
    TAKES(20, CHECK(sem_wait(&thread_ran) == 0));
    CHECK(thread_at == begin + 20 * MS + 1);
    t.it_value = from(CLOCK_REALTIME, 30 * MS);
    REQUIRE(timer_settime(other, TIMER_ABSTIME, &t, NULL) == 0);
    TAKES(30, CHECK(sem_wait(&thread_ran) == 0));
    CHECK(timer_delete(other) == 0);
}

static void block_one(sigset_t *set, int signo)
{
    sigemptyset(set);
    sigaddset(set, signo);
    REQUIRE(sigprocmask(SIG_BLOCK, set, NULL) == 0);
}

static void block(sigset_t *set)
{
    block_one(set, SIGALRM);
}

static siginfo_t got[8]; /* the signals that add_info was called with */
static volatile unsigned n_got;

static void add_info(int signo, siginfo_t *info, void *context)
{
    (void)signo;
    (void)context;
    if (n_got < 8)
        got[n_got++] = *info;
}

/* A timer that sends the signal to the process, or to this thread, with this period. */
static timer_t periodic(int signo, int ms, bool to_thread)
{
    struct sigevent event = {.sigev_notify = to_thread ? SIGEV_THREAD_ID : SIGEV_SIGNAL,
                             .sigev_signo = signo};
    const struct itimerspec t = {.it_value = spec(ms * MS), .it_interval = spec(ms * MS)};
    timer_t id;

    if (to_thread)
        event._sigev_un._tid = gettid();
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &id) == 0);
    REQUIRE(timer_settime(id, 0, &t, NULL) == 0);
    return id;
}

static bool from_timer(const siginfo_t *info, timer_t id, int overrun)
{
    return info->si_code == SI_TIMER && info->si_timerid == (int)(intptr_t)id &&
           info->si_overrun == overrun;
}

/* Expirations while the signal is pending are counted when it is delivered or accepted. */
static void overruns(int signo, bool to_thread)
{
    struct signalfd_siginfo read_info;
    siginfo_t info;
    sigset_t set;
    timer_t id;
    int fd;

    block_one(&set, signo);
    id = periodic(signo, 100, to_thread);
    TAKES(550, usleep(550000));
    n_got = 0;
    CHECK(timer_getoverrun(id) == 0 && sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
    CHECK(n_got == 1 && from_timer(&got[0], id, 4) && timer_getoverrun(id) == 4);
    TAKES(50, CHECK(usleep(100000) == -1));
    CHECK(n_got == 2 && from_timer(&got[1], id, 0) && timer_getoverrun(id) == 0);
    block_one(&set, signo);
    usleep(350000);
    CHECK(sigwaitinfo(&set, &info) == signo && from_timer(&info, id, 2));
    CHECK(timer_getoverrun(id) == 2);
    TAKES(50, CHECK(sigwaitinfo(&set, &info) == signo && from_timer(&info, id, 0)));
    usleep(250000);
    fd = signalfd(-1, &set, 0);
    CHECK(read(fd, &read_info, sizeof(read_info)) == sizeof(read_info));
    CHECK(read_info.ssi_overrun == 1 && timer_getoverrun(id) == 1);
    CHECK(close(fd) == 0 && timer_delete(id) == 0);
}

/* Each timer has its own pending signal, even if another one is pending. */
static void overruns_of_two(int signo, bool to_thread)
{
    timer_t a, b;
    sigset_t set;

    block_one(&set, signo);
    a = periodic(signo, 100, to_thread);
    b = periodic(signo, 200, to_thread);
    usleep(550000);
    n_got = 0;
    CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
    CHECK(n_got == 2 && from_timer(&got[0], a, 4) && from_timer(&got[1], b, 1));
    CHECK(timer_getoverrun(a) == 4 && timer_getoverrun(b) == 1);
    TAKES(50, CHECK(usleep(100000) == -1 && n_got == 4));
    CHECK(timer_delete(a) == 0 && timer_delete(b) == 0);
    block_one(&set, signo);
    CHECK(kill(getpid(), signo) == 0);
    a = periodic(signo, 100, false);
    usleep(350000);
    n_got = 0;
    CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0 && timer_delete(a) == 0);
    CHECK(n_got == 2 && got[0].si_code == SI_USER && from_timer(&got[1], a, 2));
}

static void overrun_case(void)
{
    const int signos[] = {SIGUSR1, SIGRTMIN + 1};
    struct sigaction action = {.sa_sigaction = add_info, .sa_flags = SA_SIGINFO}, old;
    timer_t id;
    int i;

    for (i = 0; i < 4; i++) {
        REQUIRE(sigaction(signos[i / 2], &action, NULL) == 0);
        overruns(signos[i / 2], i % 2);
        overruns_of_two(signos[i / 2], i % 2);
        CHECK(sigaction(signos[i / 2], NULL, &old) == 0 && old.sa_sigaction == add_info);
    }
    CHECK(signal(SIGUSR1, ring) == (sighandler_t)(uintptr_t)add_info);
    CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == ring);
    CHECK(!(old.sa_flags & SA_SIGINFO) && signal(SIGUSR1, SIG_IGN) == ring);
    id = periodic(SIGUSR1, 100, false);
    TAKES(350, usleep(350000));
    CHECK(signal(SIGUSR1, ring) == SIG_IGN);
    rang = 0;
    TAKES(50, CHECK(usleep(100000) == -1 && rang == 1 && timer_delete(id) == 0));
}

static void sigwait_case(void)
{
    struct timespec t = spec(5 * MS);
    siginfo_t info;
    sigset_t set;
    int signo;

    block(&set);
    TAKES(5, CHECK(sigtimedwait(&set, &info, &t) == -1 && errno == EAGAIN));
    set_itimer(20, 0);
    TAKES(20, CHECK(sigwait(&set, &signo) == 0 && signo == SIGALRM));
    set_itimer(20, 0);
    TAKES(20, CHECK(sigwaitinfo(&set, &info) == SIGALRM && info.si_signo == SIGALRM));
    set_itimer(20, 0);
    t.tv_sec = 1;
    TAKES(20, CHECK(sigtimedwait(&set, &info, &t) == SIGALRM));
    raise(SIGALRM);
    TAKES(0, CHECK(sigwait(&set, &signo) == 0));
}

static void pause_case(void)
{
    sigset_t set, open;

    handle(SIGALRM, 0);
    set_itimer(20, 0);
    TAKES(20, CHECK(pause() == -1 && errno == EINTR && rang == 1));
    block(&set);
    sigprocmask(SIG_SETMASK, NULL, &open);
    sigdelset(&open, SIGALRM);
    set_itimer(20, 0);
    TAKES(20, CHECK(sigsuspend(&open) == -1 && errno == EINTR && rang == 2));
    set_itimer(20, 0);
    TAKES(20, CHECK(__sigsuspend(&open) == -1 && rang == 3));
    set_itimer(20, 0);
    TAKES(20, CHECK(__sigpause(SIGALRM, 1) == -1 && rang == 4));
    set_itimer(20, 0);
    TAKES(20, CHECK(sigpause(SIGALRM) == -1 && rang == 5));
    set_itimer(20, 0);
    TAKES(20, CHECK(older_sigpause(0) == -1 && rang == 6));
    raise(SIGALRM);
    TAKES(0, CHECK(sigsuspend(&open) == -1 && rang == 7));
}

/* A signal that no waiting thread dequeues is passed to the kernel one nanosecond later. */
static void signalfd_case(void)
{
    struct signalfd_siginfo info;
    sigset_t set;
    int fd;

    block(&set);
    fd = signalfd(-1, &set, 0);
    REQUIRE(fd >= 0);
    set_itimer(20, 0);
    TAKES_NS(20 * MS + 1, CHECK(read(fd, &info, sizeof(info)) == sizeof(info)));
    CHECK(info.ssi_signo == SIGALRM);
}

static void *sleep_long(void *took)
{
    int64_t begin = now();

    CHECK(usleep(500000) == -1 && errno == EINTR);
    *(int64_t *)took = now() - begin;
    return NULL;
}

static void *kill_process(void *unused)
{
    (void)unused;
    usleep(20000);
    CHECK(kill(getpid(), SIGUSR1) == 0);
    return NULL;
}

/* Send a signal to a sleeping thread. The call takes one nanosecond. */
static void to_thread(int (*send)(pthread_t))
{
    int64_t took = 0, begin = now();
    pthread_t thread;

    rang = 0;
    REQUIRE(pthread_create(&thread, NULL, sleep_long, &took) == 0);
    usleep(20000);
    TAKES_NS(1, CHECK(send(thread) == 0));
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(took == 20 * MS && rang == 1 && rang_at == begin + 20 * MS);
}

static int by_kill(pthread_t thread)
{
    return pthread_kill(thread, SIGUSR1);
}

static int by_queue(pthread_t thread)
{
    return pthread_sigqueue(thread, SIGUSR1, (union sigval){.sival_int = 1});
}

static void *run_tid(void *tid)
{
    *(pid_t *)tid = gettid();
    return sleep_long(&(int64_t){0});
}

/* A signal to the process ends the wait of a thread that does not block it. */
static void threads_get(void)
{
    pthread_t thread;
    pid_t tid = 0;

    to_thread(by_kill);
    to_thread(by_queue);
    rang = 0;
    REQUIRE(pthread_create(&thread, NULL, run_tid, &tid) == 0);
    usleep(20000);
    TAKES_NS(1, CHECK(tgkill(getpid(), tid, SIGUSR1) == 0));
    CHECK(pthread_join(thread, NULL) == 0 && rang == 1);
    REQUIRE(pthread_create(&thread, NULL, kill_process, NULL) == 0);
    TAKES(20, CHECK(pause() == -1 && errno == EINTR && rang == 2));
    pthread_join(thread, NULL);
    REQUIRE(pthread_create(&thread, NULL, kill_process, NULL) == 0);
    TAKES(20, CHECK(poll(NULL, 0, 500) == -1 && errno == EINTR && rang == 3));
    pthread_join(thread, NULL);
}

/* A signal to this process or thread is handled at once, whichever function sends it. */
static void send_all(void)
{
    const union sigval value = {0};
    pid_t pid = getpid();
    int before = rang;

    CHECK(raise(SIGUSR1) == 0 && gsignal(SIGUSR1) == 0 && kill(pid, SIGUSR1) == 0);
    CHECK(sigqueue(pid, SIGUSR1, value) == 0 && tgkill(pid, gettid(), SIGUSR1) == 0);
    CHECK(pthread_kill(pthread_self(), SIGUSR1) == 0);
    CHECK(pthread_sigqueue(pthread_self(), SIGUSR1, value) == 0);
    CHECK(setpgid(0, 0) == 0 && killpg(0, SIGUSR1) == 0);
    CHECK(rang - before == 8);
    CHECK(kill(pid, 0) == 0 && kill(pid, 1000) == -1 && errno == EINVAL);
}

static pthread_t workers[2];

static void *kill_worker(void *i)
{
    usleep(20000);
    CHECK(pthread_kill(workers[(uintptr_t)i], SIGUSR1) == 0);
    return NULL;
}

/* Two threads get a signal at the same time. */
static void both_get(void)
{
    pthread_t senders[2];
    int64_t took[2] = {0};
    uintptr_t i;

    rang = 0;
    for (i = 0; i < 2; i++)
        REQUIRE(pthread_create(&senders[i], NULL, kill_worker, (void *)i) == 0);
    for (i = 0; i < 2; i++)
        REQUIRE(pthread_create(&workers[i], NULL, sleep_long, &took[i]) == 0);
    for (i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    for (i = 0; i < 2; i++)
        pthread_join(senders[i], NULL);
    CHECK(took[0] == 20 * MS && took[1] <= 20 * MS + 1 && rang == 2);
}

static void *kill_group(void *unused)
{
    sigset_t set;

    (void)unused;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    usleep(20000);
    CHECK(killpg(0, SIGUSR1) == 0);
    return NULL;
}

/* The handler is installed while the receiving thread waits. */
static void *handle_late(void *unused)
{
    (void)unused;
    usleep(10000);
    handle(SIGUSR2, 0);
    usleep(10000);
    CHECK(pthread_kill(workers[0], SIGUSR2) == 0);
    return NULL;
}

static void others_get(void)
{
    struct timespec t = spec(500 * MS);
    pthread_t thread;

    REQUIRE(pthread_create(&thread, NULL, kill_group, NULL) == 0);
    rang = 0;
    TAKES(20, CHECK(nanosleep(&t, NULL) == -1 && errno == EINTR && rang == 1));
    pthread_join(thread, NULL);
    workers[0] = pthread_self();
    REQUIRE(pthread_create(&thread, NULL, handle_late, NULL) == 0);
    TAKES(20, CHECK(nanosleep(&t, NULL) == -1 && errno == EINTR && rang == 1));
    pthread_join(thread, NULL);
}

static pthread_mutex_t cancel_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cancel_cond = PTHREAD_COND_INITIALIZER;
static sem_t cancel_sem;
static bool cleaned_up, got_mutex;

static void clean_up(void *unused)
{
    (void)unused;
    cleaned_up = pthread_mutex_unlock(&cancel_mutex) == 0;
}

static void wait_for_condition(bool timed)
{
    struct timespec t = from(CLOCK_REALTIME, 10000 * MS);

    pthread_mutex_lock(&cancel_mutex);
    pthread_cleanup_push(clean_up, NULL);
    while (timed ? pthread_cond_timedwait(&cancel_cond, &cancel_mutex, &t) != ETIMEDOUT
                 : pthread_cond_wait(&cancel_cond, &cancel_mutex) == 0)
        ;
    pthread_cleanup_pop(1);
}

static void *wait_here(void *how)
{
    const char *s = how;

    if (*s == '-') { /* it is canceled before it waits */
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
        usleep(30000);
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
        s++;
    }
    if (*s == 's')
        sleep(10);
    else if (*s == 'w')
        sem_wait(&cancel_sem);
    else
        wait_for_condition(*s == 't');
    return NULL;
}

/* A mutex is locked even by a thread that was canceled meanwhile. */
static void *want_mutex(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&cancel_mutex);
    got_mutex = true;
    pthread_mutex_unlock(&cancel_mutex);
    pthread_testcancel();
    return NULL;
}

static int64_t cpu_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Virtual time stands still while the thread computes, whatever call it has jumped out of. */
static void compute(int64_t ns)
{
    const int64_t end = cpu_now() + ns;

    TAKES(0, while (cpu_now() < end) continue);
}

static void cancel_one(void *(*run)(void *), const char *how, int ms)
{
    pthread_t thread;
    void *result = NULL;

    cleaned_up = false;
    REQUIRE(pthread_create(&thread, NULL, run, (void *)(uintptr_t)how) == 0);
    usleep(20000);
    if (*how != '-')
        compute(5 * MS); /* meanwhile the thread falls asleep in real time, too */
    TAKES(ms, CHECK(pthread_cancel(thread) == 0 && (*how != 'm' || usleep(10000) == 0) &&
                    (*how != 'm' || pthread_mutex_unlock(&cancel_mutex) == 0) &&
                    pthread_join(thread, &result) == 0));
    CHECK(result == PTHREAD_CANCELED);
}

static void canceled(void)
{
    static const char *const how[] = {"s", "w", "c", "t", "-s", "-w", "-c", "-t"};
    size_t i;

    sem_init(&cancel_sem, 0, 0);
    for (i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
        cancel_one(wait_here, how[i], *how[i] == '-' ? 10 : 0);
        CHECK(cleaned_up == (strpbrk(how[i], "ct") != NULL));
    }
    pthread_mutex_lock(&cancel_mutex);
    cancel_one(want_mutex, "m", 10);
    CHECK(got_mutex);
    sem_destroy(&cancel_sem);
}

static void kill_case(void)
{
    handle(SIGUSR1, SA_RESTART);
    send_all();
    threads_get();
    both_get();
    others_get();
    canceled();
}

#define MUCH ((size_t)64 << 20)

/* A sleeping child with much memory: after SIGKILL the kernel needs a while to free it. */
static pid_t sleeping_child(void)
{
    pid_t pid = fork();

    REQUIRE(pid >= 0);
    if (pid == 0) {
        int64_t begin = now();
        char *much = malloc(MUCH);

        REQUIRE(much != NULL);
        memset(much, 1, MUCH);

        rang = 0;
        usleep(500000);
        _exit(rang == 1 ? (int)((now() - begin) / MS) : 255);
    }
    usleep(20000);
    return pid;
}

static int by_pidfd(pid_t pid, int signo)
{
    int r, fd = (int)syscall(SYS_pidfd_open, (long)pid, 0l);

    if (fd < 0 || !pidfd_send_signal) /* an older kernel, an older C library */
        return kill(pid, signo);
    r = pidfd_send_signal(fd, signo, NULL, 0);
    close(fd);
    return r;
}

static int by_group(pid_t pid, int signo)
{
    return setpgid(pid, pid) == 0 ? killpg(pid, signo) : -1;
}

static int by_value(pid_t pid, int signo)
{
    return sigqueue(pid, signo, (union sigval){0});
}

/* A sleeping child gets a signal at its parent's time. If killed, it can be reaped at once. */
static void kill_child_case(void)
{
    int (*const ways[])(pid_t, int) = {kill, by_pidfd, by_group, by_value};
    size_t i;

    handle(SIGUSR1, 0);
    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        int status = -1;
        pid_t pid = sleeping_child();

        TAKES(0, CHECK(ways[i](pid, SIGUSR1) == 0));
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 20);
        pid = sleeping_child();
        TAKES(0, CHECK(ways[i](pid, SIGKILL) == 0));
        TAKES(0, CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status)));
    }
}

/* If a parent handles SIGCHLD, the end of a child interrupts its sleep, however the child ends. */
static void child_ends_case(void)
{
    struct timespec t = spec(500 * MS);
    int status = -1, by_signal;

    for (by_signal = 0; by_signal < 2; by_signal++) {
        pid_t pid;

        handle(SIGCHLD, 0);
        pid = fork();
        REQUIRE(pid >= 0);
        if (pid == 0) {
            usleep(20000);
            if (by_signal)
                raise(SIGKILL);
            _exit(0);
        }
        TAKES(20, CHECK(nanosleep(&t, NULL) == -1 && errno == EINTR && rang == 1));
        CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) == by_signal);
    }
}

#define JUMPS 100

static sigjmp_buf out;

static void jump(int signo)
{
    (void)signo;
    siglongjmp(out, 1);
}

static void sleep_in_handler(int signo)
{
    ring(signo);
    TAKES(5, usleep(5000));
}

/* A handler may sleep, or jump out of a call: waits take their time afterwards. */
static void jump_case(void)
{
    const struct itimerval soon = {.it_value.tv_usec = 200}; /* each yield takes 1 us */
    volatile int i;
    int status;
    pid_t pid;

    signal(SIGCHLD, sleep_in_handler);
    pid = sleeping_child();
    rang = 0;
    TAKES(5, CHECK(kill(pid, SIGKILL) == 0 && rang == 1));
    CHECK(waitpid(pid, &status, 0) == pid);
    signal(SIGCHLD, jump);
    pid = sleeping_child();
    if (sigsetjmp(out, 1) == 0)
        kill(pid, SIGKILL);
    TAKES(5, usleep(5000));
    signal(SIGALRM, jump);
    for (i = 0; i < JUMPS; i++) { /* the signal may interrupt any of the calls */
        if (sigsetjmp(out, 1) == 0) {
            REQUIRE(setitimer(ITIMER_REAL, &soon, NULL) == 0);
            for (;;) {
                now();
                sched_yield();
            }
        }
        compute(MS);
        TAKES(5, usleep(5000));
    }
}

/* The simulation's own handler of SIGSYS calls the program's handler. */
static void sigsys_case(void)
{
    struct sigaction action = {.sa_sigaction = keep_info, .sa_flags = SA_SIGINFO}, old;

    CHECK(signal(SIGSYS, ring) == SIG_DFL);
    CHECK(raise(SIGSYS) == 0 && rang == 1);
    TAKES(5,
          CHECK(raw(SYS_ppoll, 0, 0, (long)&(struct timespec){.tv_nsec = 5 * MS}, 0, 8, 0) == 0));
    CHECK(sigaction(SIGSYS, &action, &old) == 0 && old.sa_handler == ring);
    CHECK(raise(SIGSYS) == 0 && last.si_signo == SIGSYS && rang == 1);
    CHECK(signal(SIGSYS, SIG_IGN) != SIG_DFL && raise(SIGSYS) == 0);
}

/* SIGSYS, which the simulation uses, stays unblocked. Other signals are blocked as requested. */
static void mask_case(void)
{
    sigset_t all, old;

    sigfillset(&all);
    CHECK(sigprocmask(SIG_SETMASK, &all, NULL) == 0);
    CHECK(pthread_sigmask(SIG_BLOCK, &all, &old) == 0);
    CHECK(sigismember(&old, SIGTERM) == 1);
    TAKES(5,
          CHECK(raw(SYS_ppoll, 0, 0, (long)&(struct timespec){.tv_nsec = 5 * MS}, 0, 8, 0) == 0));
    CHECK(signal(SIGUSR1, ring) == SIG_DFL && signal(SIGSYS, SIG_DFL) == SIG_DFL);
    CHECK(ssignal(SIGUSR1, SIG_DFL) == ring && bsd_signal(SIGUSR1, ring) == SIG_DFL);
    CHECK(sigset(SIGUSR1, ring) == SIG_HOLD && sigset(SIGUSR1, SIG_HOLD) == ring);
    CHECK(sigset(SIGUSR1, ring) == SIG_HOLD && raise(SIGUSR1) == 0 && rang == 1);
    CHECK(__sysv_signal(SIGUSR1, ring) == ring && raise(SIGUSR1) == 0 && rang == 2);
    CHECK(sysv_signal(SIGUSR1, ring) == SIG_DFL && sigignore(SIGUSR1) == 0);
    CHECK(raise(SIGUSR1) == 0 && rang == 2);
}

const struct vtime_case vtime_signals[] = {{"itimer", itimer_case},
                                           {"alarm", alarm_case},
                                           {"timer", timer_case},
                                           {"overrun", overrun_case},
                                           {"sigwait", sigwait_case},
                                           {"pause", pause_case},
                                           {"signalfd", signalfd_case},
                                           {"mask", mask_case},
                                           {"kill", kill_case},
                                           {"kill-child", kill_child_case},
                                           {"child-ends", child_ends_case},
                                           {"jump", jump_case},
                                           {"sigsys", sigsys_case},
                                           {NULL, NULL}};
