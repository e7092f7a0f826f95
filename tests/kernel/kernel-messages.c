/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages by read and write: order, loss, sizes, options, counts. */
#include "device.h"

#include <pthread.h>

#define NAME "test-messages"

static int control;

static struct ach_kernel_status status_of(int fd)
{
    struct ach_kernel_status s;

    CHECK(ioctl(fd, ACH_KERNEL_STATUS, &s) == 0);
    return s;
}

static void set_options(int fd, uint32_t options, uint64_t timeout)
{
    struct ach_kernel_options o = {.options = options, .timeout = timeout};

    CHECK(ioctl(fd, ACH_KERNEL_OPTIONS, &o) == 0);
}

static void in_order(void)
{
    int w, r;

    device_create(control, NAME, 4, 64);
    w = device_must_open(NAME, O_WRONLY);
    r = device_must_open(NAME, O_RDONLY | O_NONBLOCK);
    CHECK_ERRNO(read(r, &(char){0}, 1), EAGAIN);
    device_put(w, "one");
    device_put(w, "two");
    CHECK_GOT(r, "one");
    CHECK_GOT(r, "two");
    CHECK_ERRNO(read(r, &(char){0}, 1), EAGAIN);
    CHECK(status_of(r).seen == 2 && status_of(r).received == 2 && status_of(r).missed == 0);
    CHECK_ERRNO(read(w, &(char){0}, 1), EBADF);
    CHECK_ERRNO(write(r, "x", 1), EBADF);
    CHECK_ERRNO(lseek(r, 0, SEEK_SET), ESPIPE);
    close(w);
    close(r);
}

static void sizes(void)
{
    static char big[257];
    char *volatile nowhere = NULL;
    int fd;

    device_create(control, NAME, 4, 64);
    fd = device_must_open(NAME, O_RDWR | O_NONBLOCK);
    CHECK_ERRNO(write(fd, big, 0), EINVAL);
    CHECK_ERRNO(write(fd, big, 257), EMSGSIZE);
    CHECK(write(fd, big, 256) == 256);
    CHECK_ERRNO(read(fd, big, 255), EMSGSIZE);
    CHECK_ERRNO(read(fd, big, 0), EMSGSIZE);
    CHECK(status_of(fd).received == 0);
    CHECK(read(fd, big, 256) == 256);
    CHECK_ERRNO(write(fd, nowhere, 10), EFAULT);
    CHECK_ERRNO(write(fd, nowhere, 100), EFAULT);
    CHECK_ERRNO(write(fd, (void *)-4096l, 256), EFAULT);
    device_put(fd, "whole");
    CHECK_ERRNO(read(fd, nowhere, 100), EFAULT);
    CHECK_GOT(fd, "whole");
    close(fd);
}

/* A message that is copied in before the channel is locked. */
static void large_fault(void)
{
    char *volatile nowhere = NULL;
    char buf[1000];
    int fd;

    device_create(control, NAME, 4, sizeof(buf));
    fd = device_must_open(NAME, O_RDWR | O_NONBLOCK);
    CHECK_ERRNO(write(fd, nowhere, sizeof(buf)), EFAULT);
    CHECK_ERRNO(read(fd, buf, sizeof(buf)), EAGAIN);
    close(fd);
}

static void bad_options(void)
{
    struct ach_kernel_options o = {.options = ACH_O_WAIT, .timeout = 0};
    struct ach_kernel_options later = {.options = ACH_O_LAST, .reserved = 1};
    int fd;

    device_create(control, NAME, 4, 64);
    fd = device_must_open(NAME, O_RDONLY);
    CHECK_ERRNO(ioctl(fd, ACH_KERNEL_OPTIONS, &o), EINVAL);
    CHECK_ERRNO(ioctl(fd, ACH_KERNEL_OPTIONS, &later), EINVAL);
    close(fd);
}

static void loss(void)
{
    char text[16];
    int i, fd;

    device_create(control, NAME, 4, 64);
    fd = device_must_open(NAME, O_RDWR | O_NONBLOCK);
    for (i = 1; i <= 10; i++) {
        snprintf(text, sizeof(text), "%d", i);
        device_put(fd, text);
    }
    CHECK_GOT(fd, "7");
    CHECK(status_of(fd).missed == 6 && status_of(fd).missed_last == 6);
    set_options(fd, ACH_O_LAST, ACH_KERNEL_FOREVER);
    CHECK_GOT(fd, "10");
    CHECK(status_of(fd).missed == 8 && status_of(fd).missed_last == 2);
    CHECK_ERRNO(read(fd, text, sizeof(text)), EAGAIN);
    set_options(fd, ACH_O_LAST | ACH_O_COPY, ACH_KERNEL_FOREVER);
    CHECK_GOT(fd, "10");
    CHECK_GOT(fd, "10");
    CHECK(status_of(fd).received == 2);
    device_put(fd, "11");
    CHECK(ioctl(fd, ACH_KERNEL_FLUSH) == 0);
    set_options(fd, 0, ACH_KERNEL_FOREVER);
    CHECK_ERRNO(read(fd, text, sizeof(text)), EAGAIN);
    CHECK(status_of(fd).seen == 11);
    close(fd);
}

static void timeouts(void)
{
    uint64_t begin = check_now_ns();
    char c;
    int fd;

    device_create(control, NAME, 4, 64);
    fd = device_must_open(NAME, O_RDWR);
    set_options(fd, ACH_O_COPY, 30000000);
    CHECK_ERRNO(read(fd, &c, 1), ETIMEDOUT);
    CHECK(check_now_ns() - begin >= 30000000);
    set_options(fd, 0, 0);
    CHECK_ERRNO(read(fd, &c, 1), ETIMEDOUT);
    device_put(fd, "x");
    CHECK(read(fd, &c, 1) == 1);
    close(fd);
}

