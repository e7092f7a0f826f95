/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main.c - ach-periodic: how late periodic messages arrive, and what the receiver pays for it
 *
 * A sender puts messages at a rate, each later than its time by up to the jitter. For each way to
 * wait there is a row in three tables: the time from before the put until the message is there, the
 * processor time of the receiver, and the time of a put. The sender and the receiver are processes
 * that may run on any processor, as those of users. The first messages, from which a receiver
 * learns the period, do not count.
 */
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "monotonic.h"

#define LEARN 50u
#define SECONDS 1.0
#define MESSAGES_MAX 20000u
#define CHANNEL "periodic"
#define END UINT64_MAX

/* A futex or an eventfd passes messages through this. */
struct shared {
    uint32_t word;
    int fd;
    uint64_t message[2];
    uint64_t came[MESSAGES_MAX]; /* after how many ns */
    unsigned count;
    double cpu, put; /* seconds of processor time per second; ns of a put */
};

struct way {
    const char *name, *kind;
    uint32_t budget; /* of a channel that anticipates */
    uint64_t spin_ns;
    void (*send)(struct shared *s, ach_channel_t *chan, const uint64_t *message);
    void (*receive)(struct shared *s, ach_channel_t *chan, uint64_t *message);
};

struct setting {
    double rate;
    uint64_t jitter_ns;
};

static void send_ach(struct shared *s, ach_channel_t *chan, const uint64_t *message)
{
    (void)s;
    MUST_ACH(ach_put(chan, message, 2 * sizeof(*message)));
}

static void receive_ach(struct shared *s, ach_channel_t *chan, uint64_t *message)
{
    const struct timespec limit = {.tv_sec = 5};
    size_t size;

    (void)s;
    MUST_ACH(ach_get(chan, message, 2 * sizeof(*message), &size, &limit,
                     ACH_O_WAIT | ACH_O_RELTIME | ACH_O_LAST));
}

