/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c - the files of shared-memory channels, and what else may stand in their place */
#include "conformance.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "layout.h"

/* Opening fails with this status every time, and leaves no descriptor. */
static void check_refused(enum ach_status want)
{
    unsigned before = open_descriptors();
    ach_channel_t chan;
    int i;

    for (i = 0; i < 3; i++)
        CHECK_STATUS(backend->open(&chan, CHAN, NULL), want);
    CHECK(open_descriptors() == before);
}

static void path(void)
{
    char path[PATH_SIZE], want[PATH_SIZE];
    const char *dir = getenv("ACH_DIR");
    struct stat st;
    size_t len;

    make(4, 64);
    snprintf(want, sizeof(want), "%s/achshm-%s", dir ? dir : "/dev/shm", CHAN);
    CHECK_OK(ach_channel_path(CHAN, path, sizeof(path)));
    CHECK(strcmp(path, want) == 0);
    CHECK(stat(path, &st) == 0 && S_ISREG(st.st_mode));
    len = strlen(want);
    memset(path, 'x', sizeof(path));
    CHECK_STATUS(ach_channel_path(CHAN, path, len), ACH_OVERFLOW);
    CHECK(path[0] == 'x');
    CHECK_OK(ach_channel_path(CHAN, path, len + 1));
    CHECK(strcmp(path, want) == 0);
    remove_it();
    CHECK(stat(want, &st) != 0);
    CHECK_OK(ach_channel_path("nobody", path, sizeof(path)));
}

static void directory(void)
{
    char path[PATH_SIZE], *own = getenv("ACH_DIR") ? strdup(getenv("ACH_DIR")) : NULL;

    unsetenv("ACH_DIR");
    CHECK_OK(ach_channel_path(CHAN, path, sizeof(path)));
    CHECK(strcmp(path, "/dev/shm/achshm-" CHAN) == 0);
    setenv("ACH_DIR", "/nonexistent/dir", 1);
    CHECK(create(CHAN, 4, 64) != ACH_OK);
    check_refused(ACH_ENOENT);
    if (own)
        setenv("ACH_DIR", own, 1);
    free(own);
}

static void not_a_channel(void)
{
    write_file(CHAN, 0, 0);
    check_refused(ACH_BAD_SHM_FILE);
    write_file(CHAN, 1, 0);
    check_refused(ACH_BAD_SHM_FILE);
    write_file(CHAN, 4096, 0);
    check_refused(ACH_BAD_SHM_FILE);
    write_file(CHAN, 65536, 'x');
    check_refused(ACH_BAD_SHM_FILE);
    CHECK_OK(ach_unlink(CHAN));
    CHECK_STATUS(ach_unlink(CHAN), ACH_ENOENT);
}

static void not_a_file(void)
{
    const char *p = path_of(CHAN);

    REQUIRE(mkdir(p, 0700) == 0);
    check_refused(ACH_BAD_SHM_FILE);
    REQUIRE(rmdir(p) == 0 && mkfifo(p, 0600) == 0);
    check_refused(ACH_BAD_SHM_FILE);
    REQUIRE(unlink(p) == 0 && symlink("/dev/zero", p) == 0);
    check_refused(ACH_BAD_SHM_FILE);
    REQUIRE(unlink(p) == 0 && symlink("nowhere", p) == 0);
    check_refused(ACH_BAD_SHM_FILE);
    CHECK_STATUS(create(CHAN, 4, 64), ACH_EEXIST);
    CHECK_OK(ach_unlink(CHAN));
}

/* A channel's file that was shortened or lengthened. */
static void other_length(void)
{
    struct stat st;

    make(4, 64);
    REQUIRE(stat(path_of(CHAN), &st) == 0);
    REQUIRE(truncate(path_of(CHAN), st.st_size - 4096) == 0);
    check_refused(ACH_BAD_SHM_FILE);
    REQUIRE(truncate(path_of(CHAN), st.st_size + 4096) == 0);
    check_refused(ACH_BAD_SHM_FILE);
    REQUIRE(truncate(path_of(CHAN), sizeof(struct ach_header)) == 0);
    check_refused(ACH_BAD_SHM_FILE);
    REQUIRE(truncate(path_of(CHAN), 0) == 0);
    check_refused(ACH_BAD_SHM_FILE);
    remove_it();
}

static void write_field(size_t offset, const void *value, size_t size)
{
    int fd = open(path_of(CHAN), O_WRONLY | O_CLOEXEC);

    REQUIRE(fd >= 0 && pwrite(fd, value, size, (off_t)offset) == (ssize_t)size);
    close(fd);
}

/* A file with any size field altered is refused. */
static void altered_sizes(void)
{
    static const size_t fields[] = {
        offsetof(struct ach_header, frame_cnt), offsetof(struct ach_header, frame_size),
        offsetof(struct ach_header, slots),     offsetof(struct ach_header, data_off),
        offsetof(struct ach_header, data_size), offsetof(struct ach_header, memory)};
    static const uint64_t values[] = {0, 1, 5, 4096, 1ull << 32, 1ull << 45, UINT64_MAX};
    size_t i, j;

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        for (j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
            make(7, 10000);
            write_field(fields[i], &values[j], 8);
            check_refused(ACH_BAD_SHM_FILE);
            remove_it();
        }
}

