/* SPDX-License-Identifier: BSD-3-Clause */
/* mixed.c - kernel channels beside channels of other kinds */
#include "conformance.h"

#include <ach/kernel.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define KINDS 3
#define IDLE_MS 500
#define IDLE_LIMIT_US 200000
#define KERNEL_ONLY "needs kernel channels and others"

static ach_channel_t chans[KINDS], writers[KINDS];
static ach_wait_item_t items[KINDS];
static struct ach_header *heap;

/* One channel of each kind: in shared memory, on the heap, in the kernel. */
static void begin(void)
{
    ach_create_attr_t attr = create_attr();
    ach_attr_t open_attr;
    int i;

    attr.map = ACH_MAP_USER;
    REQUIRE_OK(ach_create("user", 4, 64, &attr));
    REQUIRE_OK(create("kernel", 4, 64));
    attr.map = ACH_MAP_ANON;
    REQUIRE_OK(ach_create(NULL, 4, 64, &attr));
    ach_attr_init(&open_attr);
    heap = attr.shm;
    REQUIRE_OK(ach_attr_set_shm(&open_attr, heap));
    for (i = 0; i < 2; i++) {
        ach_channel_t *c = i ? writers : chans;

        REQUIRE_OK(ach_open(&c[0], "user", NULL));
        REQUIRE_OK(ach_open(&c[1], NULL, &open_attr));
        REQUIRE_OK(ach_open(&c[2], "kernel", NULL));
    }
    for (i = 0; i < KINDS; i++)
        items[i] = (ach_wait_item_t){.chan = &chans[i], .status = ACH_BUG};
}

static void close_all(void)
{
    int i;

    for (i = 0; i < KINDS; i++) {
        CHECK_OK(ach_close(&chans[i]));
        CHECK_OK(ach_close(&writers[i]));
    }
    free(heap);
}

static void finish(void)
{
    close_all();
    REQUIRE_OK(ach_unlink("user"));
    REQUIRE_OK(ach_unlink("kernel"));
}

struct waiting {
    pthread_t thread;
    int options;
    enum ach_status status;
};

static void *wait_thread(void *cx)
{
    struct waiting *w = cx;

    w->status = ach_wait(items, KINDS, NULL, w->options);
    return NULL;
}

static void start(struct waiting *w, int options)
{
    *w = (struct waiting){.options = options};
    REQUIRE(pthread_create(&w->thread, NULL, wait_thread, w) == 0);
}

static enum ach_status end_of(struct waiting *w)
{
    REQUIRE(pthread_join(w->thread, NULL) == 0);
    return w->status;
}

/* A message on any channel ends the wait, whether the waiter sleeps already or not. */
static void wakes(void)
{
    uint64_t i, n = check_scale(60);
    struct waiting w;

    begin();
    for (i = 1; i <= n; i++) {
        size_t which = i % KINDS, j;

        start(&w, 0);
        if (i % 2)
            let_sleep();
        put_range(&writers[which], i, i);
        CHECK_OK(end_of(&w));
        for (j = 0; j < KINDS; j++)
            CHECK_STATUS(items[j].status, j == which ? ACH_OK : ACH_EAGAIN);
        CHECK_GET(&chans[which], 0, ACH_OK, i);
    }
    finish();
}

static void cancels(void)
{
    const struct timespec soon = ms(10);
    struct waiting w;
    size_t i;

    begin();
    for (i = 0; i < 2 * KINDS; i++) {
        start(&w, 0);
        if (i < KINDS)
            let_sleep();
        CHECK_OK(ach_cancel(&chans[i % KINDS], NULL));
        CHECK_STATUS(end_of(&w), ACH_CANCELED);
        chans[i % KINDS].cancel = 0;
        CHECK_STATUS(ach_wait(items, KINDS, &soon, ACH_O_RELTIME), ACH_TIMEOUT);
    }
    finish();
}

static void times(void)
{
    const struct timespec past = {0}, rel = ms(30);
    uint64_t before;

    begin();
    CHECK_STATUS(ach_wait(items, KINDS, &past, 0), ACH_TIMEOUT);
    before = check_now_ns();
    CHECK_STATUS(ach_wait(items, KINDS, &rel, ACH_O_RELTIME), ACH_TIMEOUT);
    CHECK(check_now_ns() - before >= 30000000);
    put_range(&writers[2], 1, 1);
    CHECK_OK(ach_wait(items, KINDS, &past, 0));
    CHECK(items[2].status == ACH_OK && items[0].status == ACH_EAGAIN);
    finish();
}

