/* SPDX-License-Identifier: BSD-3-Clause */
/* open.c - opening and closing handles */
#include "conformance.h"

#include <fcntl.h>
#include <malloc.h>

static void missing(void)
{
    ach_channel_t chan;

    memset(&chan, 0x5a, sizeof(chan));
    CHECK_STATUS(backend->open(&chan, "nobody", NULL), ACH_ENOENT);
    CHECK_STATUS(ach_close(&chan), ACH_CLOSED);
}

static void default_map(void)
{
    ach_channel_t chan;
    enum ach_map map = ACH_MAP_DEFAULT;

    make(4, 64);
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    CHECK_OK(ach_channel_map(&chan, &map));
    CHECK(map == backend->map);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void starts_at_oldest(void)
{
    ach_channel_t writer, reader;

    make(4, 64);
    open_it(&writer);
    put_range(&writer, 1, 3);
    open_it(&reader);
    CHECK_GET(&reader, 0, ACH_OK, 1);
    CHECK_GET(&reader, 0, ACH_OK, 2);
    CHECK_GET(&reader, 0, ACH_OK, 3);
    CHECK_GET(&reader, 0, ACH_EAGAIN, 0);
    CHECK_OK(ach_close(&reader));
    CHECK_OK(ach_close(&writer));
    remove_it();
}

/* A new handle on a channel that has wrapped has missed the evicted messages. */
static void starts_wrapped(void)
{
    ach_channel_t writer, reader;
    uint64_t last = 0, total = 0;

    make(4, 64);
    open_it(&writer);
    put_range(&writer, 1, 10);
    open_it(&reader);
    CHECK_GET(&reader, 0, ACH_MISSED_FRAME, 7);
    CHECK_OK(ach_channel_missed(&reader, &last, &total));
    CHECK(last == 6 && total == 6);
    CHECK_GET(&reader, 0, ACH_OK, 8);
    CHECK_OK(ach_close(&reader));
    CHECK_OK(ach_close(&writer));
    remove_it();
}

static void handles_apart(void)
{
    ach_channel_t one, two;

    make(8, 64);
    open_it(&one);
    open_it(&two);
    put_range(&one, 1, 3);
    CHECK_GET(&one, 0, ACH_OK, 1);
    CHECK_GET(&one, 0, ACH_OK, 2);
    CHECK_GET(&two, 0, ACH_OK, 1);
    CHECK_OK(ach_flush(&one));
    CHECK_GET(&two, 0, ACH_OK, 2);
    CHECK_GET(&one, 0, ACH_EAGAIN, 0);
    CHECK_OK(ach_close(&one));
    CHECK_GET(&two, 0, ACH_OK, 3);
    CHECK_OK(ach_close(&two));
    remove_it();
}

static void close_twice(void)
{
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    CHECK(chan.shm != NULL);
    CHECK_OK(ach_close(&chan));
    CHECK(chan.shm == NULL);
    CHECK_STATUS(ach_close(&chan), ACH_CLOSED);
    open_it(&chan);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* The channel stays when its last handle closes. */
static void channel_stays(void)
{
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    put_range(&chan, 5, 5);
    CHECK_OK(ach_close(&chan));
    open_it(&chan);
    CHECK_GET(&chan, 0, ACH_OK, 5);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void unlinked_stays(void)
{
    ach_channel_t one, two;

    make(4, 64);
    open_it(&one);
    open_it(&two);
    remove_it();
    CHECK_STATUS(ach_unlink(CHAN), ACH_ENOENT);
    put_range(&one, 1, 1);
    CHECK_GET(&two, 0, ACH_OK, 1);
    CHECK(info_of(&two).unlinked);
    make(4, 64);
    put_range(&one, 2, 2);
    CHECK_GET(&two, 0, ACH_OK, 2);
    CHECK_OK(ach_close(&one));
    CHECK_OK(ach_close(&two));
    remove_it();
}

static void no_leaks(void)
{
    unsigned before = open_descriptors();
    ach_channel_t chan;
    int i;

    for (i = 0; i < 20; i++)
        CHECK_STATUS(backend->open(&chan, "nobody", NULL), ACH_ENOENT);
    CHECK(open_descriptors() == before);
}

static void heap_without_memory(void)
{
    ach_attr_t attr;
    ach_channel_t chan;
    void *zeros = NULL;

    ach_attr_init(&attr);
    CHECK_STATUS(ach_attr_set_shm(&attr, NULL), ACH_EINVAL);
    CHECK_OK(ach_attr_set_map(&attr, ACH_MAP_ANON));
    CHECK_STATUS(ach_open(&chan, NULL, &attr), ACH_EINVAL);
    REQUIRE(posix_memalign(&zeros, 128, 4096) == 0);
    memset(zeros, 0, 4096);
    CHECK_OK(ach_attr_set_shm(&attr, zeros));
    CHECK_STATUS(ach_open(&chan, NULL, &attr), ACH_BAD_SHM_FILE);
    free(zeros);
}

/* A handle that could not be opened is closed, whatever was in it. */
static void failed_is_closed(void)
{
    ach_channel_t chan;
    ach_attr_t attr;

    memset(&chan, 0xa5, sizeof(chan));
    ach_attr_init(&attr);
    attr.map = (enum ach_map)77;
    CHECK_STATUS(ach_open(&chan, CHAN, &attr), ACH_EINVAL);
    CHECK(chan.shm == NULL);
    CHECK_STATUS(ach_close(&chan), ACH_CLOSED);
}

/* In a process without standard streams a handle does not use their descriptor numbers. */
static int without_streams(void *cx)
{
    ach_channel_t chan;
    bool low = false;

    (void)cx;
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    if (ach_open(&chan, CHAN, NULL) != ACH_OK)
        return 1;
    for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++)
        low = low || fcntl(fd, F_GETFD) >= 0;
    return ach_close(&chan) == ACH_OK && !low ? 0 : 1;
}

static void no_streams(void)
{
    make(4, 64);
    CHECK(run_child(without_streams, NULL));
    remove_it();
}

static unsigned mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "re");
    unsigned n = 0;
    int c;

    while (f && (c = getc(f)) != EOF)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

static void use_once(void)
{
    ach_channel_t chan;
    void *room;

    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 3);
    CHECK_OK(ach_reserve(&chan, 100, &room));
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* Creating, using and removing a channel leaks neither memory nor mappings. */
static void no_growth(void)
{
    size_t bytes;
    unsigned maps, i;

    for (i = 0; i < 20; i++)
        use_once();
    maps = mappings();
    bytes = mallinfo2().uordblks;
    for (i = 0; i < 100; i++)
        use_once();
    CHECK(mappings() <= maps + 20);              /* an allocator may add some of its own */
    CHECK(mallinfo2().uordblks <= bytes + 4096); /* less than one handle in ten */
}

static const struct test tests[] = {
    {"open-failed-is-closed", failed_is_closed, ALL, NULL},
    {"open-no-streams", no_streams, NAMED, NO_NAME},
    {"open-no-growth", no_growth, ALL, NULL},
    {"open-missing", missing, NAMED, NO_NAME},
    {"open-default-map", default_map, NAMED, NO_NAME},
    {"open-starts-at-oldest", starts_at_oldest, ALL, NULL},
    {"open-starts-wrapped", starts_wrapped, ALL, NULL},
    {"open-handles-apart", handles_apart, ALL, NULL},
    {"open-close-twice", close_twice, ALL, NULL},
    {"open-channel-stays", channel_stays, ALL, NULL},
    {"open-unlinked-stays", unlinked_stays, NAMED, NO_NAME},
    {"open-no-leaks", no_leaks, NAMED, NO_NAME},
    {"open-heap-without-memory", heap_without_memory, HEAP, "other channels have names"},
};
THEME(open_theme, tests);
