/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bounds.c - how old messages are behind a slow link
 *
 * Two relays with their flows and channels, in one process, over a simulated link: a queue that is
 * emptied at a rate, and a delay in each direction. Time is simulated (clock_gettime below), so
 * the result does not depend on this machine.
 */
#include <sys/eventfd.h>
#include <sys/syscall.h>

#include "check.h"
#include "clock.h"
#include "flow_open.h"
#include "log.h"

#define NS 1000000000ull
#define MS 1000000ull
#define SECONDS 30ull
#define PACKET 1448u   /* bytes of TCP in a packet */
#define OVERHEAD 66u   /* Ethernet, IP and TCP */
#define PIPE 4194304u  /* bytes on the way, a power of two */
#define PACKETS 65536u /* on the way, a power of two */
#define SAMPLES 40000u
#define PICTURE_MAX 1048576u
#define COMMAND 64u

/* Bytes of frames besides the message's: the first, others, and the PING and PONG of a second. */
#define DATA_HEADER 76u
#define MORE_HEADER 16u
#define CONTROL (2ull * (32 + OVERHEAD))

struct packet {
    uint64_t end, arrives; /* end: its last byte is at this place of the stream */
};

/* One direction. */
struct pipe {
    int fd; /* readable if bytes have arrived */
    uint64_t rate, delay, noise, free;
    uint64_t written, arrived, read; /* bytes since the beginning */
    struct packet packets[PACKETS];
    uint64_t first, last, due;
    unsigned char bytes[PIPE];
};

struct side {
    struct relay_host host;
    struct relay_link *link;
};

struct scenario {
    uint64_t rate, delay, noise; /* bytes per second; nanoseconds in each direction */
    uint64_t size, period;       /* of the camera's pictures; period 0: none */
    uint64_t command;            /* period of the command; 0: none */
};

/* A channel on both sides. */
struct topic {
    ach_channel_t source, sink;
    bool open;
    size_t size;
    uint64_t period, next;
    struct relay_flow flow;
    uint64_t n, ages[SAMPLES], when[SAMPLES];
};

enum { CAMERA, COMMANDS, TOPICS };

static uint64_t virtual_now = NS, random_state = 1;
static struct pipe to, from;
static struct side near, far;
static struct topic topics[TOPICS];
static unsigned char message[PICTURE_MAX];

int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (clock != CLOCK_BOOTTIME)
        return (int)syscall(SYS_clock_gettime, clock, t);
    t->tv_sec = (time_t)(virtual_now / NS);
    t->tv_nsec = (long)(virtual_now % NS);
    return 0;
}

/* The direction that the side with this stream reads. */
static struct pipe *pipe_of(const struct relay_stream *s)
{
    return s->fd == to.fd ? &to : &from;
}

static ssize_t pipe_read(struct relay_stream *s, void *bytes, size_t room)
{
    struct pipe *p = pipe_of(s);
    unsigned char *out = bytes;
    uint64_t value;
    size_t n = 0;

    while (n < room && p->read < p->arrived)
        out[n++] = p->bytes[p->read++ % PIPE];
    if (p->read == p->arrived)
        REQUIRE(read(s->fd, &value, sizeof(value)) == sizeof(value) || errno == EAGAIN);
    return (ssize_t)n;
}

static void pipe_send(struct pipe *p, uint64_t n)
{
    uint64_t arrives;

    if (p->free < virtual_now)
        p->free = virtual_now;
    p->free += (n + OVERHEAD) * NS / p->rate;
    arrives = p->free + p->delay + (p->noise ? check_random(&random_state) % p->noise : 0);
    if (arrives < p->due)
        arrives = p->due;
    p->due = arrives;
    p->written += n;
    REQUIRE(p->last - p->first < PACKETS);
    p->packets[p->last++ % PACKETS] = (struct packet){p->written, arrives};
}

static ssize_t pipe_write(struct relay_stream *s, const void *bytes, size_t n)
{
    struct pipe *p = pipe_of(s) == &to ? &from : &to;
    const unsigned char *in = bytes;
    size_t i;

    REQUIRE(p->written + n - p->read < PIPE);
    for (i = 0; i < n; i++)
        p->bytes[(p->written + i) % PIPE] = in[i];
    for (i = n; i > 0;) {
        size_t part = i < PACKET ? i : PACKET;

        pipe_send(p, part);
        i -= part;
    }
    return (ssize_t)n;
}

static void pipe_arrive(struct pipe *p)
{
    uint64_t one = 1;

    if (p->first == p->last || p->packets[p->first % PACKETS].arrives > virtual_now)
        return;
    while (p->first < p->last && p->packets[p->first % PACKETS].arrives <= virtual_now)
        p->arrived = p->packets[p->first++ % PACKETS].end;
    REQUIRE(write(p->fd, &one, sizeof(one)) == sizeof(one));
}

static uint64_t pipe_next(const struct pipe *p)
{
    return p->first < p->last ? p->packets[p->first % PACKETS].arrives : UINT64_MAX;
}

static bool pipe_connected(struct relay_stream *s)
{
    (void)s;
    return true;
}