static void info(void)
{
    struct ach_kernel_create wish = device_wish(NAME, 3, 1000);
    struct ach_kernel_info i;
    uint64_t before;
    int fd;

    wish.flags = ACH_KERNEL_REPLACE | ACH_KERNEL_TIMESTAMPS;
    wish.clock = CLOCK_REALTIME;
    CHECK(ioctl(control, ACH_KERNEL_CREATE, &wish) == 0);
    fd = device_must_open(NAME, O_RDWR);
    CHECK(ioctl(fd, ACH_KERNEL_INFO, &i) == 0);
    CHECK(i.frame_cnt == 3 && i.frame_size == 1000 && i.capacity == 3000);
    CHECK(i.newest == 0 && i.oldest == 0 && !i.unlinked && !i.replaced);
    CHECK(i.flags == ACH_KERNEL_TIMESTAMPS && i.clock == CLOCK_REALTIME);
    CHECK(i.memory > 6000 && i.memory % (uint64_t)sysconf(_SC_PAGESIZE) == 0);
    before = device_clock(CLOCK_REALTIME);
    device_put(fd, "a");
    device_put(fd, "b");
    CHECK_GOT(fd, "a");
    CHECK(status_of(fd).stamp >= before && status_of(fd).stamp <= device_clock(CLOCK_REALTIME));
    CHECK(ioctl(fd, ACH_KERNEL_INFO, &i) == 0);
    CHECK(i.newest == 2 && i.oldest == 1);
    close(fd);
}

/* A message of pseudo-random length whose bytes contain its number. */
static size_t fill(unsigned char *buf, uint32_t number, size_t most)
{
    uint64_t state = number;
    size_t n = 5 + check_random(&state) % (most - 5);

    memset(buf, (int)(number * 7), n);
    memcpy(buf, &number, 4);
    return n;
}

static bool whole(const unsigned char *buf, size_t n, size_t most)
{
    static unsigned char want[1 << 16];
    uint32_t number;

    if (n < 5)
        return false;
    memcpy(&number, buf, 4);
    return fill(want, number, most) == n && memcmp(buf, want, n) == 0;
}

#define MOST 20000u
static int stream_fd;

static void *write_stream(void *arg)
{
    static unsigned char buf[1 << 16];
    uint32_t i, n = (uint32_t)check_scale(20000);

    (void)arg;
    for (i = 1; i <= n; i++) {
        size_t size = fill(buf, i, MOST);

        CHECK(write(stream_fd, buf, size) == (ssize_t)size);
    }
    return NULL;
}

/* A reader beside a fast writer sees whole messages in order, and counts what it missed. */
static void beside_writer(void)
{
    static unsigned char buf[1 << 16];
    uint32_t last = 0, number = 0, end = (uint32_t)check_scale(20000);
    struct ach_kernel_status s;
    pthread_t thread;
    int fd;

    device_create(control, NAME, 4, MOST / 4);
    stream_fd = device_must_open(NAME, O_WRONLY);
    fd = device_must_open(NAME, O_RDONLY);
    set_options(fd, 0, 20000000000);
    REQUIRE(pthread_create(&thread, NULL, write_stream, NULL) == 0);
    while (number < end) {
        ssize_t n = read(fd, buf, sizeof(buf));

        if (!CHECK(n > 0 && whole(buf, (size_t)n, MOST)))
            break;
        memcpy(&number, buf, 4);
        CHECK(number > last);
        last = number;
    }
    pthread_join(thread, NULL);
    s = status_of(fd);
    CHECK(s.seen == end && s.received + s.missed == end);
    close(fd);
    close(stream_fd);
}

#define SHARED 512u
#define SHARED_SIZE 8000u
static uint32_t taken[SHARED];

static void *take(void *arg)
{
    char buf[SHARED_SIZE];
    uint32_t number;

    (void)arg;
    while (read(stream_fd, buf, sizeof(buf)) == sizeof(buf)) {
        memcpy(&number, buf, sizeof(number));
        __atomic_fetch_add(&taken[number % SHARED], 1, __ATOMIC_RELAXED);
    }
    CHECK(errno == EAGAIN);
    return NULL;
}

/* Threads that read one open file get each message once. */
static void share(int w)
{
    char buf[SHARED_SIZE] = {0};
    pthread_t threads[3];
    uint32_t i;

    memset(taken, 0, sizeof(taken));
    for (i = 0; i < SHARED; i++) {
        memcpy(buf, &i, sizeof(i));
        CHECK(write(w, buf, sizeof(buf)) == sizeof(buf));
    }
    for (i = 0; i < 3; i++)
        REQUIRE(pthread_create(&threads[i], NULL, take, NULL) == 0);
    for (i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i < SHARED; i++)
        CHECK(taken[i] == 1);
}

static void shared_file(void)
{
    uint64_t i, rounds = check_scale(20);
    int w;

    device_create(control, NAME, SHARED, SHARED_SIZE);
    w = device_must_open(NAME, O_WRONLY);
    stream_fd = device_must_open(NAME, O_RDONLY | O_NONBLOCK);
    for (i = 0; i < rounds; i++)
        share(w);
    close(w);
    close(stream_fd);
}

int main(void)
{
    control = device_control();
    in_order();
    sizes();
    large_fault();
    bad_options();
    loss();
    timeouts();
    info();
    beside_writer();
    shared_file();
    CHECK(device_unlink(control, NAME) == 0);
    return check_result();
}
