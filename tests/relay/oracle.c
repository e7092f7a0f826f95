/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oracle.c - numbered messages, and whether they arrive once and in order
 *
 * oracle put CHANNEL SOURCE FIRST COUNT PAUSE_US [SIZE]
 *     put COUNT messages of SOURCE (a small number), numbered from FIRST
 * oracle get CHANNEL COUNT SECONDS SOURCE:LAST ...
 *     get until the message LAST of each source has come. Fails if a message comes twice, out of
 *     order or damaged, or if its origin does not match. COUNT: how many must come at least.
 *     Prints for each source: received, missing by the numbers in the messages, missing by the
 *     sequences of their origins. With LAST 0 the source may send nothing.
 * oracle hold CHANNEL SOURCE MILLISECONDS 0
 *     put the message 1 of SOURCE, and hold the lock of the channel for so long
 *
 * ORACLE_PROGRESS, if set, is a file in which readers store the last number of each source: reader
 * ORACLE_READER (0) at its place. A writer waits while it is ORACLE_AHEAD messages ahead of any of
 * ORACLE_READERS (1) readers in any of ORACLE_SOURCES (1) sources from 1, so that no message is
 * overwritten unread, however slow this machine is.
 */
#include <inttypes.h>
#include <signal.h>

#include "check.h"

#define SOURCES 16
#define READERS 16
#define MAGIC 0x6f7261636c65u

struct message {
    uint64_t magic, source, number, sum;
};

struct seen {
    bool expected, done;
    uint64_t last; /* to wait for; 0: none */
    uint64_t number, received, missing;
    uint64_t epoch, seq, origin_missing;
};

static uint64_t sum_of(const struct message *m)
{
    uint64_t state = m->source << 40 ^ m->number;

    return check_random(&state);
}

static uint64_t setting(const char *name, uint64_t standard)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : standard;
}

static uint64_t *progress_map(void)
{
    const char *path = getenv("ORACLE_PROGRESS");
    size_t size = sizeof(uint64_t) * READERS * SOURCES;
    void *map = NULL;
    int fd;

    if (!path)
        return NULL;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
    map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(map != MAP_FAILED);
    close(fd);
    return map;
}

/* The row of this reader. */
static uint64_t *progress_row(void)
{
    uint64_t *map = progress_map(), reader = setting("ORACLE_READER", 0);

    REQUIRE(reader < READERS);
    return map ? map + reader * SOURCES : NULL;
}

static uint64_t slowest(const uint64_t *map)
{
    uint64_t readers = setting("ORACLE_READERS", 1), sources = setting("ORACLE_SOURCES", 1);
    uint64_t i, k, at, least = UINT64_MAX;

    REQUIRE(readers <= READERS && sources < SOURCES);
    for (i = 0; i < readers; i++)
        for (k = 1; k <= sources; k++) {
            at = __atomic_load_n(&map[i * SOURCES + k], __ATOMIC_RELAXED);
            least = at < least ? at : least;
        }
    return least;
}

static void wait_for_readers(const uint64_t *map, uint64_t number)
{
    uint64_t ahead = setting("ORACLE_AHEAD", 0);

    while (ahead && number > slowest(map) + ahead)
        check_sleep_ms(1);
}

/* A daemon that is stopped may hold the lock. */
static void put_one(ach_channel_t *chan, const struct message *m, size_t size)
{
    ach_status_t r;

    do
        r = ach_put(chan, m, size);
    while (r == ACH_EAGAIN);
    REQUIRE_OK(r);
}

static int put(char **argv, int argc)
{
    uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10), i;
    long pause = strtol(argv[4], NULL, 10);
    size_t size = argc > 5 ? strtoull(argv[5], NULL, 10) : sizeof(struct message);
    struct message *m = calloc(1, size < sizeof(*m) ? sizeof(*m) : size);
    uint64_t *progress = progress_map();
    ach_channel_t chan;

    REQUIRE(m != NULL);
    REQUIRE_OK(ach_open(&chan, argv[0], NULL));
    for (i = first; i < first + count; i++) {
        *m = (struct message){MAGIC, strtoull(argv[1], NULL, 10), i, 0};
        m->sum = sum_of(m);
        if (progress && i % 64 == 0)
            wait_for_readers(progress, i);
        put_one(&chan, m, size < sizeof(*m) ? sizeof(*m) : size);
        if (pause)
            usleep((useconds_t)pause);
    }
    ach_close(&chan);
    free(m);
    return check_result();
}

/* Numbers of one source, and sequences of one origin, only grow. */
static void judge(struct seen *s, const struct message *m, const ach_origin_t *o)
{
    if (m->number <= s->number) {
        fprintf(stderr, "source %" PRIu64 ": %" PRIu64 " after %" PRIu64 "\n", m->source, m->number,
                s->number);
        check_failures++;
    }
    if (s->received)
        s->missing += m->number - s->number - 1;
    if (s->received && o->epoch && o->epoch == s->epoch) {
        CHECK(o->seq > s->seq);
        s->origin_missing += o->seq - s->seq - 1;
    }
    s->number = m->number;
    s->epoch = o->epoch;
    s->seq = o->seq;
    s->received++;
    s->done |= s->last && m->number >= s->last;
}

