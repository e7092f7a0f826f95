/* SPDX-License-Identifier: BSD-3-Clause */
/* A mapped channel cannot be written in any way; the cursor page tells poll the position. */
#include "device.h"

#include <sys/uio.h>

#include "layout.h"

#define NAME "test-memory"

static int control;
static size_t page;

static struct ach_kernel_info info_of(int fd)
{
    struct ach_kernel_info i;

    REQUIRE(ioctl(fd, ACH_KERNEL_INFO, &i) == 0);
    return i;
}

static void *map(int fd, size_t size, int prot, int flags, off_t at)
{
    return mmap(NULL, size, prot, flags, fd, at);
}

#define CHECK_UNMAPPABLE(expr, want) CHECK((expr) == MAP_FAILED && errno == (want))

static void refused(void)
{
    int fd = device_must_open(NAME, O_RDWR), w = device_must_open(NAME, O_WRONLY);
    size_t size = info_of(fd).memory;

    CHECK_UNMAPPABLE(map(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED, 0), EACCES);
    CHECK_UNMAPPABLE(map(fd, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0), EACCES);
    CHECK_UNMAPPABLE(map(fd, size, PROT_WRITE, MAP_SHARED, 0), EACCES);
    CHECK_UNMAPPABLE(map(fd, size, PROT_READ | PROT_EXEC, MAP_SHARED, 0), EACCES);
    CHECK_UNMAPPABLE(map(fd, size + page, PROT_READ, MAP_SHARED, 0), EINVAL);
    CHECK_UNMAPPABLE(map(fd, size, PROT_READ, MAP_SHARED, (off_t)page), EINVAL);
    CHECK_UNMAPPABLE(map(fd, page, PROT_READ, MAP_SHARED, (off_t)size), EINVAL);
    CHECK_UNMAPPABLE(map(fd, page, PROT_READ, MAP_SHARED, (off_t)1 << 40), EINVAL);
    CHECK_UNMAPPABLE(map(w, page, PROT_READ, MAP_SHARED, 0), EACCES);
    close(fd);
    close(w);
}

/* Write without regard to the page protection, as a debugger does. */
static void write_by_force(void *to)
{
    int mem = open("/proc/self/mem", O_RDWR);
    struct iovec from = {.iov_base = "xxxxxxxx", .iov_len = 8};
    struct iovec there = {.iov_base = to, .iov_len = 8};

    CHECK(process_vm_writev(getpid(), &from, 1, &there, 1, 0) == -1);
    CHECK(mem >= 0 && pwrite(mem, "xxxxxxxx", 8, (off_t)(uintptr_t)to) == -1);
    close(mem);
}

static void never_writable(int flags)
{
    int fd = device_must_open(NAME, O_RDWR);
    size_t size = info_of(fd).memory;
    struct ach_header *hdr = map(fd, size, PROT_READ, flags, 0);

    REQUIRE(hdr != MAP_FAILED);
    CHECK(hdr->magic == ACHI_MAGIC && hdr->memory == size && hdr->state == ACHI_LIVE);
    CHECK_ERRNO(mprotect(hdr, size, PROT_READ | PROT_WRITE), EACCES);
    CHECK_ERRNO(mprotect(hdr, page, PROT_WRITE), EACCES);
    CHECK_ERRNO(mprotect(hdr, page, PROT_READ | PROT_EXEC), EACCES);
    CHECK(mremap(hdr, size, size + page, MREMAP_MAYMOVE) == MAP_FAILED);
    write_by_force(hdr);
    device_put(fd, "message");
    CHECK_ERRNO(read(fd, hdr, 8), EFAULT);
    CHECK(hdr->magic == ACHI_MAGIC);
    /* Discarded pages are mapped again. */
    CHECK(madvise(hdr, size, MADV_DONTNEED) == 0);
    CHECK(hdr->magic == ACHI_MAGIC);
    CHECK(munmap(hdr, size) == 0);
    close(fd);
}

