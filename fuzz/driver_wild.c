/* SPDX-License-Identifier: BSD-3-Clause */
/* driver_wild.c - a driver that does whatever some bytes say */
#include <ach/interface/opaque.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "property.h"

#define DEVICES_MAX 4u
#define KEPT_MAX 8u

#define ANY_STATUS ACH_MASK_ALL
#define SAID                                                                                       \
    (ACH_MASK_OK | ACH_MASK_ENOENT | ACH_MASK_CLOSED | ACH_MASK_OVERFLOW | ACH_MASK_EINVAL |       \
     ACH_MASK_ENOTSUP)

struct wild {
    ach_driver_t *driver;
    ach_address_t own[DEVICES_MAX], others[DEVICES_MAX];
    unsigned n_own, n_others;
    bool set_up, die;
    bool inlined; /* its process must not block */

    pthread_mutex_t lock; /* the helper thread answers as well */
    ach_message_t *kept[KEPT_MAX];
    pthread_t helper;
    bool helped, stop;
};

static const ach_address_t nobody = {.interf = ACH_OPAQUE_CODE, .index = 999};

static const ach_address_t *own(const struct wild *w)
{
    return wild_draw(20) == 19 ? &nobody : &w->own[wild_draw(w->n_own)];
}

static const ach_address_t *other(const struct wild *w)
{
    return w->n_others && wild_draw(20) != 19 ? &w->others[wild_draw(w->n_others)] : &nobody;
}

static ach_opaque_data_t some_body(unsigned char *bytes)
{
    ach_opaque_data_t body = {.data_count = wild_draw(8), .data = bytes};

    memset(bytes, (int)wild_draw(256), 8);
    return body;
}

static void publish(struct wild *w)
{
    unsigned char bytes[8];
    ach_opaque_data_t body = some_body(bytes);
    const ach_address_t *to = own(w);
    ach_status_t status =
        wild_draw(4) ? ach_driver_publish(w->driver, to, ACH_OPAQUE_DATA_STATE, &body)
                     : ach_driver_publish_at(w->driver, to, (uint8_t)wild_draw(3), NULL, -1e300);

    HOLDS(status == (to == &nobody ? ACH_ENOENT : ACH_OK));
}

/* Twice at most one of both is accepted. */
static void answer(struct wild *w, const ach_message_t *m)
{
    bool request = ach_message_header(m)->type == ACH_MSG_REQ;
    uint8_t type = wild_draw(2) ? ACH_MSG_ACK : ACH_MSG_NACK;
    unsigned char bytes[8];
    ach_opaque_data_t body = some_body(bytes);
    ach_status_t status = ach_driver_reply(w->driver, m, type, wild_draw(2) ? &body : NULL);

    if (!request)
        HOLDS(status == ACH_EINVAL);
    else
        STATUS(status, ACH_MASK_OK | ACH_MASK_EEXIST | ACH_MASK_EINVAL);
    if (request && status == ACH_OK && wild_draw(2))
        HOLDS(ach_driver_reply(w->driver, m, ACH_MSG_NACK, NULL) == ACH_EEXIST);
    STATUS(ach_driver_reply(w->driver, m, ACH_MSG_DATA, NULL), ACH_MASK_EINVAL);
}

static void keep(struct wild *w, const ach_message_t *m)
{
    unsigned i = wild_draw(KEPT_MAX);

    pthread_mutex_lock(&w->lock);
    ach_message_unref(w->kept[i]);
    w->kept[i] = ach_message_ref(m);
    pthread_mutex_unlock(&w->lock);
}

/* What was kept, perhaps long ago. */
static void answer_kept(struct wild *w)
{
    unsigned i = wild_draw(KEPT_MAX);
    ach_message_t *m;

    pthread_mutex_lock(&w->lock);
    m = w->kept[i];
    w->kept[i] = NULL;
    pthread_mutex_unlock(&w->lock);
    if (m)
        answer(w, m);
    ach_message_unref(m);
}

static void relay_kept(struct wild *w, const ach_message_t *m)
{
    unsigned i = wild_draw(KEPT_MAX);

    pthread_mutex_lock(&w->lock);
    if (w->kept[i])
        STATUS(ach_driver_relay(w->driver, w->kept[i], m),
               ACH_MASK_OK | ACH_MASK_EEXIST | ACH_MASK_EINVAL);
    pthread_mutex_unlock(&w->lock);
}

static void properties(struct wild *w)
{
    char text[4];

    ach_driver_get_double(w->driver, "speed");
    HOLDS(ach_driver_get_int(w->driver, "nothing") == 0);
    ach_driver_get_string(w->driver, "title", text, sizeof(text));
    HOLDS(strlen(text) < sizeof(text));
    ach_driver_get_string(w->driver, "speed", text, 1);
    HOLDS(!*text);
}