static bool all_done(const struct seen *seen, uint64_t received, uint64_t count)
{
    int i;

    for (i = 0; i < SOURCES; i++)
        if (seen[i].last && !seen[i].done)
            return false;
    return received >= count;
}

static void expect(struct seen *seen, const char *text)
{
    char *end;
    uint64_t source = strtoull(text, &end, 10);

    REQUIRE(source < SOURCES && *end == ':');
    seen[source].expected = true;
    seen[source].last = strtoull(end + 1, NULL, 10);
}

/*
 * The origin of the last message. If the message was overwritten since it was got, its sequence has
 * grown by as much as its number. False: nothing is known of this source yet.
 */
static bool origin_of(ach_channel_t *chan, const struct seen *s, const struct message *m,
                      ach_origin_t *origin)
{
    enum ach_status r = ach_channel_origin(chan, origin);

    if (r == ACH_EAGAIN)
        *origin = (ach_origin_t){.epoch = s->epoch, .seq = s->seq + (m->number - s->number)};
    else if (r == ACH_ENOTSUP)
        *origin = (ach_origin_t){0};
    else
        REQUIRE_OK(r);
    return r != ACH_EAGAIN || s->received > 0;
}

static void take(ach_channel_t *chan, struct seen *seen, void *buf, size_t n, uint64_t *progress)
{
    const struct message *m = buf;
    ach_origin_t origin;

    REQUIRE(n >= sizeof(*m) && m->magic == MAGIC && m->source < SOURCES && m->sum == sum_of(m));
    CHECK(seen[m->source].expected);
    if (origin_of(chan, &seen[m->source], m, &origin))
        judge(&seen[m->source], m, &origin);
    if (progress)
        __atomic_store_n(&progress[m->source], m->number, __ATOMIC_RELAXED);
}

static ach_channel_t open_when_there(const char *name, uint64_t end)
{
    ach_channel_t chan;

    while (ach_open(&chan, name, NULL) != ACH_OK) {
        REQUIRE(check_now_ns() < end);
        check_sleep_ms(2);
    }
    return chan;
}

static int get(char **argv, int argc)
{
    static struct seen seen[SOURCES];
    uint64_t count = strtoull(argv[1], NULL, 10), received = 0;
    uint64_t end = check_now_ns() + check_time(strtoull(argv[2], NULL, 10)) * 1000000000u;
    static unsigned char buf[1 << 20];
    uint64_t *progress = progress_row();
    ach_channel_t chan = open_when_there(argv[0], end);
    int i;

    for (i = 3; i < argc; i++)
        expect(seen, argv[i]);
    while (!all_done(seen, received, count) && !check_failures) {
        struct timespec pause = {.tv_nsec = 100000000};
        size_t n;
        ach_status_t r = ach_get(&chan, buf, sizeof(buf), &n, &pause, ACH_O_WAIT | ACH_O_RELTIME);

        REQUIRE(r == ACH_OK || r == ACH_MISSED_FRAME || r == ACH_TIMEOUT);
        REQUIRE(check_now_ns() < end);
        if (r != ACH_TIMEOUT) {
            take(&chan, seen, buf, n, progress);
            received++;
        }
    }
    for (i = 0; i < SOURCES; i++)
        if (seen[i].received)
            printf("%d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", i, seen[i].received, seen[i].missing,
                   seen[i].origin_missing);
    ach_close(&chan);
    return check_result();
}

static struct message *held;
static long hold_ms;

static void hold_fault(int sig)
{
    (void)sig;
    check_sleep_ms(hold_ms);
    if (mprotect(held, sizeof(*held), PROT_READ | PROT_WRITE) != 0)
        _exit(1);
}

/* The copy of the message faults, and a put copies while it has the lock. */
static int hold(char **argv)
{
    ach_channel_t chan;

    REQUIRE_OK(ach_open(&chan, argv[0], NULL));
    held = mmap(NULL, sizeof(*held), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(held != MAP_FAILED);
    *held = (struct message){MAGIC, strtoull(argv[1], NULL, 10), 1, 0};
    held->sum = sum_of(held);
    hold_ms = strtol(argv[2], NULL, 10);
    REQUIRE(sigaction(SIGSEGV, &(struct sigaction){.sa_handler = hold_fault}, NULL) == 0);
    REQUIRE(mprotect(held, sizeof(*held), PROT_NONE) == 0);
    REQUIRE_OK(ach_put(&chan, held, sizeof(*held)));
    ach_close(&chan);
    return check_result();
}

int main(int argc, char **argv)
{
    REQUIRE(argc > 4);
    if (strcmp(argv[1], "hold") == 0)
        return hold(argv + 2);
    return strcmp(argv[1], "put") == 0 ? put(argv + 2, argc - 2) : get(argv + 2, argc - 2);
}
