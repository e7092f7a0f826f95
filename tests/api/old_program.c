/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program as people wrote them for Ach 2.0, in the subset that C and C++
 * share. It is compiled against the installed header as it stands: nothing in
 * here may be changed to suit a new release.
 */
#include <ach.h>
#include <ach/experimental.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct pose {
    double x[3];
    double q[4];
};

struct tally {
    ach_channel_t *chan;
    int messages;
    int periods;
};

static ach_channel_t cmd_chan;
static int failures;

static void expect(int ok, int line, const char *what)
{
    if (!ok) {
        fprintf(stderr, "old_program.c:%d: failed: %s (%s)\n", line, what, ach_errstr());
        failures++;
    }
}
#define EXPECT(cond) expect((cond), __LINE__, #cond)

static void must(ach_status_t r, const char *what)
{
    if (ACH_OK != r) {
        fprintf(stderr, "%s: %s\n", what, ach_result_to_string(r));
        exit(EXIT_FAILURE);
    }
}

static void publish_and_subscribe(void)
{
    ach_channel_t out, in;
    ach_create_attr_t cattr;
    struct pose p, got;
    size_t fs = 0;
    ach_status_t r;

    ach_create_attr_init(&cattr);
    cattr.map = ACH_MAP_USER;
    ach_create_attr_set_truncate(&cattr, 1);
    ach_create_attr_set_clock(&cattr, ACH_DEFAULT_CLOCK);
    must(ach_create("pose", 10ul, sizeof(p), &cattr), "ach_create");
    EXPECT(ACH_EEXIST == ach_create("pose", 10, sizeof(p), NULL));
    must(ach_open(&out, "pose", NULL), "ach_open");
    must(ach_open(&in, "pose", NULL), "ach_open");
    must(ach_chmod(&out, S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP), "ach_chmod");

    r = ach_get(&in, &got, sizeof(got), &fs, NULL, ACH_O_LAST);
    EXPECT(ACH_STALE_FRAMES == r);
    memset(&p, 0, sizeof(p));
    p.x[0] = 1.5;
    must(ach_put(&out, &p, sizeof(p)), "ach_put");
    p.x[0] = 2.5;
    must(ach_put(&out, &p, sizeof(p)), "ach_put");

    r = ach_get(&in, NULL, 0, &fs, NULL, 0);
    EXPECT(ACH_OVERFLOW == r && sizeof(p) == fs);
    r = ach_get(&in, &got, sizeof(got), &fs, NULL, ACH_O_WAIT | ACH_O_LAST);
    EXPECT(ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME));
    EXPECT(sizeof(got) == fs && 2.5 <= got.x[0]);
    r = ach_get(&in, &got, sizeof(got), &fs, NULL, ACH_O_COPY);
    EXPECT(ACH_OK == r);
    must(ach_flush(&in), "ach_flush");

    EXPECT(ach_status_mask(ACH_TIMEOUT) == ACH_STATUS_MASK(ACH_TIMEOUT));
    must(ach_close(&in), "ach_close");
    must(ach_close(&out), "ach_close");
    must(ach_unlink("pose"), "ach_unlink");
    EXPECT(ACH_ENOENT == ach_open(&in, "pose", NULL));
}

static void timeouts(void)
{
    struct timespec t;
    ach_channel_t chan;
    clockid_t clock;
    size_t fs;
    char c;

    must(ach_create("quiet", 2, 8, NULL), "ach_create");
    must(ach_open(&chan, "quiet", NULL), "ach_open");
    must(ach_channel_clock(&chan, &clock), "ach_channel_clock");
    EXPECT(ACH_DEFAULT_CLOCK == clock);
    clock_gettime(clock, &t);
    t.tv_nsec += 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    EXPECT(ACH_TIMEOUT == ach_get(&chan, &c, 1, &fs, &t, ACH_O_WAIT));
    t.tv_sec = 0;
    t.tv_nsec = 1000;
    EXPECT(ACH_TIMEOUT == ach_get(&chan, &c, 1, &fs, &t, ACH_O_WAIT | ACH_O_RELTIME));
    must(ach_close(&chan), "ach_close");
    must(ach_unlink("quiet"), "ach_unlink");
}

