/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver.c - any drivers and any clients of a robot
 *
 * Clients subscribe, command, ask and leave as the bytes say, in several threads,
 * while drivers fail, answer twice, late or never. It holds that every
 * subscription is settled once, that every request that was taken is answered once, and that
 * the robot ends.
 */
#include "driver.h"

#include <ach/interface/opaque.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "property.h"

#define CLIENTS 2u
#define DEVICES 6u /* the last one is not there */
#define ASKED_MAX 256u

static const uint8_t *bytes;
static size_t n_bytes, at;

unsigned wild_draw(unsigned below)
{
    size_t i = __atomic_fetch_add(&at, 1, __ATOMIC_RELAXED);

    return i < n_bytes ? bytes[i] % below : 0;
}

bool wild_over(void)
{
    return __atomic_load_n(&at, __ATOMIC_RELAXED) >= n_bytes;
}

size_t wild_bytes(unsigned char *to)
{
    unsigned count = wild_draw(8), twin = wild_draw(16) == 15 ? count + 1 : count;
    size_t size = 8 + (size_t)(count + 3) / 4 * 4;

    memset(to, 0, WILD_BYTES);
    to[3] = (unsigned char)count;
    to[7] = (unsigned char)twin;
    memset(to + 8, (int)wild_draw(256), count);
    return wild_draw(16) == 15 ? wild_draw((unsigned)size) : size;
}

struct client {
    ach_robot_t *robot;
    ach_queue_t *queue;
    unsigned subscribed[DEVICES]; /* asked for, and not refused at once */
    unsigned begun, settled;      /* subscriptions */
    unsigned asked;
    unsigned char taken[ASKED_MAX], answered[ASKED_MAX]; /* by sequence */
    pthread_t thread;
};

static ach_address_t device(unsigned index)
{
    return (ach_address_t){.interf = ACH_OPAQUE_CODE, .index = (uint16_t)index};
}

static void done(void *context, const ach_address_t *address, ach_status_t status, const char *why)
{
    struct client *c = context;

    HOLDS(address->interf == ACH_OPAQUE_CODE && why);
    HOLDS(status == ACH_OK || *why);
    __atomic_fetch_add(&c->settled, 1, __ATOMIC_RELAXED);
}

static void subscribe(struct client *c)
{
    unsigned index = wild_draw(DEVICES);
    ach_address_t address = device(index);
    ach_status_t status = ach_robot_subscribe(c->robot, &address, c->queue, done, c);

    HOLDS(status == (index == DEVICES - 1 ? ACH_ENOENT : ACH_OK));
    if (status != ACH_OK)
        return;
    c->begun++;
    c->subscribed[index]++;
}

/* What was refused since is no subscription any more: so it may not be there. */
static void unsubscribe(struct client *c, unsigned index)
{
    ach_address_t address = device(index);
    ach_status_t status = ach_robot_unsubscribe(c->robot, &address, c->queue);

    STATUS(status, ACH_MASK_OK | ACH_MASK_ENOENT);
    HOLDS(status == ACH_ENOENT || c->subscribed[index]);
    if (status == ACH_OK)
        c->subscribed[index]--;
    else
        c->subscribed[index] = 0;
}

static ach_status_t deliver(struct client *c, uint8_t type, ach_queue_t *answers)
{
    unsigned char body[WILD_BYTES];
    size_t size = wild_bytes(body);
    ach_header_t h = {.address = device(wild_draw(DEVICES)),
                      .type = type,
                      .subtype = (uint8_t)(wild_draw(4) ? 1 : wild_draw(256)),
                      .sequence = c->asked};

    return STATUS(ach_robot_deliver(c->robot, &h, body, size, answers),
                  ACH_MASK_OK | ACH_MASK_ENOENT | ACH_MASK_CORRUPT | ACH_MASK_CLOSED |
                      ACH_MASK_OVERFLOW);
}

/* Without a number: a request whose answer nobody wants. */
static void say(struct client *c)
{
    deliver(c, wild_draw(4) == 3 ? ACH_MSG_REQ : ACH_MSG_CMD, NULL);
}

static void ask(struct client *c)
{
    bool taken;

    if (c->asked == ASKED_MAX)
        return;
    taken = deliver(c, ACH_MSG_REQ, c->queue) == ACH_OK;
    c->taken[c->asked++] = taken;
}

static void take(struct client *c, unsigned count)
{
    ach_message_t *m;

    while (count-- && (m = ach_queue_pop(c->queue))) {
        const ach_header_t *h = ach_message_header(m);

        HOLDS(h->type == ACH_MSG_DATA || h->type == ACH_MSG_ACK || h->type == ACH_MSG_NACK);
        if (h->type != ACH_MSG_DATA) {
            HOLDS(h->sequence < c->asked && !c->answered[h->sequence]);
            c->answered[h->sequence] = 1;
        }
        ach_message_unref(m);
    }
}

static void rule(struct client *c)
{
    const ach_rule_t r = {(int32_t)wild_draw(3) - 1, (int32_t)wild_draw(4) - 1,
                          (int32_t)wild_draw(8) - 1, (int32_t)wild_draw(4) - 1,
                          (int32_t)wild_draw(4) - 1};

    STATUS(ach_queue_rule(c->queue, &r), ACH_MASK_OK | ACH_MASK_EINVAL | ACH_MASK_OVERFLOW);
}

