/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bad-files.c - whatever file has a channel's name, opening it gives a clear status (G9)
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "check.h"
#include "geometry.h"
#include "layout.h"

#define BAD (ACH_MASK_BAD_SHM_FILE | ACH_MASK_BAD_HEADER)

static char bad_path[256], good_path[256];

/* A file's bytes. */
struct image {
    unsigned char *bytes;
    size_t size;
};

static struct image image_read(const char *path)
{
    struct image m;
    int fd = open(path, O_RDONLY);

    REQUIRE(fd >= 0);
    m.size = (size_t)lseek(fd, 0, SEEK_END);
    m.bytes = malloc(m.size);
    REQUIRE(m.bytes && pread(fd, m.bytes, m.size, 0) == (ssize_t)m.size);
    close(fd);
    /* The copy has no wake file. Mark that as known, else an open may wait for a second. */
    ((struct ach_header *)(void *)m.bytes)->both_words = ACHI_BOTH_WORDS_KNOWN;
    return m;
}

static void file_write(const void *bytes, size_t n, uint64_t size)
{
    int fd = open(bad_path, O_RDWR | O_CREAT | O_TRUNC, 0600);

    REQUIRE(fd >= 0);
    REQUIRE(n == 0 || pwrite(fd, bytes, n, 0) == (ssize_t)n);
    REQUIRE(ftruncate(fd, (off_t)size) == 0);
    close(fd);
}

/* Whatever they return, calls on the handle do not crash. */
static void use(ach_channel_t *chan)
{
    char buf[64];
    size_t size;
    ach_info_t info;

    ach_get(chan, buf, sizeof(buf), &size, NULL, ACH_O_LAST);
    ach_put(chan, "x", 1);
    ach_get(chan, buf, sizeof(buf), &size, NULL, 0);
    ach_channel_info(chan, &info);
}

static enum ach_status try_open(const char *name, bool readonly)
{
    ach_channel_t chan;
    ach_attr_t attr;
    enum ach_status r;

    memset(&chan, 0xee, sizeof(chan));
    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, readonly);
    ach_attr_set_lock_timeout(&attr, 1000000);
    r = ach_open(&chan, name, &attr);
    if (r == ACH_OK) {
        use(&chan);
        CHECK_OK(ach_close(&chan));
    } else {
        CHECK_STATUS(ach_close(&chan), ACH_CLOSED);
        CHECK(strlen(ach_errstr()) > 10);
    }
    return r;
}

/* The file "bad" is refused read-write and read-only, with one of these statuses. */
static void refused(ach_mask_t mask, const char *what, unsigned long long detail)
{
    int readonly;

    for (readonly = 0; readonly < 2; readonly++) {
        enum ach_status r = try_open("bad", readonly);

        if (!CHECK(ach_status_match(r, mask)))
            fprintf(stderr, "%s (%llu): %s (%s)\n", what, detail, ach_result_to_string(r),
                    ach_errstr());
    }
}

static void test_lengths(const struct image *good)
{
    const struct ach_header *h = (const struct ach_header *)(const void *)good->bytes;
    const uint64_t lengths[] = {
        0,
        1,
        7,
        8,
        79,
        80,
        128,
        256,
        383,
        384,
        385,
        4095,
        4096,
        4097,
        h->data_off,
        h->data_off - 1,
        good->size - 4096,
        good->size - 1,
        good->size + 1,
        good->size + 4096,
    };
    size_t i;

    for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        size_t n = lengths[i] < good->size ? (size_t)lengths[i] : good->size;

        file_write(good->bytes, n, lengths[i]);
        refused(ACH_MASK_BAD_SHM_FILE, "length", lengths[i]);
    }
}

static void test_random_bytes(const struct image *good)
{
    unsigned char *noise = malloc(good->size);
    uint64_t rng = 5;
    size_t i;
    int round;

    REQUIRE(noise);
    for (round = 0; round < 50; round++) {
        for (i = 0; i < good->size; i++)
            noise[i] = (unsigned char)check_random(&rng);
        file_write(noise, good->size, good->size);
        refused(ACH_MASK_BAD_SHM_FILE, "noise", (unsigned)round);
    }
    free(noise);
    file_write("", 0, 1ull << 40);
    refused(ACH_MASK_BAD_SHM_FILE, "a huge file of nothing", 1ull << 40);
}

