/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scarcity.c - no memory, no room, no descriptors: a clear status, and nothing left behind
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "check.h"

/* Sanitizers need more address space than any limit grants. */
static bool sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

/* Run in a process of its own, because the limits cannot be undone. */
static bool apart(int (*fun)(void))
{
    pid_t pid;

    pid = check_fork();
    if (pid == 0) {
        exit(fun());
    }
    return check_child(pid, 30000);
}

/* A creation fails with this errno, says why, and leaves nothing. */
static void fails(size_t frame_cnt, size_t frame_size, int error)
{
    unsigned before = check_entries(getenv("ACH_DIR"));

    errno = 0;
    CHECK_STATUS(ach_create("large", frame_cnt, frame_size, NULL), ACH_FAILED_SYSCALL);
    CHECK(errno == error);
    CHECK(strstr(ach_errstr(), strerror(error)) != NULL);
    CHECK(check_entries(getenv("ACH_DIR")) == before);
}

static void test_absurd(void)
{
    static const size_t sizes[][2] = {
        {SIZE_MAX, 1},         {1, SIZE_MAX},         {SIZE_MAX, SIZE_MAX},
        {SIZE_MAX / 2 + 2, 2}, {2, SIZE_MAX / 2 + 2}, {(1u << 28) + 1, 1},
    };
    ach_create_attr_t heap;
    size_t i;

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ach_create_attr_init(&heap);
        ach_create_attr_set_map(&heap, ACH_MAP_ANON);
        CHECK_STATUS(ach_create("absurd", sizes[i][0], sizes[i][1], NULL), ACH_EINVAL);
        CHECK_STATUS(ach_create(NULL, sizes[i][0], sizes[i][1], &heap), ACH_EINVAL);
    }
    if (sizeof(size_t) == 8) {
        fails(1u << 20, 1u << 24, ENOSPC);
        fails(1, (size_t)(1ull << 44), ENOSPC);
    }
}

static enum ach_status count_one(void *cx, const char *name, enum ach_map map)
{
    (void)name;
    (void)map;
    ++*(int *)cx;
    return ACH_OK;
}

static void test_directories(void)
{
    char *dir = strdup(getenv("ACH_DIR")), long_dir[5000], path[5000];
    int listed = 0;
    ach_channel_t chan;

    REQUIRE(dir);
    setenv("ACH_DIR", "/nonexistent/place", 1);
    CHECK_STATUS(ach_create("x", 1, 1, NULL), ACH_ENOENT);
    CHECK_STATUS(ach_open(&chan, "x", NULL), ACH_ENOENT);
    CHECK_STATUS(ach_list(count_one, &listed), ACH_ENOENT);
    CHECK(listed == 0);
    setenv("ACH_DIR", "/proc/self/stat", 1);
    CHECK_STATUS(ach_create("x", 1, 1, NULL), ACH_FAILED_SYSCALL);
    CHECK_STATUS(ach_open(&chan, "x", NULL), ACH_FAILED_SYSCALL);
    memset(long_dir, 'd', sizeof(long_dir) - 1);
    long_dir[sizeof(long_dir) - 1] = '\0';
    setenv("ACH_DIR", long_dir, 1);
    CHECK(ach_create("x", 1, 1, NULL) != ACH_OK);
    CHECK(ach_open(&chan, "x", NULL) != ACH_OK);
    CHECK(ach_channel_path("x", path, sizeof(path)) != ACH_OK);
    setenv("ACH_DIR", dir, 1);
    free(dir);
}

static int with_file_limit(void)
{
    struct rlimit limit = {.rlim_cur = 64 * 1024, .rlim_max = 64 * 1024};

    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    fails(1000, 1000, EFBIG);
    CHECK_OK(ach_create("fits", 4, 100, NULL));
    CHECK_OK(ach_unlink("fits"));
    return check_result();
}

static int with_address_limit(void)
{
    struct rlimit limit = {.rlim_cur = 64u << 20, .rlim_max = 64u << 20};
    ach_channel_t chan;

    CHECK_OK(ach_create("mapped", 1, 16u << 20, NULL));
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    fails(1, 17u << 20, ENOMEM);
    CHECK_STATUS(ach_open(&chan, "mapped", NULL), ACH_FAILED_SYSCALL);
    CHECK(errno == ENOMEM);
    CHECK_OK(ach_unlink("mapped"));
    return check_result();
}

