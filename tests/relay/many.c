/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * many.c - messages through many relayed channels
 *
 * many HERE THERE N burst|single ROUNDS
 *     HERE and THERE are directories of channels. Each round puts a message into each of the
 *     channels many0, many1, ... of HERE, and gets it from the channel of the same name of THERE.
 *     burst: all puts come first. single: a put waits until the message before it has arrived.
 */
#include <inttypes.h>
#include <sys/resource.h>

#include "check.h"

#define LIMIT_S 60

struct message {
    uint64_t channel, round;
};

struct pair {
    ach_channel_t here, there;
};

static ach_channel_t open_in(const char *dir, uint64_t number, uint64_t end)
{
    ach_channel_t chan;
    char name[32];

    snprintf(name, sizeof(name), "many%" PRIu64, number);
    setenv("ACH_DIR", dir, 1);
    while (ach_open(&chan, name, NULL) != ACH_OK) {
        REQUIRE(check_now_ns() < end);
        check_sleep_ms(2);
    }
    return chan;
}

static struct pair *open_all(char **dirs, uint64_t n)
{
    uint64_t i, end = check_now_ns() + check_time(LIMIT_S) * 1000000000u;
    struct pair *p = calloc(n, sizeof(*p));
    struct rlimit files;

    REQUIRE(p != NULL && getrlimit(RLIMIT_NOFILE, &files) == 0);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    for (i = 0; i < n; i++) {
        p[i].here = open_in(dirs[0], i, end);
        p[i].there = open_in(dirs[1], i, end);
        ach_flush(&p[i].there);
    }
    return p;
}

static void put(struct pair *p, uint64_t channel, uint64_t round)
{
    const struct message m = {channel, round};

    REQUIRE_OK(ach_put(&p->here, &m, sizeof(m)));
}

static void get(struct pair *p, uint64_t channel, uint64_t round)
{
    const struct timespec limit = {.tv_sec = (time_t)check_time(LIMIT_S)};
    struct message m;
    size_t size;

    REQUIRE_OK(ach_get(&p->there, &m, sizeof(m), &size, &limit, ACH_O_WAIT | ACH_O_RELTIME));
    REQUIRE(size == sizeof(m) && m.channel == channel && m.round == round);
}

int main(int argc, char **argv)
{
    uint64_t i, n, round, rounds;
    struct pair *p;
    bool burst;

    REQUIRE(argc == 6);
    n = strtoull(argv[3], NULL, 10);
    burst = strcmp(argv[4], "burst") == 0;
    rounds = strtoull(argv[5], NULL, 10);
    p = open_all(argv + 1, n);
    for (round = 0; round < rounds; round++) {
        for (i = 0; i < n; i++) {
            put(&p[i], i, round);
            if (!burst)
                get(&p[i], i, round);
        }
        for (i = 0; i < n && burst; i++)
            get(&p[i], i, round);
    }
    free(p);
    return check_result();
}