static void pipe_close(struct relay_stream *s)
{
    close(s->fd);
}

static const struct relay_stream_ops pipe_ops = {
    .read = pipe_read, .write = pipe_write, .connected = pipe_connected, .close = pipe_close};

static struct relay_stream pipe_init(struct pipe *p, const struct scenario *s)
{
    memset(p, 0, sizeof(*p));
    p->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    p->rate = s->rate;
    p->delay = s->delay;
    p->noise = s->noise;
    return (struct relay_stream){.ops = &pipe_ops, .fd = p->fd};
}

static void side_init(struct side *s, struct relay_stream stream, bool asks)
{
    memset(s, 0, sizeof(*s));
    s->host.create = "*";
    s->host.window_max = RELAY_WINDOW_MAX;
    s->host.silence = 1000 * NS;
    relay_limits_init(&s->host.limits);
    s->host.instance = asks ? 1 : 3;
    REQUIRE(relay_loop_init(&s->host.loop));
    s->link = relay_link_create(&s->host, &stream, asks, asks ? "far" : "near");
    REQUIRE(s->link != NULL);
}

static void side_finish(struct side *s)
{
    relay_link_destroy(s->link);
    relay_accounts_finish(&s->host.accounts);
    relay_sinks_finish(&s->host.sinks);
    relay_loop_finish(&s->host.loop);
}

/* Until it waits, as the loop of the daemon does. */
static void side_run(struct side *s)
{
    int i;

    for (i = 0; i < 3; i++) {
        relay_loop_turn(&s->host.loop, 0);
        relay_link_tick(s->link, virtual_now);
        if (s->link->dirty)
            relay_link_pump(s->link, virtual_now);
    }
}

static void topic_open(struct topic *t, const char *name, uint8_t priority, size_t size,
                       uint64_t period)
{
    struct relay_flow *f = &t->flow;
    ach_create_attr_t attr;

    memset(t, 0, sizeof(*t));
    t->size = size;
    t->period = period;
    t->next = period ? virtual_now : UINT64_MAX;
    ach_create_attr_init(&attr);
    REQUIRE_OK(ach_create_attr_set_timestamps(&attr, 1));
    REQUIRE_OK(ach_create_attr_set_clock(&attr, CLOCK_BOOTTIME));
    REQUIRE_OK(ach_create(name, 4, size, &attr));
    REQUIRE_OK(ach_open(&t->source, name, NULL));
    f->asks = f->sends = true;
    f->request = (struct relay_request){.push = true, .priority = priority};
    snprintf(f->local, sizeof(f->local), "%s", name);
    snprintf(f->request.name, sizeof(f->request.name), "far-%s", name);
    REQUIRE(relay_flow_join(f, near.link, near.link->n_flows));
}

static void topic_close(struct topic *t)
{
    ach_close(&t->source);
    REQUIRE_OK(ach_unlink(t->flow.local));
    REQUIRE(t->open);
    ach_close(&t->sink);
    REQUIRE_OK(ach_unlink(t->flow.request.name));
    relay_sinks_check(&far.host.sinks, NULL); /* removes the table of origins */
}

static void topic_put(struct topic *t)
{
    if (virtual_now < t->next)
        return;
    memcpy(message, &virtual_now, sizeof(virtual_now));
    REQUIRE_OK(ach_put(&t->source, message, t->size));
    t->next = virtual_now + t->period;
}

