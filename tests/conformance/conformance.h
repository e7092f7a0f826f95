/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * conformance.h - what the tests of the channel API share
 *
 * One program holds the tests of everything that ach.h promises. It takes the
 * kind of channel as a parameter, so that every kind runs the same tests. Each
 * test runs in a process of its own, with a time limit, and must leave neither
 * channels nor descriptors behind.
 *
 * A test uses channels through the functions below, which call the backend
 * under test. A test may access the channel's memory (layout.h) only if its
 * table row excludes kernel channels.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include "check.h"

#include <pthread.h>

enum {
    USER = 1,   /* shared memory */
    HEAP = 2,   /* within one process */
    KERNEL = 4, /* the kernel module */
    NAMED = USER | KERNEL,
    MEMORY = USER | HEAP, /* the test accesses the channel's memory */
    ALL = USER | HEAP | KERNEL
};

struct backend {
    const char *name;
    unsigned bit;
    enum ach_map map;
    enum ach_status (*create)(const char *name, size_t frame_cnt, size_t frame_size,
                              ach_create_attr_t *attr);
    enum ach_status (*open)(ach_channel_t *chan, const char *name, ach_attr_t *attr);
    enum ach_status (*unlink)(const char *name);
    bool (*present)(void); /* does this system support such channels? */
};

extern const struct backend backends[3];
extern const struct backend *backend;

struct test {
    const char *name;
    void (*run)(void);
    unsigned backends;
    const char *why_not; /* why the test does not apply to the other backends */
};

/* The tests of one source file, and the count of failed checks. */
struct theme {
    const struct test *tests;
    size_t n;
    int *failures;
};

#define THEME(name, table)                                                                         \
    const struct theme name = {table, sizeof(table) / sizeof((table)[0]), &check_failures}

#define ONE_PROCESS "a heap channel lives in one process"
#define NO_NAME "a heap channel has no name and no file"
#define NO_FILE "only shared-memory channels are files"
#define NO_DEVICE "only kernel channels are devices"
#define NO_MEMORY "the channel's memory cannot be altered"

/* End the test as skipped, because something it needs is missing. */
void skip(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* The channel of most tests. Except create, these functions exit on failure. */
#define CHAN "c"
enum ach_status create(const char *name, size_t frame_cnt, size_t frame_size);
void make(size_t frame_cnt, size_t frame_size);
void open_it(ach_channel_t *chan);
void open_named(ach_channel_t *chan, const char *name);
void remove_it(void);

/* The default attributes, for backend->create. */
ach_create_attr_t create_attr(void);

/* A single-writer channel, and handles that acquire, or try to acquire, the source lock. */
void make_single(size_t frame_cnt, size_t frame_size);
enum ach_status try_source(ach_channel_t *chan);
void open_source(ach_channel_t *chan);

/* A handle that cannot put. */
void open_readonly(ach_channel_t *chan, const char *name);

/*
 * Self-checking messages: the first 16 bytes hold a number and the length, and
 * the rest is computed from them. Shorter messages are plain patterns.
 */
void message_fill(void *buf, size_t len, uint64_t number);
bool message_whole(const void *buf, size_t len, uint64_t *number);

/* Put a message with this number; get one and require that it is intact. */
enum ach_status put_number(ach_channel_t *chan, uint64_t number, size_t len);
enum ach_status get_number(ach_channel_t *chan, uint64_t *number, int options);

/* Put the numbers from..to, each 16 bytes long. */
void put_range(ach_channel_t *chan, uint64_t from, uint64_t to);

#define CHECK_GET(chan, options, want, n)                                                          \
    do {                                                                                           \
        uint64_t got_ = 0;                                                                         \
        CHECK_STATUS(get_number(chan, &got_, options), want);                                      \
        CHECK(got_ == (n));                                                                        \
    } while (0)

struct timespec ms(long milliseconds);

/* The time on a clock, this many milliseconds from now. */
struct timespec clock_in(clockid_t clock, long milliseconds);
int64_t ns_of(const struct timespec *t);

ach_info_t info_of(const ach_channel_t *chan);
unsigned open_descriptors(void);

/* The CPU time that this process has used. */
int64_t cpu_us(void);

/*
 * Tries of a test of CPU time. If a virtual machine is paused, the pause may be charged to a
 * process that sleeps in it; but a waiter that does not sleep uses CPU time in every try.
 */
#define IDLE_TRIES 5

/* Run a function in a child. The function returns 0 for success. */
pid_t start_child(int (*fun)(void *), void *cx);
bool run_child(int (*fun)(void *), void *cx);

/*
 * Drop the privileges that bypass permissions: root becomes the user nobody.
 * Only in a child; other users need access to the channel directory, which
 * share_directory grants.
 */
void drop_power(void);
void share_directory(mode_t mode);

/* A thread that exists and does nothing. */
struct parked {
    pthread_t thread;
    uint32_t tid;
    pthread_mutex_t gate;
};
void park(struct parked *p);
void unpark(struct parked *p);

/* A thread that gets one message from a handle, waiting for it. */
struct waiter {
    pthread_t thread;
    ach_channel_t *chan;
    const struct timespec *timeout;
    int options; /* beside ACH_O_WAIT */
    enum ach_status status;
    uint64_t number;
};
void waiter_start(struct waiter *w, ach_channel_t *chan, int options);
void waiter_start_until(struct waiter *w, ach_channel_t *chan, int options,
                        const struct timespec *timeout);
enum ach_status waiter_end(struct waiter *w);

/* Give a waiter time to fall asleep. No test depends on it having done so. */
void let_sleep(void);

/* The words of the channel's header, for tests that are not for kernel channels. */
uint32_t load_word(const uint32_t *word);
void store_word(uint32_t *word, uint32_t value);

/* Does the backend support the clock? */
bool clock_fits(clockid_t clock);

/* The file of a channel, or its device. */
#define PATH_SIZE 4096
const char *path_of(const char *name);

/* Write a file of size bytes, all equal to byte, in the place of a channel's file. */
void write_file(const char *name, size_t size, int byte);

/* Features of this system. */
bool have_pi_futexes(void);
bool have_robust_lists(void);
bool have_nameless_files(void);
bool under_thread_sanitizer(void);
bool emulated(void); /* by qemu-user */

#endif
