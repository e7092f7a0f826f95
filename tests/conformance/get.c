/* SPDX-License-Identifier: BSD-3-Clause */
/* get.c - getting messages without waiting */
#include "conformance.h"

static ach_channel_t chan;

static void begin(size_t frame_cnt)
{
    make(frame_cnt, 64);
    open_it(&chan);
}

static void end(void)
{
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void empty(void)
{
    char buf[64];
    size_t size = 77;

    begin(4);
    CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &size, NULL, 0), ACH_EAGAIN);
    CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &size, NULL, ACH_O_LAST), ACH_STALE_FRAMES);
    CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &size, NULL, ACH_O_COPY), ACH_EAGAIN);
    CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &size, NULL, ACH_O_COPY | ACH_O_LAST),
                 ACH_EAGAIN);
    CHECK(size == 77);
    end();
}

static void first(void)
{
    begin(8);
    put_range(&chan, 1, 5);
    CHECK_GET(&chan, ACH_O_FIRST, ACH_OK, 1);
    CHECK_GET(&chan, ACH_O_FIRST, ACH_OK, 2);
    put_range(&chan, 6, 6);
    CHECK_GET(&chan, ACH_O_FIRST, ACH_OK, 3);
    end();
}

/* A handle that fell behind gets the oldest message left, with ACH_MISSED_FRAME. */
static void fallen_behind(void)
{
    begin(4);
    put_range(&chan, 1, 2);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    put_range(&chan, 3, 9);
    CHECK_GET(&chan, 0, ACH_MISSED_FRAME, 6);
    CHECK_GET(&chan, 0, ACH_OK, 7);
    end();
}

static void last(void)
{
    begin(8);
    put_range(&chan, 1, 1);
    CHECK_GET(&chan, ACH_O_LAST, ACH_OK, 1);
    put_range(&chan, 2, 2);
    CHECK_GET(&chan, ACH_O_LAST, ACH_OK, 2);
    put_range(&chan, 3, 5);
    CHECK_GET(&chan, ACH_O_LAST, ACH_MISSED_FRAME, 5);
    CHECK_GET(&chan, ACH_O_LAST, ACH_EAGAIN, 0);
    CHECK_GET(&chan, 0, ACH_EAGAIN, 0);
    end();
}

static void copy_again(void)
{
    begin(8);
    put_range(&chan, 1, 2);
    CHECK_GET(&chan, ACH_O_COPY, ACH_OK, 1);
    CHECK_GET(&chan, ACH_O_COPY, ACH_OK, 2);
    CHECK_GET(&chan, ACH_O_COPY, ACH_OK, 2);
    CHECK_GET(&chan, ACH_O_COPY | ACH_O_LAST, ACH_OK, 2);
    CHECK_GET(&chan, 0, ACH_EAGAIN, 0);
    put_range(&chan, 3, 4);
    CHECK_GET(&chan, ACH_O_COPY, ACH_OK, 3);
    CHECK_GET(&chan, ACH_O_COPY | ACH_O_LAST, ACH_OK, 4);
    put_range(&chan, 5, 6);
    CHECK_GET(&chan, ACH_O_COPY | ACH_O_LAST, ACH_MISSED_FRAME, 6);
    CHECK_GET(&chan, ACH_O_COPY | ACH_O_LAST, ACH_OK, 6);
    CHECK(info_of(&chan).received == 5);
    end();
}

static void copy_after_flush(void)
{
    begin(8);
    put_range(&chan, 1, 3);
    CHECK_OK(ach_flush(&chan));
    CHECK_GET(&chan, ACH_O_COPY, ACH_OK, 3);
    end();
}

/* If the buffer is too small, nothing is lost, and the required size is returned. */
static void small_buffer(void)
{
    unsigned char buf[64];
    uint64_t number, seq = 9;
    size_t size = 0;

    begin(8);
    CHECK_OK(put_number(&chan, 1, 50));
    CHECK_OK(put_number(&chan, 2, 33));
    CHECK_STATUS(ach_get(&chan, buf, 49, &size, NULL, 0), ACH_OVERFLOW);
    CHECK(size == 50);
    CHECK_STATUS(ach_get(&chan, NULL, 0, &size, NULL, ACH_O_LAST), ACH_OVERFLOW);
    CHECK(size == 33);
    CHECK_STATUS(ach_get(&chan, NULL, 0, &size, NULL, 0), ACH_OVERFLOW);
    CHECK(size == 50);
    CHECK_OK(ach_channel_seq(&chan, &seq));
    CHECK(seq == 0);
    CHECK_OK(ach_get(&chan, buf, 50, &size, NULL, 0));
    CHECK(message_whole(buf, size, &number) && number == 1);
    CHECK_STATUS(ach_get(&chan, buf, 1, &size, NULL, ACH_O_WAIT), ACH_OVERFLOW);
    CHECK(size == 33);
    CHECK_GET(&chan, 0, ACH_OK, 2);
    CHECK_STATUS(ach_get(&chan, buf, 1, &size, NULL, ACH_O_COPY), ACH_OVERFLOW);
    CHECK(size == 33);
    end();
}

