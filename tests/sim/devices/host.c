/* SPDX-License-Identifier: BSD-3-Clause */
#include "host.h"

#include <ach/channel.h>
#include <pthread.h>
#include <stdatomic.h>

struct host {
    struct bench *bench;
    ach_channels_t *channels;
    pthread_t thread;
    _Atomic int64_t target, reached;
    atomic_bool end;
};

static void *serve(void *context)
{
    struct host *h = context;

    while (!h->end) {
        int64_t target = h->target;

        CHECK_OK(ach_channels_poll(h->channels, PATIENCE));
        if (h->reached < target) {
            bench_run(h->bench, target);
            h->reached = target;
        } else {
            usleep(200);
        }
    }
    return NULL;
}

struct host *host_start(const char *config)
{
    struct host *h = calloc(1, sizeof(*h));

    REQUIRE(h);
    h->target = h->reached = -1;
    h->bench = bench_start(config, 1);
    REQUIRE_OK(ach_channels_serve(h->bench->robot, NULL, &h->channels));
    REQUIRE(pthread_create(&h->thread, NULL, serve, h) == 0);
    return h;
}

void host_end(struct host *h)
{
    h->end = true;
    pthread_join(h->thread, NULL);
    ach_channels_end(h->channels);
    bench_end(h->bench);
    free(h);
}

void host_run(struct host *h, int64_t time)
{
    uint64_t end = check_now_ns() + (uint64_t)(PATIENCE * 1e9);

    h->target = time;
    while (h->reached < time && check_now_ns() < end)
        usleep(100);
    REQUIRE(h->reached == time);
}

ach_device_t *host_open(const char *address)
{
    ach_device_attr_t attr = {.size = sizeof(attr), .transport = "channel", .timeout = PATIENCE};
    ach_device_t *device;

    REQUIRE_OK(ach_device_open(address, &attr, &device));
    CHECK(strcmp(ach_device_transport(device), "channel") == 0);
    return device;
}

ach_message_t *host_data(ach_device_t *device, int subtype, double time)
{
    ach_message_t *m = NULL;
    ach_status_t status = ach_device_get(device, subtype, PATIENCE, ACH_O_WAIT | ACH_O_LAST, &m);

    CHECK(status == ACH_OK || status == ACH_MISSED_FRAME);
    REQUIRE(m);
    CHECK(ach_message_header(m)->timestamp == time);
    return m;
}