static void sink_body(void *context, const ach_header_t *h, const ach_type_t *type,
                      const void *body)
{
    size_t size;

    (void)context;
    HOLDS(h->type == ACH_MSG_DATA && ach_encoded_size(type, body, &size) == ACH_OK);
}

static void sink_bytes(void *context, const ach_header_t *h, const void *from, size_t size)
{
    (void)context;
    HOLDS(h->type == ACH_MSG_DATA && (from || !size));
}

static void sink(struct client *c)
{
    const ach_sink_t s = {c, sink_body, sink_bytes};
    ach_address_t address = device(wild_draw(DEVICES));

    STATUS(ach_robot_sink(c->robot, &address, wild_draw(2) ? &s : NULL),
           ACH_MASK_OK | ACH_MASK_ENOENT | ACH_MASK_EEXIST);
}

static void list(struct client *c)
{
    ach_device_info_t infos[2];

    HOLDS(ach_robot_devices(c->robot, infos, 2) == DEVICES - 1);
    STATUS(ach_robot_find(c->robot, &infos[0].address, &infos[1]), ACH_MASK_OK);
}

static void *live(void *client)
{
    struct client *c = client;

    while (!wild_over()) {
        switch (wild_draw(12)) {
        case 0:
        case 1:
            subscribe(c);
            break;
        case 2:
            unsubscribe(c, wild_draw(DEVICES));
            break;
        case 3:
        case 4:
            say(c);
            break;
        case 5:
        case 6:
        case 7:
            ask(c);
            break;
        case 8:
            take(c, wild_draw(16));
            break;
        case 9:
            rule(c);
            break;
        case 10:
            sink(c);
            break;
        default:
            list(c);
            usleep(wild_draw(8) * 20);
        }
    }
    return NULL;
}

static void no_log(void *context, enum ach_log level, const char *line)
{
    (void)context;
    (void)level;
    HOLDS(line);
}

static const char robot_file[] =
    "driver ( name \"runner\" provides [\"opaque:0\"] )\n"
    "driver ( name \"wild\" provides [\"opaque:1\" \"opaque:2\"] requires [\"opaque:0\"] )\n"
    "driver ( name \"runner\" provides [\"opaque:3\"] requires [\"opaque:1\" \"opaque:0\"]\n"
    "         alwayson 1 )\n"
    "driver ( name \"inline\" provides [\"opaque:4\"] requires [\"opaque:2\"] )\n";

static ach_robot_t *build(ach_config_t *config)
{
    ach_robot_attr_t attr = {.size = sizeof(attr),
                             .log = no_log,
                             .level = ACH_LOG_DEBUG,
                             .simulated = wild_draw(4) == 3};
    ach_robot_t *robot;

    HOLDS(ach_robot_create(&attr, &robot) == ACH_OK);
    HOLDS(ach_robot_add_class(robot, &wild_driver) == ACH_OK);
    HOLDS(ach_robot_add_class(robot, &wild_runner) == ACH_OK);
    HOLDS(ach_robot_add_class(robot, &wild_inline) == ACH_OK);
    HOLDS(ach_robot_load_config(robot, config) == ACH_OK);
    HOLDS(ach_robot_start(robot) == ACH_OK);
    return robot;
}

static void leave(struct client *c)
{
    ach_address_t address;
    unsigned i;

    for (i = 0; i < DEVICES; i++) {
        address = device(i);
        while (ach_robot_unsubscribe(c->robot, &address, c->queue) == ACH_OK)
            ;
        STATUS(ach_robot_sink(c->robot, &address, NULL), ACH_MASK_OK | ACH_MASK_ENOENT);
    }
}

/* When the robot is gone nobody can answer any more, and everybody has. */
static void account(struct client *c)
{
    unsigned i;

    take(c, -1u);
    HOLDS(c->settled == c->begun);
    for (i = 0; i < c->asked; i++)
        HOLDS(c->answered[i] == c->taken[i]);
    ach_queue_close(c->queue);
}

void property_driver(const uint8_t *data, size_t size)
{
    static struct client clients[CLIENTS];
    ach_config_t *config;
    ach_robot_t *robot;
    unsigned i;

    bytes = data;
    n_bytes = size;
    at = 0;
    HOLDS(ach_config_parse(robot_file, sizeof(robot_file) - 1, "fuzz", &config) == ACH_OK);
    robot = build(config);
    for (i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){.robot = robot};
        HOLDS(ach_queue_create(wild_draw(64), wild_draw(2) * 4096, NULL, NULL, &clients[i].queue) ==
              ACH_OK);
        HOLDS(pthread_create(&clients[i].thread, NULL, live, &clients[i]) == 0);
    }
    for (i = 0; i < CLIENTS; i++)
        HOLDS(pthread_join(clients[i].thread, NULL) == 0);
    for (i = 0; i < CLIENTS; i++)
        leave(&clients[i]);
    ach_robot_destroy(robot);
    for (i = 0; i < CLIENTS; i++)
        account(&clients[i]);
    ach_config_destroy(config);
}
