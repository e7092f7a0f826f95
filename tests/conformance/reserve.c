/* SPDX-License-Identifier: BSD-3-Clause */
/* reserve.c - messages written in place: reserve, commit, abort */
#include "conformance.h"

static ach_channel_t chan, reader;

static void begin(int single, size_t frame_cnt, size_t frame_size)
{
    if (single)
        make_single(frame_cnt, frame_size);
    else
        make(frame_cnt, frame_size);
    open_source(&chan);
    open_it(&reader);
}

static void finish(void)
{
    CHECK_OK(ach_close(&reader));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* Run a test on a channel for many writers, and on one for a single writer. */
static void on_both(void (*fun)(void))
{
    int single;

    for (single = 0; single < 2; single++) {
        begin(single, 4, 100);
        fun();
        finish();
    }
}

static void *reserve(size_t size)
{
    void *room = NULL;

    REQUIRE_OK(ach_reserve(&chan, size, &room));
    REQUIRE(room != NULL && (uintptr_t)room % 16 == 0);
    return room;
}

static void reserve_number(uint64_t number, size_t size, size_t len)
{
    message_fill(reserve(size), len, number);
}

static void commits_here(void)
{
    static const size_t sizes[] = {16, 17, 80, 81, 100, 255, 399, 400};
    size_t i;

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        reserve_number(i, sizes[i], sizes[i]);
        CHECK_GET(&reader, 0, ACH_EAGAIN, 0);
        CHECK_OK(ach_commit(&chan, sizes[i]));
        CHECK_GET(&reader, 0, ACH_OK, i);
    }
}

static void commits(void)
{
    on_both(commits_here);
}

/* A message may be shorter than its reservation, even short enough to be stored in its entry. */
static void shorter_here(void)
{
    size_t len;

    for (len = 16; len <= 400; len += 32) {
        reserve_number(len, 400, len);
        CHECK_OK(ach_commit(&chan, len));
        CHECK_GET(&reader, 0, ACH_OK, len);
        put_range(&chan, 1, 1);
        CHECK_GET(&reader, 0, ACH_OK, 1);
    }
}

static void shorter(void)
{
    on_both(shorter_here);
}

static void aborts_here(void)
{
    CHECK_STATUS(ach_abort(&chan), ACH_EINVAL);
    reserve_number(1, 300, 300);
    CHECK_OK(ach_abort(&chan));
    CHECK_STATUS(ach_abort(&chan), ACH_EINVAL);
    CHECK_STATUS(ach_commit(&chan, 16), ACH_EINVAL);
    CHECK_GET(&reader, 0, ACH_EAGAIN, 0);
    put_range(&chan, 2, 2);
    CHECK_GET(&reader, 0, ACH_OK, 2);
}

static void aborts(void)
{
    on_both(aborts_here);
}

static void bad_sizes_here(void)
{
    void *room = &chan;

    CHECK_STATUS(ach_commit(&chan, 16), ACH_EINVAL);
    CHECK_STATUS(ach_reserve(&chan, 0, &room), ACH_EINVAL);
    CHECK_STATUS(ach_reserve(&chan, 401, &room), ACH_OVERFLOW);
    CHECK(room == &chan);
    reserve_number(3, 50, 50);
    CHECK_STATUS(ach_commit(&chan, 51), ACH_EINVAL);
    CHECK_STATUS(ach_commit(&chan, 0), ACH_EINVAL);
    CHECK_OK(ach_commit(&chan, 50));
    CHECK_GET(&reader, 0, ACH_OK, 3);
    CHECK_STATUS(ach_commit(&chan, 50), ACH_EINVAL);
}

static void bad_sizes(void)
{
    on_both(bad_sizes_here);
}

/* Reserving again drops the previous reservation. */
static void again_here(void)
{
    reserve_number(1, 400, 400);
    reserve_number(2, 60, 60);
    CHECK_STATUS(ach_commit(&chan, 61), ACH_EINVAL);
    CHECK_OK(ach_commit(&chan, 60));
    CHECK_GET(&reader, 0, ACH_OK, 2);
    CHECK_GET(&reader, 0, ACH_EAGAIN, 0);
}

static void again(void)
{
    on_both(again_here);
}

static void many_here(void)
{
    uint64_t state = 3, i;

    for (i = 1; i <= 500; i++) {
        size_t len = 16 + (size_t)(check_random(&state) % 385);

        reserve_number(i, 400, len);
        CHECK_OK(ach_commit(&chan, len));
        CHECK_GET(&reader, 0, ACH_OK, i);
    }
}

static void many(void)
{
    on_both(many_here);
}

#define LARGE 65536

/* The newest message stays whole while a large one is being written. */
static void newest_stays(void)
{
    uint64_t i;

    begin(1, 2, LARGE / 2);
    for (i = 1; i < 9; i++) {
        REQUIRE_OK(put_number(&chan, i, LARGE - 16 * (size_t)i));
        memset(reserve(LARGE), 0xff, LARGE);
        CHECK_GET(&reader, ACH_O_LAST, ACH_OK, i);
        CHECK_GET(&reader, ACH_O_COPY, ACH_OK, i);
        CHECK_OK(ach_abort(&chan));
    }
    finish();
}

/* A reservation evicts old messages: readers miss them, and never get its bytes. */
static void pushes_out(void)
{
    begin(1, 2, LARGE / 2);
    REQUIRE_OK(put_number(&chan, 1, LARGE));
    REQUIRE_OK(put_number(&chan, 2, LARGE));
    memset(reserve(LARGE), 0xff, LARGE);
    CHECK_GET(&reader, 0, ACH_MISSED_FRAME, 2);
    CHECK_OK(ach_abort(&chan));
    finish();
}

