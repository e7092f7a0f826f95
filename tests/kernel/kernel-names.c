/* SPDX-License-Identifier: BSD-3-Clause */
/* Creating, removing and replacing channels, while others have them open; their owners. */
#include "device.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#define NAME "test-names"
#define OTHER "test-names-other"
#define SOMEBODY 12345

static int control;

static int create(const char *name, uint32_t flags, uint32_t mode)
{
    struct ach_kernel_create wish = device_wish(name, 4, 64);

    wish.flags = flags;
    wish.mode = mode;
    return ioctl(control, ACH_KERNEL_CREATE, &wish);
}

static void names(void)
{
    static const char *const bad[] = {"", ".hidden", "a/b", "a b", "..", "\xc3\xa4", "a\n", "%s*"};
    struct ach_kernel_create full = device_wish("", 4, 64);
    struct ach_kernel_name name;
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        CHECK_ERRNO(create(bad[i], 0, 0600), EINVAL);
        CHECK_ERRNO(device_unlink(control, bad[i]), EINVAL);
    }
    memset(full.name, 'a', sizeof(full.name));
    memset(name.name, 'a', sizeof(name.name));
    CHECK_ERRNO(ioctl(control, ACH_KERNEL_CREATE, &full), EINVAL);
    CHECK_ERRNO(ioctl(control, ACH_KERNEL_UNLINK, &name), EINVAL);
    full.name[sizeof(full.name) - 1] = name.name[sizeof(name.name) - 1] = '\0';
    CHECK(ioctl(control, ACH_KERNEL_CREATE, &full) == 0);
    CHECK(ioctl(control, ACH_KERNEL_UNLINK, &name) == 0);
    CHECK(create("-._9Zz", 0, 0600) == 0);
    CHECK(device_unlink(control, "-._9Zz") == 0);
    CHECK_ERRNO(device_unlink(control, "-._9Zz"), ENOENT);
}

static void bad_wishes(void)
{
    struct ach_kernel_create wish = device_wish(OTHER, 4, 64), w;

#define WITH(field, value) (w = wish, w.field = (value), ioctl(control, ACH_KERNEL_CREATE, &w))
    CHECK_ERRNO(WITH(frame_cnt, 0), EINVAL);
    CHECK_ERRNO(WITH(frame_size, 0), EINVAL);
    CHECK_ERRNO(WITH(frame_cnt, UINT64_MAX), EINVAL);
    CHECK_ERRNO(WITH(frame_size, UINT64_MAX), EINVAL);
    CHECK_ERRNO(WITH(frame_size, 1ull << 63), EINVAL);
    CHECK_ERRNO(WITH(frame_size, 1ull << 40), EFBIG);
    CHECK_ERRNO(WITH(flags, 8), EINVAL);
    CHECK_ERRNO(WITH(flags, 0x80000000), EINVAL);
    CHECK_ERRNO(WITH(clock, CLOCK_THREAD_CPUTIME_ID), EINVAL);
    CHECK_ERRNO(WITH(clock, -3), EINVAL);
    CHECK_ERRNO(WITH(mode, 01777), EINVAL);
    CHECK_ERRNO(WITH(type_size, 1), EINVAL);
#undef WITH
    CHECK_ERRNO(device_open(OTHER, O_RDWR), ENOENT);
}

/* The module stores the bytes of a type, and leaves nothing if it cannot. */
static void types(void)
{
    struct ach_kernel_create_typed wish = {.create = device_wish(OTHER, 4, 64)};
    static const char bytes[] = "any bytes";

    wish.create.type_size = sizeof(bytes);
    wish.type = 8; /* not mapped */
    CHECK_ERRNO(ioctl(control, ACH_KERNEL_CREATE_TYPED, &wish), EFAULT);
    wish.type = (uintptr_t)bytes;
    wish.create.type_size = (1u << 20) + 1;
    CHECK_ERRNO(ioctl(control, ACH_KERNEL_CREATE_TYPED, &wish), EINVAL);
    CHECK_ERRNO(device_open(OTHER, O_RDWR), ENOENT);
    wish.create.type_size = sizeof(bytes);
    CHECK(ioctl(control, ACH_KERNEL_CREATE_TYPED, &wish) == 0);
    CHECK_ERRNO(ioctl(control, ACH_KERNEL_CREATE_TYPED, &wish), EEXIST);
    CHECK(device_unlink(control, OTHER) == 0);
    wish.create.type_size = 0;
    wish.type = 8;
    CHECK(ioctl(control, ACH_KERNEL_CREATE_TYPED, &wish) == 0);
    CHECK(device_unlink(control, OTHER) == 0);
}