static void altered_words(void)
{
    static const struct {
        size_t offset;
        uint32_t value;
        enum ach_status want;
    } words[] = {
        {offsetof(struct ach_header, magic), 0, ACH_BAD_SHM_FILE},
        {offsetof(struct ach_header, version), ACHI_VERSION_TYPED, ACH_BAD_SHM_FILE},
        {offsetof(struct ach_header, version), ACHI_VERSION_TYPED + 1, ACH_BAD_HEADER},
        {offsetof(struct ach_header, type_size), 1, ACH_BAD_SHM_FILE},
        {offsetof(struct ach_header, version), 0, ACH_BAD_HEADER},
        {offsetof(struct ach_header, page), 1 << 20, ACH_BAD_HEADER},
        {offsetof(struct ach_header, flags), 0xffff, ACH_BAD_SHM_FILE},
        {offsetof(struct ach_header, flags), 0, ACH_BAD_SHM_FILE},
        {offsetof(struct ach_header, clock), 9999, ACH_BAD_SHM_FILE},
    };
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        make(4, 64);
        write_field(words[i].offset, &words[i].value, 4);
        check_refused(words[i].want);
        remove_it();
    }
}

/* The layout has fixed widths: 32- and 64-bit programs write the same bytes. */
static void fixed_layout(void)
{
    unsigned char head[80];
    uint32_t version;
    uint64_t frame_cnt;
    int fd;

    make(6, 100);
    fd = open(path_of(CHAN), O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head));
    close(fd);
    memcpy(&version, head + 8, 4);
    memcpy(&frame_cnt, head + 16, 8);
    CHECK(memcmp(head, "AChCHNL1", 8) == 0 && version == ACHI_VERSION && frame_cnt == 6);
    remove_it();
}

struct listing {
    char names[256];
    int stop_after;
};

static enum ach_status note(void *cx, const char *name, enum ach_map map)
{
    struct listing *l = cx;

    CHECK(map == backend->map);
    strcat(l->names, name);
    strcat(l->names, " ");
    return --l->stop_after == 0 ? ACH_CANCELED : ACH_OK;
}

static void list(void)
{
    static const char *const names[] = {"zeta", "a-b", "alpha", "B"};
    struct listing all = {"", 99}, some = {"", 2};
    size_t i;

    for (i = 0; i < 4; i++)
        REQUIRE_OK(create(names[i], 2, 16));
    CHECK_OK(ach_list(note, &all));
    CHECK(strcmp(all.names, "B a-b alpha zeta ") == 0);
    CHECK_STATUS(ach_list(note, &some), ACH_CANCELED);
    CHECK(strcmp(some.names, "B a-b ") == 0);
    for (i = 0; i < 4; i++)
        REQUIRE_OK(backend->unlink(names[i]));
}

/* Only files with names of channels are listed. */
static void list_others(void)
{
    const char *const others[] = {"achshm-", "achshm-a b", "achshm-.x", "other", ".achshm-x"};
    struct listing all = {"", 99};
    char path[PATH_SIZE];
    size_t i;
    int fd;

    if (!getenv("ACH_DIR"))
        skip("needs a channel directory of its own in ACH_DIR");
    for (i = 0; i < 5; i++) {
        snprintf(path, sizeof(path), "%s/%s", getenv("ACH_DIR"), others[i]);
        fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        REQUIRE(fd >= 0);
        close(fd);
    }
    CHECK_OK(ach_list(note, &all));
    CHECK(all.names[0] == '\0');
    for (i = 0; i < 5; i++) {
        snprintf(path, sizeof(path), "%s/%s", getenv("ACH_DIR"), others[i]);
        unlink(path);
    }
}

/* Write until there is no room. */
static void fill_up(void)
{
    static const char zeros[4096];
    int fd = open(path_of("fill"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    REQUIRE(fd >= 0);
    while (write(fd, zeros, sizeof(zeros)) > 0)
        ;
    CHECK(errno == ENOSPC);
    close(fd);
}

/* On a file system of 1 MiB: a channel gets all its memory at creation, or is not created. */
static void full(void)
{
    const char *dir = getenv("ACH_DIR");
    ach_channel_t chan;
    uint64_t i;

    if (!dir || unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("ach", dir, "tmpfs", 0, "size=1m") != 0)
        skip("cannot mount a small file system");
    errno = 0;
    CHECK_STATUS(create("large", 4, 1 << 20), ACH_FAILED_SYSCALL);
    CHECK(errno == ENOSPC);
    make(16, 4096);
    open_it(&chan);
    CHECK(create("second", 16, 1 << 15) != ACH_OK);
    fill_up();
    for (i = 1; i <= 200; i++)
        CHECK_OK(put_number(&chan, i, 4096));
    CHECK_GET(&chan, ACH_O_LAST, ACH_MISSED_FRAME, 200);
    CHECK_OK(ach_close(&chan));
    CHECK(umount2(dir, MNT_DETACH) == 0);
}

static const struct test tests[] = {
    {"file-path", path, USER, NO_FILE},
    {"file-directory", directory, USER, NO_FILE},
    {"file-not-a-channel", not_a_channel, USER, NO_FILE},
    {"file-not-a-file", not_a_file, USER, NO_FILE},
    {"file-other-length", other_length, USER, NO_FILE},
    {"file-altered-sizes", altered_sizes, USER, NO_FILE},
    {"file-altered-words", altered_words, USER, NO_FILE},
    {"file-fixed-layout", fixed_layout, USER, NO_FILE},
    {"file-list", list, NAMED, NO_NAME},
    {"file-list-others", list_others, USER, NO_FILE},
    {"file-full", full, USER, NO_FILE},
};
THEME(file_theme, tests);