#define FIELD(name, value, mask)                                                                   \
    {                                                                                              \
#name, offsetof(struct ach_header, name), sizeof(((struct ach_header *)0)->name), value,   \
            mask                                                                                   \
    }

/* Each field that is fixed at creation. */
static void test_fields(const struct image *good)
{
    const struct ach_header *h = (const struct ach_header *)(const void *)good->bytes;
    const struct {
        const char *name;
        size_t at, size;
        uint64_t value;
        ach_mask_t mask;
    } fields[] = {
        FIELD(magic, h->magic + 1, ACH_MASK_BAD_SHM_FILE),
        FIELD(magic, __builtin_bswap64(h->magic), ACH_MASK_BAD_SHM_FILE),
        FIELD(version, ACHI_VERSION_TYPED + 1, ACH_MASK_BAD_HEADER),
        FIELD(version, ACHI_VERSION_TYPED, ACH_MASK_BAD_SHM_FILE),
        FIELD(type_size, 1, ACH_MASK_BAD_SHM_FILE),
        FIELD(type_size, UINT32_MAX, ACH_MASK_BAD_SHM_FILE),
        FIELD(flags, h->flags | ACHI_F_ORIGINS, ACH_MASK_BAD_SHM_FILE),
        FIELD(flags, h->flags | ACHI_F_LOWERED, ACH_MASK_BAD_SHM_FILE),
        FIELD(version, 0, ACH_MASK_BAD_HEADER),
        FIELD(page, h->page * 2, ACH_MASK_BAD_HEADER),
        FIELD(page, 0, ACH_MASK_BAD_HEADER),
        FIELD(flags, h->flags | 0x80, ACH_MASK_BAD_SHM_FILE),
        FIELD(flags, h->flags & ~(uint32_t)ACHI_F_MIRRORED, ACH_MASK_BAD_SHM_FILE),
        FIELD(frame_cnt, 0, ACH_MASK_BAD_SHM_FILE),
        FIELD(frame_cnt, h->frame_cnt * 64, ACH_MASK_BAD_SHM_FILE),
        FIELD(frame_cnt, UINT64_MAX, ACH_MASK_BAD_SHM_FILE),
        FIELD(frame_size, 0, ACH_MASK_BAD_SHM_FILE),
        FIELD(frame_size, h->frame_size * 64, ACH_MASK_BAD_SHM_FILE),
        FIELD(frame_size, UINT64_MAX / h->frame_cnt + 1, ACH_MASK_BAD_SHM_FILE),
        FIELD(slots, h->slots * 2, ACH_MASK_BAD_SHM_FILE),
        FIELD(slots, 0, ACH_MASK_BAD_SHM_FILE),
        FIELD(data_off, h->data_off - 64, ACH_MASK_BAD_SHM_FILE),
        FIELD(data_off, UINT64_MAX, ACH_MASK_BAD_SHM_FILE),
        FIELD(data_size, h->data_size + 4096, ACH_MASK_BAD_SHM_FILE),
        FIELD(data_size, 0, ACH_MASK_BAD_SHM_FILE),
        FIELD(memory, h->memory + 1, ACH_MASK_BAD_SHM_FILE),
        FIELD(memory, 0, ACH_MASK_BAD_SHM_FILE),
        FIELD(clock, 12345, ACH_MASK_BAD_SHM_FILE),
        /* The CPU time of one process: a clock that may never move again. */
        FIELD(clock, (~(uint32_t)getppid() << 3) | 2, ACH_MASK_BAD_SHM_FILE),
    };
    unsigned char *copy = malloc(good->size);
    size_t i;

    REQUIRE(copy);
    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        memcpy(copy, good->bytes, good->size);
        memcpy(copy + fields[i].at, &fields[i].value, fields[i].size);
        file_write(copy, good->size, good->size);
        refused(fields[i].mask, fields[i].name, fields[i].value);
    }
    free(copy);
}