static void modes(void)
{
    struct stat st;
    mode_t old = umask(077);

    CHECK(create(NAME, 0, 0664) == 0);
    umask(old);
    CHECK(stat(ACH_KERNEL_PREFIX NAME, &st) == 0);
    CHECK(S_ISCHR(st.st_mode) && (st.st_mode & 0777) == 0664);
    CHECK(st.st_uid == geteuid() && st.st_gid == getegid());
    CHECK_ERRNO(create(NAME, 0, 0600), EEXIST);
    CHECK(device_unlink(control, NAME) == 0);
    CHECK(stat(ACH_KERNEL_PREFIX NAME, &st) != 0);
}

/* Set an ACL that admits a user, without changing the mode. */
static bool let_in(const char *path, uint32_t uid)
{
    struct {
        uint32_t version;
        struct {
            uint16_t tag, rights;
            uint32_t id;
        } entries[5];
    } acl = {2, {{1, 6, ~0u}, {2, 6, uid}, {4, 6, ~0u}, {16, 6, ~0u}, {32, 0, ~0u}}};

    return setxattr(path, "system.posix_acl_access", &acl, sizeof(acl), 0) == 0;
}

/* A replacing channel has the permissions it was created with, and none of the old one's. */
static void rights(void)
{
    const char *path = ACH_KERNEL_PREFIX NAME;
    struct stat st;

    CHECK(create(NAME, 0, 0660) == 0);
    CHECK(chmod(path, 0666) == 0);
    CHECK(create(NAME, ACH_KERNEL_REPLACE, 0660) == 0);
    CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0660);
    if (geteuid() == 0) {
        CHECK(chown(path, SOMEBODY, SOMEBODY) == 0);
        CHECK(create(NAME, ACH_KERNEL_REPLACE, 0660) == 0);
        CHECK(stat(path, &st) == 0 && st.st_uid == geteuid() && st.st_gid == getegid());
    }
    if (let_in(path, SOMEBODY)) {
        CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0660);
        CHECK(create(NAME, ACH_KERNEL_REPLACE, 0660) == 0);
        CHECK_ERRNO(getxattr(path, "system.posix_acl_access", NULL, 0), ENODATA);
    } else {
        printf("no access lists: %s\n", strerror(errno));
    }
    CHECK(device_unlink(control, NAME) == 0);
}

static struct ach_kernel_info info_of(int fd)
{
    struct ach_kernel_info i;

    CHECK(ioctl(fd, ACH_KERNEL_INFO, &i) == 0);
    return i;
}

struct waiter {
    int fd;
    uint32_t flags;
    int result;
};

static void *wait_for_news(void *arg)
{
    struct waiter *w = arg;

    w->result = device_wait(w->fd, 1, device_clock(CLOCK_MONOTONIC) + 20000000000ull,
                            CLOCK_MONOTONIC, w->flags)
                    ? errno
                    : 0;
    return NULL;
}

/* Open files keep working after the unlink. */
static void unlinked(void)
{
    struct waiter linked = {.flags = ACH_KERNEL_LINKED}, any = {.flags = 0};
    pthread_t a, b;
    int w, r;

    CHECK(create(NAME, 0, 0600) == 0);
    w = device_must_open(NAME, O_WRONLY);
    r = device_must_open(NAME, O_RDONLY | O_NONBLOCK);
    linked.fd = any.fd = r;
    device_put(w, "before");
    REQUIRE(pthread_create(&a, NULL, wait_for_news, &linked) == 0);
    REQUIRE(pthread_create(&b, NULL, wait_for_news, &any) == 0);
    check_sleep_ms(20);
    CHECK(device_unlink(control, NAME) == 0);
    pthread_join(a, NULL);
    CHECK(linked.result == ENOENT);
    CHECK_ERRNO(device_open(NAME, O_RDONLY), ENOENT);
    CHECK(info_of(r).unlinked && !info_of(r).replaced);
    device_put(w, "after");
    pthread_join(b, NULL);
    CHECK(any.result == 0);
    CHECK_GOT(r, "before");
    CHECK_GOT(r, "after");
    /* A new channel with the same name is not the old one. */
    CHECK(create(NAME, 0, 0600) == 0);
    close(w);
    w = device_must_open(NAME, O_WRONLY);
    device_put(w, "elsewhere");
    CHECK_ERRNO(read(r, &w, 1), EAGAIN);
    close(w);
    close(r);
    CHECK(device_unlink(control, NAME) == 0);
}

