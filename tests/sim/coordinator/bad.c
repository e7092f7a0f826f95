/* SPDX-License-Identifier: BSD-3-Clause */
/* bad.c - controllers that end, hang, block, fork, stop and send nonsense */
#include <ach.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../src/sim/protocol.h"
#include "actor.h"

/* steps COUNT PERIOD_NS BUSY_NS [LOG]: cycles with some CPU time; logs when each begins */
static int steps(char **a)
{
    int64_t i, n = actor_number(a, 0, 100), period = actor_number(a, 1, MS);
    int64_t busy = actor_number(a, 2, 0), next = actor_now();
    FILE *log = n && a[0] && a[1] && a[2] && a[3] ? actor_log(a[3]) : NULL;

    for (i = 0; i < n; i++) {
        if (log)
            fprintf(log, "%lld\n", (long long)actor_now());
        actor_busy(busy);
        next += period;
        actor_sleep_until(next);
    }
    if (log)
        fclose(log);
    return 0;
}

/* end STATUS AFTER_NS */
static int end(char **a)
{
    actor_sleep_until(actor_now() + actor_number(a, 1, 5 * MS));
    return (int)actor_number(a, 0, 0);
}

static int crash(char **a)
{
    (void)a;
    actor_sleep_until(actor_now() + 5 * MS);
    abort();
}

/* spin [CPU_NS]: compute, for ever or for CPU_NS */
static int spin(char **a)
{
    int64_t n = actor_number(a, 0, 0);

    actor_sleep_until(actor_now() + 5 * MS);
    if (n)
        actor_busy(n);
    while (!n)
        continue;
    return 0;
}

/* pipe FIFO LOG [BUSY_NS]: compute, then block in read for a byte; repeat until end of file */
static int blocked(char **a)
{
    FILE *log = actor_log(a[1]);
    int fd = open(a[0], O_RDONLY);
    ssize_t n;
    char c;

    if (fd < 0)
        actor_fail("cannot open %s: %s", a[0], strerror(errno));
    do {
        fprintf(log, "%lld\n", (long long)actor_now());
        fflush(log);
        actor_busy(actor_number(a, 2, 0));
        n = read(fd, &c, 1);
        actor_sleep_until(actor_now()); /* lets the coordinator set the clock */
    } while (n == 1);
    fprintf(log, "%lld\n", (long long)actor_now());
    fclose(log);
    return 0;
}

static int spin_till_end(void *end)
{
    while (!__atomic_load_n((int *)end, __ATOMIC_RELAXED))
        continue;
    return 0;
}

/* beside FIFO LOG: like pipe, beside a busy thread that the simulation does not know */
static int beside_unknown_thread(char **a)
{
    static char stack[1 << 16] __attribute__((aligned(16)));
    int end = 0, r;

    if (clone(spin_till_end, stack + sizeof(stack),
              CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
              &end) < 0)
        actor_fail("no thread: %s", strerror(errno));
    r = blocked(a);
    __atomic_store_n(&end, 1, __ATOMIC_RELAXED);
    return r;
}

static void *one_thread(void *count)
{
    int64_t i, next = actor_now();

    for (i = 0; i < *(int64_t *)count; i++) {
        actor_busy(20000);
        actor_sleep_until(next += MS);
    }
    return NULL;
}

/* threads N COUNT: N threads, each with COUNT cycles of 1 ms; all are joined */
static int threads(char **a)
{
    int64_t i, n = actor_number(a, 0, 10), count = actor_number(a, 1, 20), begin = actor_now();
    pthread_t *all = calloc((size_t)n, sizeof(*all));

    for (i = 0; all && i < n; i++)
        if (pthread_create(&all[i], NULL, one_thread, &count) != 0)
            actor_fail("no thread %lld", (long long)i);
    for (i = 0; all && i < n; i++)
        pthread_join(all[i], NULL);
    free(all);
    if (actor_now() - begin < count * MS)
        actor_fail("joined before they have ended");
    return 0;
}

/* leaps COUNT PERIOD_NS BUSY_NS LOG: compute and read the clock; log jumps of more than 3 ms */
static int leaps(char **a)
{
    int64_t i, n = actor_number(a, 0, 10), period = actor_number(a, 1, MS), next = 0;
    FILE *log = actor_log(a[3]);

    for (i = 0; i < n; i++) {
        int64_t begin, before, now, end;

        actor_sleep_until(next += period);
        begin = before = actor_now();
        end = actor_cpu() + actor_number(a, 2, MS);
        while (actor_cpu() < end) {
            actor_busy(20000);
            now = actor_now();
            if (now - before > 3 * MS)
                fprintf(log, "%lld %lld %lld\n", (long long)begin, (long long)before,
                        (long long)now);
            before = now;
        }
        while (next < actor_now())
            next += period;
    }
    fclose(log);
    return 0;
}

/* clocks CPU_NS LOG: log the CPU time used and the time passed */
static int clocks(char **a)
{
    FILE *log = actor_log(a[1]);
    int64_t cpu = actor_cpu(), begin = actor_now();

    actor_busy(actor_number(a, 0, 100 * MS));
    fprintf(log, "%lld %lld\n", (long long)(actor_cpu() - cpu), (long long)(actor_now() - begin));
    fclose(log);
    return 0;
}