/* On a single-writer channel a put returns ACH_LOCKED while a reservation is open. */
static void put_waits(void)
{
    begin(1, 4, 100);
    reserve_number(1, 200, 200);
    CHECK_STATUS(put_number(&chan, 2, 100), ACH_LOCKED);
    CHECK_OK(ach_commit(&chan, 200));
    put_range(&chan, 3, 3);
    CHECK_GET(&reader, 0, ACH_OK, 1);
    CHECK_GET(&reader, 0, ACH_OK, 3);
    finish();
}

/* On other channels a reservation is private to the handle, and puts go on meanwhile. */
static void put_beside(void)
{
    ach_channel_t other;

    begin(0, 4, 100);
    open_it(&other);
    reserve_number(1, 200, 200);
    put_range(&chan, 2, 2);
    put_range(&other, 3, 3);
    CHECK_OK(ach_commit(&chan, 200));
    CHECK_GET(&reader, 0, ACH_OK, 2);
    CHECK_GET(&reader, 0, ACH_OK, 3);
    CHECK_GET(&reader, 0, ACH_OK, 1);
    CHECK_OK(ach_close(&other));
    finish();
}

/* The reserved room is in the channel's memory, and a view returns the same address. */
static void in_place(void)
{
    const void *view = NULL;
    void *room;
    size_t size;

    begin(1, 4, 100);
    room = reserve(200);
    message_fill(room, 200, 1);
    CHECK((unsigned char *)room > (unsigned char *)chan.shm &&
          (unsigned char *)room < (unsigned char *)chan.shm + info_of(&chan).memory * 2);
    CHECK_OK(ach_commit(&chan, 200));
    CHECK_OK(ach_view(&chan, &view, &size, NULL, 0));
    CHECK(view == room && size == 200);
    finish();
}

static void not_permitted(void)
{
    ach_channel_t other;
    void *room;

    begin(1, 4, 100);
    CHECK_STATUS(ach_reserve(&reader, 16, &room), ACH_EACCES);
    open_readonly(&other, CHAN);
    CHECK_STATUS(ach_reserve(&other, 16, &room), ACH_EACCES);
    CHECK_OK(ach_close(&other));
    finish();
}

static void close_drops_here(void)
{
    reserve_number(1, 300, 300);
    CHECK_OK(ach_close(&chan));
    open_source(&chan);
    CHECK_STATUS(ach_commit(&chan, 300), ACH_EINVAL);
    CHECK_GET(&reader, 0, ACH_EAGAIN, 0);
    put_range(&chan, 2, 2);
    CHECK_GET(&reader, 0, ACH_OK, 2);
}

static void close_drops(void)
{
    on_both(close_drops_here);
}

static int use_inherited(void *cx)
{
    void *room;

    (void)cx;
    CHECK_STATUS(put_number(&chan, 7, 100), ACH_EACCES);
    CHECK_STATUS(ach_reserve(&chan, 100, &room), ACH_EACCES);
    CHECK_STATUS(ach_commit(&chan, 100), ACH_EACCES);
    return check_result();
}

/* A child of fork is not the source, and cannot write where its parent does. */
static void not_inherited(void)
{
    begin(1, 4, 100);
    reserve_number(7, 100, 100);
    CHECK(run_child(use_inherited, NULL));
    CHECK_OK(ach_commit(&chan, 100));
    CHECK_GET(&reader, 0, ACH_OK, 7);
    finish();
}

static void wakes(int single)
{
    struct waiter w;

    begin(single, 4, 100);
    waiter_start(&w, &reader, 0);
    let_sleep();
    reserve_number(5, 50, 50);
    CHECK_OK(ach_commit(&chan, 50));
    CHECK_OK(waiter_end(&w));
    CHECK(w.number == 5);
    finish();
}

static void wakes_copied(void)
{
    wakes(0);
}

static void wakes_in_place(void)
{
    if (backend->bit == HEAP && under_thread_sanitizer())
        skip("the thread sanitizer does not see that the kernel moves the commit word");
    wakes(1);
}

static const struct test tests[] = {
    {"reserve-commits", commits, ALL, NULL},
    {"reserve-shorter", shorter, ALL, NULL},
    {"reserve-aborts", aborts, ALL, NULL},
    {"reserve-bad-sizes", bad_sizes, ALL, NULL},
    {"reserve-again", again, ALL, NULL},
    {"reserve-many", many, ALL, NULL},
    {"reserve-newest-stays", newest_stays, ALL, NULL},
    {"reserve-pushes-out", pushes_out, MEMORY,
     "a reservation of a kernel channel is private memory"},
    {"reserve-put-waits", put_waits, ALL, NULL},
    {"reserve-put-beside", put_beside, ALL, NULL},
    {"reserve-in-place", in_place, MEMORY, NO_MEMORY},
    {"reserve-not-permitted", not_permitted, ALL, NULL},
    {"reserve-close-drops", close_drops, ALL, NULL},
    {"reserve-not-inherited", not_inherited, NAMED, ONE_PROCESS},
    {"reserve-wakes-copied", wakes_copied, ALL, NULL},
    {"reserve-wakes-in-place", wakes_in_place, ALL, NULL},
};
THEME(reserve_theme, tests);