static void replaced(uint32_t new_mode)
{
    struct waiter any = {.flags = 0};
    struct pollfd p = {.events = POLLIN | POLLOUT};
    pthread_t thread;
    int w, r, again;

    CHECK(create(NAME, 0, 0600) == 0);
    w = device_must_open(NAME, O_WRONLY);
    r = device_must_open(NAME, O_RDWR | O_NONBLOCK);
    device_put(w, "left");
    any.fd = r;
    REQUIRE(pthread_create(&thread, NULL, wait_for_news, &any) == 0);
    check_sleep_ms(20);
    CHECK(create(NAME, ACH_KERNEL_REPLACE, new_mode) == 0);
    pthread_join(thread, NULL);
    CHECK(any.result == ESTALE);
    CHECK(info_of(r).replaced);
    CHECK_ERRNO(write(w, "x", 1), ESTALE);
    CHECK_GOT(r, "left");
    CHECK_ERRNO(read(r, &p, 1), ESTALE);
    CHECK_ERRNO(ioctl(r, ACH_KERNEL_FLUSH), ESTALE);
    p.fd = r;
    CHECK(poll(&p, 1, 0) == 1 && p.revents == (POLLIN | POLLHUP));
    again = device_must_open(NAME, O_RDWR);
    device_put(again, "new");
    CHECK_GOT(again, "new");
    CHECK_ERRNO(read(r, &p, 1), ESTALE);
    close(w);
    close(r);
    close(again);
    CHECK(device_unlink(control, NAME) == 0);
}

/* While the channel is replaced, there is no moment without its name. */
static void *open_again(void *arg)
{
    const int *stop = arg;

    while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
        int fd = device_open(NAME, O_RDWR);

        CHECK(fd >= 0);
        CHECK(write(fd, "x", 1) == 1 || errno == ESTALE);
        close(fd);
    }
    return NULL;
}

static void replaced_without_gap(void)
{
    pthread_t thread;
    int stop = 0, i;

    CHECK(create(NAME, 0, 0600) == 0);
    REQUIRE(pthread_create(&thread, NULL, open_again, &stop) == 0);
    for (i = 0; i < 200; i++)
        CHECK(create(NAME, ACH_KERNEL_REPLACE, 0600) == 0);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    CHECK(device_unlink(control, NAME) == 0);
}

static void as_somebody(void *arg)
{
    int fd;

    (void)arg;
    REQUIRE(setgid(SOMEBODY) == 0 && setuid(SOMEBODY) == 0);
    control = device_control();
    CHECK_ERRNO(device_unlink(control, NAME), EPERM);
    CHECK_ERRNO(create(NAME, ACH_KERNEL_REPLACE, 0600), EPERM);
    CHECK_ERRNO(device_open(NAME, O_RDWR), EACCES);
    fd = device_open(NAME, O_RDONLY);
    CHECK(fd >= 0);
    CHECK_GOT(fd, "for all");
    CHECK_ERRNO(write(fd, "x", 1), EBADF);
    CHECK(create(OTHER, 0, 0600) == 0);
    CHECK(device_open(OTHER, O_RDWR) >= 0);
}

static void other_users(void)
{
    struct stat st;
    int fd;

    if (geteuid() != 0) {
        printf("not root: the tests with another user are left out\n");
        return;
    }
    CHECK(create(NAME, 0, 0644) == 0);
    fd = device_must_open(NAME, O_WRONLY);
    device_put(fd, "for all");
    CHECK(check_child(device_fork(as_somebody, NULL), 20000));
    CHECK(stat(ACH_KERNEL_PREFIX OTHER, &st) == 0);
    CHECK(st.st_uid == SOMEBODY && st.st_gid == SOMEBODY && (st.st_mode & 0777) == 0600);
    CHECK(device_unlink(control, OTHER) == 0); /* by CAP_FOWNER */
    close(fd);
    CHECK(device_unlink(control, NAME) == 0);
}

/*
 * The path of a removed device cannot be opened, even when its device number is used again. Numbers
 * are reused as late as possible, so the path is that of a node with the number that comes next.
 */
static void old_path(void)
{
    static const char node[] = "/dev/test-old-path";
    char path[64];
    struct stat st;
    dev_t next;
    int fd;

    CHECK(create(NAME, 0, 0666) == 0);
    REQUIRE(stat(ACH_KERNEL_PREFIX NAME, &st) == 0);
    CHECK(device_unlink(control, NAME) == 0);
    next = makedev(major(st.st_rdev), (minor(st.st_rdev) + 1) % (1 << 16));
    unlink(node);
    REQUIRE(mknod(node, S_IFCHR | 0666, next) == 0);
    fd = open(node, O_PATH);
    REQUIRE(fd >= 0 && unlink(node) == 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    CHECK_ERRNO(open(path, O_RDWR), ENXIO);
    CHECK(create(OTHER, 0, 0600) == 0);
    REQUIRE(stat(ACH_KERNEL_PREFIX OTHER, &st) == 0 && st.st_rdev == next);
    CHECK_ERRNO(open(path, O_RDWR), ENXIO);
    CHECK(device_unlink(control, OTHER) == 0);
    close(fd);
}

int main(void)
{
    control = device_control();
    device_unlink(control, NAME);
    device_unlink(control, OTHER);
    names();
    bad_wishes();
    types();
    modes();
    rights();
    unlinked();
    replaced(0600);
    replaced(0640);
    replaced_without_gap();
    other_users();
    old_path();
    return check_result();
}
