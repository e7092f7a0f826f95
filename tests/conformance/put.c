/* SPDX-License-Identifier: BSD-3-Clause */
/* put.c - putting messages */
#include "conformance.h"

static void nothing(void)
{
    ach_channel_t chan;
    char byte = 1;

    make(4, 16);
    open_it(&chan);
    CHECK_STATUS(ach_put(&chan, &byte, 0), ACH_EINVAL);
    CHECK_STATUS(ach_put(&chan, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_put(&chan, NULL, 1), ACH_EINVAL);
    CHECK(info_of(&chan).newest == 0);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void too_long(void)
{
    ach_channel_t chan;

    make(4, 16);
    open_it(&chan);
    put_range(&chan, 1, 3);
    CHECK_STATUS(put_number(&chan, 9, 65), ACH_OVERFLOW);
    CHECK_STATUS(put_number(&chan, 9, 100000), ACH_OVERFLOW);
    CHECK(info_of(&chan).newest == 3 && info_of(&chan).oldest == 1);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_GET(&chan, 0, ACH_OK, 2);
    CHECK_GET(&chan, 0, ACH_OK, 3);
    CHECK_GET(&chan, 0, ACH_EAGAIN, 0);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void whole_capacity(void)
{
    ach_channel_t chan;
    uint64_t i;

    make(16, 512);
    open_it(&chan);
    for (i = 1; i <= 10; i++) {
        CHECK_OK(put_number(&chan, i, 16 * 512));
        CHECK_GET(&chan, 0, ACH_OK, i);
    }
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void keeps_boundaries(void)
{
    static const char *const texts[] = {"a", "bc", "", "def", "g"};
    ach_channel_t chan;
    char buf[8];
    size_t i, size;

    make(8, 8);
    open_it(&chan);
    for (i = 0; i < 5; i++)
        CHECK_OK(ach_put(&chan, texts[i], strlen(texts[i]) + 1));
    for (i = 0; i < 5; i++) {
        CHECK_OK(ach_get(&chan, buf, sizeof(buf), &size, NULL, 0));
        CHECK(size == strlen(texts[i]) + 1 && strcmp(buf, texts[i]) == 0);
    }
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* A change of the writer's buffer after the put does not change the message. */
static void copies(void)
{
    ach_channel_t chan;
    unsigned char buf[300];
    uint64_t number;
    size_t size;

    make(4, 300);
    open_it(&chan);
    message_fill(buf, sizeof(buf), 1);
    CHECK_OK(ach_put(&chan, buf, sizeof(buf)));
    memset(buf, 0, sizeof(buf));
    CHECK_OK(ach_get(&chan, buf, sizeof(buf), &size, NULL, 0));
    CHECK(message_whole(buf, size, &number) && number == 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void odd_addresses(void)
{
    unsigned char in[256 + 16], out[256 + 16];
    ach_channel_t chan;
    size_t shift, len, size;
    uint64_t number;

    make(4, 256);
    open_it(&chan);
    for (shift = 0; shift < 16; shift++)
        for (len = 16; len <= 256; len += 15) {
            message_fill(in + shift, len, len);
            CHECK_OK(ach_put(&chan, in + shift, len));
            memset(out, 0xee, sizeof(out));
            CHECK_OK(ach_get(&chan, out + 15 - shift, 256, &size, NULL, 0));
            CHECK(size == len && message_whole(out + 15 - shift, len, &number));
            CHECK(out[15 - shift + len] == 0xee);
        }
    CHECK_OK(ach_close(&chan));
    remove_it();
}

#define THREADS 6

struct put_thread {
    ach_channel_t *chan;
    uint64_t from, n;
    enum ach_status status;
    pthread_t thread;
};

static void *put_many(void *cx)
{
    struct put_thread *t = cx;
    uint64_t i;

    for (i = 0; i < t->n && t->status == ACH_OK; i++)
        t->status = put_number(t->chan, t->from + i, 16 + (size_t)(i % 200));
    return NULL;
}

/* Each thread's messages arrive once and in order. */
static void check_streams(ach_channel_t *chan, uint64_t n)
{
    uint64_t next[THREADS] = {0}, i, number = 0;

    for (i = 0; i < THREADS * n; i++) {
        REQUIRE_OK(get_number(chan, &number, 0));
        REQUIRE(number / 1000000 < THREADS);
        CHECK(number % 1000000 == next[number / 1000000]++);
    }
    CHECK_GET(chan, 0, ACH_EAGAIN, 0);
}

static void one_handle_many_threads(void)
{
    struct put_thread t[THREADS];
    uint64_t n = check_scale(1000);
    ach_channel_t chan, reader;
    size_t i;

    make((size_t)(THREADS * n), 256);
    open_it(&chan);
    open_it(&reader);
    for (i = 0; i < THREADS; i++) {
        t[i] = (struct put_thread){.chan = &chan, .from = i * 1000000, .n = n};
        REQUIRE(pthread_create(&t[i].thread, NULL, put_many, &t[i]) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(t[i].thread, NULL);
        CHECK_OK(t[i].status);
    }
    check_streams(&reader, n);
    CHECK_OK(ach_close(&reader));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* A reader beside writers gets every thread's messages in order, and counts those it missed. */
static void read_beside_threads(void)
{
    struct put_thread t[THREADS];
    uint64_t n = check_scale(1000), number = 0, got = 0, missed = 0;
    ach_channel_t chan, reader;
    size_t i;

    make(8, 256);
    open_it(&chan);
    open_it(&reader);
    for (i = 0; i < THREADS; i++) {
        t[i] = (struct put_thread){.chan = &chan, .from = i * 1000000, .n = n};
        REQUIRE(pthread_create(&t[i].thread, NULL, put_many, &t[i]) == 0);
    }
    while (got + missed < THREADS * n) {
        enum ach_status r = get_number(&reader, &number, ACH_O_WAIT);

        REQUIRE(r == ACH_OK || r == ACH_MISSED_FRAME);
        CHECK_OK(ach_channel_missed(&reader, NULL, &missed));
        got++;
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(t[i].thread, NULL);
        CHECK_OK(t[i].status);
    }
    CHECK(info_of(&reader).seen == THREADS * n && info_of(&reader).received == got);
    CHECK_OK(ach_close(&reader));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static const struct test tests[] = {
    {"put-nothing", nothing, ALL, NULL},
    {"put-too-long", too_long, ALL, NULL},
    {"put-whole-capacity", whole_capacity, ALL, NULL},
    {"put-keeps-boundaries", keeps_boundaries, ALL, NULL},
    {"put-copies", copies, ALL, NULL},
    {"put-odd-addresses", odd_addresses, ALL, NULL},
    {"put-one-handle-many-threads", one_handle_many_threads, ALL, NULL},
    {"put-read-beside-threads", read_beside_threads, ALL, NULL},
};
THEME(put_theme, tests);