/* Heap channels, by the fields and by the functions. */
static void anonymous(void)
{
    ach_create_attr_t cattr;
    ach_attr_t attr;
    ach_channel_t chan;
    struct ach_header *shm = NULL;
    enum ach_map map;
    char buf[16];
    size_t fs;

    memset(&cattr, 0, sizeof(cattr));
    cattr.map_anon = 1;
    must(ach_create(NULL, 4, sizeof(buf), &cattr), "ach_create");
    memset(&attr, 0, sizeof(attr));
    attr.map_anon = 1;
    attr.shm = cattr.shm;
    must(ach_open(&chan, NULL, &attr), "ach_open");
    EXPECT(chan.shm == cattr.shm);
    must(ach_put(&chan, "hello", 6), "ach_put");
    must(ach_get(&chan, buf, sizeof(buf), &fs, NULL, ACH_O_FIRST), "ach_get");
    EXPECT(6 == fs && 0 == strcmp(buf, "hello"));
    must(ach_channel_map(&chan, &map), "ach_channel_map");
    EXPECT(ACH_MAP_ANON == map);
    must(ach_close(&chan), "ach_close");

    ach_create_attr_init(&cattr);
    must(ach_create_attr_set_map(&cattr, ACH_MAP_ANON), "ach_create_attr_set_map");
    must(ach_create("ignored", 4, sizeof(buf), &cattr), "ach_create");
    must(ach_create_attr_get_shm(&cattr, &shm), "ach_create_attr_get_shm");
    ach_attr_init(&attr);
    must(ach_attr_set_shm(&attr, shm), "ach_attr_set_shm");
    must(ach_open(&chan, "ignored", &attr), "ach_open");
    ach_dump(chan.shm);
    must(ach_close(&chan), "ach_close");
}

static void source_lock(void)
{
    ach_attr_t attr;
    ach_channel_t one, two;

    must(ach_create("source", 4, 16, NULL), "ach_create");
    ach_attr_init(&attr);
    must(ach_attr_set_lock_source(&attr, 1), "ach_attr_set_lock_source");
    must(ach_open(&one, "source", &attr), "ach_open");
    must(ach_open(&two, "source", &attr), "ach_open"); /* the same process */
    must(ach_close(&one), "ach_close");
    must(ach_close(&two), "ach_close");
    must(ach_unlink("source"), "ach_unlink");
}

static void on_signal(int sig)
{
    ach_cancel_attr_t attr;

    (void)sig;
    ach_cancel_attr_init(&attr);
    attr.async_unsafe = 1;
    ach_cancel(&cmd_chan, &attr);
}

/* The main loop of a daemon: wait until a signal cancels the channel. */
static void cancel_by_signal(void)
{
    struct sigaction act;
    char buf[16];
    size_t fs;
    ach_status_t r;
    pid_t child;

    must(ach_create("command", 4, sizeof(buf), NULL), "ach_create");
    must(ach_open(&cmd_chan, "command", NULL), "ach_open");
    memset(&act, 0, sizeof(act));
    act.sa_handler = on_signal;
    sigaction(SIGTERM, &act, NULL);
    child = fork();
    if (0 == child) {
        usleep(20000);
        kill(getppid(), SIGTERM);
        _exit(0);
    }
    r = ach_get(&cmd_chan, buf, sizeof(buf), &fs, NULL, ACH_O_WAIT | ACH_O_LAST);
    EXPECT(ACH_CANCELED == r && cmd_chan.cancel);
    EXPECT(ACH_CANCELED == ach_flush(&cmd_chan));
    cmd_chan.cancel = 0;
    EXPECT(ACH_OK == ach_flush(&cmd_chan));
    while (waitpid(child, NULL, 0) < 0 && EINTR == errno)
        ;
    must(ach_close(&cmd_chan), "ach_close");
    must(ach_unlink("command"), "ach_unlink");
}

