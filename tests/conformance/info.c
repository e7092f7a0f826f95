/* SPDX-License-Identifier: BSD-3-Clause */
/* info.c - what a handle reports about its channel, itself and the last message */
#include "conformance.h"

#include <sys/stat.h>

static void channel(void)
{
    ach_create_attr_t attr = create_attr();
    ach_channel_t chan;
    ach_info_t info;

    REQUIRE_OK(ach_create_attr_set_clock(&attr, CLOCK_REALTIME));
    REQUIRE_OK(ach_create_attr_set_timestamps(&attr, 1));
    REQUIRE_OK(backend->create(CHAN, 5, 77, &attr));
    open_it(&chan);
    info = info_of(&chan);
    CHECK(info.map == backend->map && info.clock == CLOCK_REALTIME);
    CHECK(info.frame_cnt == 5 && info.frame_size == 77 && info.capacity == 385);
    CHECK(info.memory >= 385 && info.memory < 1 << 20);
    CHECK(info.timestamps && !info.single_writer);
    CHECK(!info.unlinked && !info.replaced && !info.readonly && !info.source);
    CHECK((info.inode != 0) == (backend->bit != HEAP));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void flags(void)
{
    ach_create_attr_t attr = create_attr();
    ach_channel_t chan;

    REQUIRE_OK(ach_create_attr_set_readonly_wake(&attr, 1));
    REQUIRE_OK(backend->create(CHAN, 5, 77, &attr));
    open_readonly(&chan, CHAN);
    CHECK(info_of(&chan).readonly && info_of(&chan).readonly_wake);
    CHECK_OK(ach_close(&chan));
    remove_it();
    make_single(5, 77);
    open_source(&chan);
    CHECK(info_of(&chan).single_writer && info_of(&chan).source);
    CHECK(info_of(&chan).readonly_wake == (backend->bit == KERNEL)); /* always on there */
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void range(void)
{
    ach_channel_t chan;

    make(4, 16384);
    open_it(&chan);
    put_range(&chan, 1, 3);
    CHECK(info_of(&chan).newest == 3 && info_of(&chan).oldest == 1);
    put_range(&chan, 4, 9);
    CHECK(info_of(&chan).newest == 9 && info_of(&chan).oldest == 6);
    REQUIRE_OK(put_number(&chan, 10, 65536));
    REQUIRE_OK(put_number(&chan, 11, 65536));
    REQUIRE_OK(put_number(&chan, 12, 65536));
    CHECK(info_of(&chan).newest == 12 && info_of(&chan).oldest == 11);
    CHECK_GET(&chan, 0, ACH_MISSED_FRAME, info_of(&chan).oldest);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void handle(void)
{
    const struct timespec t = ms(5);
    ach_channel_t chan;
    ach_info_t info;
    char buf[64];
    size_t size;
    int i;

    make(4, 64);
    open_it(&chan);
    info = info_of(&chan);
    CHECK(!info.seen && !info.received && !info.missed && !info.overtaken && !info.slept);
    put_range(&chan, 1, 7);
    CHECK_GET(&chan, 0, ACH_MISSED_FRAME, 4);
    CHECK_GET(&chan, 0, ACH_OK, 5);
    info = info_of(&chan);
    CHECK(info.seen == 5 && info.received == 2 && info.missed == 3 && !info.slept);
    CHECK_OK(ach_flush(&chan));
    info = info_of(&chan);
    CHECK(info.seen == 7 && info.received == 2 && info.missed == 3);
    /* A preempted waiter may reach its limit before it sleeps. */
    for (i = 0; i < 100 && !info_of(&chan).slept; i++)
        CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &size, &t, ACH_O_WAIT | ACH_O_RELTIME),
                     ACH_TIMEOUT);
    CHECK(info_of(&chan).slept >= 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void file(void)
{
    ach_channel_t chan;
    ach_info_t info;
    struct stat st;

    make(4, 64);
    open_it(&chan);
    REQUIRE(stat(path_of(CHAN), &st) == 0);
    info = info_of(&chan);
    CHECK(info.inode == st.st_ino && info.mode == (st.st_mode & 07777));
    CHECK(info.uid == st.st_uid && info.gid == st.st_gid && info.uid == geteuid());
    CHECK(info.memory == (uint64_t)st.st_size || backend->bit == KERNEL);
    REQUIRE(chmod(path_of(CHAN), 0600) == 0);
    CHECK(info_of(&chan).mode == 0600);
    remove_it();
    CHECK(info_of(&chan).unlinked && !info_of(&chan).replaced);
    CHECK_OK(ach_close(&chan));
}

static void timestamps(void)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};
    struct timespec before, when, after;
    ach_channel_t chan;
    size_t i;

    for (i = 0; i < 2; i++) {
        ach_create_attr_t attr = create_attr();

        REQUIRE_OK(ach_create_attr_set_timestamps(&attr, 1));
        REQUIRE_OK(ach_create_attr_set_clock(&attr, clocks[i]));
        REQUIRE_OK(backend->create(CHAN, 4, 64, &attr));
        open_it(&chan);
        CHECK_STATUS(ach_channel_timestamp(&chan, &when), ACH_EAGAIN);
        before = clock_in(clocks[i], 0);
        REQUIRE_OK(put_number(&chan, 1, 100));
        after = clock_in(clocks[i], 0);
        check_sleep_ms(2);
        put_range(&chan, 2, 2);
        CHECK_GET(&chan, 0, ACH_OK, 1);
        CHECK_OK(ach_channel_timestamp(&chan, &when));
        CHECK(ns_of(&when) >= ns_of(&before) && ns_of(&when) <= ns_of(&after));
        CHECK_GET(&chan, 0, ACH_OK, 2);
        CHECK_OK(ach_channel_timestamp(&chan, &when));
        CHECK(ns_of(&when) > ns_of(&after));
        CHECK_OK(ach_close(&chan));
        remove_it();
    }
}

static void timestamps_in_place(void)
{
    ach_create_attr_t attr = create_attr();
    struct timespec before, when;
    ach_channel_t chan;
    const void *view;
    void *room;
    size_t size;

    REQUIRE_OK(ach_create_attr_set_timestamps(&attr, 1));
    REQUIRE_OK(ach_create_attr_set_single_writer(&attr, 1));
    REQUIRE_OK(backend->create(CHAN, 4, 64, &attr));
    open_source(&chan);
    REQUIRE_OK(ach_reserve(&chan, 16, &room));
    message_fill(room, 16, 1);
    before = clock_in(CLOCK_MONOTONIC, 0);
    CHECK_OK(ach_commit(&chan, 16));
    CHECK_OK(ach_view(&chan, &view, &size, NULL, 0));
    CHECK_OK(ach_channel_timestamp(&chan, &when));
    CHECK(ns_of(&when) >= ns_of(&before));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* The timestamp is that of the message got, even if ach_flush skipped that before. */
static void timestamps_again(void)
{
    ach_create_attr_t attr = create_attr();
    struct timespec when, middle;
    ach_channel_t chan;

    REQUIRE_OK(ach_create_attr_set_timestamps(&attr, 1));
    REQUIRE_OK(backend->create(CHAN, 4, 64, &attr));
    open_it(&chan);
    put_range(&chan, 1, 1);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    middle = clock_in(CLOCK_MONOTONIC, 0);
    check_sleep_ms(1);
    put_range(&chan, 2, 2);
    CHECK_OK(ach_flush(&chan));
    CHECK_GET(&chan, ACH_O_COPY, ACH_OK, 2);
    CHECK_OK(ach_channel_timestamp(&chan, &when));
    CHECK(ns_of(&when) > ns_of(&middle));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void no_timestamps(void)
{
    struct timespec when = {1, 2};
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 1);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_STATUS(ach_channel_timestamp(&chan, &when), ACH_ENOTSUP);
    CHECK(when.tv_sec == 1 && when.tv_nsec == 2);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static const struct test tests[] = {
    {"info-channel", channel, ALL, NULL},
    {"info-flags", flags, ALL, NULL},
    {"info-range", range, ALL, NULL},
    {"info-handle", handle, ALL, NULL},
    {"info-file", file, NAMED, NO_NAME},
    {"info-timestamps", timestamps, ALL, NULL},
    {"info-timestamps-in-place", timestamps_in_place, ALL, NULL},
    {"info-timestamps-again", timestamps_again, ALL, NULL},
    {"info-no-timestamps", no_timestamps, ALL, NULL},
};
THEME(info_theme, tests);