/* With any single byte changed, also in the variable part, a file is refused or usable. */
static void test_bytes(const struct image *good)
{
    static const unsigned char masks[] = {0x01, 0x80, 0xff};
    unsigned char *copy = malloc(good->size);
    size_t at, m;

    REQUIRE(copy);
    for (at = 0; at < ACHI_HEADER_SIZE + 256; at = at == 383 ? ACHI_HEADER_SIZE : at + 1)
        for (m = 0; m < sizeof(masks); m++) {
            memcpy(copy, good->bytes, good->size);
            copy[at] ^= masks[m];
            file_write(copy, good->size, good->size);
            refused(BAD | ACH_MASK_OK, "byte", at);
        }
    free(copy);
}

static void *first_put(void *chan)
{
    CHECK_STATUS(ach_put(chan, "x", 1), ACH_EACCES);
    return NULL;
}

/* A channel from another PID namespace can be read, not written, also by a new thread. */
static void test_stranger(const struct image *good, uint64_t pidns)
{
    unsigned char *copy = malloc(good->size);
    ach_channel_t chan;
    pthread_t thread;
    char buf[64];
    size_t size;

    REQUIRE(copy);
    memcpy(copy, good->bytes, good->size);
    ((struct ach_header *)(void *)copy)->pidns = pidns;
    file_write(copy, good->size, good->size);
    free(copy);
    REQUIRE_OK(ach_open(&chan, "bad", NULL));
    CHECK_OK(ach_get(&chan, buf, sizeof(buf), &size, NULL, ACH_O_LAST));
    CHECK_STATUS(ach_put(&chan, "x", 1), ACH_EACCES);
    REQUIRE(pthread_create(&thread, NULL, first_put, &chan) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    CHECK_OK(ach_close(&chan));
}

/* A file with the memory of a valid heap channel, whose ring is not mirrored, is refused. */
static void test_unmirrored(void)
{
    ach_create_attr_t create;
    ach_attr_t attr;
    ach_channel_t chan;
    ach_info_t info;
    struct ach_header *shm;

    ach_create_attr_init(&create);
    ach_create_attr_set_map(&create, ACH_MAP_ANON);
    REQUIRE_OK(ach_create(NULL, 4, 100, &create));
    REQUIRE_OK(ach_create_attr_get_shm(&create, &shm));
    ach_attr_init(&attr);
    ach_attr_set_shm(&attr, shm);
    REQUIRE_OK(ach_open(&chan, NULL, &attr));
    REQUIRE_OK(ach_channel_info(&chan, &info));
    file_write(shm, (size_t)info.memory, info.memory);
    CHECK_OK(ach_close(&chan));
    refused(ACH_MASK_BAD_SHM_FILE, "not mirrored", 0);
}

/* A valid header in a sparse file larger than any memory. */
static void test_huge(void)
{
    struct achi_geometry g;
    struct ach_header *h = calloc(1, ACHI_HEADER_SIZE + 128);
    int readonly;

    REQUIRE(h);
    REQUIRE_OK(
        achi_geometry_init(&g, 1, 1ull << 44, (uint32_t)sysconf(_SC_PAGESIZE), ACHI_F_MIRRORED, 0));
    h->version = ACHI_VERSION;
    h->magic = ACHI_MAGIC;
    h->flags = g.flags;
    h->frame_cnt = g.frame_cnt;
    h->frame_size = g.frame_size;
    h->slots = g.slots;
    h->data_off = g.data_off;
    h->data_size = g.data_size;
    h->memory = g.memory;
    h->page = g.page;
    h->clock = CLOCK_MONOTONIC;
    file_write(h, ACHI_HEADER_SIZE, g.memory);
    free(h);
    for (readonly = 0; readonly < 2; readonly++)
        CHECK(ach_status_match(try_open("bad", readonly), ACH_MASK_BAD_SHM_FILE));
}

static void make_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    REQUIRE(fd >= 0 && strlen(bad_path) < sizeof(address.sun_path));
    strcpy(address.sun_path, bad_path);
    REQUIRE(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
    close(fd);
}

/* Files that are not regular: opening must not hang, follow links, or disturb them. */
static void test_kinds(void)
{
    unlink(bad_path);
    CHECK_STATUS(try_open("bad", false), ACH_ENOENT);
    REQUIRE(mkdir(bad_path, 0700) == 0);
    refused(ACH_MASK_BAD_SHM_FILE, "directory", 0);
    CHECK_STATUS(ach_create("bad", 1, 1, NULL), ACH_EEXIST);
    CHECK(ach_unlink("bad") != ACH_OK);
    rmdir(bad_path);
    REQUIRE(mkfifo(bad_path, 0600) == 0);
    refused(ACH_MASK_BAD_SHM_FILE, "fifo", 0);
    CHECK_OK(ach_unlink("bad"));
    make_socket();
    refused(ACH_MASK_BAD_SHM_FILE, "socket", 0);
    unlink(bad_path);
    REQUIRE(symlink(good_path, bad_path) == 0);
    refused(ACH_MASK_BAD_SHM_FILE, "link to a channel", 0);
    unlink(bad_path);
    REQUIRE(symlink("nowhere", bad_path) == 0);
    refused(ACH_MASK_BAD_SHM_FILE, "dangling link", 0);
    unlink(bad_path);
    if (mknod(bad_path, S_IFCHR | 0600, (dev_t)0x0103) == 0) {
        refused(ACH_MASK_BAD_SHM_FILE | ACH_MASK_EACCES, "device", 0);
        unlink(bad_path);
    }
}

/* Creating a channel whose name another file has. */
static void test_replace(void)
{
    ach_create_attr_t attr;
    struct stat st;

    ach_create_attr_init(&attr);
    ach_create_attr_set_replace_corrupt(&attr, 1);
    CHECK_STATUS(ach_create("good", 2, 10, &attr), ACH_EEXIST);
    file_write("nonsense", 8, 100);
    CHECK_STATUS(ach_create("bad", 2, 10, NULL), ACH_EEXIST);
    CHECK_OK(ach_create("bad", 2, 10, &attr));
    CHECK_OK(try_open("bad", false));
    unlink(bad_path);
    REQUIRE(symlink(good_path, bad_path) == 0);
    ach_create_attr_set_truncate(&attr, 1);
    CHECK_OK(ach_create("bad", 2, 10, &attr));
    CHECK(lstat(bad_path, &st) == 0 && S_ISREG(st.st_mode));
    CHECK_OK(try_open("good", false));
    CHECK_OK(ach_unlink("bad"));
    REQUIRE(mkdir(bad_path, 0700) == 0);
    CHECK(ach_create("bad", 2, 10, &attr) != ACH_OK);
    rmdir(bad_path);
}

/* A message appears in a single-writer channel while its source writes into a reservation. */
static void test_reservation_overtaken(void)
{
    ach_create_attr_t attr;
    ach_attr_t source;
    ach_channel_t chan;
    void *room;

    ach_create_attr_init(&attr);
    ach_create_attr_set_single_writer(&attr, 1);
    ach_attr_init(&source);
    ach_attr_set_lock_source(&source, 1);
    REQUIRE_OK(ach_create("single", 4, 100, &attr));
    REQUIRE_OK(ach_open(&chan, "single", &source));
    REQUIRE_OK(ach_reserve(&chan, 100, &room));
    __atomic_fetch_add(&chan.shm->commit, ACHI_ONE_MESSAGE, __ATOMIC_SEQ_CST);
    CHECK_STATUS(ach_commit(&chan, 100), ACH_CORRUPT);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink("single"));
}

int main(void)
{
    ach_channel_t chan;
    struct image good;

    REQUIRE_OK(ach_channel_path("good", good_path, sizeof(good_path)));
    REQUIRE_OK(ach_channel_path("bad", bad_path, sizeof(bad_path)));
    REQUIRE_OK(ach_create("good", 4, 100, NULL));
    REQUIRE_OK(ach_open(&chan, "good", NULL));
    CHECK_OK(ach_put(&chan, "hello", 5));
    CHECK_OK(ach_close(&chan));
    good = image_read(good_path);
    file_write(good.bytes, good.size, good.size);
    CHECK_OK(try_open("bad", false));
    test_lengths(&good);
    test_random_bytes(&good);
    test_fields(&good);
    test_bytes(&good);
    test_stranger(&good, 1);
    test_stranger(&good, 0);
    test_unmirrored();
    test_huge();
    test_kinds();
    test_replace();
    test_reservation_overtaken();
    free(good.bytes);
    CHECK_OK(ach_unlink("good"));
    return check_result();
}
