/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls.c - the calls of generated headers, on channels
 *
 * calls SCAN EVERYTHING: two channels that ach mk made
 */
#include "check.h"

#include "everything.h"
#include "fixed.h"
#include "scan.h"

#define CHANNEL "gen-calls"

static ach_channel_t channel(enum ach_status (*open)(ach_channel_t *, const char *, ach_attr_t *))
{
    ach_channel_t chan;

    REQUIRE_OK(open(&chan, CHANNEL, NULL));
    return chan;
}

/* Without a copy: written in the channel, read in the channel. */
static void in_place(void)
{
    ach_create_attr_t create;
    ach_attr_t attr;
    ach_channel_t source, chan;
    struct solid *m;
    const struct solid *got = NULL;

    ach_create_attr_init(&create);
    ach_create_attr_set_single_writer(&create, 1);
    REQUIRE_OK(solid_create(CHANNEL, 4, &create));
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    REQUIRE_OK(solid_open(&source, CHANNEL, &attr));
    chan = channel(solid_open);
    REQUIRE_OK(solid_reserve(&source, &m));
    *m = (struct solid){.x = 1.5, .y = 2, .z = 3, .w = {4, 5}};
    CHECK_OK(solid_commit(&source));
    CHECK_OK(solid_view(&chan, &got, NULL, 0));
    REQUIRE(got != NULL);
    CHECK(got->x == 1.5 && got->w[1] == 5);
    CHECK_OK(ach_view_check(&chan));
    CHECK_STATUS(solid_view(&chan, &got, NULL, 0), ACH_STALE_FRAMES);
    ach_close(&source);
    ach_close(&chan);
    CHECK_OK(ach_unlink(CHANNEL));
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
    while (n--)
        if (bytes[n])
            return false;
    return true;
}

/* Padding of the caller's struct is not put. */
static void padding(void)
{
    struct padded m, got = {0};
    const struct padded *seen = NULL;
    ach_channel_t chan;
    uint8_t bytes[64];
    size_t n;

    memset(&m, 0xff, sizeof(m));
    m.a = 1;
    m.b = 2.5;
    m.c = 1;
    m.d = 3;
    m.e = 4;
    REQUIRE_OK(padded_create(CHANNEL, 8, NULL));
    chan = channel(padded_open);
    REQUIRE_OK(padded_put(&chan, &m));
    CHECK_OK(ach_get(&chan, bytes, sizeof(bytes), &n, NULL, 0));
    CHECK(n == PADDED_CDR_SIZE);
    CHECK(is_zero(bytes + 1, 7) && is_zero(bytes + 17, 1));
    CHECK_OK(padded_view(&chan, &seen, NULL, ACH_O_LAST | ACH_O_COPY));
    CHECK(seen && seen->b == 2.5 && seen->e == 4);
    CHECK_OK(padded_get(&chan, &got, NULL, ACH_O_LAST | ACH_O_COPY));
    CHECK(got.a == 1 && got.b == 2.5 && got.c == 1 && got.d == 3 && got.e == 4);
    m.c = 2;
    CHECK_STATUS(padded_put(&chan, &m), ACH_EINVAL);
    CHECK(strstr(ach_errstr(), "Padded.c: a boolean is neither 0 nor 1"));
    ach_close(&chan);
    CHECK_OK(ach_unlink(CHANNEL));
}

/* Any process may put anything. What is not a message of the type is skipped, and reported. */
static void foreign_bytes(void)
{
    static const size_t wrong[] = {1, PADDED_CDR_SIZE - 1, PADDED_CDR_SIZE + 8, 200};
    uint8_t bytes[200] = {0};
    ach_channel_t chan;
    struct padded got = {0};
    const struct padded *seen;
    size_t i;

    REQUIRE_OK(padded_create(CHANNEL, 64, NULL));
    chan = channel(padded_open);
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        REQUIRE_OK(ach_put(&chan, bytes, wrong[i]));
        CHECK_STATUS(padded_get(&chan, &got, NULL, 0), ACH_CORRUPT);
        CHECK_STATUS(padded_get(&chan, &got, NULL, 0), ACH_STALE_FRAMES);
        CHECK_STATUS(padded_view(&chan, &seen, NULL, ACH_O_COPY), ACH_CORRUPT);
    }
    bytes[16] = 2;
    REQUIRE_OK(ach_put(&chan, bytes, PADDED_CDR_SIZE));
    CHECK_STATUS(padded_get(&chan, &got, NULL, 0), ACH_CORRUPT);
    CHECK_STATUS(padded_view(&chan, &seen, NULL, ACH_O_COPY), ACH_CORRUPT);
    bytes[16] = 1;
    REQUIRE_OK(ach_put(&chan, bytes, PADDED_CDR_SIZE + 7)); /* some programs pad messages */
    CHECK_OK(padded_get(&chan, &got, NULL, 0));
    CHECK(got.c == 1);
    ach_close(&chan);
    CHECK_OK(ach_unlink(CHANNEL));
}

