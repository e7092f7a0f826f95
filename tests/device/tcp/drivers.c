/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers.h"

#include "atlas.h"

#include <ach.h>
#include <ach/interface/opaque.h>
#include <ach/interface/position2d.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES_MAX 64
#define HELD_MAX 4096
#define BODY_MAX 65536

enum does { REFUSE, ECHO, HOLD, FAIL };

struct puppet {
    ach_address_t devices[DEVICES_MAX];
    int count, control;
    int setup_ms, sleep_ms;
    char setup_file[256]; /* setup waits until this file exists; empty: it does not wait */
    bool die;
    enum does does;
    ach_message_t *held[HELD_MAX];
    unsigned n_held;
    unsigned char body[BODY_MAX];
};

static ach_status_t puppet_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct puppet *p = calloc(1, sizeof(*p));
    const char *does = ach_section_string(options, "does", "refuse");
    char key[ACH_KEY_MAX];

    if (!p)
        return ACH_FAILED_SYSCALL;
    p->control = -1;
    p->does = strcmp(does, "echo") == 0   ? ECHO
              : strcmp(does, "hold") == 0 ? HOLD
              : strcmp(does, "fail") == 0 ? FAIL
                                          : REFUSE;
    while (p->count < DEVICES_MAX &&
           ach_driver_provide_next(driver, key, &p->devices[p->count]) == ACH_OK) {
        if (strcmp(key, "control") == 0)
            p->control = p->count;
        p->count++;
    }
    p->setup_ms = ach_section_int(options, "setup_ms", 0);
    p->sleep_ms = ach_section_int(options, "sleep_ms", 0);
    snprintf(p->setup_file, sizeof(p->setup_file), "%s",
             ach_section_string(options, "setup_file", ""));
    ach_driver_property_int(driver, "answer", 42);
    *state = p;
    return p->count ? ACH_OK : ACH_ENOENT;
}

static void answer_held(struct puppet *p)
{
    while (p->n_held)
        ach_message_unref(p->held[--p->n_held]);
}

static ach_status_t puppet_setup(ach_driver_t *driver, void *state)
{
    struct puppet *p = state;

    (void)driver;
    usleep((unsigned)p->setup_ms * 1000);
    while (*p->setup_file && access(p->setup_file, F_OK) != 0)
        usleep(10000);
    p->die = false;
    return ACH_OK;
}

static void puppet_main(ach_driver_t *driver, void *state)
{
    const struct puppet *p = state;

    while (!p->die && ach_driver_wait(driver, 0.05))
        ;
}

static void puppet_shutdown(ach_driver_t *driver, void *state)
{
    (void)driver;
    answer_held(state);
}

static void puppet_destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    answer_held(state);
    free(state);
}

static size_t from_hex(const char *hex, unsigned char *to)
{
    size_t n = 0;
    unsigned byte;

    while (n < BODY_MAX && sscanf(hex + 2 * n, "%2x", &byte) == 1)
        to[n++] = (unsigned char)byte;
    return n;
}

static void say(ach_driver_t *driver, struct puppet *p, const char *text)
{
    unsigned interf, index, subtype, times;
    int at = 0;
    ach_header_t h = {.type = ACH_MSG_DATA, .timestamp = ach_driver_time(driver)};
    ach_message_t *m;
    size_t size;

    if (sscanf(text, "say %u %u %u %u %n", &interf, &index, &subtype, &times, &at) < 4)
        return;
    h.address = (ach_address_t){.interf = (uint16_t)interf, .index = (uint16_t)index};
    h.subtype = (uint8_t)subtype;
    size = from_hex(text + at, p->body);
    while (times--) {
        if (ach_message_wrap(&h, p->body, size, &m) != ACH_OK)
            return;
        ach_driver_forward(driver, &h.address, m);
        ach_message_unref(m);
    }
}

static void obey(ach_driver_t *driver, struct puppet *p, const ach_message_t *m)
{
    const ach_opaque_data_t *body = ach_message_body(m);
    char *text = body ? calloc(1, body->data_count + 1) : NULL;

    if (!text)
        return;
    memcpy(text, body->data, body->data_count);
    if (strncmp(text, "say ", 4) == 0)
        say(driver, p, text);
    else if (strcmp(text, "answer") == 0)
        answer_held(p);
    else if (strcmp(text, "die") == 0)
        p->die = true;
    free(text);
}

static ach_status_t echo(ach_driver_t *driver, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);
    ach_message_t *ack;

    if (h.type == ACH_MSG_CMD)
        return ach_driver_forward(driver, &h.address, m);
    h.type = ACH_MSG_ACK;
    h.timestamp = ach_driver_time(driver);
    if (ach_message_again(m, &h, &ack) == ACH_OK) {
        ach_driver_relay(driver, m, ack);
        ach_message_unref(ack);
    }
    return ACH_OK;
}

