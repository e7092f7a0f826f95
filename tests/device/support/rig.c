/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

#include <ach/drivers.h>
#include <ach/interface/common.h>
#include <math.h>
#include <pthread.h>

struct line {
    struct line *next;
    char text[];
};

struct rig {
    ach_robot_t *robot;
    ach_config_t *config;
    pthread_mutex_t lock; /* protects lines */
    struct line *lines;
};

double rig_now(void)
{
    return (double)check_now_ns() * 1e-9;
}

static void keep_line(void *context, enum ach_log level, const char *text)
{
    struct rig *rig = context;
    struct line *l = malloc(sizeof(*l) + strlen(text) + 1);

    (void)level;
    REQUIRE(l);
    strcpy(l->text, text);
    pthread_mutex_lock(&rig->lock);
    l->next = rig->lines;
    rig->lines = l;
    pthread_mutex_unlock(&rig->lock);
    if (getenv("RIG_LOG"))
        fprintf(stderr, "log: %s\n", text);
}

struct rig *rig_create(bool simulated)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    ach_robot_attr_t attr = {.size = sizeof(attr),
                             .simulated = simulated,
                             .level = ACH_LOG_INFO,
                             .log = keep_line,
                             .context = rig};

    REQUIRE(rig);
    pthread_mutex_init(&rig->lock, NULL);
    REQUIRE_OK(ach_robot_create(&attr, &rig->robot));
    REQUIRE_OK(ach_drivers_add(rig->robot));
    return rig;
}

void rig_add(struct rig *rig, const ach_driver_class_t *driver)
{
    REQUIRE_OK(ach_robot_add_class(rig->robot, driver));
}

ach_status_t rig_load(struct rig *rig, const char *config)
{
    ach_status_t status = ach_config_parse(config, strlen(config), "test.cfg", &rig->config);

    if (status != ACH_OK) {
        keep_line(rig, ACH_LOG_ERROR, ach_config_errors(NULL));
        return status;
    }
    status = ach_robot_load_config(rig->robot, rig->config);
    if (status == ACH_OK && *ach_config_warnings(rig->config))
        keep_line(rig, ACH_LOG_WARNING, ach_config_warnings(rig->config));
    return status;
}

static void print_lines(const struct line *l)
{
    if (!l)
        return;
    print_lines(l->next);
    fprintf(stderr, "log: %s\n", l->text);
}

struct rig *rig_start(const char *config)
{
    struct rig *rig = rig_create(false);

    if (rig_load(rig, config) != ACH_OK) {
        print_lines(rig->lines);
        REQUIRE(!"the config text is right");
    }
    REQUIRE_OK(ach_robot_start(rig->robot));
    return rig;
}

void rig_refuses(const char *config, const char *why)
{
    struct rig *rig = rig_create(false);

    CHECK_STATUS(rig_load(rig, config), ACH_EINVAL);
    CHECK(rig_logged(rig, why));
    rig_end(rig);
}

void rig_end(struct rig *rig)
{
    ach_robot_destroy(rig->robot);
    ach_config_destroy(rig->config);
    while (rig->lines) {
        struct line *l = rig->lines;

        rig->lines = l->next;
        free(l);
    }
    pthread_mutex_destroy(&rig->lock);
    free(rig);
}

ach_robot_t *rig_robot(struct rig *rig)
{
    return rig->robot;
}

unsigned rig_count(struct rig *rig, const char *text)
{
    const struct line *l;
    unsigned n = 0;

    pthread_mutex_lock(&rig->lock);
    for (l = rig->lines; l; l = l->next)
        n += strstr(l->text, text) != NULL;
    pthread_mutex_unlock(&rig->lock);
    return n;
}

bool rig_logged(struct rig *rig, const char *text)
{
    double end = rig_now() + RIG_PATIENCE;

    while (!rig_count(rig, text)) {
        if (rig_now() > end) {
            fprintf(stderr, "nothing in the log says: %s\n", text);
            print_lines(rig->lines);
            return false;
        }
        check_sleep_ms(1);
    }
    return true;
}