static void ask(struct wild *w)
{
    unsigned char bytes[8];
    ach_opaque_data_t body = some_body(bytes);
    ach_message_t *m = NULL;
    ach_status_t status = STATUS(ach_driver_request(w->driver, other(w), ACH_OPAQUE_REQ_DATA, &body,
                                                    wild_draw(4) * 0.001, wild_draw(2) ? &m : NULL),
                                 SAID | ACH_MASK_TIMEOUT | ACH_MASK_CANCELED);

    HOLDS(!m || status == ACH_OK || status == ACH_ENOTSUP);
    ach_message_unref(m);
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    struct wild *w = state;

    HOLDS(w->set_up && driver == w->driver);
    HOLDS(ach_message_check(m) == ACH_OK || ach_message_header(m)->type == ACH_MSG_DATA);
    switch (wild_draw(14)) {
    case 0:
        answer(w, m);
        return ACH_OK;
    case 1:
        keep(w, m);
        return ACH_OK;
    case 2:
        answer_kept(w);
        return ACH_ENOTSUP;
    case 3:
        relay_kept(w, m);
        return ACH_OK;
    case 4:
        STATUS(ach_driver_forward(driver, own(w), m), ACH_MASK_OK | ACH_MASK_ENOENT);
        return ACH_OK;
    case 5:
        publish(w);
        return ACH_OK;
    case 6:
        STATUS(ach_driver_command(driver, other(w), ACH_OPAQUE_CMD_DATA, NULL), SAID);
        return ACH_OK;
    case 7:
        STATUS(ach_driver_send(driver, other(w), m), SAID);
        return ACH_OK;
    case 8:
        if (!w->inlined)
            ask(w);
        return ACH_OK;
    case 9:
        properties(w);
        return ACH_EINVAL;
    case 10:
        w->die = true;
        return ACH_OK;
    case 11:
        keep(w, m);
        return ACH_BUG;
    default:
        return ACH_ENOTSUP;
    }
}

/* Another thread than the driver's: publishes, and answers what is kept. */
static void *help(void *state)
{
    struct wild *w = state;

    while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE) && !wild_over()) {
        if (wild_draw(2))
            publish(w);
        else
            answer_kept(w);
        usleep(50);
    }
    return NULL;
}

static ach_status_t setup(ach_driver_t *driver, void *state)
{
    struct wild *w = state;

    HOLDS(driver == w->driver && !w->set_up);
    usleep(wild_draw(4) * 100);
    if (wild_draw(6) == 5)
        return ACH_EACCES;
    if (wild_draw(3) == 2)
        ask(w);
    w->set_up = true;
    w->die = false;
    w->stop = false;
    w->helped = wild_draw(3) == 1 && pthread_create(&w->helper, NULL, help, w) == 0;
    return ACH_OK;
}

/* Answers of later, after it was shut down, are as good. */
static void shut_down(ach_driver_t *driver, void *state)
{
    struct wild *w = state;

    HOLDS(driver == w->driver && w->set_up);
    __atomic_store_n(&w->stop, true, __ATOMIC_RELEASE);
    if (w->helped)
        pthread_join(w->helper, NULL);
    w->helped = w->set_up = false;
    publish(w);
}

static void run(ach_driver_t *driver, void *state)
{
    struct wild *w = state;

    while (!w->die && ach_driver_wait(driver, wild_draw(3) * 0.0005)) {
        if (wild_draw(8) == 7)
            publish(w);
        if (wild_draw(16) == 15)
            ask(w);
        if (w->own[0].index == 0 && wild_draw(4) == 3)
            STATUS(ach_driver_advance(driver, ach_driver_time(driver) + 0.01),
                   ACH_MASK_OK | ACH_MASK_CANCELED | ACH_MASK_ENOTSUP);
        if (wild_over())
            usleep(100);
    }
}

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct wild *w = calloc(1, sizeof(*w));

    (void)options;
    HOLDS(w);
    *state = w;
    w->driver = driver;
    pthread_mutex_init(&w->lock, NULL);
    while (w->n_own < DEVICES_MAX &&
           ach_driver_provide(driver, ACH_OPAQUE_CODE, NULL, &w->own[w->n_own]) == ACH_OK)
        w->n_own++;
    while (w->n_others < DEVICES_MAX &&
           ach_driver_require(driver, 0, NULL, &w->others[w->n_others]) == ACH_OK)
        w->n_others++;
    HOLDS(w->n_own);
    STATUS(ach_driver_handles(driver, own(w), (uint8_t)wild_draw(8), (uint8_t)wild_draw(8)),
           ANY_STATUS);
    HOLDS(ach_driver_property_double(driver, "speed", 1) == ACH_OK);
    HOLDS(ach_driver_property_string(driver, "title", "wild") == ACH_OK);
    HOLDS(ach_driver_property_bool(driver, "speed", true) == ACH_EEXIST);
    return ACH_OK;
}

static ach_status_t create_inline(ach_driver_t *driver, ach_section_t *options, void **state)
{
    ach_status_t status = create(driver, options, state);

    ((struct wild *)*state)->inlined = true;
    return status;
}

static void destroy(ach_driver_t *driver, void *state)
{
    struct wild *w = state;
    unsigned i;

    HOLDS(driver == w->driver && !w->set_up);
    for (i = 0; i < KEPT_MAX; i++)
        ach_message_unref(w->kept[i]);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

const ach_driver_class_t wild_driver = {
    .version = ACH_DRIVER_VERSION,
    .name = "wild",
    .create = create,
    .destroy = destroy,
    .setup = setup,
    .shutdown = shut_down,
    .process = process,
};

const ach_driver_class_t wild_runner = {
    .version = ACH_DRIVER_VERSION,
    .name = "runner",
    .create = create,
    .destroy = destroy,
    .setup = setup,
    .shutdown = shut_down,
    .process = process,
    .main = run,
};

const ach_driver_class_t wild_inline = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_INLINE,
    .name = "inline",
    .create = create_inline,
    .destroy = destroy,
    .setup = setup,
    .shutdown = shut_down,
    .process = process,
};