/* A mapping shows a put at once, also after close, in a child, and after the unlink. */
static void lives(void)
{
    int fd = device_must_open(NAME, O_RDWR), w = device_must_open(NAME, O_WRONLY);
    size_t size = info_of(fd).memory;
    struct ach_header *hdr = map(fd, size, PROT_READ, MAP_SHARED, 0);
    const struct achi_entry *e;
    uint32_t before;
    int status;
    pid_t pid;

    REQUIRE(hdr != MAP_FAILED);
    close(fd);
    before = hdr->commit;
    device_put(w, "hello");
    CHECK(ACHI_SEQ(hdr->commit) == ACHI_SEQ(before) + 1);
    e = (const struct achi_entry *)((const char *)hdr + ACHI_HEADER_SIZE);
    e += ACHI_SEQ(hdr->commit) & (hdr->slots - 1);
    CHECK(e->size == 5 && memcmp(e->small, "hello", 5) == 0);
    pid = fork();
    if (pid == 0)
        _exit(e->size == 5 ? 0 : 1);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(device_unlink(control, NAME) == 0);
    close(w);
    CHECK(hdr->state == ACHI_UNLINKED && memcmp(e->small, "hello", 5) == 0);
    CHECK(munmap(hdr, size) == 0);
    device_create(control, NAME, 4, 1000);
}

static struct ach_kernel_cursor *map_cursor(int fd)
{
    int cursor = ioctl(fd, ACH_KERNEL_CURSOR);
    struct ach_kernel_cursor *c;

    REQUIRE(cursor >= 0);
    CHECK_UNMAPPABLE(map(cursor, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0), EINVAL);
    CHECK_UNMAPPABLE(map(cursor, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, 0), EINVAL);
    CHECK_UNMAPPABLE(map(cursor, page, PROT_READ, MAP_SHARED, (off_t)page), EINVAL);
    CHECK(map(cursor, page, PROT_READ | PROT_EXEC, MAP_SHARED, 0) == MAP_FAILED);
    c = map(cursor, page, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
    REQUIRE(c != MAP_FAILED);
    close(cursor);
    return c;
}

static void cursor(void)
{
    int fd = device_must_open(NAME, O_RDONLY | O_NONBLOCK), w = device_must_open(NAME, O_WRONLY);
    struct ach_kernel_cursor *c;
    struct ach_kernel_status s;
    char buf[64];

    CHECK_ERRNO(ioctl(w, ACH_KERNEL_CURSOR), EBADF);
    device_put(w, "1");
    CHECK_GOT(fd, "1");
    c = map_cursor(fd);
    CHECK(c->seen == 1 && c->cancels == 0);
    CHECK(!device_readable(fd));
    device_put(w, "2");
    device_put(w, "3");
    device_put(w, "4");
    CHECK(device_readable(fd));
    c->seen = 2; /* as if it had been read from memory */
    CHECK_GOT(fd, "3");
    CHECK(c->seen == 3);
    c->seen = 4;
    CHECK(!device_readable(fd));
    CHECK_ERRNO(read(fd, buf, sizeof(buf)), EAGAIN);
    CHECK(ioctl(fd, ACH_KERNEL_STATUS, &s) == 0 && s.seen == 4);
    c->seen = 0;
    CHECK_GOT(fd, "1");
    CHECK(ioctl(fd, ACH_KERNEL_FLUSH) == 0 && c->seen == 4);
    CHECK(ioctl(fd, ACH_KERNEL_CANCEL) == 0);
    CHECK(device_readable(fd));
    CHECK_ERRNO(read(fd, buf, sizeof(buf)), ECANCELED);
    c->cancels = 1;
    CHECK(!device_readable(fd));
    /* Invalid values do no harm. */
    c->seen = UINT64_MAX;
    CHECK(!device_readable(fd));
    CHECK_ERRNO(read(fd, buf, sizeof(buf)), EAGAIN);
    CHECK(ioctl(fd, ACH_KERNEL_FLUSH) == 0 && c->seen == 4);
    c->seen = UINT64_MAX - 1;
    device_put(w, "5");
    CHECK_ERRNO(read(fd, buf, sizeof(buf)), EAGAIN);
    CHECK(map_cursor(fd)->seen == UINT64_MAX - 1);
    CHECK(madvise(c, page, MADV_DONTNEED) == 0 && c->seen == UINT64_MAX - 1);
    close(fd);
    c->seen = 7; /* the page stays as long as it is mapped */
    CHECK(munmap(c, page) == 0);
    close(w);
}

int main(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    control = device_control();
    device_create(control, NAME, 4, 1000);
    refused();
    never_writable(MAP_SHARED);
    never_writable(MAP_PRIVATE);
    never_writable(MAP_SHARED | MAP_POPULATE);
    lives();
    cursor();
    CHECK(device_unlink(control, NAME) == 0);
    return check_result();
}