/* Without free memory heap channels, reservations and threads fail; open channels still work. */
static int with_no_memory(void)
{
    struct rlimit limit = {.rlim_cur = 1, .rlim_max = 1};
    ach_create_attr_t heap;
    ach_channel_t chan;
    size_t size;
    void *room;
    int fd;

    ach_create_attr_init(&heap);
    ach_create_attr_set_map(&heap, ACH_MAP_ANON);
    REQUIRE_OK(ach_create("full", 4, 1u << 20, NULL));
    REQUIRE_OK(ach_open(&chan, "full", NULL));
    REQUIRE(setenv("ACH_FD", "thread", 1) == 0 && setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK_STATUS(ach_create(NULL, 4, 1u << 20, &heap), ACH_FAILED_SYSCALL);
    CHECK_STATUS(ach_reserve(&chan, 1u << 20, &room), ACH_FAILED_SYSCALL);
    CHECK_STATUS(ach_channel_fd(&chan, &fd), ACH_FAILED_SYSCALL);
    CHECK_OK(ach_put(&chan, "x", 1));
    CHECK_OK(ach_get(&chan, &fd, sizeof(fd), &size, NULL, 0));
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink("full"));
    return check_result();
}

static int with_few_descriptors(void)
{
    struct rlimit limit;
    ach_channel_t chan, before;
    int fd, next;

    CHECK_OK(ach_create("few", 4, 100, NULL));
    REQUIRE_OK(ach_open(&before, "few", NULL));
    next = dup(0);
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0 && next >= 0);
    close(next);
    limit.rlim_cur = (rlim_t)next;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK_STATUS(ach_create("none", 4, 100, NULL), ACH_FAILED_SYSCALL);
    CHECK(errno == EMFILE);
    CHECK_STATUS(ach_open(&chan, "few", NULL), ACH_FAILED_SYSCALL);
    CHECK(errno == EMFILE);
    CHECK_STATUS(ach_channel_fd(&before, &fd), ACH_FAILED_SYSCALL);
    CHECK(errno == EMFILE);
    limit.rlim_cur++; /* enough for an eventfd, not for a ring */
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK_OK(ach_channel_fd(&before, &fd));
    CHECK_OK(ach_close(&before));
    CHECK_OK(ach_unlink("few"));
    return check_result();
}

/* Write until no page is left. */
static void fill_up(const char *dir)
{
    static const char page[4096];
    char path[300];
    int fd;

    snprintf(path, sizeof(path), "%s/filler", dir);
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    REQUIRE(fd >= 0);
    while (write(fd, page, sizeof(page)) > 0)
        ;
    CHECK(errno == ENOSPC);
    close(fd);
}

/* An existing channel keeps its memory, however full the file system is. */
static void use_when_full(const char *dir)
{
    char message[1000] = "x";
    ach_channel_t chan;
    size_t i, size;

    fill_up(dir);
    fails(1, 1, ENOSPC);
    REQUIRE_OK(ach_open(&chan, "small", NULL));
    for (i = 1; i <= sizeof(message); i++) {
        CHECK_OK(ach_put(&chan, message, i));
        CHECK_OK(ach_get(&chan, message, sizeof(message), &size, NULL, ACH_O_LAST));
    }
    CHECK_OK(ach_close(&chan));
}

static int on_small_tmpfs(void)
{
    char dir[256];
    ach_channel_t chan;

    snprintf(dir, sizeof(dir), "%s/tmpfs", getenv("ACH_DIR"));
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mkdir(dir, 0700) != 0)
        return CHECK_SKIPPED;
    if (mount("none", dir, "tmpfs", 0, "size=128k") != 0) {
        rmdir(dir);
        return CHECK_SKIPPED;
    }
    setenv("ACH_DIR", dir, 1);
    CHECK_OK(ach_create("small", 10, 100, NULL));
    fails(16, 65536, ENOSPC);
    use_when_full(dir);
    CHECK(mount("none", dir, NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0);
    CHECK_STATUS(ach_create("more", 1, 1, NULL), ACH_EACCES);
    CHECK_OK(ach_open(&chan, "small", NULL));
    CHECK_STATUS(ach_put(&chan, "x", 1), ACH_EACCES);
    CHECK_OK(ach_close(&chan));
    CHECK_STATUS(ach_unlink("small"), ACH_EACCES);
    CHECK(umount(dir) == 0 && rmdir(dir) == 0);
    return check_result();
}

static void test_tmpfs(void)
{
    int status;
    pid_t pid;

    pid = check_fork();
    if (pid == 0) {
        exit(on_small_tmpfs());
    }
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status));
    if (WEXITSTATUS(status) == CHECK_SKIPPED)
        printf("not tried: a full tmpfs, because this user may not mount one\n");
    else
        CHECK(WEXITSTATUS(status) == 0);
}

int main(void)
{
    test_absurd();
    test_directories();
    CHECK(apart(with_file_limit));
    CHECK(sanitized() || apart(with_address_limit));
    CHECK(sanitized() || apart(with_no_memory));
    CHECK(apart(with_few_descriptors));
    test_tmpfs();
    return check_result();
}