static void send_futex(struct shared *s, ach_channel_t *chan, const uint64_t *message)
{
    (void)chan;
    memcpy(s->message, message, sizeof(s->message));
    __atomic_add_fetch(&s->word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &s->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void receive_futex(struct shared *s, ach_channel_t *chan, uint64_t *message)
{
    const struct timespec limit = {.tv_sec = 5};
    static uint32_t seen;
    uint32_t now;

    (void)chan;
    while ((now = __atomic_load_n(&s->word, __ATOMIC_SEQ_CST)) == seen)
        syscall(SYS_futex, &s->word, FUTEX_WAIT, seen, &limit, NULL, 0);
    seen = now;
    memcpy(message, s->message, sizeof(s->message));
}

static void send_eventfd(struct shared *s, ach_channel_t *chan, const uint64_t *message)
{
    (void)chan;
    memcpy(s->message, message, sizeof(s->message));
    MUST_SYS(eventfd_write(s->fd, 1) == 0);
}

static void receive_eventfd(struct shared *s, ach_channel_t *chan, uint64_t *message)
{
    eventfd_t count;

    (void)chan;
    MUST_SYS(eventfd_read(s->fd, &count) == 0);
    memcpy(message, s->message, sizeof(s->message));
}

#define ACH(...) .kind = "ach", .send = send_ach, .receive = receive_ach, __VA_ARGS__

static const struct way ways[] = {
    {.name = "ach sleeps", ACH(.budget = 0)},
    {.name = "ach anticipates, 1 %", ACH(.budget = 10000)},
    {.name = "ach anticipates, 2 %", ACH(.budget = 20000)},
    {.name = "ach anticipates, 5 %", ACH(.budget = 50000)},
    {.name = "ach anticipates, 10 %", ACH(.budget = 100000)},
    {.name = "ach spins", ACH(.spin_ns = 1000000000)},
    {.name = "futex", .kind = "floor", .send = send_futex, .receive = receive_futex},
    {.name = "eventfd", .kind = "floor", .send = send_eventfd, .receive = receive_eventfd},
};

static unsigned messages_of(const struct setting *s)
{
    double n = s->rate * SECONDS * (bench.quick ? 0.3 : 1);

    return LEARN + (unsigned)(n < 50 ? 50 : n);
}

/* In a process of its own. */
static void send_all(const struct way *w, const struct setting *setting, struct shared *s)
{
    unsigned i, n = messages_of(setting);
    uint64_t next = (uint64_t)monotonic_ns() + 20000000, message[2];
    double puts = 0;
    ach_channel_t chan = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_TIMERSLACK, 1ul);
    if (w->send == send_ach)
        channel_open(&chan, CHANNEL, false, 0);
    for (i = 0; i <= n; i++) {
        uint64_t late = setting->jitter_ns ? (uint64_t)random() % setting->jitter_ns : 0;
        struct timespec at;

        next += (uint64_t)(1e9 / setting->rate);
        at = (struct timespec){.tv_sec = (time_t)((next + late) / 1000000000u),
                               .tv_nsec = (long)((next + late) % 1000000000u)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        message[0] = i < n ? i : END;
        message[1] = (uint64_t)monotonic_ns();
        w->send(s, &chan, message);
        puts += i >= LEARN ? (double)((uint64_t)monotonic_ns() - message[1]) : 0;
    }
    s->put = puts / (n + 1 - LEARN);
    _exit(0);
}

static double cpu_used(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* In a process of its own. */
static void receive_all(const struct way *w, struct shared *s)
{
    uint64_t message[2] = {0}, begin = (uint64_t)monotonic_ns(), now;
    ach_channel_t chan = {0};
    double used = cpu_used();
    ach_attr_t attr;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (w->send == send_ach) {
        ach_attr_init(&attr);
        MUST_ACH(ach_attr_set_anticipate(&attr, w->budget, 0));
        MUST_ACH(ach_attr_set_spin(&attr, w->spin_ns));
        MUST_ACH(ach_open(&chan, CHANNEL, &attr));
    }
    for (;;) {
        w->receive(s, &chan, message);
        now = (uint64_t)monotonic_ns();
        if (message[0] == END)
            break;
        if (message[0] >= LEARN && s->count < MESSAGES_MAX)
            s->came[s->count++] = now - message[1];
        if (message[0] == LEARN - 1) {
            begin = now;
            used = cpu_used();
        }
    }
    s->cpu = (cpu_used() - used) / (1e-9 * (double)(now - begin));
    _exit(0);
}

static void reap(pid_t pid)
{
    int status = 0;

    MUST_SYS(waitpid(pid, &status, 0) == pid);
    MUST(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void release_channel(void *name, size_t size)
{
    (void)size;
    ach_unlink(name);
}

static void run(const struct way *w, const struct setting *setting, struct shared *s)
{
    ach_create_attr_t attr;
    pid_t receiver, sender;

    memset(s, 0, sizeof(*s));
    s->fd = eventfd(0, 0);
    MUST_SYS(s->fd >= 0);
    ach_create_attr_init(&attr);
    ach_create_attr_set_timestamps(&attr, 1);
    MUST_ACH(ach_create(CHANNEL, 64, 64, &attr));
    hold(release_channel, (void *)CHANNEL, 0);
    receiver = fork();
    if (receiver == 0)
        receive_all(w, s);
    sender = fork();
    if (sender == 0)
        send_all(w, setting, s);
    reap(sender);
    reap(receiver);
    close(s->fd);
    release_to(held_count - 1);
}

static void measure(const struct group *g, unsigned round)
{
    struct shared *s = shared_alloc(sizeof(*s));
    unsigned i, k;

    machine_unpin();
    for (i = 0; i < ARRAY_SIZE(ways) && !bench.interrupted; i++) {
        const struct way *w = &ways[(i + round) % ARRAY_SIZE(ways)];
        struct outcome once = {0};

        run(w, g->what, s);
        for (k = 0; k < s->count; k++)
            samples_add(&once.ns, (double)s->came[k]);
        once.sent = s->count;
        row_add(row_of(g, w->name, w->kind, 0), round, &once);
        row_value(g + 1, w->name, 0, round, 100 * s->cpu);
        row_value(g + 2, w->name, 0, round, s->put);
    }
}

/* The group before has measured it. */
static void measured(const struct group *g, unsigned round)
{
    (void)g;
    (void)round;
}

#define PERIODIC(name_, text, hz, us, n)                                                           \
    {.name = name_,                                                                                \
     .about = text ": time until the message is there",                                            \
     .floor = "ach sleeps",                                                                        \
     .measure = measure,                                                                           \
     .what = &(const struct setting){.rate = (hz), .jitter_ns = (us)*1000},                        \
     .rounds = (n),                                                                                \
     .two_cpus = true,                                                                             \
     .quick = true,                                                                                \
     .in_process = true},                                                                          \
        {.name = name_ "-cpu",                                                                     \
         .about = text ": processor of the receiver",                                              \
         .unit = "%",                                                                              \
         .floor = "ach sleeps",                                                                    \
         .measure = measured,                                                                      \
         .rounds = (n),                                                                            \
         .in_process = true,                                                                       \
         .quick = true},                                                                           \
    {                                                                                              \
        .name = name_ "-put", .about = text ": one put", .floor = "ach sleeps",                    \
        .measure = measured, .rounds = (n), .in_process = true, .quick = true                      \
    }

static const struct group groups[] = {
    PERIODIC("1k", "1 kHz", 1000, 0, 20),
    PERIODIC("1k-5", "1 kHz, jitter of 5 us", 1000, 5, 6),
    PERIODIC("1k-50", "1 kHz, jitter of 50 us", 1000, 50, 6),
    PERIODIC("100", "100 Hz", 100, 0, 6),
    PERIODIC("100-50", "100 Hz, jitter of 50 us", 100, 50, 6),
    PERIODIC("500", "500 Hz", 500, 0, 6),
    PERIODIC("500-50", "500 Hz, jitter of 50 us", 500, 50, 6),
    PERIODIC("8k", "8 kHz", 8000, 0, 6),
    PERIODIC("8k-5", "8 kHz, jitter of 5 us", 8000, 5, 6),
};

static const struct claim claims[] = {
    {"1k", "ach anticipates, 2 %", "ach sleeps", AT_MOST, .limit = 0.12},
    {"1k", "ach anticipates, 2 %", "ach sleeps", P99_AT_MOST, .limit = 1},
    {"1k", "ach anticipates, 5 %", "ach sleeps", P99_AT_MOST, .limit = 0.6},
    {"1k-put", "ach anticipates, 2 %", "ach sleeps", AT_MOST, .limit = 0.4},
    {"*k-cpu", "ach anticipates, 1 %", "ach sleeps", EXTRA, .limit = 1.5},
    {"*k-cpu", "ach anticipates, 2 %", "ach sleeps", EXTRA, .limit = 2.5},
    {"*k-cpu", "ach anticipates, 5 %", "ach sleeps", EXTRA, .limit = 5.5},
    {"*k-cpu", "ach anticipates, 10 %", "ach sleeps", EXTRA, .limit = 10.5},
    {0},
};

static const struct program program = {
    .name = "ach-periodic",
    .about =
        "Measures how late periodic messages arrive, and what the receiver pays for it: if it\n"
        "sleeps, anticipates or spins, beside a futex and an eventfd.\n",
    .groups = groups,
    .count = ARRAY_SIZE(groups),
    .claims = claims,
    .rounds = 6,
    .quick_rounds = 2,
    .in_pairs = true,
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, &program);
}
