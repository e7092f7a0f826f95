/* SPDX-License-Identifier: BSD-3-Clause */
/* create.c - creating channels */
#include "conformance.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static void defaults(void)
{
    ach_channel_t chan;
    ach_info_t info;

    make(16, 512);
    open_it(&chan);
    info = info_of(&chan);
    CHECK(info.map == backend->map);
    CHECK(info.clock == CLOCK_MONOTONIC);
    CHECK(info.frame_cnt == 16 && info.frame_size == 512 && info.capacity == 16 * 512);
    CHECK(info.newest == 0 && info.oldest == 0 && info.recovered == 0);
    CHECK(!info.timestamps && !info.single_writer && !info.readonly && !info.source);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void existing(void)
{
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 2);
    CHECK_STATUS(create(CHAN, 8, 128), ACH_EEXIST);
    CHECK(info_of(&chan).frame_cnt == 4);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

#define LONGEST "x234567890123456789012345678901234567890123456789012345678901.-"

static void good_names(void)
{
    static const char *const names[] = {"a",  "Z",     "0",      "-x",   "_",
                                        "a.", "A.b-9", "sensor", "a..b", LONGEST};
    ach_channel_t chan;
    size_t i;

    REQUIRE(strlen(LONGEST) == ACH_CHAN_NAME_MAX - 1);
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK_OK(create(names[i], 2, 16));
        open_named(&chan, names[i]);
        CHECK_OK(ach_close(&chan));
        CHECK_OK(backend->unlink(names[i]));
    }
}

static void bad_names(void)
{
    static const char *const names[] = {"",         ".",         "..",  ".x",  "a/b",
                                        "/a",       "a b",       "a\n", "a\\", "a\x7f",
                                        "\xc3\xa4", LONGEST "x", "a*",  "a:b"};
    ach_channel_t chan;
    char path[PATH_SIZE];
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK_STATUS(create(names[i], 2, 16), ACH_INVALID_NAME);
        CHECK_STATUS(backend->open(&chan, names[i], NULL), ACH_INVALID_NAME);
        CHECK_STATUS(ach_unlink(names[i]), ACH_INVALID_NAME);
        CHECK_STATUS(ach_channel_path(names[i], path, sizeof(path)), ACH_INVALID_NAME);
    }
    CHECK_STATUS(create(NULL, 2, 16), ACH_EINVAL);
    CHECK_STATUS(backend->open(&chan, NULL, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_unlink(NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_path(NULL, path, sizeof(path)), ACH_EINVAL);
}

static void absurd_sizes(void)
{
    CHECK_STATUS(create(CHAN, SIZE_MAX, SIZE_MAX), ACH_EINVAL);
    CHECK_STATUS(create(CHAN, SIZE_MAX, 1), ACH_EINVAL);
    CHECK_STATUS(create(CHAN, SIZE_MAX / 2 + 1, 2), ACH_EINVAL);
    if (sizeof(size_t) == 8) {
        CHECK_STATUS(create(CHAN, 1, SIZE_MAX), ACH_EINVAL);
        CHECK_STATUS(create(CHAN, 2, SIZE_MAX / 2 + 1), ACH_EINVAL);
        CHECK_STATUS(create(CHAN, (size_t)1 << 24, SIZE_MAX >> 12), ACH_EINVAL);
    }
}

static void no_memory(void)
{
    struct rlimit limit;
    struct statvfs fs;

    REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = 1 << 20;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    errno = 0;
    CHECK_STATUS(create(CHAN, 4, 1 << 20), ACH_FAILED_SYSCALL);
    CHECK(errno == EFBIG);
    limit.rlim_cur = limit.rlim_max;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);

    REQUIRE(statvfs(getenv("ACH_DIR") ? getenv("ACH_DIR") : "/dev/shm", &fs) == 0);
    if (sizeof(size_t) == 4 || fs.f_blocks == 0 || fs.f_blocks * fs.f_frsize > UINT64_C(1) << 43)
        return;
    errno = 0;
    CHECK_STATUS(create(CHAN, 1, (size_t)(UINT64_C(1) << 44)), ACH_FAILED_SYSCALL);
    CHECK(errno == ENOSPC);
}

static mode_t mode_made(ach_create_attr_t *attr)
{
    struct stat st;

    REQUIRE_OK(backend->create(CHAN, 2, 16, attr));
    REQUIRE(stat(path_of(CHAN), &st) == 0);
    remove_it();
    return st.st_mode & 07777;
}

static void mode(void)
{
    ach_create_attr_t attr = create_attr();

    umask(027);
    CHECK(mode_made(NULL) == 0640);
    umask(0);
    CHECK(mode_made(NULL) == 0666);
    umask(077);
    CHECK_OK(ach_create_attr_set_mode(&attr, 0664));
    CHECK(mode_made(&attr) == 0664);
    CHECK_STATUS(ach_create_attr_set_mode(&attr, 01000), ACH_EINVAL);
    CHECK(mode_made(&attr) == 0664);
}

static void clocks(void)
{
    static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_TAI,
                                       CLOCK_MONOTONIC_RAW};
    ach_create_attr_t attr;
    ach_channel_t chan;
    struct timespec now;
    size_t i;

    for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
        clockid_t clock = -1;

        if (clock_gettime(clocks[i], &now) != 0)
            continue;
        attr = create_attr();
        CHECK_OK(ach_create_attr_set_clock(&attr, clocks[i]));
        if (!clock_fits(clocks[i])) {
            CHECK_STATUS(backend->create(CHAN, 2, 16, &attr), ACH_EINVAL);
            continue;
        }
        REQUIRE_OK(backend->create(CHAN, 2, 16, &attr));
        open_it(&chan);
        CHECK_OK(ach_channel_clock(&chan, &clock));
        CHECK(clock == clocks[i] && info_of(&chan).clock == clocks[i]);
        CHECK_OK(ach_close(&chan));
        remove_it();
    }
}