static const double ranges[] = {1, 2, 3};
static ach_cdr_string_t notes[2];

static struct scan example_scan(void)
{
    struct scan m = {.stamp = {5, 6}, .frame = ach_cdr_text("laser")};

    notes[0] = ach_cdr_text("first");
    notes[1] = ach_cdr_text("");
    m.ranges.data = ranges;
    m.ranges.count = 3;
    m.notes.data = notes;
    m.notes.count = 2;
    return m;
}

static void check_scan(const struct scan *m)
{
    CHECK(m->stamp.sec == 5 && m->stamp.nanosec == 6);
    CHECK(m->frame.length == 5 && memcmp(m->frame.text, "laser", 5) == 0);
    CHECK(m->ranges.count == 3 && m->ranges.data[2] == 3);
    CHECK(m->notes.count == 2 && m->notes.data[0].length == 5 && m->notes.data[1].length == 0);
}

static void variable_size(void)
{
    uint64_t room[64];
    ach_cdr_memory_t memory = {room, sizeof(room), 0};
    struct scan m = example_scan(), got = {0};
    ach_channel_t chan;
    size_t size, needed;

    REQUIRE_OK(scan_create(CHANNEL, 4, 256, NULL));
    chan = channel(scan_open);
    CHECK_OK(scan_size(&m, &size));
    CHECK_OK(scan_put(&chan, &m));
    CHECK_OK(scan_get(&chan, &got, &memory, NULL, 0));
    check_scan(&got);
    CHECK((const uint8_t *)got.ranges.data > (const uint8_t *)room &&
          (const uint8_t *)got.ranges.data < (const uint8_t *)(room + 64));
    needed = memory.needed;
    CHECK(needed == ((size + 7) & ~(size_t)7) + 2 * sizeof(ach_cdr_string_t));
    memory.size = needed - 1;
    CHECK_STATUS(scan_get(&chan, &got, &memory, NULL, ACH_O_LAST | ACH_O_COPY), ACH_OVERFLOW);
    CHECK(memory.needed == needed && got.ranges.data == NULL);
    memory.size = size - 1;
    CHECK_STATUS(scan_get(&chan, &got, &memory, NULL, ACH_O_LAST | ACH_O_COPY), ACH_OVERFLOW);
    memory.size = needed;
    CHECK_OK(scan_get(&chan, &got, &memory, NULL, ACH_O_LAST | ACH_O_COPY));
    check_scan(&got);
    CHECK_OK(scan_view(&chan, &got, &memory, NULL, ACH_O_LAST | ACH_O_COPY));
    check_scan(&got);
    CHECK((const uint8_t *)got.ranges.data < (const uint8_t *)room ||
          (const uint8_t *)got.ranges.data >= (const uint8_t *)(room + 64));
    CHECK_OK(ach_view_check(&chan));
    CHECK_STATUS(scan_view(&chan, &got, NULL, NULL, ACH_O_LAST | ACH_O_COPY), ACH_OVERFLOW);
    ach_put(&chan, "no scan", 7);
    CHECK_STATUS(scan_get(&chan, &got, &memory, NULL, 0), ACH_CORRUPT);
    CHECK_STATUS(scan_get(&chan, &got, &memory, NULL, 0), ACH_STALE_FRAMES);
    ach_close(&chan);
    CHECK_OK(ach_unlink(CHANNEL));
}

#define RACED_PUTS 20000

/* All numbers of a message are the same, and tell its count. */
static void put_many(void)
{
    static double many[200];
    ach_channel_t chan = channel(scan_open);
    struct scan m = {.frame = ach_cdr_text("raced")};
    unsigned i, k;

    for (i = 0; i < RACED_PUTS; i++) {
        m.ranges.data = many;
        m.ranges.count = i % 200;
        for (k = 0; k < m.ranges.count; k++)
            many[k] = m.ranges.count;
        CHECK_OK(scan_put(&chan, &m));
    }
    m.stamp.sec = 1; /* the last one */
    CHECK_OK(scan_put(&chan, &m));
    _exit(check_result());
}

static bool is_whole(const struct scan *m)
{
    uint32_t i;

    for (i = 0; i < m->ranges.count; i++)
        if (m->ranges.data[i] != m->ranges.count)
            return false;
    return m->frame.length == 5 && memcmp(m->frame.text, "raced", 5) == 0;
}