/* After cleared cancels and messages already got, ach_wait sleeps without using CPU time. */
static void idle(void)
{
    const struct timespec rel = ms(IDLE_MS);
    const struct timespec soon = ms(1);
    int64_t before;
    int i;

    begin();
    CHECK_STATUS(ach_wait(items, KINDS, &soon, ACH_O_RELTIME), ACH_TIMEOUT);
    for (i = 0; i < KINDS; i++) {
        CHECK_OK(ach_cancel(&chans[i], NULL));
        CHECK_STATUS(ach_wait(items, KINDS, NULL, 0), ACH_CANCELED);
        chans[i].cancel = 0;
        put_range(&writers[i], 1, 1);
        CHECK_OK(ach_wait(items, KINDS, NULL, 0));
        CHECK_GET(&chans[i], 0, ACH_OK, 1);
    }
    for (i = 0; i < IDLE_TRIES; i++) {
        before = cpu_us();
        CHECK_STATUS(ach_wait(items, KINDS, &rel, ACH_O_RELTIME), ACH_TIMEOUT);
        if (cpu_us() - before < IDLE_LIMIT_US)
            break;
    }
    CHECK(i < IDLE_TRIES);
    finish();
}

static void unlinked(void)
{
    struct waiting w;

    begin();
    start(&w, ACH_O_LINKED);
    let_sleep();
    REQUIRE_OK(ach_unlink("kernel"));
    CHECK_OK(end_of(&w));
    CHECK(items[2].status == ACH_ENOENT && items[0].status == ACH_EAGAIN);
    REQUIRE_OK(ach_unlink("user"));
    close_all();
}

static int wait_in_child(void *cx)
{
    const struct timespec soon = ms(10);

    (void)cx;
    CHECK_STATUS(ach_wait(items, KINDS, &soon, ACH_O_RELTIME), ACH_TIMEOUT);
    put_range(&writers[2], 1, 1);
    CHECK_OK(ach_wait(items, KINDS, NULL, 0));
    CHECK_GET(&chans[2], 0, ACH_OK, 1);
    CHECK_STATUS(ach_wait(items, KINDS, &soon, ACH_O_RELTIME), ACH_TIMEOUT);
    close_all();
    return check_result();
}

/* A child waits with descriptors of its own, and does not change its parent's position. */
static void forked(void)
{
    const struct timespec soon = ms(10);

    begin();
    CHECK_STATUS(ach_wait(items, KINDS, &soon, ACH_O_RELTIME), ACH_TIMEOUT);
    CHECK(run_child(wait_in_child, NULL));
    CHECK_OK(ach_wait(items, KINDS, NULL, 0));
    CHECK_STATUS(items[2].status, ACH_OK);
    CHECK_GET(&chans[2], 0, ACH_OK, 1);
    CHECK_STATUS(ach_wait(items, KINDS, &soon, ACH_O_RELTIME), ACH_TIMEOUT);
    finish();
}

/* A name can be used only once across all kinds of channels. */
static void names(void)
{
    ach_create_attr_t attr = create_attr();
    enum ach_map map = ACH_MAP_DEFAULT;
    ach_attr_t open_attr;
    ach_channel_t chan;
    struct stat st;

    make(4, 64);
    CHECK_STATUS(ach_create(CHAN, 4, 64, NULL), ACH_EEXIST);
    attr.map = ACH_MAP_USER;
    attr.truncate = 1;
    CHECK_STATUS(ach_create(CHAN, 4, 64, &attr), ACH_EEXIST);
    CHECK(stat(path_of(CHAN), &st) == 0 && S_ISCHR(st.st_mode));
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    CHECK_OK(ach_channel_map(&chan, &map));
    CHECK(map == ACH_MAP_KERNEL);
    CHECK_OK(ach_close(&chan));
    ach_attr_init(&open_attr);
    open_attr.map = ACH_MAP_USER;
    CHECK_STATUS(ach_open(&chan, CHAN, &open_attr), ACH_ENOENT);
    REQUIRE_OK(ach_unlink(CHAN));

    REQUIRE_OK(ach_create(CHAN, 4, 64, NULL));
    CHECK_STATUS(create(CHAN, 4, 64), ACH_EEXIST);
    CHECK_STATUS(backend->open(&chan, CHAN, NULL), ACH_ENOENT);
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    CHECK_OK(ach_channel_map(&chan, &map));
    CHECK(map == ACH_MAP_USER);
    CHECK_OK(ach_close(&chan));
    REQUIRE_OK(ach_unlink(CHAN));
    CHECK_STATUS(ach_unlink(CHAN), ACH_ENOENT);
}

