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
 *
 * ORACLE_PROGRESS, if set, is a file through which the reader tells the writer how far it is. The
 * writer waits while it is ORACLE_AHEAD messages ahead, so that none is overwritten unread however
 * slow this machine is.
 */
#include <inttypes.h>

#include "check.h"

#define SOURCES 16
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

static int progress_file(void)
{
    const char *path = getenv("ORACLE_PROGRESS");

    return path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
}

static void wait_for_reader(int fd, uint64_t number)
{
    const char *text = getenv("ORACLE_AHEAD");
    uint64_t ahead = text ? strtoull(text, NULL, 10) : 0, at = 0;

    while (fd >= 0 && ahead && pread(fd, &at, sizeof(at), 0) >= 0 && number > at + ahead)
        check_sleep_ms(1);
}

static int put(char **argv, int argc)
{
    uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10), i;
    long pause = strtol(argv[4], NULL, 10);
    size_t size = argc > 5 ? strtoull(argv[5], NULL, 10) : sizeof(struct message);
    struct message *m = calloc(1, size < sizeof(*m) ? sizeof(*m) : size);
    int progress = progress_file();
    ach_channel_t chan;

    REQUIRE(m != NULL);
    REQUIRE_OK(ach_open(&chan, argv[0], NULL));
    for (i = first; i < first + count; i++) {
        *m = (struct message){MAGIC, strtoull(argv[1], NULL, 10), i, 0};
        m->sum = sum_of(m);
        if (i % 256 == 0)
            wait_for_reader(progress, i);
        REQUIRE_OK(ach_put(&chan, m, size < sizeof(*m) ? sizeof(*m) : size));
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

static void take(ach_channel_t *chan, struct seen *seen, void *buf, size_t n)
{
    const struct message *m = buf;
    ach_origin_t origin = {0};

    ach_channel_origin(chan, &origin);
    REQUIRE(n >= sizeof(*m) && m->magic == MAGIC && m->source < SOURCES && m->sum == sum_of(m));
    CHECK(seen[m->source].expected);
    judge(&seen[m->source], m, &origin);
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
    int progress = progress_file();
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
            take(&chan, seen, buf, n);
            received++;
            if (progress >= 0 && received % 64 == 0)
                CHECK(pwrite(progress, &received, sizeof(received), 0) == sizeof(received));
        }
    }
    for (i = 0; i < SOURCES; i++)
        if (seen[i].received)
            printf("%d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", i, seen[i].received, seen[i].missing,
                   seen[i].origin_missing);
    ach_close(&chan);
    return check_result();
}

int main(int argc, char **argv)
{
    REQUIRE(argc > 4);
    return strcmp(argv[1], "put") == 0 ? put(argv + 2, argc - 2) : get(argv + 2, argc - 2);
}
