/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * manychannels.c - thousands of channels in one epoll loop
 *
 * A second process puts messages: into one channel that has an epoll of its
 * own, then into channels chosen at random from many that share one, and so on
 * in turns. This process waits for them and measures how long each was on its
 * way. What a channel costs in descriptors and memory is measured too, and
 * which limit of the system was met, if one was.
 */
#include <ach.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "limits.h"

#define CHANNELS 10000u
#define MESSAGES 2000u
#define RATE_HZ 1000u
#define TURN 50u /* messages between changes from the one channel to the many */
#define FRAMES 4u
#define FRAME_SIZE 64u
#define WAIT_MS 10000
#define FILES_PER_CHANNEL 3u
#define FILES_BESIDE 64u

struct options {
    unsigned channels, messages, rate_hz;
};

/* In the acknowledgement that starts the writer: how many channels there are. */
struct letter {
    uint64_t stamp; /* when it was put */
    uint64_t channels;
};

struct loop {
    int epoll;
    ach_channel_t *chan;
    unsigned n;
    double *latency;
    unsigned count;
};

static void fail(const char *what)
{
    fprintf(stderr, "manychannels: %s\n", what);
    exit(1);
}

static void must(ach_status_t r)
{
    if (r != ACH_OK)
        fail(r == ACH_FAILED_SYSCALL ? ach_errstr() : ach_result_to_string(r));
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Names of this run; "one" and "ack" beside the many. */
static const char *name_of(pid_t pid, const char *what, unsigned i)
{
    static char name[ACH_CHAN_NAME_MAX];

    snprintf(name, sizeof(name), "many-%d-%s%u", (int)pid, what, i);
    return name;
}

/*
 * The process that puts
 */

static void writer_open(ach_channel_t *chan, pid_t reader, const char *what, unsigned i)
{
    must(ach_open(chan, name_of(reader, what, i), NULL));
}

static uint64_t await_letter(ach_channel_t *ack)
{
    const struct timespec limit = {.tv_sec = WAIT_MS / 1000};
    struct letter l = {0};
    size_t size;

    must(ach_get(ack, &l, sizeof(l), &size, &limit, ACH_O_WAIT | ACH_O_RELTIME));
    return l.channels;
}

/* At any time up to twice the period after the last one; that one was received. */
static void put_soon(ach_channel_t *chan, unsigned rate_hz)
{
    uint64_t ns = 2 * (uint64_t)rand() % (2000000000u / rate_hz);
    const struct timespec pause = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    struct letter l = {0};

    nanosleep(&pause, NULL);
    l.stamp = now_ns();
    must(ach_put(chan, &l, sizeof(l)));
}

static void writer(const struct options *o, pid_t reader, int go)
{
    ach_channel_t one, ack, *many;
    unsigned i, n;

    if (read(go, &n, sizeof(n)) != (ssize_t)sizeof(n))
        exit(1); /* the reader has failed, and has said why */
    many = calloc(n, sizeof(*many));
    if (!many)
        fail("no memory");
    writer_open(&one, reader, "one", 0);
    writer_open(&ack, reader, "ack", 0);
    for (i = 0; i < n; i++)
        writer_open(&many[i], reader, "", i);
    put_soon(&one, o->rate_hz); /* everything is open */
    await_letter(&ack);
    for (i = 0; i < 2 * o->messages; i++) {
        put_soon(i / TURN % 2 ? &many[(unsigned)rand() % n] : &one, o->rate_hz);
        await_letter(&ack);
    }
    exit(0);
}

/*
 * The process that waits
 */

static pid_t reader, writing;
static unsigned named; /* of the many channels */
static volatile sig_atomic_t stopped;

static void stop(int sig)
{
    (void)sig;
    stopped = 1;
}

/* However this process ends, short of a kill: no channel keeps its name, and nobody writes on. */
static void clean_up(void)
{
    if (getpid() != reader)
        return;
    if (writing) {
        kill(writing, SIGKILL);
        waitpid(writing, NULL, 0);
    }
    ach_unlink(name_of(reader, "ack", 0));
    ach_unlink(name_of(reader, "one", 0));
    while (named)
        ach_unlink(name_of(reader, "", --named));
}

static void clean_up_at_exit(pid_t child)
{
    const struct sigaction act = {.sa_handler = stop};

    reader = getpid();
    writing = child;
    atexit(clean_up);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGHUP, &act, NULL);
    sigaction(SIGPIPE, &act, NULL);
}