/* Messages that have arrived. */
static void topic_get(struct topic *t)
{
    uint64_t put;
    size_t n;

    if (!t->open)
        t->open = ach_open(&t->sink, t->flow.request.name, NULL) == ACH_OK;
    while (t->open && ach_get(&t->sink, message, sizeof(message), &n, NULL, 0) == ACH_OK) {
        memcpy(&put, message, sizeof(put));
        REQUIRE(n == t->size && t->n < SAMPLES);
        t->when[t->n] = virtual_now;
        t->ages[t->n++] = virtual_now - put;
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The loop of the daemon waits for whole milliseconds. */
static uint64_t side_deadline(const struct side *s)
{
    uint64_t at = relay_link_deadline(s->link);

    REQUIRE(at > virtual_now);
    return virtual_now + (at - virtual_now + MS - 1) / MS * MS;
}

/* What happens now. Returns when the next thing does. */
static uint64_t step(void)
{
    uint64_t next;
    unsigned i;

    pipe_arrive(&to);
    pipe_arrive(&from);
    for (i = 0; i < TOPICS; i++)
        topic_put(&topics[i]);
    side_run(&near);
    side_run(&far);
    for (i = 0; i < TOPICS; i++)
        topic_get(&topics[i]);
    next = earlier(topics[CAMERA].next, topics[COMMANDS].next);
    next = earlier(next, earlier(pipe_next(&to), pipe_next(&from)));
    return earlier(next, earlier(side_deadline(&near), side_deadline(&far)));
}

static void simulate(const struct scenario *s)
{
    uint64_t end = virtual_now + SECONDS * NS;
    unsigned i;

    side_init(&near, pipe_init(&from, s), true);
    side_init(&far, pipe_init(&to, s), false);
    topic_open(&topics[CAMERA], "camera", 0, s->size, s->period);
    topic_open(&topics[COMMANDS], "command", 7, COMMAND, s->command);
    while (virtual_now < end)
        virtual_now = step();
    for (i = 0; i < TOPICS; i++)
        topic_close(&topics[i]);
    side_finish(&near);
    side_finish(&far);
}

/* The time that a picture takes on the link, with its frames and packets, beside the commands. */
static uint64_t transmission(const struct scenario *s)
{
    uint64_t first = RELAY_CHUNK_MIN - DATA_HEADER, part = RELAY_CHUNK_MIN - MORE_HEADER;
    uint64_t parts = s->size > first ? (s->size - first + part - 1) / part : 0;
    uint64_t bytes = s->size + DATA_HEADER + OVERHEAD + parts * (MORE_HEADER + OVERHEAD);
    uint64_t commands = s->command ? (COMMAND + DATA_HEADER + OVERHEAD) * NS / s->command : 0;

    return bytes * NS / (s->rate - commands);
}

/* The window has its size after some round trips of the connection. */
static uint64_t start_up(const struct scenario *s)
{
    return NS + 15 * (2 * s->delay + 4096 * NS / s->rate);
}

static uint64_t oldest(const struct topic *t, uint64_t since)
{
    uint64_t i, age = 0;

    for (i = 0; i < t->n; i++)
        if (t->when[i] >= since && t->ages[i] > age)
            age = t->ages[i];
    return age;
}

static int by_age(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static uint64_t p99(struct topic *t)
{
    qsort(t->ages, t->n, sizeof(*t->ages), by_age);
    return t->n ? t->ages[t->n - 1 - t->n / 100] : UINT64_MAX;
}

static void print_link(const struct scenario *s)
{
    printf("%5.0f KB/s, round trip %3.0f ms, noise %.0f ms: ", (double)s->rate / 1e3,
           (double)s->delay * 2e-6, (double)s->noise * 1e-6);
}

/*
 * A camera that sends ten times as much as the link carries: a picture is at most as old as its
 * transmission, a round trip and a period. share: of the link that must be used, in percent.
 */
static void check_camera(const struct scenario *s, unsigned share)
{
    uint64_t takes = transmission(s), begin = virtual_now, age, used;
    uint64_t bound = takes + 2 * s->delay + s->period + CONTROL * NS / s->rate + 2 * s->noise;

    simulate(s);
    age = oldest(&topics[CAMERA], begin + start_up(s));
    used = topics[CAMERA].n * takes / (SECONDS * NS / 100);
    print_link(s);
    printf("picture of %7.1f ms each %5.1f ms: age at most %7.1f of %7.1f ms, %2llu %% used\n",
           (double)takes * 1e-6, (double)s->period * 1e-6, (double)age * 1e-6, (double)bound * 1e-6,
           (unsigned long long)used);
    CHECK(age > 0 && age <= bound);
    CHECK(used >= share);
}

/* A command of 1 kHz beside a camera waits for at most 4 KiB more than on an idle link. */
static void check_command(struct scenario s)
{
    uint64_t period = s.period, idle, loaded, bytes = 4096 * NS / s.rate;

    s.period = 0;
    simulate(&s);
    idle = p99(&topics[COMMANDS]);
    s.period = period;
    simulate(&s);
    loaded = p99(&topics[COMMANDS]);
    print_link(&s);
    printf("command: p99 %.2f ms idle, %.2f ms beside %llu pictures, of %.2f ms\n",
           (double)idle * 1e-6, (double)loaded * 1e-6, (unsigned long long)topics[CAMERA].n,
           (double)(idle + bytes) * 1e-6);
    CHECK(loaded <= idle + bytes);
    CHECK(topics[COMMANDS].n > (SECONDS - 2) * NS / s.command);
    CHECK(topics[CAMERA].n * transmission(&s) > SECONDS * NS / 2);
}

int main(void)
{
    static const uint64_t rates[] = {20000, 125000, 500000, 2000000};
    static const uint64_t delays[] = {MS / 2, 10 * MS, 100 * MS};
    struct scenario s = {0};
    unsigned i, k;

    relay_log_level(-1);
    for (i = 0; i < 4; i++)
        for (k = 0; k < 3; k++) {
            s = (struct scenario){.rate = rates[i], .delay = delays[k]};
            s.size = s.rate / 2;
            s.period = NS / 20;
            check_camera(&s, 85);
            s.size = s.rate / 20;
            s.period = NS / 200;
            check_camera(&s, 60);
            s.size = s.rate / 10;
            s.period = NS / 100;
            s.command = MS;
            if (s.rate >= 500000)
                check_command(s);
        }
    check_camera(&(struct scenario){125000, 10 * MS, 5 * MS, 62500, 50 * MS, 0}, 80);
    check_camera(&(struct scenario){125000, MS / 2, 5 * MS, 6250, 5 * MS, 0}, 80);
    return check_result();
}