/* reads NS: read the clock for so long */
static int reads(char **a)
{
    int64_t end = actor_now() + actor_number(a, 0, 100 * MS);

    while (actor_now() < end)
        continue;
    return 0;
}

/* become PROGRAM [ARGUMENT ...] */
static int become(char **a)
{
    actor_sleep_until(actor_now() + 5 * MS);
    execvp(a[0], a);
    actor_fail("cannot become %s", a[0]);
}

/* forks SETSID WAIT: a child that loops, perhaps in a session of its own, perhaps waited for */
static int forks(char **a)
{
    pid_t pid = fork();
    int status;

    if (pid < 0)
        actor_fail("no child");
    if (pid == 0) {
        if (actor_number(a, 0, 0))
            setsid();
        for (;;)
            actor_sleep_until(actor_now() + MS);
    }
    actor_sleep_until(actor_now() + 10 * MS);
    if (actor_number(a, 1, 0))
        waitpid(pid, &status, 0);
    return 0;
}

/* daemon: a grandchild in a session of its own, whose parent has exited */
static int become_daemon(char **a)
{
    pid_t pid = fork();
    int status;

    (void)a;
    if (pid == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        signal(SIGTERM, SIG_IGN);
        for (;;)
            actor_sleep_until(actor_now() + MS);
    }
    waitpid(pid, &status, 0);
    actor_sleep_until(actor_now() + 10 * MS);
    return 0;
}

/* closed: run with all descriptors closed */
static int closed(char **a)
{
    int fd;

    (void)a;
    for (fd = 0; fd < 1024; fd++)
        close(fd);
    return steps((char *[]){"20", NULL});
}

/* stubborn: ignore SIGTERM, SIGHUP and SIGINT */
static int stubborn(char **a)
{
    (void)a;
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    return steps((char *[]){"1000000000", NULL});
}

static int stopped(char **a)
{
    (void)a;
    actor_sleep_until(actor_now() + 5 * MS);
    raise(SIGSTOP);
    actor_sleep_until(actor_now() + 5 * MS);
    return 0;
}

static void open_or_fail(ach_channel_t *chan, const char *name)
{
    if (ach_open(chan, name, NULL) != ACH_OK)
        actor_fail("cannot open %s: %s", name, ach_errstr());
}

/* flood CHANNEL COUNT */
static int flood(char **a)
{
    int64_t i, n = actor_number(a, 1, 1000);
    ach_channel_t chan;

    open_or_fail(&chan, a[0]);
    for (i = 0; i < n; i++)
        if (ach_put(&chan, &i, sizeof(i)) != ACH_OK)
            actor_fail("cannot put %lld: %s", (long long)i, ach_errstr());
    ach_close(&chan);
    return 0;
}

/* babble CHANNEL COUNT MOST SEED: messages of random bytes, of random size up to MOST */
static int babble(char **a)
{
    int64_t i, n = actor_number(a, 1, 100), most = actor_number(a, 2, 100);
    unsigned seed = (unsigned)actor_number(a, 3, 1);
    unsigned char bytes[4096];
    ach_channel_t chan;
    size_t k;

    open_or_fail(&chan, a[0]);
    for (i = 0; i < n; i++) {
        for (k = 0; k < sizeof(bytes); k++)
            bytes[k] = (unsigned char)rand_r(&seed);
        ach_put(&chan, bytes, (size_t)(rand_r(&seed) % (most + 1)));
        actor_sleep_until(actor_now() + MS);
    }
    ach_close(&chan);
    return 0;
}

/* forge CHANNEL PID: send a HELLO of another process, as if it were a child; then compute */
static int forge(char **a)
{
    pid_t pid = (pid_t)actor_number(a, 1, 0);
    struct sim_note n = {.version = SIM_VERSION,
                         .kind = SIM_NOTE_HELLO,
                         .pid = pid,
                         .tid = pid,
                         .serial = 1,
                         .since = 1,
                         .parent = (uint32_t)getpid()};
    char name[64];
    ach_channel_t chan;

    snprintf(name, sizeof(name), "sim.w.go.%d", (int)pid);
    if (ach_create(name, 4, sizeof(struct sim_go), NULL) != ACH_OK)
        actor_fail("cannot create %s: %s", name, ach_errstr());
    open_or_fail(&chan, a[0]);
    if (ach_put(&chan, &n, offsetof(struct sim_note, events)) != ACH_OK)
        actor_fail("cannot put");
    ach_close(&chan);
    actor_busy(50 * MS);
    return steps((char *[]){"20", NULL});
}

const struct part actor_bad[] = {
    {"forge", forge},     {"steps", steps},       {"end", end},
    {"crash", crash},     {"spin", spin},         {"pipe", blocked},
    {"threads", threads}, {"become", become},     {"leaps", leaps},
    {"clocks", clocks},   {"forks", forks},       {"daemon", become_daemon},
    {"closed", closed},   {"stubborn", stubborn}, {"stopped", stopped},
    {"flood", flood},     {"babble", babble},     {"beside", beside_unknown_thread},
    {"reads", reads},     {NULL, NULL},
};