static ach_status_t puppet_process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    struct puppet *p = state;
    const ach_header_t *h = ach_message_header(m);

    usleep((unsigned)p->sleep_ms * 1000);
    if (p->control >= 0 && ach_address_equal(&h->address, &p->devices[p->control]) &&
        h->type == ACH_MSG_CMD) {
        obey(driver, p, m);
        return ACH_OK;
    }
    if (p->does == ECHO)
        return echo(driver, m);
    if (p->does == FAIL)
        return ach_errstr_set(ACH_EINVAL, "it always fails");
    if (p->does == HOLD && h->type == ACH_MSG_REQ && p->n_held < HELD_MAX) {
        p->held[p->n_held++] = ach_message_ref(m);
        return ACH_OK;
    }
    return h->type == ACH_MSG_CMD ? ACH_OK : ACH_ENOTSUP;
}

static ach_status_t vfh_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    ach_address_t address;

    (void)options;
    *state = NULL;
    return ach_driver_provide(driver, ACH_POSITION2D_CODE, NULL, &address);
}

static ach_status_t vfh_setup(ach_driver_t *driver, void *state)
{
    (void)driver;
    (void)state;
    return ach_errstr_set(ACH_ENOENT, "there is nothing to avoid obstacles with");
}

struct ticker {
    ach_address_t address;
    double rate;
    double count;
};

static ach_status_t ticker_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct ticker *t = calloc(1, sizeof(*t));

    if (!t)
        return ACH_FAILED_SYSCALL;
    *state = t;
    t->rate = ach_section_double(options, "rate", 10);
    return ach_driver_provide(driver, ACH_POSITION2D_CODE, NULL, &t->address);
}

static void free_state(ach_driver_t *driver, void *state)
{
    (void)driver;
    free(state);
}

static void ticker_main(ach_driver_t *driver, void *state)
{
    struct ticker *t = state;
    double next = ach_driver_time(driver);

    while (ach_driver_wait_until(driver, next += 1 / t->rate)) {
        ach_position2d_data_t data = {.pos = {.px = ++t->count, .py = ach_driver_time(driver)}};

        ach_driver_publish(driver, &t->address, ACH_POSITION2D_DATA_STATE, &data);
    }
}

struct passer {
    ach_address_t here, there;
    ach_message_t *asked;
};

static ach_status_t passer_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct passer *p = calloc(1, sizeof(*p));
    ach_status_t status;

    (void)options;
    if (!p)
        return ACH_FAILED_SYSCALL;
    *state = p;
    status = ach_driver_provide_next(driver, NULL, &p->here);
    return status == ACH_OK ? ach_driver_require(driver, 0, NULL, &p->there) : status;
}

static void passer_forget(ach_driver_t *driver, void *state)
{
    struct passer *p = state;

    (void)driver;
    ach_message_unref(p->asked);
    p->asked = NULL;
}

static ach_status_t passer_process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    struct passer *p = state;

    switch (ach_message_header(m)->type) {
    case ACH_MSG_DATA:
        return ach_driver_forward(driver, &p->here, m);
    case ACH_MSG_REQ:
        passer_forget(driver, p);
        p->asked = ach_message_ref(m);
        return ach_driver_send(driver, &p->there, m);
    case ACH_MSG_CMD:
        return ach_driver_send(driver, &p->there, m);
    default:
        if (p->asked)
            ach_driver_relay(driver, p->asked, m);
        passer_forget(driver, p);
        return ACH_OK;
    }
}

#define PUPPET(called)                                                                             \
    {                                                                                              \
        .version = ACH_DRIVER_VERSION, .name = called, .create = puppet_create,                    \
        .destroy = puppet_destroy, .setup = puppet_setup, .shutdown = puppet_shutdown,             \
        .process = puppet_process, .main = puppet_main                                             \
    }

static const ach_driver_class_t classes[] = {
    PUPPET("puppet"),
    PUPPET("dummy"),
    {.version = ACH_DRIVER_VERSION, .name = "vfh", .create = vfh_create, .setup = vfh_setup},
    {.version = ACH_DRIVER_VERSION,
     .name = "ticker",
     .create = ticker_create,
     .destroy = free_state,
     .main = ticker_main},
    {.version = ACH_DRIVER_VERSION,
     .name = "passer",
     .create = passer_create,
     .destroy = free_state,
     .shutdown = passer_forget,
     .process = passer_process},
};

void add_drivers(ach_robot_t *robot)
{
    size_t i;

    for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        ach_robot_add_class(robot, &classes[i]);
    ach_robot_add_class(robot, &atlas_class);
}
