/* SPDX-License-Identifier: BSD-3-Clause */
/* lost.c - a controller that loses threads, children, signals and mutexes; see lost.py */
#include <ach.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ll
#define LARGE 4000000u
#define PUTS 20

static ach_channel_t channel, other;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, kept = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool flag;
static char order[256];
static unsigned turns;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void sleep_until(int64_t ns)
{
    const struct timespec t = {ns / 1000000000, ns % 1000000000};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void say(const char *what)
{
    printf("%s %.6f\n", what, now());
    fflush(stdout);
}

static void *sleeper(void *unused)
{
    (void)unused;
    for (;;)
        usleep(1000);
    return NULL;
}

static void with_sleeper(void)
{
    pthread_t t;

    pthread_create(&t, NULL, sleeper, NULL);
    usleep(5500);
}

static void child(const char *how)
{
    if (strcmp(how, "threads") == 0)
        with_sleeper();
    else
        usleep(3000);
    if (strcmp(how, "killed") == 0)
        raise(SIGKILL);
    if (strcmp(how, "aborted") == 0)
        abort();
    exit(0);
}

/* Wait for a child that ends as the argument says. */
static int parent(const char *how)
{
    pid_t pid = fork();

    if (pid == 0)
        child(how);
    if (waitpid(pid, NULL, 0) == pid)
        say("waited until");
    usleep(20000);
    return 0;
}

static int inner(const char *unused)
{
    (void)unused;
    with_sleeper();
    return 0;
}

static int shell(const char *command)
{
    int status = system(command);

    say("waited until");
    return WEXITSTATUS(status);
}

/* Block outside the simulation, in a read from a child at the same virtual time. */
static int piped(const char *unused)
{
    int fds[2];
    char c;

    (void)unused;
    if (pipe(fds) != 0)
        return 1;
    if (fork() == 0)
        exit(write(fds[1], "x", 1) != 1);
    if (read(fds[0], &c, 1) == 1)
        say("read at");
    return 0;
}

static int spin(const char *unused)
{
    volatile unsigned long i = 0;

    (void)unused;
    for (;;)
        i++;
    return 0;
}

static void *take_turns(void *cx)
{
    int who = *(const char *)cx - 'A', i;
    volatile int work;

    for (i = 0; i < 100; i++) {
        sleep_until((10 + i) * MS + who * 300000);
        for (work = 0; who == 0 && work < 100000; work++)
            continue;
        pthread_mutex_lock(&mutex);
        order[turns++] = *(const char *)cx;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

/* Two threads alternate in virtual time, whatever each computes. */
static int threads(const char *unused)
{
    pthread_t a, b;

    (void)unused;
    pthread_create(&a, NULL, take_turns, "A");
    pthread_create(&b, NULL, take_turns, "B");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(order);
    return 0;
}

static void *wait_for_flag(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    while (!flag)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    say("woken at");
    return NULL;
}

/* The thread that signals the condition holds another mutex. */
static int keeps(const char *unused)
{
    pthread_t t;

    (void)unused;
    pthread_mutex_lock(&kept);
    pthread_create(&t, NULL, wait_for_flag, NULL);
    usleep(10000);
    pthread_mutex_lock(&mutex);
    flag = true;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}

static void cancel(int sig)
{
    (void)sig;
    ach_cancel(&channel, NULL);
}

static void open_both(void)
{
    if (ach_open(&channel, "lost", NULL) != ACH_OK ||
        ach_open(&other, "lost-other", NULL) != ACH_OK)
        exit(1);
    ach_flush(&channel);
    ach_flush(&other);
}

/* A handler cancels a channel while the thread waits for it, and while it waits for another one. */
static int canceled(const char *unused)
{
    pid_t self = getpid();
    char text[8];
    size_t size;

    (void)unused;
    open_both();
    signal(SIGUSR1, cancel);
    if (fork() == 0) {
        usleep(20000);
        kill(self, SIGUSR1);
        usleep(20000);
        kill(self, SIGUSR1);
        usleep(20000);
        ach_put(&other, "x", 1);
        exit(0);
    }
    puts(ach_result_to_string(ach_get(&channel, text, 8, &size, NULL, ACH_O_WAIT)));
    say("canceled at");
    ach_put(&channel, "y", 1);
    puts(ach_result_to_string(ach_get(&other, text, 8, &size, NULL, ACH_O_WAIT)));
    return 0;
}

/* Several of these run at once, and are stopped in the middle of a put. */
static int large(const char *unused)
{
    char *text = calloc(1, LARGE);
    int i, lost = 0;

    (void)unused;
    if (!text || ach_open(&channel, "lost-large", NULL) != ACH_OK)
        return 1;
    for (i = 0; i < PUTS; i++) {
        lost += ach_put(&channel, text, LARGE) != ACH_OK;
        usleep(10);
    }
    printf("%d lost\n", lost);
    return 0;
}

static void burn(int64_t ns)
{
    struct timespec t;
    int64_t end = 0, cpu;

    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        cpu = t.tv_sec * 1000000000ll + t.tv_nsec;
        end = end ? end : cpu + ns;
    } while (cpu < end);
}

static int notes(const char *count)
{
    int i, n = atoi(count);

    for (i = 0; i < n; i++) {
        burn(30000);
        usleep(10);
    }
    return 0;
}

static void *computes(void *ms)
{
    burn(atoi(ms) * MS);
    return NULL;
}

static int joins(const char *ms)
{
    pthread_t t;

    pthread_create(&t, NULL, computes, (void *)(uintptr_t)ms);
    pthread_join(t, NULL);
    say("joined at");
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*play)(const char *);
    } parts[] = {{"parent", parent}, {"inner", inner},     {"shell", shell}, {"piped", piped},
                 {"spin", spin},     {"threads", threads}, {"keeps", keeps}, {"canceled", canceled},
                 {"large", large},   {"notes", notes},     {"joins", joins}};
    size_t i;

    for (i = 0; argc > 1 && i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strcmp(parts[i].name, argv[1]) == 0)
            return parts[i].play(argc > 2 ? argv[2] : "");
    return 2;
}
