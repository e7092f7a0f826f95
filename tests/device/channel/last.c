/* SPDX-License-Identifier: BSD-3-Clause */
/* last.c - every command and answer on channels arrives, or its loss is reported */
#include <ach/channel.h>
#include <ach/device.h>
#include <ach/interface/opaque.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "lock_word.h"
#include "probe.h"
#include "rig.h"

#define CONFIG                                                                                     \
    "driver (name \"probe\" provides [\"opaque:0\"])"                                              \
    "driver (name \"probe\" provides [\"opaque:1\"] number 1)"

static struct rig *rig;

static void start(void)
{
    rig = rig_create(false);
    probe_reset();
    rig_add(rig, &probe_class);
    REQUIRE_OK(rig_load(rig, CONFIG));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
}

static ach_device_t *open_address(const char *address)
{
    ach_device_attr_t attr = {
        .size = sizeof(attr), .timeout = RIG_PATIENCE, .transport = "channel"};
    ach_device_t *d;

    REQUIRE_OK(ach_device_open(address, &attr, &d));
    return d;
}

static ach_device_t *open_device(void)
{
    return open_address("opaque:0");
}

static void command(ach_device_t *d, uint8_t what)
{
    CHECK_OK(ach_device_command(d, ACH_OPAQUE_CMD_DATA,
                                &(ach_opaque_data_t){.data_count = 1, .data = &what}));
}

/* A client that keeps sending requests for another device; the server handles them with ours. */
struct noise {
    ach_device_t *device;
    bool end;
    pthread_t thread;
};

static void *ask_on(void *context)
{
    struct noise *n = context;
    uint8_t what = PROBE_FORGET;

    while (!__atomic_load_n(&n->end, __ATOMIC_ACQUIRE)) {
        ach_device_command(n->device, ACH_OPAQUE_CMD_DATA,
                           &(ach_opaque_data_t){.data_count = 1, .data = &what});
        ach_device_flush(n->device, RIG_PATIENCE);
        check_sleep_ms(1); /* slow enough that answers are not overwritten before they are read */
    }
    return NULL;
}

static void noise_begin(struct noise *n)
{
    *n = (struct noise){.device = open_address("opaque:1")};
    REQUIRE(pthread_create(&n->thread, NULL, ask_on, n) == 0);
}

static void noise_end(struct noise *n)
{
    __atomic_store_n(&n->end, true, __ATOMIC_RELEASE);
    pthread_join(n->thread, NULL);
    ach_device_close(n->device);
}

/* The driver is set up for each command alone, and handles it before it is shut down. */
static void command_and_close(void)
{
    unsigned i, n = (unsigned)check_scale(1000);
    struct noise noise;
    void *server;

    start();
    REQUIRE_OK(ach_transport_channel.serve(rig_robot(rig), NULL, &server));
    noise_begin(&noise);
    for (i = 0; i < n; i++) {
        ach_device_t *d = open_device();

        command(d, PROBE_FORGET);
        CHECK_OK(ach_device_close(d));
    }
    noise_end(&noise);
    ach_transport_channel.end(server);
    rig_end(rig);
    CHECK(probe_counts[0].messages == n);
}

/* A command that was put right before the server ends is handled. */
static void server_ends(void)
{
    unsigned i, n = (unsigned)check_scale(100);

    for (i = 0; i < n; i++) {
        ach_device_t *d;
        void *server;

        start();
        REQUIRE_OK(ach_transport_channel.serve(rig_robot(rig), NULL, &server));
        d = open_device();
        command(d, PROBE_FORGET);
        ach_transport_channel.end(server);
        ach_device_close(d);
        rig_end(rig);
        CHECK(probe_counts[0].messages == 1);
    }
}

/* A thread that polls the channels, except while held is set; holds confirms held. */
struct host {
    ach_channels_t *channels;
    bool end, held;
    bool holds;
    pthread_t thread;
};

static void *poll_on(void *context)
{
    struct host *h = context;

    while (!__atomic_load_n(&h->end, __ATOMIC_ACQUIRE)) {
        bool held = __atomic_load_n(&h->held, __ATOMIC_ACQUIRE);

        __atomic_store_n(&h->holds, held, __ATOMIC_RELEASE);
        if (!held)
            ach_channels_poll(h->channels, 1);
        check_sleep_ms(1);
    }
    return NULL;
}

static void hold(struct host *h, bool held)
{
    __atomic_store_n(&h->held, held, __ATOMIC_RELEASE);
    EVENTUALLY(__atomic_load_n(&h->holds, __ATOMIC_ACQUIRE) == held);
}

/* A driver handles commands and requests in order: its queue has room when this returns. */
static void settle(ach_device_t *d)
{
    uint8_t echo = PROBE_ECHO;

    CHECK_OK(ach_device_request(d, ACH_OPAQUE_REQ_DATA,
                                &(ach_opaque_data_t){.data_count = 1, .data = &echo}, RIG_PATIENCE,
                                NULL));
}