/* Create, open and watch one channel. False: a limit was met. */
static int add(struct loop *l, const char *what, unsigned i)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = i};
    const char *name = name_of(getpid(), what, i);
    int fd;

    if (ach_create(name, FRAMES, FRAME_SIZE, NULL) != ACH_OK)
        return 0;
    named += !*what;
    if (ach_open(&l->chan[i], name, NULL) != ACH_OK)
        return 0;
    if (ach_channel_fd(&l->chan[i], &fd) != ACH_OK ||
        epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) != 0) {
        ach_close(&l->chan[i]);
        return 0;
    }
    return 1;
}

static void loop_open(struct loop *l, const char *what, unsigned wanted, unsigned messages)
{
    int spare;

    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->chan = calloc(wanted, sizeof(*l->chan));
    l->latency = calloc(messages, sizeof(*l->latency));
    if (l->epoll < 0 || !l->chan || !l->latency)
        fail("no memory for the loop");
    spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (l->n = 0; l->n < wanted && !stopped && add(l, what, l->n); l->n++)
        ;
    if (stopped)
        fail("stopped");
    close(spare); /* for reading /proc, should no other be left */
    if (l->n < wanted) {
        printf("stopped at %u channels: %s\n", l->n, ach_errstr());
        print_limits();
    }
    if (l->n == 0)
        exit(1);
}

static void loop_close(struct loop *l)
{
    unsigned i;

    for (i = 0; i < l->n; i++)
        ach_close(&l->chan[i]);
    close(l->epoll);
    free(l->chan);
    free(l->latency);
}

/* Wait for one message, wherever it comes, and say when it had been put. */
static uint64_t receive(struct loop *l)
{
    for (;;) {
        struct letter letter = {0};
        uint64_t stamp = 0;
        struct epoll_event e;
        size_t size;
        int n = epoll_wait(l->epoll, &e, 1, WAIT_MS);

        if (stopped)
            fail("stopped");
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            fail("no message came");
        while (ach_get(&l->chan[e.data.u32], &letter, sizeof(letter), &size, NULL, 0) == ACH_OK)
            stamp = letter.stamp;
        if (stamp)
            return stamp;
    }
}

