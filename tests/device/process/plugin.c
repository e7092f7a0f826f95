/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plugin.c - a driver that obeys commands of the test, also to crash
 *
 * The first byte of a command to opaque:N selects an action: see process.h. Every 20 ms its device
 * publishes a struct said: its pid, and how often it has received data of the required device.
 */
#include <ach/driver.h>
#include <ach/interface/opaque.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

struct wild {
    ach_address_t address, other;
    bool has_other, deaf;
    struct said said;
};

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct wild *w = calloc(1, sizeof(*w));
    ach_status_t status = ach_driver_provide(driver, ACH_OPAQUE_CODE, NULL, &w->address);

    if (ach_section_tuple_count(options, "requires")) {
        status = ach_driver_require(driver, ACH_OPAQUE_CODE, "other", &w->other);
        w->has_other = true;
    }
    if (status == ACH_OK)
        status = ach_driver_property_int(driver, "number", 5);
    if (status == ACH_OK && ach_section_bool(options, "crash_at_once", false))
        abort();
    *state = w;
    return status;
}

static void destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    free(state);
}

static ach_status_t setup(ach_driver_t *driver, void *state)
{
    (void)state;
    return ach_driver_get_int(driver, "number") == 13 ? ACH_EINVAL : ACH_OK;
}

/* Remove the file WILD_SHUTDOWN, to show the test that shutdown was called. */
static void shutdown_(ach_driver_t *driver, void *state)
{
    const char *file = getenv("WILD_SHUTDOWN");

    (void)driver;
    (void)state;
    if (file)
        unlink(file);
}

static void obey(ach_driver_t *driver, struct wild *w, const ach_opaque_data_t *what)
{
    switch (what->data_count ? what->data[0] : 0) {
    case WILD_ABORT:
        abort();
    case WILD_EXIT:
        _exit(3);
    case WILD_HANG:
        for (;;)
            pause();
    case WILD_STOP:
        raise(SIGSTOP);
        break;
    case WILD_PASS_ON: {
        const ach_opaque_data_t rest = {what->data_count - 1, what->data + 1};

        ach_driver_command(driver, &w->other, ACH_OPAQUE_CMD_DATA, &rest);
        break;
    }
    case WILD_ASK: {
        const ach_opaque_data_t question = {1, what->data};
        ach_message_t *answer = NULL;

        w->said.asked = ach_driver_request(driver, &w->other, ACH_OPAQUE_REQ_DATA, &question, 10,
                                           &answer) == ACH_OK;
        ach_message_unref(answer);
        break;
    }
    }
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    const ach_header_t *h = ach_message_header(message);
    struct wild *w = state;
    const ach_opaque_data_t *body = ach_message_body(message);

    if (w->has_other && ach_message_is(message, &w->other, ACH_MSG_DATA, ACH_OPAQUE_DATA_STATE))
        w->said.heard++;
    else if (h->type == ACH_MSG_CMD && body && body->data_count && body->data[0] == WILD_UNKNOWN)
        return ACH_ENOTSUP;
    else if (h->type == ACH_MSG_CMD && body)
        obey(driver, w, body);
    else if (h->type == ACH_MSG_REQ && h->subtype == ACH_OPAQUE_REQ_DATA && body &&
             body->data_count && body->data[0] == WILD_ABORT)
        abort();
    else if (h->type == ACH_MSG_REQ && h->subtype == ACH_OPAQUE_REQ_DATA)
        return ach_driver_reply(driver, message, ACH_MSG_ACK, body);
    else if (h->type == ACH_MSG_REQ)
        return ACH_ENOTSUP;
    return ACH_OK;
}

static void run(ach_driver_t *driver, void *state)
{
    struct wild *w = state;

    w->said.pid = getpid();
    while (ach_driver_wait(driver, 0.02)) {
        ach_opaque_data_t body = {sizeof(w->said), (uint8_t *)&w->said};

        w->said.number = ach_driver_get_int(driver, "number");
        ach_driver_publish(driver, &w->address, ACH_OPAQUE_DATA_STATE, &body);
    }
}

static const ach_driver_class_t wild = {
    .version = ACH_DRIVER_VERSION,
    .name = "wild",
    .create = create,
    .destroy = destroy,
    .setup = setup,
    .shutdown = shutdown_,
    .process = process,
    .main = run,
};
ACH_DRIVER_PLUGIN(&wild)