static enum ach_status on_message(void *context, struct ach_channel *channel)
{
    struct tally *t = (struct tally *)context;
    int value;
    size_t fs;
    enum ach_status r = ach_get(channel, &value, sizeof(value), &fs, NULL, ACH_O_FIRST);

    if (ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME)) {
        t->messages++;
        return ACH_OK;
    }
    return r;
}

static enum ach_status on_period(void *context)
{
    struct tally *t = (struct tally *)context;

    t->periods++;
    if (t->messages >= 3)
        return ACH_CANCELED;
    return ach_put(t->chan, &t->periods, sizeof(t->periods));
}

static void event_loop(void)
{
    struct timespec period = {0, 1000000};
    struct ach_evhandler handlers[2];
    struct tally tally;
    ach_channel_t a, b;
    ach_status_t r;

    must(ach_create("left", 8, 16, NULL), "ach_create");
    must(ach_create("right", 8, 16, NULL), "ach_create");
    must(ach_open(&a, "left", NULL), "ach_open");
    must(ach_open(&b, "right", NULL), "ach_open");
    memset(&tally, 0, sizeof(tally));
    tally.chan = &b;
    handlers[0].channel = &a;
    handlers[0].context = &tally;
    handlers[0].handler = on_message;
    handlers[1].channel = &b;
    handlers[1].context = &tally;
    handlers[1].handler = on_message;
    r = ach_evhandle(handlers, 2, &period, on_period, &tally,
                     ACH_EV_O_PERIODIC_TIMEOUT | ACH_EV_O_PERIODIC_INPUT);
    EXPECT(ACH_CANCELED == r && tally.messages >= 3 && tally.periods >= 3);
    must(ach_close(&a), "ach_close");
    must(ach_close(&b), "ach_close");
    must(ach_unlink("left"), "ach_unlink");
    must(ach_unlink("right"), "ach_unlink");
}

/* Serialisers that libraries on top of Ach hand around. */
static enum ach_status take_int(void *cx, void **obj_dst, const void *chan_src, size_t frame_size)
{
    (void)cx;
    if (sizeof(int) != frame_size)
        return ACH_EINVAL;
    memcpy(*obj_dst, chan_src, frame_size);
    return ACH_OK;
}

static enum ach_status give_int(void *cx, void *chan_dst, const void *obj_src)
{
    (void)cx;
    memcpy(chan_dst, obj_src, sizeof(int));
    return ACH_OK;
}

static void callbacks(void)
{
    ach_get_fun *get = take_int;
    ach_put_fun *put = give_int;
    int three = 3, wire = 0, out = 0;
    void *dst = &out;

    EXPECT(ACH_OK == put(NULL, &wire, &three));
    EXPECT(ACH_OK == get(NULL, &dst, &wire, sizeof(wire)) && 3 == out);
}

static void errors(void)
{
    char name[ACH_CHAN_NAME_MAX + 1];
    ach_channel_t chan;
    ach_get_opts_t opts = ACH_O_NONBLOCK;
    ach_mask_t mask = ACH_MASK_ALL & ~(ach_mask_t)ACH_MASK_OK;
    size_t fs;
    int fd;

    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    EXPECT(ACH_INVALID_NAME == ach_create(name, 2, 2, NULL));
    must(ach_create("small", 2, 2, NULL), "ach_create");
    must(ach_open(&chan, "small", NULL), "ach_open");
    EXPECT(ACH_OVERFLOW == ach_put(&chan, name, 5));
    EXPECT(ACH_EINVAL == ach_put(&chan, name, 0));
    EXPECT(ach_status_match(ach_get(&chan, name, 1, &fs, NULL, opts), mask));
    EXPECT(ach_status_match(ach_channel_fd(&chan, &fd), ACH_MASK_OK | ACH_MASK_ENOTSUP));
    must(ach_close(&chan), "ach_close");
    EXPECT(ACH_CLOSED == ach_put(&chan, name, 1));
    must(ach_unlink("small"), "ach_unlink");
}

int main(void)
{
    publish_and_subscribe();
    timeouts();
    anonymous();
    source_lock();
    cancel_by_signal();
    event_loop();
    callbacks();
    errors();
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
