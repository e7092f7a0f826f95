/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c - looking at messages in place */
#include "conformance.h"

static ach_channel_t chan, writer;
static const void *view;
static size_t size;

static void begin(size_t frame_cnt, size_t frame_size)
{
    make(frame_cnt, frame_size);
    open_it(&chan);
    open_it(&writer);
}

static void finish(void)
{
    CHECK_OK(ach_close(&writer));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static enum ach_status look(int options)
{
    return ach_view(&chan, &view, &size, NULL, options);
}

static void check_view(uint64_t number, size_t len)
{
    uint64_t got = 0;

    CHECK(size == len && message_whole(view, size, &got) && got == number);
}

static void shows(void)
{
    static const size_t sizes[] = {16, 80, 81, 200, 400};
    size_t i;

    begin(4, 100);
    for (i = 0; i < 5; i++) {
        REQUIRE_OK(put_number(&writer, i, sizes[i]));
        CHECK_OK(look(0));
        check_view(i, sizes[i]);
        CHECK((uintptr_t)view % 16 == 0);
        CHECK_OK(ach_view_check(&chan));
        CHECK_OK(ach_view_check(&chan));
    }
    finish();
}

static void nothing_there(void)
{
    const struct timespec past = {0};

    begin(4, 64);
    view = &chan;
    size = 77;
    CHECK_STATUS(ach_view_check(&chan), ACH_EINVAL);
    CHECK_STATUS(look(0), ACH_EAGAIN);
    CHECK_STATUS(look(ACH_O_COPY | ACH_O_LAST), ACH_EAGAIN);
    CHECK_STATUS(ach_view(&chan, &view, &size, &past, ACH_O_WAIT), ACH_TIMEOUT);
    CHECK_STATUS(look(0x4000), ACH_EAGAIN);
    CHECK(view == &chan && size == 77);
    CHECK_STATUS(ach_view_check(&chan), ACH_EINVAL);
    finish();
}

/* A view moves the handle as a get does. */
static void moves_on(void)
{
    uint64_t seq = 0;

    begin(4, 64);
    put_range(&writer, 1, 6);
    CHECK_STATUS(look(0), ACH_MISSED_FRAME);
    check_view(3, 16);
    CHECK_GET(&chan, 0, ACH_OK, 4);
    CHECK_STATUS(look(ACH_O_LAST), ACH_MISSED_FRAME);
    check_view(6, 16);
    CHECK_OK(ach_channel_seq(&chan, &seq));
    CHECK(seq == 6);
    CHECK_STATUS(look(0), ACH_EAGAIN);
    CHECK_OK(look(ACH_O_COPY));
    check_view(6, 16);
    finish();
}

/* A view of the newest message stays intact for one further put; many puts invalidate it. */
static void overwritten(size_t frame_cnt, size_t frame_size, size_t len)
{
    size_t i;

    begin(frame_cnt, frame_size);
    for (i = 1; i < 20; i += 2) {
        REQUIRE_OK(put_number(&writer, i, len));
        CHECK(ach_status_match(look(ACH_O_LAST), ACH_MASK_OK | ACH_MASK_MISSED_FRAME));
        REQUIRE_OK(put_number(&writer, i + 1, len));
        check_view(i, len);
        CHECK_OK(ach_view_check(&chan));
    }
    for (i = 0; i < 4 * frame_cnt + 4; i++)
        REQUIRE_OK(put_number(&writer, i, len));
    CHECK_STATUS(ach_view_check(&chan), ACH_EAGAIN);
    CHECK_STATUS(ach_view_check(&chan), ACH_EAGAIN);
    CHECK_STATUS(look(ACH_O_LAST), ACH_MISSED_FRAME);
    CHECK_OK(ach_view_check(&chan));
    finish();
}

static void overwritten_all(void)
{
    overwritten(1, 100, 16);
    overwritten(1, 100, 100);
    overwritten(2, 100, 200);
    overwritten(4, 100, 16);
    overwritten(4, 100, 400);
    overwritten(5, 100, 333);
    overwritten(2, 32768, 65536);
    overwritten(4, 16384, 60000);
}

/* For all sizes: if a view is damaged, ach_view_check reports it. */
static void never_wrong(void)
{
    uint64_t state = 9, i, got = 0, whole = 0, n = check_scale(5000);

    begin(4, 64);
    for (i = 1; i <= n; i++) {
        uint64_t burst = check_random(&state) % 4;

        REQUIRE_OK(put_number(&writer, i, 16 + (size_t)(check_random(&state) % 241)));
        CHECK(ach_status_match(look(ACH_O_LAST), ACH_MASK_OK | ACH_MASK_MISSED_FRAME));
        while (burst--)
            REQUIRE_OK(put_number(&writer, i, 16 + (size_t)(check_random(&state) % 241)));
        if (message_whole(view, size, &got) && got == i)
            whole++;
        else
            CHECK_STATUS(ach_view_check(&chan), ACH_EAGAIN);
    }
    CHECK(whole >= n / 4);
    finish();
}

static void *view_thread(void *cx)
{
    *(enum ach_status *)cx = look(ACH_O_WAIT);
    return NULL;
}

static void waits(void)
{
    enum ach_status r = ACH_BUG;
    pthread_t thread;

    begin(4, 64);
    REQUIRE(pthread_create(&thread, NULL, view_thread, &r) == 0);
    let_sleep();
    put_range(&writer, 8, 8);
    pthread_join(thread, NULL);
    CHECK_OK(r);
    check_view(8, 16);
    finish();
}

static void readonly(void)
{
    begin(4, 64);
    CHECK_OK(ach_close(&chan));
    open_readonly(&chan, CHAN);
    REQUIRE_OK(put_number(&writer, 1, 200));
    CHECK_OK(look(0));
    check_view(1, 200);
    CHECK_OK(ach_view_check(&chan));
    finish();
}

static const struct test tests[] = {
    {"view-shows", shows, ALL, NULL},
    {"view-nothing-there", nothing_there, ALL, NULL},
    {"view-moves-on", moves_on, ALL, NULL},
    {"view-overwritten", overwritten_all, ALL, NULL},
    {"view-never-wrong", never_wrong, ALL, NULL},
    {"view-waits", waits, ALL, NULL},
    {"view-readonly", readonly, ALL, NULL},
};
THEME(view_theme, tests);