static enum ach_status note(void *cx, const char *name, enum ach_map map)
{
    char *text = cx;

    snprintf(text + strlen(text), 256 - strlen(text), "%s%s ", name,
             map == ACH_MAP_KERNEL ? "!" : "");
    return ACH_OK;
}

static void listed(void)
{
    static const char *const names[] = {"mixed-a", "mixed-b", "mixed-c", "mixed-d"};
    char text[256] = "";
    int i;

    for (i = 0; i < 4; i++)
        REQUIRE_OK(i % 2 ? create(names[i], 2, 16) : ach_create(names[i], 2, 16, NULL));
    CHECK_OK(ach_list(note, text));
    CHECK(strstr(text, "mixed-a mixed-b! mixed-c mixed-d! ") != NULL);
    for (i = 0; i < 4; i++)
        CHECK_OK(ach_unlink(names[i]));
}

/* The module refuses a channel that is too large, and a put from an invalid address. */
static void refused(void)
{
    ach_channel_t chan;

    CHECK(create(CHAN, 1024, (size_t)1 << 30) == ACH_FAILED_SYSCALL);
    CHECK(ach_errstr()[0] != '\0');
    make(4, 64);
    open_it(&chan);
    CHECK_STATUS(ach_put(&chan, (const void *)(uintptr_t)8, 100), ACH_EFAULT);
    CHECK(info_of(&chan).newest == 0);
    put_range(&chan, 1, 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* Another user creates a kernel channel with the name of our file, which libach would refuse. */
static int take_the_name(void *cx)
{
    struct ach_kernel_create c = {
        .name = CHAN, .frame_cnt = 4, .frame_size = 64, .clock = CLOCK_MONOTONIC, .mode = 0666};
    int fd;

    (void)cx;
    drop_power();
    fd = open(ACH_KERNEL_CONTROL, O_RDWR | O_CLOEXEC);
    return fd < 0 || ioctl(fd, ACH_KERNEL_CREATE, &c) != 0;
}

static void shadowed(void)
{
    ach_create_attr_t attr = create_attr();
    ach_attr_t open_attr;
    ach_channel_t chan;

    attr.map = ACH_MAP_USER;
    REQUIRE_OK(ach_create(CHAN, 4, 64, &attr));
    REQUIRE(run_child(take_the_name, NULL));
    CHECK_STATUS(ach_open(&chan, CHAN, NULL), ACH_EACCES);
    ach_attr_init(&open_attr);
    open_attr.map = ACH_MAP_USER;
    CHECK_OK(ach_open(&chan, CHAN, &open_attr));
    CHECK_OK(ach_close(&chan));
    REQUIRE_OK(ach_unlink(CHAN));
}

static const struct test tests[] = {
    {"mixed-wakes", wakes, KERNEL, KERNEL_ONLY},
    {"mixed-cancels", cancels, KERNEL, KERNEL_ONLY},
    {"mixed-times", times, KERNEL, KERNEL_ONLY},
    {"mixed-idle", idle, KERNEL, KERNEL_ONLY},
    {"mixed-unlinked", unlinked, KERNEL, KERNEL_ONLY},
    {"mixed-forked", forked, KERNEL, KERNEL_ONLY},
    {"mixed-names", names, KERNEL, KERNEL_ONLY},
    {"mixed-listed", listed, KERNEL, KERNEL_ONLY},
    {"mixed-refused", refused, KERNEL, KERNEL_ONLY},
    {"mixed-shadowed", shadowed, KERNEL, KERNEL_ONLY},
};
THEME(mixed_theme, tests);