/* Invalid clock ids are refused, and CPU-time clocks, which stop while a process sleeps. */
static void bad_clocks(void)
{
    static const clockid_t clocks[] = {9999, -1, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
    size_t i;

    for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
        ach_create_attr_t attr = create_attr();

        CHECK_OK(ach_create_attr_set_clock(&attr, clocks[i]));
        CHECK_STATUS(backend->create(CHAN, 2, 16, &attr), ACH_EINVAL);
    }
}

/* With map_anon, ach_create returns a heap channel's memory in the attributes. */
static void heap_memory(void)
{
    static const char *const names[] = {NULL, "../no name/", "c"};
    ach_channel_t one, two;
    ach_create_attr_t attr;
    ach_attr_t open_attr;
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        attr = create_attr();
        attr.map_anon = 1;
        REQUIRE_OK(ach_create(names[i], 4, 64, &attr));
        REQUIRE(attr.shm != NULL);
        ach_attr_init(&open_attr);
        open_attr.map_anon = 1;
        open_attr.shm = attr.shm;
        REQUIRE_OK(ach_open(&one, names[i], &open_attr));
        REQUIRE_OK(ach_open(&two, NULL, &open_attr));
        CHECK(one.shm == attr.shm && two.shm == attr.shm);
        put_range(&one, 7, 7);
        CHECK_OK(ach_close(&one));
        CHECK_GET(&two, 0, ACH_OK, 7);
        CHECK_OK(ach_close(&two));
    }
}

/* Two channels on the heap do not see each other. */
static void heap_apart(void)
{
    ach_channel_t one, two;

    make(4, 64);
    REQUIRE_OK(create("d", 4, 64));
    open_it(&one);
    open_named(&two, "d");
    put_range(&one, 1, 1);
    CHECK_GET(&two, 0, ACH_EAGAIN, 0);
    CHECK_OK(ach_close(&one));
    CHECK_OK(ach_close(&two));
    remove_it();
    REQUIRE_OK(backend->unlink("d"));
}

static void other_maps(void)
{
    ach_create_attr_t attr = create_attr();
    ach_attr_t open_attr;
    ach_channel_t chan;

    ach_attr_init(&open_attr);
    attr.map = (enum ach_map)4;
    CHECK_STATUS(ach_create(CHAN, 2, 16, &attr), ACH_EINVAL);
    open_attr.map = (enum ach_map)4;
    CHECK_STATUS(ach_open(&chan, CHAN, &open_attr), ACH_EINVAL);
    if (backends[2].present())
        return;
    CHECK_OK(ach_create_attr_set_map(&attr, ACH_MAP_KERNEL));
    CHECK_STATUS(ach_create(CHAN, 2, 16, &attr), ACH_ENOTSUP);
    CHECK_OK(ach_attr_set_map(&open_attr, ACH_MAP_KERNEL));
    CHECK_STATUS(ach_open(&chan, CHAN, &open_attr), ACH_ENOTSUP);
}

static int make_once(void *cx)
{
    enum ach_status r = create(CHAN, 4, 64);

    if (r == ACH_OK)
        __atomic_fetch_add((unsigned *)cx, 1, __ATOMIC_SEQ_CST);
    CHECK(r == ACH_OK || r == ACH_EEXIST);
    return check_result();
}

static void many_makers(void)
{
    unsigned *made = check_shared(sizeof(*made));
    pid_t pids[6];
    size_t i;

    for (i = 0; i < 6; i++)
        pids[i] = start_child(make_once, made);
    for (i = 0; i < 6; i++)
        CHECK(check_child(pids[i], 30000));
    CHECK(*made == 1);
    remove_it();
    munmap(made, sizeof(*made));
}

static int open_often(void *stop)
{
    ach_channel_t chan;

    while (!load_word(stop)) {
        enum ach_status r = backend->open(&chan, CHAN, NULL);

        CHECK(r == ACH_OK || r == ACH_ENOENT);
        if (r == ACH_OK)
            CHECK_OK(ach_close(&chan));
    }
    return check_result();
}

/* An open during the creation finds the complete channel, or none. */
static void appears_complete(void)
{
    uint32_t *stop = check_shared(sizeof(*stop));
    pid_t pid = start_child(open_often, stop);
    uint64_t i, n = check_scale(200);

    for (i = 0; i < n; i++) {
        make(16, 512);
        remove_it();
    }
    store_word(stop, 1);
    CHECK(check_child(pid, 30000));
    munmap(stop, sizeof(*stop));
}

static const struct test tests[] = {
    {"create-defaults", defaults, ALL, NULL},
    {"create-existing", existing, NAMED, NO_NAME},
    {"create-good-names", good_names, NAMED, NO_NAME},
    {"create-bad-names", bad_names, NAMED, NO_NAME},
    {"create-absurd-sizes", absurd_sizes, ALL, NULL},
    {"create-no-memory", no_memory, USER, NO_FILE},
    {"create-mode", mode, NAMED, NO_NAME},
    {"create-clocks", clocks, ALL, NULL},
    {"create-bad-clocks", bad_clocks, ALL, NULL},
    {"create-heap-memory", heap_memory, HEAP, "other channels have names"},
    {"create-heap-apart", heap_apart, HEAP, "other channels have names"},
    {"create-other-maps", other_maps, ALL, NULL},
    {"create-many-makers", many_makers, NAMED, ONE_PROCESS},
    {"create-appears-complete", appears_complete, NAMED, ONE_PROCESS},
};
THEME(create_theme, tests);
