/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * least-privilege.c - read permission is enough to subscribe, and for nothing else (G8)
 *
 * The subscriber is another user, who may read the channels and not write them.
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "check.h"

#define NOBODY 65534
#define PLAIN "open"
#define WAKING "open-wake"
#define ROUNDS 50

static const struct timespec patience = {.tv_sec = 30};

static void become_nobody(void)
{
    REQUIRE(setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    /* Needed to read /proc/self/fd after the change of user. */
    REQUIRE(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
}

/* The descriptor by which the library has opened the file, or -1. */
static int descriptor_of(const char *path)
{
    char link[64], target[300];
    struct dirent *e;
    DIR *d = opendir("/proc/self/fd");
    int found = -1;

    REQUIRE(d);
    while ((e = readdir(d))) {
        ssize_t n;

        snprintf(link, sizeof(link), "/proc/self/fd/%.20s", e->d_name);
        n = readlink(link, target, sizeof(target) - 1);
        if (n > 0 && (size_t)n == strlen(path) && memcmp(target, path, (size_t)n) == 0)
            found = atoi(e->d_name);
    }
    closedir(d);
    return found;
}

/* Neither the descriptor nor the mapping can be turned into a writable one. */
static void cannot_write(const char *name, ach_channel_t *chan)
{
    char path[256], again[64];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int fd;

    REQUIRE_OK(ach_channel_path(name, path, sizeof(path)));
    fd = descriptor_of(path);
    CHECK(fd >= 0);
    CHECK(mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
    CHECK(errno == EACCES);
    CHECK(mprotect(chan->shm, page, PROT_READ | PROT_WRITE) != 0 && errno == EACCES);
    CHECK(write(fd, "x", 1) < 0 && errno == EBADF);
    CHECK(ftruncate(fd, 0) != 0);
    CHECK(fchmod(fd, 0666) != 0);
    snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
    CHECK(open(again, O_RDWR) < 0 && errno == EACCES);
    CHECK(open(path, O_RDWR) < 0 && errno == EACCES);
}

static void cannot_put(const char *name, ach_channel_t *chan)
{
    ach_channel_t source;
    ach_attr_t attr;
    ach_info_t info;
    void *room;

    CHECK_OK(ach_channel_info(chan, &info));
    CHECK(info.readonly);
    CHECK_STATUS(ach_put(chan, "x", 1), ACH_EACCES);
    CHECK_STATUS(ach_reserve(chan, 1, &room), ACH_EACCES);
    CHECK_STATUS(ach_chmod(chan, 0666), ACH_EACCES);
    CHECK_STATUS(ach_unlink(name), ACH_EACCES);
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    CHECK_STATUS(ach_open(&source, name, &attr), ACH_EACCES);
    CHECK_STATUS(ach_create(name, 1, 1, NULL), ACH_EEXIST);
    CHECK_STATUS(ach_create("mine", 1, 1, NULL), ACH_EACCES);
}

static void subscribe(const char *name, uint32_t *waiting)
{
    ach_wait_item_t item;
    ach_channel_t chan;
    uint64_t message;
    const void *view;
    size_t size;
    uint32_t i;

    REQUIRE_OK(ach_open(&chan, name, NULL));
    cannot_put(name, &chan);
    cannot_write(name, &chan);
    CHECK_OK(ach_flush(&chan));
    item.chan = &chan;
    for (i = 1; i <= ROUNDS; i++) {
        __atomic_store_n(waiting, i, __ATOMIC_RELEASE);
        if (i % 2)
            CHECK_OK(ach_wait(&item, 1, &patience, ACH_O_RELTIME));
        REQUIRE_OK(ach_get(&chan, &message, sizeof(message), &size, &patience,
                           ACH_O_WAIT | ACH_O_RELTIME));
        CHECK(message == i);
        CHECK_OK(ach_view(&chan, &view, &size, NULL, ACH_O_COPY));
        CHECK(size == sizeof(message) && memcmp(view, &message, size) == 0);
        CHECK_OK(ach_view_check(&chan));
    }
    CHECK_OK(ach_close(&chan));
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

static void serve(const char *name, const uint32_t *waiting, pid_t pid)
{
    ach_channel_t chan;
    uint64_t i;

    REQUIRE_OK(ach_open(&chan, name, NULL));
    for (i = 1; i <= ROUNDS; i++) {
        while (__atomic_load_n(waiting, __ATOMIC_ACQUIRE) < i && !has_ended(pid))
            check_sleep_ms(1);
        if (i % 3 == 0)
            check_sleep_ms(2);
        CHECK_OK(ach_put(&chan, &i, sizeof(i)));
    }
    CHECK_OK(ach_close(&chan));
}

static void exercise(const char *name)
{
    uint32_t *waiting = check_shared(sizeof(*waiting)); /* the subscriber's current round */
    pid_t pid;

    fflush(NULL);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        become_nobody();
        subscribe(name, waiting);
        exit(check_result());
    }
    serve(name, waiting, pid);
    CHECK(check_child(pid, 60000));
    munmap(waiting, sizeof(*waiting));
}

/* A user without read permission cannot open the channel. */
static void test_no_permission(void)
{
    ach_channel_t chan;
    pid_t pid;

    REQUIRE_OK(ach_open(&chan, PLAIN, NULL));
    CHECK_OK(ach_chmod(&chan, 0600));
    fflush(NULL);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        ach_channel_t mine;

        become_nobody();
        CHECK_STATUS(ach_open(&mine, PLAIN, NULL), ACH_EACCES);
        exit(check_result());
    }
    CHECK(check_child(pid, 60000));
    CHECK_OK(ach_close(&chan));
}

/* A handle opened read-only by its attribute cannot be turned into a writing one either. */
static void test_asked_for(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    ach_channel_t chan;
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    REQUIRE_OK(ach_open(&chan, PLAIN, &attr));
    CHECK_STATUS(ach_put(&chan, "x", 1), ACH_EACCES);
    CHECK(mprotect(chan.shm, page, PROT_READ | PROT_WRITE) != 0 && errno == EACCES);
    CHECK_OK(ach_close(&chan));
}

int main(void)
{
    ach_create_attr_t attr;

    if (getuid() != 0)
        check_skip("only root can become another user");
    REQUIRE(chmod(getenv("ACH_DIR"), 0755) == 0);
    ach_create_attr_init(&attr);
    ach_create_attr_set_mode(&attr, 0644);
    REQUIRE_OK(ach_create(PLAIN, 8, 100, &attr));
    ach_create_attr_set_readonly_wake(&attr, 1);
    REQUIRE_OK(ach_create(WAKING, 8, 100, &attr));
    exercise(PLAIN);
    exercise(WAKING);
    test_asked_for();
    test_no_permission();
    CHECK_OK(ach_unlink(PLAIN));
    CHECK_OK(ach_unlink(WAKING));
    return check_result();
}