/* 1000 commands at once all arrive; 3000 overflow the channel, which is reported. */
static void burst(void)
{
    struct host h = {0};
    ach_device_t *d;
    unsigned i;

    start();
    REQUIRE_OK(ach_channels_serve(rig_robot(rig), NULL, &h.channels));
    REQUIRE(pthread_create(&h.thread, NULL, poll_on, &h) == 0);
    d = open_device();
    hold(&h, true);
    for (i = 0; i < 1000; i++)
        command(d, PROBE_FORGET);
    hold(&h, false);
    CHECK_OK(ach_device_flush(d, RIG_PATIENCE));
    EVENTUALLY(probe_counts[0].messages == 1000);

    hold(&h, true);
    for (i = 0; i < 3000; i++)
        command(d, PROBE_FORGET);
    hold(&h, false);
    CHECK_STATUS(ach_device_flush(d, RIG_PATIENCE), ACH_OVERFLOW);
    CHECK(rig_logged(rig, "commands to opaque:0 were overwritten"));
    settle(d);
    command(d, PROBE_FORGET);
    CHECK_OK(ach_device_flush(d, RIG_PATIENCE)); /* reported once only */
    CHECK_OK(ach_device_close(d));
    __atomic_store_n(&h.end, true, __ATOMIC_RELEASE);
    pthread_join(h.thread, NULL);
    ach_channels_end(h.channels);
    rig_end(rig);
}

/* Commands to a driver that is not set up, as it has no subscriber, are refused and logged. */
static void refused(void)
{
    uint8_t frame[ACH_FRAME_HEADER];
    const ach_header_t h = {.address = {.interf = ACH_OPAQUE_CODE},
                            .type = ACH_MSG_CMD,
                            .subtype = ACH_OPAQUE_CMD_DATA};
    ach_channel_t cmd;
    void *server;

    start();
    REQUIRE_OK(ach_transport_channel.serve(rig_robot(rig), NULL, &server));
    REQUIRE_OK(ach_open(&cmd, "dev.6665.opaque.0.cmd", NULL));
    ach_frame_write(&h, 0, frame);
    CHECK_OK(ach_put(&cmd, frame, sizeof(frame)));
    CHECK(rig_logged(rig, "1 commands through the channel of opaque:0 are refused"));
    CHECK_OK(ach_close(&cmd));
    ach_transport_channel.end(server);
    rig_end(rig);
}

static long futex(uint32_t *word, int op)
{
    return syscall(SYS_futex, word, op, 0, NULL, NULL, 0);
}

enum { BEGIN, LOCKED, RELEASE };

/* Hold the writers' lock of a channel until *stage is RELEASE. */
static void hold_lock(const char *name, uint32_t *stage)
{
    ach_channel_t chan;
    uint32_t *lock;

    REQUIRE_OK(ach_open(&chan, name, NULL));
    lock = lock_word(chan.shm);
    REQUIRE(futex(lock, FUTEX_LOCK_PI) == 0);
    __atomic_store_n(stage, LOCKED, __ATOMIC_RELEASE);
    while (__atomic_load_n(stage, __ATOMIC_ACQUIRE) != RELEASE)
        check_sleep_ms(1);
    REQUIRE(futex(lock, FUTEX_UNLOCK_PI) == 0);
    ach_close(&chan);
}

static void *release_later(void *stage)
{
    check_sleep_ms(1500); /* longer than a put waits for the lock by default */
    __atomic_store_n((uint32_t *)stage, RELEASE, __ATOMIC_RELEASE);
    return NULL;
}

/* An answer is not lost while another process holds the lock of the channel of answers. */
static void answers_wait(void)
{
    uint32_t *stage = check_shared(sizeof(*stage));
    ach_device_t *d;
    pthread_t later;
    uint8_t echo = PROBE_ECHO;
    void *server;
    pid_t pid;

    start();
    REQUIRE_OK(ach_transport_channel.serve(rig_robot(rig), NULL, &server));
    d = open_device();
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        hold_lock("dev.6665.ans", stage);
        _exit(check_result());
    }
    EVENTUALLY(__atomic_load_n(stage, __ATOMIC_ACQUIRE) == LOCKED);
    REQUIRE(pthread_create(&later, NULL, release_later, stage) == 0);
    CHECK_OK(ach_device_request(d, ACH_OPAQUE_REQ_DATA,
                                &(ach_opaque_data_t){.data_count = 1, .data = &echo}, RIG_PATIENCE,
                                NULL));
    pthread_join(later, NULL);
    CHECK(check_child(pid, 30000));
    CHECK_OK(ach_device_close(d));
    ach_transport_channel.end(server);
    rig_end(rig);
    munmap(stage, sizeof(*stage));
}

/* Clients find the server while another process holds that lock. */
static void served_while_locked(void)
{
    uint32_t *stage = check_shared(sizeof(*stage));
    ach_device_attr_t attr = {.size = sizeof(attr), .timeout = 0.2, .transport = "channel"};
    ach_device_t *d;
    void *server;
    pid_t pid;

    start();
    REQUIRE_OK(ach_transport_channel.serve(rig_robot(rig), NULL, &server));
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        hold_lock("dev.6665.ans", stage);
        _exit(check_result());
    }
    EVENTUALLY(__atomic_load_n(stage, __ATOMIC_ACQUIRE) == LOCKED);
    CHECK_STATUS(ach_device_open("opaque:0", &attr, &d), ACH_TIMEOUT); /* found */
    __atomic_store_n(stage, RELEASE, __ATOMIC_RELEASE);
    CHECK(check_child(pid, 30000));
    CHECK_OK(ach_device_close(open_device()));
    ach_transport_channel.end(server);
    rig_end(rig);
    munmap(stage, sizeof(*stage));
}

int main(void)
{
    command_and_close();
    server_ends();
    burst();
    refused();
    answers_wait();
    served_while_locked();
    return check_result();
}