/* After a gap too the required size is returned; the next get returns ACH_MISSED_FRAME. */
static void small_buffer_missed(void)
{
    size_t size = 0;

    begin(4);
    put_range(&chan, 1, 10);
    CHECK_STATUS(ach_get(&chan, NULL, 0, &size, NULL, 0), ACH_OVERFLOW);
    CHECK(size == 16);
    CHECK_GET(&chan, 0, ACH_MISSED_FRAME, 7);
    end();
}

static void flush(void)
{
    begin(8);
    CHECK_OK(ach_flush(&chan));
    put_range(&chan, 1, 5);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_OK(ach_flush(&chan));
    CHECK_GET(&chan, 0, ACH_EAGAIN, 0);
    put_range(&chan, 6, 7);
    CHECK_GET(&chan, 0, ACH_OK, 6);
    CHECK(info_of(&chan).missed == 0);
    end();
}

static void unknown_options(void)
{
    begin(4);
    put_range(&chan, 1, 1);
    CHECK_GET(&chan, 0x4000, ACH_OK, 1);
    CHECK_GET(&chan, 0x4000 | ACH_O_COPY, ACH_OK, 1);
    put_range(&chan, 2, 3);
    CHECK_GET(&chan, -1, ACH_MISSED_FRAME, 3); /* all options, known and unknown */
    end();
}

/* frame_cnt messages of frame_size are kept: none is evicted for lack of bytes. */
static void keeps_frame_cnt(void)
{
    uint64_t i;

    begin(5);
    for (i = 1; i <= 23; i++)
        CHECK_OK(put_number(&chan, i, 64));
    CHECK_GET(&chan, 0, ACH_MISSED_FRAME, 19);
    for (i = 20; i <= 23; i++)
        CHECK_GET(&chan, 0, ACH_OK, i);
    end();
}

static void missed_counts(void)
{
    uint64_t prior = 99, total = 99;

    begin(4);
    CHECK_OK(ach_channel_missed(&chan, &prior, &total));
    CHECK(prior == 0 && total == 0);
    put_range(&chan, 1, 6);
    CHECK_GET(&chan, 0, ACH_MISSED_FRAME, 3);
    CHECK_OK(ach_channel_missed(&chan, &prior, &total));
    CHECK(prior == 2 && total == 2);
    CHECK_GET(&chan, 0, ACH_OK, 4);
    CHECK_OK(ach_channel_missed(&chan, &prior, &total));
    CHECK(prior == 0 && total == 2);
    put_range(&chan, 7, 7);
    CHECK_GET(&chan, ACH_O_LAST, ACH_MISSED_FRAME, 7);
    CHECK_OK(ach_channel_missed(&chan, &prior, NULL));
    CHECK_OK(ach_channel_missed(&chan, NULL, &total));
    CHECK(prior == 2 && total == 4);
    end();
}

static void sequence(void)
{
    uint64_t seq = 99;

    begin(4);
    CHECK_OK(ach_channel_seq(&chan, &seq));
    CHECK(seq == 0);
    put_range(&chan, 1, 9);
    CHECK_GET(&chan, 0, ACH_MISSED_FRAME, 6);
    CHECK_OK(ach_channel_seq(&chan, &seq));
    CHECK(seq == 6);
    CHECK_GET(&chan, ACH_O_LAST, ACH_MISSED_FRAME, 9);
    CHECK_OK(ach_channel_seq(&chan, &seq));
    CHECK(seq == 9);
    end();
}

static const struct test tests[] = {
    {"get-empty", empty, ALL, NULL},
    {"get-first", first, ALL, NULL},
    {"get-fallen-behind", fallen_behind, ALL, NULL},
    {"get-last", last, ALL, NULL},
    {"get-copy-again", copy_again, ALL, NULL},
    {"get-copy-after-flush", copy_after_flush, ALL, NULL},
    {"get-small-buffer", small_buffer, ALL, NULL},
    {"get-small-buffer-missed", small_buffer_missed, ALL, NULL},
    {"get-flush", flush, ALL, NULL},
    {"get-unknown-options", unknown_options, ALL, NULL},
    {"get-keeps-frame-cnt", keeps_frame_cnt, ALL, NULL},
    {"get-missed-counts", missed_counts, ALL, NULL},
    {"get-sequence", sequence, ALL, NULL},
};
THEME(get_theme, tests);