ach_address_t rig_address(const char *text)
{
    ach_place_t place;

    REQUIRE_OK(ach_place_parse(text, &place));
    return (ach_address_t){.interf = place.interf, .index = place.index, .robot = place.robot};
}

struct ear {
    struct rig *rig;
    ach_address_t address;
    ach_queue_t *queue;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
    bool subscribed;
    ach_status_t status;
    char why[256];
    uint32_t sequence;
};

static void changed(void *context)
{
    struct ear *ear = context;

    pthread_mutex_lock(&ear->lock);
    pthread_cond_broadcast(&ear->changed);
    pthread_mutex_unlock(&ear->lock);
}

static void subscribed(void *context, const ach_address_t *address, ach_status_t status,
                       const char *why)
{
    struct ear *ear = context;

    (void)address;
    pthread_mutex_lock(&ear->lock);
    ear->done = true;
    ear->status = status;
    snprintf(ear->why, sizeof(ear->why), "%s", why);
    pthread_cond_broadcast(&ear->changed);
    pthread_mutex_unlock(&ear->lock);
}

static struct timespec deadline(double end)
{
    return (struct timespec){.tv_sec = (time_t)end, .tv_nsec = (long)((end - floor(end)) * 1e9)};
}

static struct ear *make_ear(struct rig *rig, const char *address)
{
    struct ear *ear = calloc(1, sizeof(*ear));
    pthread_condattr_t monotonic;

    REQUIRE(ear);
    ear->rig = rig;
    ear->address = rig_address(address);
    pthread_mutex_init(&ear->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&ear->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    REQUIRE_OK(ach_queue_create(0, 0, changed, ear, &ear->queue));
    return ear;
}

static void await_done(struct ear *ear)
{
    struct timespec end = deadline(rig_now() + RIG_PATIENCE);

    pthread_mutex_lock(&ear->lock);
    while (!ear->done && pthread_cond_timedwait(&ear->changed, &ear->lock, &end) == 0)
        ;
    pthread_mutex_unlock(&ear->lock);
    REQUIRE(ear->done);
}

struct ear *ear_try(struct rig *rig, const char *address, ach_status_t *status, char *why)
{
    struct ear *ear = make_ear(rig, address);

    *status = ach_robot_subscribe(rig->robot, &ear->address, ear->queue, subscribed, ear);
    if (*status != ACH_OK)
        return ear;
    await_done(ear);
    *status = ear->status;
    if (why)
        strcpy(why, ear->why);
    ear->subscribed = *status == ACH_OK;
    return ear;
}

struct ear *ear_begin(struct rig *rig, const char *address)
{
    struct ear *ear = make_ear(rig, address);

    REQUIRE_OK(ach_robot_subscribe(rig->robot, &ear->address, ear->queue, subscribed, ear));
    return ear;
}

ach_status_t ear_status(struct ear *ear)
{
    ach_status_t status;

    pthread_mutex_lock(&ear->lock);
    status = ear->done ? ear->status : ACH_EAGAIN;
    pthread_mutex_unlock(&ear->lock);
    return status;
}

ach_status_t ear_subscribe(struct ear *ear, const char *address)
{
    ach_address_t a = rig_address(address);
    ach_status_t status;

    ear->done = false;
    status = ach_robot_subscribe(ear->rig->robot, &a, ear->queue, subscribed, ear);
    if (status != ACH_OK)
        return status;
    await_done(ear);
    return ear->status;
}

struct ear *ear_open(struct rig *rig, const char *address)
{
    ach_status_t status;
    struct ear *ear = ear_try(rig, address, &status, NULL);