/* A writer overwrites messages while they are decoded. What a check confirms is one message. */
static void overwritten(void)
{
    static uint64_t room[1000];
    ach_cdr_memory_t memory = {room, sizeof(room), 0};
    const struct timespec limit = {.tv_sec = 20 * (long)check_time(1)};
    struct scan m;
    ach_channel_t chan;
    unsigned i, confirmed = 0, last = 0;
    enum ach_status r = ACH_OK;
    pid_t writer;

    REQUIRE_OK(scan_create(CHANNEL, 1, 2000, NULL));
    chan = channel(scan_open);
    writer = check_fork();
    if (writer == 0)
        put_many();
    for (i = 0; !last && (r == ACH_OK || r == ACH_MISSED_FRAME || r == ACH_EAGAIN); i++) {
        if (i % 2)
            r = scan_get(&chan, &m, &memory, &limit, ACH_O_WAIT | ACH_O_RELTIME);
        else
            r = scan_view(&chan, &m, &memory, &limit, ACH_O_WAIT | ACH_O_RELTIME);
        if (r == ACH_OK || r == ACH_MISSED_FRAME) {
            bool whole = is_whole(&m);

            if (i % 2 || ach_view_check(&chan) == ACH_OK) {
                CHECK(whole);
                confirmed++;
                last = m.stamp.sec == 1;
            }
        }
    }
    CHECK(last && confirmed > 0);
    CHECK(check_child(writer, 20000));
    ach_close(&chan);
    CHECK_OK(ach_unlink(CHANNEL));
}

static void put_blocks(void)
{
    ach_channel_t chan = channel(block_open);
    struct block m;
    uint64_t i;
    unsigned k;

    for (i = 0; i <= RACED_PUTS; i++) {
        for (k = 0; k < 500; k++)
            m.words[k] = i;
        CHECK_OK(block_put(&chan, &m));
    }
    _exit(check_result());
}

/* The same for messages of fixed size: a get returns no mixture. */
static void overwritten_fixed(void)
{
    const struct timespec limit = {.tv_sec = 20 * (long)check_time(1)};
    struct block m = {0};
    ach_channel_t chan;
    enum ach_status r;
    pid_t writer;
    unsigned k;

    REQUIRE_OK(block_create(CHANNEL, 1, NULL));
    chan = channel(block_open);
    writer = check_fork();
    if (writer == 0)
        put_blocks();
    do {
        r = block_get(&chan, &m, &limit, ACH_O_WAIT | ACH_O_RELTIME);
        for (k = 1; k < 500 && achi_cdr_got(r); k++)
            if (m.words[k] != m.words[0])
                r = ACH_BUG;
    } while (r == ACH_EAGAIN || (achi_cdr_got(r) && m.words[0] != RACED_PUTS));
    CHECK(achi_cdr_got(r));
    CHECK(check_child(writer, 20000));
    ach_close(&chan);
    CHECK_OK(ach_unlink(CHANNEL));
}

static void bad_structs(void)
{
    struct scan m = example_scan();
    size_t size;

    m.frame = ach_cdr_text("too long!");
    CHECK_STATUS(scan_size(&m, &size), ACH_EINVAL);
    CHECK(strstr(ach_errstr(), "Scan.frame: the string is longer than its limit"));
    m = example_scan();
    m.ranges.data = NULL;
    CHECK_STATUS(scan_size(&m, &size), ACH_EINVAL);
    CHECK(strstr(ach_errstr(), "Scan.ranges"));
    m = example_scan();
    m.ranges.count = UINT32_MAX;
    CHECK_STATUS(scan_size(&m, &size), ACH_EINVAL);
    m.ranges.count = UINT32_MAX - 1;
    CHECK_STATUS(scan_size(&m, &size), ACH_OVERFLOW);
    m = example_scan();
    notes[1].length = 3;
    notes[1].text = NULL;
    CHECK_STATUS(scan_size(&m, &size), ACH_EINVAL);
}

/* A handle of another type is refused, with both names. */
static void types(const char *made_by_mk, const char *nested)
{
    ach_channel_t chan;

    CHECK_OK(scan_open(&chan, made_by_mk, NULL));
    ach_close(&chan);
    CHECK_OK(demo_msgs_everything_open(&chan, nested, NULL));
    ach_close(&chan);
    CHECK_STATUS(padded_open(&chan, made_by_mk, NULL), ACH_BAD_TYPE);
    CHECK(strstr(ach_errstr(), "demo_msgs/msg/Scan") &&
          strstr(ach_errstr(), "demo_msgs/msg/Padded"));
    CHECK(ach_channel_type_hash(scan_type()) != ach_channel_type_hash(padded_type()));
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 3);
    in_place();
    padding();
    foreign_bytes();
    variable_size();
    overwritten();
    overwritten_fixed();
    bad_structs();
    types(argv[1], argv[2]);
    return check_result();
}
