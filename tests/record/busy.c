/* SPDX-License-Identifier: BSD-3-Clause */
/* busy.c - a feed whose channels have more messages than can be read in time */
#include <limits.h>
#include <unistd.h>

#include "check.h"
#include "feed.h"

#define MESSAGES 2000u
#define FRAMES 8192u

#define CHANNELS 100u
#define FOREIGN 80u

static const struct timespec slowly = {.tv_nsec = 1000000};

struct seen {
    struct feed_topic *deep;
    uint64_t messages, missed, last; /* of the channel a-deep */
    uint64_t others, before;         /* of b-other; messages of a-deep before its first one */
    unsigned topics;
    bool slow;
};

static void added(void *context, struct feed_topic *t)
{
    struct seen *s = context;

    if (strcmp(t->name, "a-deep") == 0)
        s->deep = t;
    s->topics++;
    if (s->slow)
        nanosleep(&slowly, NULL);
}

static void message(void *context, const struct feed_message *m)
{
    struct seen *s = context;

    if (m->topic != s->deep) {
        if (!s->others++)
            s->before = s->messages;
        return;
    }
    s->messages++;
    s->missed += m->missed;
    s->last = m->sequence;
    nanosleep(&slowly, NULL);
}

static const struct feed_events events = {.added = added, .message = message};

static void put(const char *name, uint64_t n)
{
    ach_channel_t chan;
    uint64_t i;

    REQUIRE_OK(ach_open(&chan, name, NULL));
    for (i = 0; i < n; i++)
        REQUIRE_OK(ach_put(&chan, &i, sizeof(i)));
    REQUIRE_OK(ach_close(&chan));
}

/* A recorder gets all of both channels, and the second one does not wait for the first. */
static void check_turns(void)
{
    const struct feed_options options = {.held = true};
    struct seen s = {0};
    struct feed *f;

    put("a-deep", MESSAGES);
    put("b-other", 1);
    f = feed_new(&options, &events, &s);
    REQUIRE(f);
    while (s.messages < MESSAGES || !s.others)
        feed_turn(f);
    CHECK(s.before < MESSAGES / 2);
    CHECK(s.messages == MESSAGES && s.missed == 0 && s.last == MESSAGES);
    feed_free(f);
}

/* A viewer goes on with the newest, and counts the others. */
static void check_jump(void)
{
    const struct feed_options options = {.lazy = true};
    struct seen s = {0};
    struct feed *f;

    f = feed_new(&options, &events, &s);
    REQUIRE(f);
    feed_turn(f);
    REQUIRE(s.deep);
    feed_want(f, s.deep, true);
    feed_turn(f);
    put("a-deep", MESSAGES);
    while (s.last < 2 * MESSAGES)
        feed_turn(f);
    CHECK(s.messages < MESSAGES / 2 && s.messages + s.missed == MESSAGES);
    feed_free(f);
}

static void name_of(char name[32], unsigned i)
{
    snprintf(name, 32, "many-%u", i);
}

/*
 * A viewer with many channels looks at some in each turn. When it has seen all, it makes a pause, however often
 * files come and go.
 */
static void check_looks(void)
{
    const struct feed_options options = {.lazy = true};
    struct seen s = {.slow = true};
    unsigned turns = 0, i;
    struct feed *f;
    uint64_t last = 0;
    char name[32];

    for (i = 0; i < CHANNELS; i++) {
        name_of(name, i);
        REQUIRE_OK(ach_create(name, 1, 1, NULL));
    }
    f = feed_new(&options, &events, &s);
    REQUIRE(f);
    for (; s.topics < CHANNELS + 2; turns++) {
        last = check_now_ns();
        feed_turn(f);
    }
    CHECK(turns > 5);
    while (!feed_deadline(f))
        feed_turn(f);
    REQUIRE_OK(ach_create("new", 1, 1, NULL));
    feed_turn(f);
    last += 10 * CHANNELS * 1000000ull;
    CHECK(check_now_ns() > last || (s.topics == CHANNELS + 2 && feed_deadline(f) > last));
    feed_free(f);
    for (i = 0; i < CHANNELS; i++) {
        name_of(name, i);
        REQUIRE_OK(ach_unlink(name));
    }
    CHECK_OK(ach_unlink("new"));
}

/* Other users cannot fill the memory of a viewer with their types. */
static void check_foreign(void)
{
    const struct feed_options lazy = {.lazy = true}, all = {0};
    static char schema[1000000];
    ach_channel_type_t type = {
        {{.name = "demo/Large", .encoding = "json", .schema_encoding = "jsonschema"}}};
    struct seen s = {0}, recorded = {0};
    char name[32], path[PATH_MAX];
    ach_create_attr_t attr;
    struct feed *f;
    unsigned i;

    if (geteuid() != 0)
        return;
    memset(schema, ' ', sizeof(schema) - 1);
    type.schema = schema;
    type.schema_size = sizeof(schema) - 1;
    ach_create_attr_init(&attr);
    ach_create_attr_set_type(&attr, &type);
    for (i = 0; i < FOREIGN; i++) {
        name_of(name, i);
        REQUIRE_OK(ach_create(name, 1, 1, &attr));
        REQUIRE_OK(ach_channel_path(name, path, sizeof(path)));
        REQUIRE(chown(path, 65534, 65534) == 0);
    }
    f = feed_new(&lazy, &events, &s);
    REQUIRE(f);
    do
        feed_turn(f);
    while (!feed_deadline(f));
    CHECK(s.topics == 2 + 67); /* 64 MiB */
    feed_free(f);
    f = feed_new(&all, &events, &recorded);
    REQUIRE(f);
    feed_turn(f);
    CHECK(recorded.topics == 2 + FOREIGN);
    feed_free(f);
    for (i = 0; i < FOREIGN; i++) {
        name_of(name, i);
        REQUIRE_OK(ach_unlink(name));
    }
}

int main(void)
{
    REQUIRE_OK(ach_create("a-deep", FRAMES, sizeof(uint64_t), NULL));
    REQUIRE_OK(ach_create("b-other", FRAMES, sizeof(uint64_t), NULL));
    check_turns();
    check_jump();
    check_looks();
    check_foreign();
    CHECK_OK(ach_unlink("a-deep"));
    CHECK_OK(ach_unlink("b-other"));
    return check_result();
}