static void measure(const struct options *o, struct loop *one, struct loop *many,
                    ach_channel_t *ack)
{
    struct letter l = {.channels = many->n};
    unsigned i;

    receive(one);
    must(ach_put(ack, &l, sizeof(l)));
    for (i = 0; i < 2 * o->messages; i++) {
        struct loop *loop = i / TURN % 2 ? many : one;
        uint64_t stamp = receive(loop);

        if (loop->count < o->messages)
            loop->latency[loop->count++] = (double)(now_ns() - stamp);
        must(ach_put(ack, &l, sizeof(l)));
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(const struct loop *l, double q)
{
    return l->latency[(unsigned)(q * (l->count - 1))] / 1000;
}

static void print_loop(struct loop *l)
{
    qsort(l->latency, l->count, sizeof(l->latency[0]), by_value);
    printf("%6u channel%s wake-up p50 %.1f us, p99 %.1f us, max %.1f us\n", l->n,
           l->n == 1 ? ": " : "s:", quantile(l, 0.5), quantile(l, 0.99), quantile(l, 1));
}

static const char *mechanism(const ach_channel_t *chan)
{
    ach_info_t info;

    must(ach_channel_info(chan, &info));
    if (info.ready == ACH_READY_IO_URING)
        return "io_uring";
    return info.ready == ACH_READY_THREAD ? "a helper thread each" : "the channel's own";
}

static void usage(FILE *f)
{
    fputs("usage: manychannels [-c CHANNELS] [-m MESSAGES] [-r HZ]\n"
          "\n"
          "Waits for many channels in one epoll loop, beside a loop with one channel, and\n"
          "prints how long messages take in either, and what a channel costs.\n"
          "\n"
          "  -c, --channels N   how many channels, by default 10000\n"
          "  -m, --messages N   how many messages for either loop, by default 2000\n"
          "  -r, --rate HZ      how many a second, on average, by default 1000\n"
          "  -h, --help         print this\n",
          f);
}

static unsigned number(const char *text, unsigned most)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (end == text || *end || *text == '-' || n < 1 || n > most) {
        fprintf(stderr, "manychannels: '%s' is not a number from 1 to %u\n", text, most);
        exit(2);
    }
    return (unsigned)n;
}

static struct options parse(int argc, char **argv)
{
    static const struct option longs[] = {{"channels", required_argument, NULL, 'c'},
                                          {"messages", required_argument, NULL, 'm'},
                                          {"rate", required_argument, NULL, 'r'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    struct options o = {CHANNELS, MESSAGES, RATE_HZ};
    int c;

    while ((c = getopt_long(argc, argv, "c:m:r:h", longs, NULL)) != -1) {
        if (c == 'c')
            o.channels = number(optarg, 1000000);
        else if (c == 'm')
            o.messages = number(optarg, 10000000);
        else if (c == 'r')
            o.rate_hz = number(optarg, 100000);
        else {
            usage(c == 'h' ? stdout : stderr);
            exit(c == 'h' ? 0 : 2);
        }
    }
    if (optind < argc) {
        usage(stderr);
        exit(2);
    }
    return o;
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);
    struct loop one = {0}, many = {0};
    unsigned descriptors, threads;
    ach_channel_t ack;
    double memory;
    int go[2], status;
    pid_t child;

    setvbuf(stdout, NULL, _IOLBF, 0);
    raise_file_limit((unsigned long)o.channels * FILES_PER_CHANNEL + FILES_BESIDE);
    if (pipe(go) != 0)
        fail(strerror(errno));
    child = fork();
    if (child < 0)
        fail(strerror(errno));
    if (child == 0) {
        close(go[1]);
        writer(&o, getppid(), go[0]);
    }
    close(go[0]);
    clean_up_at_exit(child);
    must(ach_create(name_of(getpid(), "ack", 0), FRAMES, FRAME_SIZE, NULL));
    must(ach_open(&ack, name_of(getpid(), "ack", 0), NULL));
    loop_open(&one, "one", 1, o.messages);
    descriptors = entries("/proc/self/fd") + 1; /* the next epoll's own */
    threads = entries("/proc/self/task");
    memory = available_kib();
    loop_open(&many, "", o.channels, o.messages);
    printf("woken by: %s\n", mechanism(&many.chan[0]));
    printf("each channel: %.1f descriptors, %.1f threads, about %.1f KiB of memory\n",
           (entries("/proc/self/fd") - descriptors) / (double)many.n,
           (entries("/proc/self/task") - threads) / (double)many.n,
           (memory - available_kib()) / many.n);
    if (write(go[1], &many.n, sizeof(many.n)) != (ssize_t)sizeof(many.n))
        fail(strerror(errno));
    measure(&o, &one, &many, &ack);
    waitpid(child, &status, 0);
    writing = 0;
    print_loop(&one);
    print_loop(&many);
    printf("ratio: p50 %.2f, p99 %.2f\n", quantile(&many, 0.5) / quantile(&one, 0.5),
           quantile(&many, 0.99) / quantile(&one, 0.99));
    loop_close(&one);
    loop_close(&many);
    ach_close(&ack);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && !ferror(stdout) ? 0 : 1;
}
