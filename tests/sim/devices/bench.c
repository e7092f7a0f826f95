/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <ach/drivers.h>

#include "sim/devices/devices.h"

static void keep(void *context, enum ach_log level, const char *line)
{
    struct bench *b = context;
    size_t used = strlen(b->log);

    (void)level;
    snprintf(b->log + used, sizeof(b->log) - used, "%s\n", line);
}

ach_status_t bench_try(struct bench *b, const char *config, uint64_t seed)
{
    ach_robot_attr_t attr = {
        .size = sizeof(attr), .simulated = 1, .level = ACH_LOG_WARNING, .log = keep, .context = b};
    ach_status_t status;

    memset(b, 0, sizeof(*b));
    REQUIRE_OK(ach_config_parse(config, strlen(config), "world.cfg", &b->config));
    status = simd_world_create(b->config, seed, &b->world);
    if (status != ACH_OK) {
        keep(b, ACH_LOG_ERROR, ach_errstr());
        return status;
    }
    REQUIRE_OK(ach_robot_create(&attr, &b->robot));
    REQUIRE_OK(ach_drivers_add(b->robot));
    REQUIRE_OK(simd_sim_add_drivers(b->robot));
    status = ach_robot_load_config(b->robot, b->config);
    return status == ACH_OK ? ach_robot_start(b->robot) : status;
}

struct bench *bench_start(const char *config, uint64_t seed)
{
    struct bench *b = malloc(sizeof(*b));
    ach_status_t status;

    REQUIRE(b);
    status = bench_try(b, config, seed);
    if (status != ACH_OK || *ach_config_warnings(b->config))
        fprintf(stderr, "%s%s", b->log, ach_config_warnings(b->config));
    REQUIRE_OK(status);
    CHECK(!*ach_config_warnings(b->config));
    return b;
}

static void finish(struct bench *b)
{
    ach_robot_destroy(b->robot);
    simd_world_destroy(b->world);
    ach_config_destroy(b->config);
}

void bench_end(struct bench *b)
{
    finish(b);
    free(b);
}

static void step(struct bench *b, int64_t time)
{
    CHECK_OK(ach_robot_set_time(b->robot, (double)time / 1e9));
    CHECK_OK(simd_world_run(b->world, time));
    REQUIRE_OK(ach_robot_settle(b->robot, PATIENCE));
}

void bench_run(struct bench *b, int64_t time)
{
    REQUIRE_OK(ach_robot_settle(b->robot, PATIENCE));
    while (simd_world_next(b->world) <= time)
        step(b, simd_world_next(b->world));
    step(b, time);
    CHECK(simd_world_now(b->world) == time);
}

static void subscribed(void *context, const ach_address_t *address, ach_status_t status,
                       const char *why)
{
    (void)address;
    if (status != ACH_OK)
        fprintf(stderr, "%s\n", why);
    ((struct ear *)context)->status = status;
}

struct ear *ear_open(struct bench *b, const char *address)
{
    struct ear *e = calloc(1, sizeof(*e));
    ach_place_t place;

    REQUIRE(e);
    REQUIRE_OK(ach_place_parse(address, &place));
    e->bench = b;
    e->status = ACH_EAGAIN;
    e->address = (ach_address_t){.interf = place.interf, .index = place.index};
    REQUIRE_OK(ach_queue_create(1u << 20, 0, NULL, NULL, &e->queue));
    REQUIRE_OK(ach_robot_subscribe(b->robot, &e->address, e->queue, subscribed, e));
    REQUIRE_OK(ach_robot_settle(b->robot, PATIENCE));
    REQUIRE_OK(e->status);
    return e;
}

void ear_close(struct ear *e)
{
    CHECK_OK(ach_robot_unsubscribe(e->bench->robot, &e->address, e->queue));
    REQUIRE_OK(ach_robot_settle(e->bench->robot, PATIENCE));
    ach_queue_close(e->queue);
    free(e);
}

ach_message_t *ear_next(struct ear *e)
{
    return ach_queue_pop(e->queue);
}

static ach_status_t deliver(struct ear *e, uint8_t type, uint8_t subtype, const void *body)
{
    ach_header_t h = {
        .address = e->address, .type = type, .subtype = subtype, .sequence = ++e->sequence};
    const void *bytes;
    ach_message_t *m;
    ach_status_t status;
    size_t size;

    REQUIRE_OK(ach_message_create(&h, body, &m));
    bytes = ach_message_bytes(m, &size);
    status = ach_robot_deliver(e->bench->robot, &h, bytes, size, e->queue);
    ach_message_unref(m);
    return status;
}

ach_status_t ear_command(struct ear *e, uint8_t subtype, const void *body)
{
    return deliver(e, ACH_MSG_CMD, subtype, body);
}

/* The answer is queued when deliver returns. Data that came before it is dropped. */
ach_message_t *ear_request(struct ear *e, uint8_t subtype, const void *body)
{
    ach_message_t *m;

    REQUIRE_OK(deliver(e, ACH_MSG_REQ, subtype, body));
    while ((m = ear_next(e)) && ach_message_header(m)->type == ACH_MSG_DATA)
        ach_message_unref(m);
    REQUIRE(m);
    CHECK(ach_message_header(m)->sequence == e->sequence);
    return m;
}

bool ear_acked(struct ear *e, uint8_t subtype, const void *body)
{
    ach_message_t *m = ear_request(e, subtype, body);
    bool acked = ach_message_header(m)->type == ACH_MSG_ACK;

    ach_message_unref(m);
    return acked;
}
