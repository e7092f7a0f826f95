/* SPDX-License-Identifier: BSD-3-Clause */
/* replace.c - replacing channels */
#include "conformance.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>

#include "layout.h"

static void truncate_it(size_t frame_cnt, size_t frame_size)
{
    ach_create_attr_t attr = create_attr();

    REQUIRE_OK(ach_create_attr_set_truncate(&attr, 1));
    REQUIRE_OK(backend->create(CHAN, frame_cnt, frame_size, &attr));
}

static enum ach_status replace_corrupt(void)
{
    ach_create_attr_t attr = create_attr();

    REQUIRE_OK(ach_create_attr_set_replace_corrupt(&attr, 1));
    return backend->create(CHAN, 4, 64, &attr);
}

static void fresh(void)
{
    ach_channel_t chan;

    truncate_it(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void recreates(void)
{
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 3);
    CHECK_OK(ach_close(&chan));
    truncate_it(9, 33);
    open_it(&chan);
    CHECK(info_of(&chan).frame_cnt == 9 && info_of(&chan).frame_size == 33);
    CHECK_GET(&chan, 0, ACH_EAGAIN, 0);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* Handles of the old channel return ACH_CORRUPT, and can be closed and opened again. */
static void old_handles(void)
{
    ach_channel_t writer, reader, behind;
    ach_info_t info;

    make(4, 64);
    open_it(&writer);
    open_it(&reader);
    open_it(&behind);
    put_range(&writer, 1, 1);
    CHECK_GET(&reader, 0, ACH_OK, 1);
    truncate_it(4, 64);
    CHECK_STATUS(put_number(&writer, 2, 16), ACH_CORRUPT);
    CHECK_GET(&reader, 0, ACH_CORRUPT, 0);
    CHECK_GET(&reader, ACH_O_WAIT, ACH_CORRUPT, 0);
    CHECK_GET(&reader, ACH_O_LAST | ACH_O_COPY, ACH_CORRUPT, 0);
    CHECK_STATUS(ach_flush(&reader), ACH_CORRUPT);
    CHECK_GET(&behind, 0, ACH_OK, 1);
    CHECK_GET(&behind, 0, ACH_CORRUPT, 0);
    info = info_of(&reader);
    CHECK(info.replaced && info.unlinked);
    CHECK_OK(ach_close(&writer));
    CHECK_OK(ach_close(&reader));
    CHECK_OK(ach_close(&behind));
    open_it(&writer);
    open_it(&reader);
    put_range(&writer, 7, 7);
    CHECK_GET(&reader, 0, ACH_OK, 7);
    CHECK(!info_of(&reader).replaced && !info_of(&reader).unlinked);
    CHECK_OK(ach_close(&writer));
    CHECK_OK(ach_close(&reader));
    remove_it();
}

/* Two processes replace at the same time: each notifies users of the channel that it replaced. */
static void replace_often(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        truncate_it(4, 64);
}

static int replace_too(void *n)
{
    replace_often(*(uint64_t *)n);
    return check_result();
}

/* The process that replaced the channel may notify its users a moment later. */
static bool told_soon(ach_channel_t *chan)
{
    int tries = 5000;

    while (put_number(chan, 1, 16) != ACH_CORRUPT && --tries > 0)
        check_sleep_ms(1);
    return tries > 0;
}

static void told_by_two(void)
{
    uint64_t i, n = check_scale(200);
    ach_channel_t chan;
    pid_t pid;

    make(4, 64);
    pid = start_child(replace_too, &n);
    for (i = 0; i < n; i++) {
        open_it(&chan);
        replace_often(1);
        CHECK(told_soon(&chan));
        CHECK_OK(ach_close(&chan));
    }
    CHECK(check_child(pid, 60000));
    open_it(&chan);
    put_range(&chan, 1, 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

struct gate {
    uint32_t there; /* how many processes have arrived */
};

/* Wait until both processes have arrived. */
static void meet(struct gate *gate)
{
    __atomic_fetch_add(&gate->there, 1, __ATOMIC_SEQ_CST);
    while (load_word(&gate->there) < 2)
        ;
}

/* Run fun in a child and in this process at the same time. Returns how many succeeded. */
static unsigned both(int (*fun)(void *))
{
    struct gate *gate = check_shared(sizeof(*gate));
    pid_t pid = start_child(fun, gate);
    unsigned well = fun(gate) == 0;

    well += check_child(pid, 30000);
    munmap(gate, sizeof(*gate));
    return well;
}

static int truncate_at_once(void *gate)
{
    ach_create_attr_t attr = create_attr();

    ach_create_attr_set_truncate(&attr, 1);
    meet(gate);
    return backend->create(CHAN, 4, 64, &attr) != ACH_OK;
}

static int replace_at_once(void *gate)
{
    enum ach_status r;

    meet(gate);
    r = replace_corrupt();
    if (r != ACH_EEXIST)
        REQUIRE_OK(r);
    return r != ACH_OK;
}

/* Two processes truncate at the same time: both succeed, even if there is no channel at first. */
static void truncate_by_two(void)
{
    uint64_t i, n = check_scale(100);

    for (i = 0; i < n; i++) {
        CHECK(both(truncate_at_once) == 2);
        remove_it();
    }
}

/* Of two processes that replace a damaged channel only one does; the other finds a good one. */
static void replace_by_one(void)
{
    uint64_t i, n = check_scale(100);

    for (i = 0; i < n; i++) {
        write_file(CHAN, 100, 'x');
        CHECK(both(replace_at_once) == 1);
        remove_it();
    }
}

/* A channel whose newest message cannot be got is damaged. */
static void bad_entry(void)
{
    ach_channel_t chan;
    struct achi_entry *e;

    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 1);
    e = (struct achi_entry *)(void *)((unsigned char *)chan.shm + ACHI_HEADER_SIZE);
    e[1].size = 1ull << 40;
    CHECK_OK(replace_corrupt());
    CHECK_GET(&chan, 0, ACH_CORRUPT, 0);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void wakes(void)
{
    ach_channel_t chan;
    struct waiter w;

    make(4, 64);
    open_it(&chan);
    waiter_start(&w, &chan, 0);
    let_sleep();
    truncate_it(4, 64);
    CHECK_STATUS(waiter_end(&w), ACH_CORRUPT);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static int open_always(void *stop)
{
    ach_channel_t chan;

    while (!load_word(stop)) {
        CHECK_OK(backend->open(&chan, CHAN, NULL));
        if (check_failures)
            break;
        CHECK_OK(ach_close(&chan));
    }
    return check_result();
}

/* Has the channel's file name been removed since the watch began? */
static bool name_went(int watch)
{
    char buf[4096] __attribute__((aligned(8)));
    const char *name = strrchr(path_of(CHAN), '/') + 1;
    ssize_t n = read(watch, buf, sizeof(buf));
    bool went = false;
    ssize_t at = 0;

    while (at < n) {
        const struct inotify_event *e = (const struct inotify_event *)(void *)(buf + at);

        went = went || (e->len && strcmp(e->name, name) == 0);
        at += (ssize_t)sizeof(*e) + e->len;
    }
    return went;
}

/* There is no moment without a channel: its name is never removed. */
static void keeps_name(void)
{
    const char *dir = getenv("ACH_DIR");
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

    if (watch < 0 || inotify_add_watch(watch, dir ? dir : "/dev/shm", IN_DELETE) < 0)
        skip("cannot watch the channel directory");
    make(4, 64);
    truncate_it(4, 64);
    CHECK(!name_went(watch));
    remove_it();
    CHECK(name_went(watch));
    close(watch);
}

/* An open during a replacement gets the old channel or the new one. */
static void no_gap(void)
{
    uint32_t *stop = check_shared(sizeof(*stop));
    uint64_t i, n = check_scale(300);
    pid_t pid;

    make(4, 64);
    pid = start_child(open_always, stop);
    for (i = 0; i < n; i++)
        truncate_it(4, 64);
    store_word(stop, 1);
    CHECK(check_child(pid, 30000));
    remove_it();
    munmap(stop, sizeof(*stop));
}

static void good_stays(void)
{
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 1);
    CHECK_STATUS(replace_corrupt(), ACH_EEXIST);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

struct swap {
    char here[PATH_SIZE], there[PATH_SIZE];
    uint32_t began, stop;
};

static int swap_names(void *cx)
{
    struct swap *swap = cx;

    while (!load_word(&swap->stop)) {
        REQUIRE(renameat2(AT_FDCWD, swap->here, AT_FDCWD, swap->there, RENAME_EXCHANGE) == 0);
        store_word(&swap->began, 1);
    }
    return check_result();
}

/* A channel that was damaged at the first check and is good at the last one is not replaced. */
static void good_returns(void)
{
    uint64_t i, n = check_scale(200);
    struct swap *swap = check_shared(sizeof(*swap));
    ach_channel_t good;
    pid_t pid;
    int tries;

    snprintf(swap->here, sizeof(swap->here), "%s", path_of(CHAN));
    snprintf(swap->there, sizeof(swap->there), "%s", path_of("aside"));
    for (i = 0; i < n; i++) {
        make(4, 64);
        open_it(&good);
        write_file("aside", 100, 'x');
        swap->began = swap->stop = 0;
        pid = start_child(swap_names, swap);
        while (!load_word(&swap->began))
            ;
        for (tries = 0; tries < 20 && replace_corrupt() != ACH_OK; tries++)
            ;
        store_word(&swap->stop, 1);
        CHECK(check_child(pid, 30000));
        CHECK(!info_of(&good).replaced);
        CHECK_OK(ach_close(&good));
        CHECK(unlink(swap->here) == 0 && unlink(swap->there) == 0);
    }
    munmap(swap, sizeof(*swap));
}

static void check_usable(void)
{
    ach_channel_t chan;

    open_it(&chan);
    put_range(&chan, 1, 1);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void bad_files(void)
{
    CHECK_OK(replace_corrupt());
    check_usable();
    write_file(CHAN, 0, 0);
    CHECK_STATUS(create(CHAN, 4, 64), ACH_EEXIST);
    CHECK_OK(replace_corrupt());
    check_usable();
    write_file(CHAN, 100000, 'x');
    CHECK_OK(replace_corrupt());
    check_usable();
    write_file(CHAN, 100000, 'x');
    truncate_it(4, 64);
    check_usable();
    REQUIRE(symlink("nowhere", path_of(CHAN)) == 0);
    CHECK_OK(replace_corrupt());
    check_usable();
}

/* A channel whose newest entry is not the one that the commit word names. */
static void bad_memory(void)
{
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 2);
    store_word(&chan.shm->commit, 7 * ACHI_ONE_MESSAGE);
    CHECK_STATUS(put_number(&chan, 3, 16), ACH_CORRUPT);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(replace_corrupt());
    check_usable();
}

/* A channel of another layout version is not replaced, because its users cannot be notified. */
static void other_version(void)
{
    ach_create_attr_t attr;
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    store_word(&chan.shm->version, ACHI_VERSION_TYPED + 1);
    CHECK_STATUS(replace_corrupt(), ACH_BAD_HEADER);
    CHECK(strstr(ach_errstr(), "another layout") && strstr(ach_errstr(), "ach rm " CHAN));
    ach_create_attr_init(&attr);
    REQUIRE_OK(ach_create_attr_set_truncate(&attr, 1));
    CHECK_STATUS(backend->create(CHAN, 4, 64, &attr), ACH_BAD_HEADER);
    CHECK(!info_of(&chan).replaced && !info_of(&chan).unlinked);
    put_range(&chan, 1, 1);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(backend->unlink(CHAN));
    CHECK_OK(replace_corrupt());
    check_usable();
}

/* The path of a temporary file: a channel before it gets its name, or after it was replaced. */
static const char *leftover(const char *tail)
{
    static char path[PATH_SIZE];
    const char *chan = path_of(CHAN), *name = strrchr(chan, '/') + 1;

    REQUIRE(snprintf(path, sizeof(path), "%.*s.%s%s", (int)(name - chan), chan, name, tail) <
            (int)sizeof(path));
    return path;
}

static int make_leftover(const char *tail)
{
    int fd = open(leftover(tail), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);

    REQUIRE(fd >= 0);
    return fd;
}

static bool is_left(const char *tail)
{
    return access(leftover(tail), F_OK) == 0;
}

/* A process died after it replaced the channel: the next replacement notifies the old users. */
static void told_by_next(void)
{
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    REQUIRE(rename(path_of(CHAN), leftover(".1.0")) == 0);
    make(4, 64);
    truncate_it(4, 64);
    CHECK(!is_left(".1.0"));
    CHECK_STATUS(put_number(&chan, 1, 16), ACH_CORRUPT);
    CHECK(info_of(&chan).replaced);
    CHECK_OK(ach_close(&chan));
    check_usable();
}

/* Opening the new channel notifies the users of the old one too. */
static void told_by_user(void)
{
    ach_channel_t old, heir;

    if (!have_nameless_files())
        skip("who makes a channel sweeps, where files have no nameless beginning");
    make(4, 64);
    open_it(&old);
    REQUIRE(rename(path_of(CHAN), leftover(".1.0")) == 0);
    make(4, 64);
    open_it(&heir);
    CHECK_OK(put_number(&old, 1, 16));
    heir.shm->heir = 1; /* as the maker set it before it died */
    CHECK_OK(ach_close(&heir));
    open_it(&heir);
    CHECK(!is_left(".1.0"));
    CHECK(heir.shm->heir == 0);
    CHECK_STATUS(put_number(&old, 1, 16), ACH_CORRUPT);
    CHECK_OK(ach_close(&heir));
    CHECK_OK(ach_close(&old));
    check_usable();
}

/* Neither kind of file lock of a reader makes a replacement wait for its time limit of 1 s. */
static void readers_hold_up_nobody(void)
{
    struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    int reader, i;

    make(4, 64);
    for (i = 0; i < 20; i++) {
        uint64_t begin = check_now_ns();

        reader = open(path_of(CHAN), O_RDONLY | O_CLOEXEC);
        REQUIRE(reader >= 0 && flock(reader, LOCK_EX | LOCK_NB) == 0);
        REQUIRE(fcntl(reader, F_OFD_SETLK, &all) == 0);
        truncate_it(4, 64);
        close(reader);
        if (check_now_ns() - begin < 900000000u)
            break; /* a busy machine may take as long once, but not each time */
    }
    CHECK(i < 20);
    check_usable();
}

/* Files left by dead makers are removed; locked files, and those of other channels, stay. */
static void sweeps(void)
{
    int dead, living, other, longer;

    make(4, 64);
    dead = make_leftover(".1.0");
    living = make_leftover(".1.1");
    other = make_leftover(".d.1.0");
    longer = make_leftover("2.1.0");
    REQUIRE(flock(living, LOCK_EX | LOCK_NB) == 0);
    truncate_it(4, 64);
    CHECK(!is_left(".1.0"));
    CHECK(is_left(".1.1"));
    CHECK(is_left(".d.1.0"));
    CHECK(is_left("2.1.0"));
    close(living);
    truncate_it(4, 64);
    CHECK(!is_left(".1.1"));
    CHECK(unlink(leftover(".d.1.0")) == 0);
    CHECK(unlink(leftover("2.1.0")) == 0);
    close(dead);
    close(other);
    close(longer);
    check_usable();
}

/* A locked file of another user does not make every open of the channel sweep again. */
static void foreign_leftover(void)
{
    int locked = make_leftover(".1.1");
    ach_channel_t chan;

    if (fchown(locked, 65534, 65534) != 0) {
        close(locked);
        unlink(leftover(".1.1"));
        skip("this user cannot make another one's file");
    }
    REQUIRE(flock(locked, LOCK_EX | LOCK_NB) == 0);
    make(4, 64);
    open_it(&chan);
    chan.shm->heir = 1;
    CHECK_OK(ach_close(&chan));
    open_it(&chan);
    CHECK(chan.shm->heir == 0);
    CHECK(is_left(".1.1"));
    CHECK_OK(ach_close(&chan));
    CHECK(unlink(leftover(".1.1")) == 0);
    close(locked);
    check_usable();
}

/* A maker died when its channel had its name, but still had the temporary name too. */
static void second_name(void)
{
    ach_channel_t chan;

    make(4, 64);
    open_it(&chan);
    REQUIRE(link(path_of(CHAN), leftover(".1.0")) == 0);
    chan.shm->heir = 1;
    CHECK_OK(ach_close(&chan));
    open_it(&chan);
    CHECK(!is_left(".1.0"));
    CHECK(!info_of(&chan).replaced);
    CHECK_OK(ach_close(&chan));
    check_usable();
}

static const struct test tests[] = {
    {"replace-fresh", fresh, NAMED, NO_NAME},
    {"replace-recreates", recreates, NAMED, NO_NAME},
    {"replace-old-handles", old_handles, NAMED, NO_NAME},
    {"replace-told-by-two", told_by_two, NAMED, ONE_PROCESS},
    {"replace-truncate-by-two", truncate_by_two, NAMED, ONE_PROCESS},
    {"replace-by-one", replace_by_one, USER, NO_FILE},
    {"replace-told-by-next", told_by_next, USER, NO_FILE},
    {"replace-told-by-user", told_by_user, USER, NO_FILE},
    {"replace-despite-readers", readers_hold_up_nobody, USER, NO_FILE},
    {"replace-sweeps", sweeps, USER, NO_FILE},
    {"replace-foreign-leftover", foreign_leftover, USER, NO_FILE},
    {"replace-second-name", second_name, USER, NO_FILE},
    {"replace-bad-entry", bad_entry, USER, NO_FILE},
    {"replace-wakes", wakes, NAMED, NO_NAME},
    {"replace-keeps-name", keeps_name, USER, NO_FILE},
    {"replace-no-gap", no_gap, NAMED, NO_NAME},
    {"replace-good-stays", good_stays, NAMED, NO_NAME},
    {"replace-good-returns", good_returns, USER, NO_FILE},
    {"replace-bad-files", bad_files, USER, NO_FILE},
    {"replace-bad-memory", bad_memory, USER, NO_FILE},
    {"replace-other-version", other_version, USER, NO_FILE},
};
THEME(replace_theme, tests);