    if (status != ACH_OK) {
        fprintf(stderr, "%s: %s\n", address, ear->why);
        REQUIRE_OK(status);
    }
    return ear;
}

void ear_close(struct ear *ear)
{
    if (ear->subscribed)
        CHECK_OK(ach_robot_unsubscribe(ear->rig->robot, &ear->address, ear->queue));
    ach_queue_close(ear->queue);
    pthread_cond_destroy(&ear->changed);
    pthread_mutex_destroy(&ear->lock);
    free(ear);
}

void ear_forget(struct ear *ear)
{
    ear->subscribed = false;
    ear_close(ear);
}

ach_queue_t *ear_queue(struct ear *ear)
{
    return ear->queue;
}

struct rig *ear_rig(struct ear *ear)
{
    return ear->rig;
}

ach_message_t *ear_next(struct ear *ear, double seconds)
{
    struct timespec end = deadline(rig_now() + seconds);
    ach_message_t *m;
    int late = 0;

    pthread_mutex_lock(&ear->lock);
    while (!(m = ach_queue_pop(ear->queue)) && !late)
        late = pthread_cond_timedwait(&ear->changed, &ear->lock, &end);
    pthread_mutex_unlock(&ear->lock);
    return m;
}

ach_message_t *ear_want(struct ear *ear, uint8_t type, uint8_t subtype)
{
    double end = rig_now() + RIG_PATIENCE;
    ach_message_t *m;

    while ((m = ear_next(ear, end > rig_now() ? end - rig_now() : 0))) {
        if (ach_message_is(m, NULL, type, subtype))
            return m;
        ach_message_unref(m);
    }
    fprintf(stderr, "no message %u:%u came\n", type, subtype);
    CHECK(m);
    return NULL;
}

ach_message_t *ear_data(struct ear *ear, uint8_t subtype)
{
    return ear_want(ear, ACH_MSG_DATA, subtype);
}

static ach_status_t deliver(struct ear *ear, uint8_t type, uint8_t subtype, const void *body)
{
    ach_header_t h = {.address = ear->address,
                      .type = type,
                      .subtype = subtype,
                      .sequence = ++ear->sequence,
                      .timestamp = ach_robot_time(ear->rig->robot)};
    const void *bytes;
    ach_message_t *m;
    ach_status_t status;
    size_t size;

    REQUIRE_OK(ach_message_create(&h, body, &m));
    bytes = ach_message_bytes(m, &size);
    status = ach_robot_deliver(ear->rig->robot, &h, bytes, size, ear->queue);
    ach_message_unref(m);
    return status;
}

ach_status_t ear_command(struct ear *ear, uint8_t subtype, const void *body)
{
    return deliver(ear, ACH_MSG_CMD, subtype, body);
}

uint32_t ear_ask(struct ear *ear, uint8_t subtype, const void *body)
{
    REQUIRE_OK(deliver(ear, ACH_MSG_REQ, subtype, body));
    return ear->sequence;
}

static bool answers(const ach_message_t *m, uint32_t sequence)
{
    const ach_header_t *h = ach_message_header(m);

    return (h->type == ACH_MSG_ACK || h->type == ACH_MSG_NACK) && h->sequence == sequence;
}

ach_message_t *ear_request(struct ear *ear, uint8_t subtype, const void *body)
{
    uint32_t sequence = ear_ask(ear, subtype, body);
    double end = rig_now() + RIG_PATIENCE;
    ach_message_t *m;

    while ((m = ear_next(ear, end > rig_now() ? end - rig_now() : 0))) {
        if (answers(m, sequence))
            return m;
        ach_message_unref(m);
    }
    REQUIRE(!"a request is answered");
    return NULL;
}

bool ear_acked(struct ear *ear, uint8_t subtype, const void *body)
{
    ach_message_t *m = ear_request(ear, subtype, body);
    bool acked = ach_message_header(m)->type == ACH_MSG_ACK;

    ach_message_unref(m);
    return acked;
}

bool ear_refused(struct ear *ear, uint8_t subtype)
{
    return deliver(ear, ACH_MSG_REQ, subtype, NULL) == ACH_CLOSED;
}

void ear_property(struct ear *ear, const char *name, double value)
{
    char key[64];
    ach_dblprop_t p = {.key_count = (uint32_t)strlen(name) + 1, .key = key, .value = value};

    strcpy(key, name);
    CHECK(ear_acked(ear, ACH_REQ_SET_DBLPROP, &p));
}
