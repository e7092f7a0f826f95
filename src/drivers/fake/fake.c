/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fake - devices with scripted data, answers and faults, for tests
 *
 * The config file defines which messages are published at which rates, how their fields change,
 * and how requests are answered. Faults are properties, so that a client can switch them on and
 * off at run time.
 */
#include <ach.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../drivers.h"
#include "script.h"

/* Most delayed answers at a time. */
#define LATE_MAX 64u

struct late {
    ach_message_t *request;
    const struct drv_reply *reply;
    double due;
};

struct fake {
    ach_address_t *devices;
    size_t count;
    struct drv_script script;
    uint64_t seed, random;
    unsigned setups;
    unsigned published; /* including dropped and damaged messages */
    double since;       /* time of setup, on the robot's clock */
    struct late late[LATE_MAX];
};

static void fake_destroy(ach_driver_t *driver, void *state)
{
    struct fake *f = state;

    (void)driver;
    drv_script_free(&f->script);
    free(f->devices);
    free(f);
}

static ach_status_t have_faults(ach_driver_t *driver)
{
    static const char *const counts[] = {"fail_setup", "drop", "corrupt"};
    static const char *const times[] = {"slow_setup", "die_after", "silent_after", "delay"};
    ach_status_t status = ACH_OK;
    size_t i;

    for (i = 0; i < sizeof(counts) / sizeof(counts[0]) && status == ACH_OK; i++)
        status = ach_driver_property_int(driver, counts[i], 0);
    for (i = 0; i < sizeof(times) / sizeof(times[0]) && status == ACH_OK; i++)
        status = ach_driver_property_double(driver, times[i], 0);
    return status;
}

static ach_status_t have_devices(ach_driver_t *driver, ach_section_t *options, struct fake *f)
{
    size_t n = ach_section_tuple_count(options, "provides");
    ach_status_t status = ACH_OK;

    f->devices = calloc(n ? n : 1, sizeof(*f->devices));
    if (!f->devices)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    while (f->count < n && status == ACH_OK)
        status = ach_driver_provide_next(driver, NULL, &f->devices[f->count++]);
    return status;
}

static ach_status_t have_answers(ach_driver_t *driver, const struct fake *f)
{
    const struct drv_reply *r;
    ach_status_t status = ACH_OK;

    for (r = f->script.replies; r && status == ACH_OK; r = r->next)
        if (!r->refuse)
            status = ach_driver_handles(driver, &r->address, ACH_MSG_REQ, r->def->subtype);
    return status;
}

static ach_status_t fake_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct fake *f = calloc(1, sizeof(*f));
    ach_status_t status;

    if (!f)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    f->seed = (uint64_t)ach_section_int(options, "seed", 1);
    status = have_faults(driver);
    if (status == ACH_OK)
        status = have_devices(driver, options, f);
    if (status == ACH_OK)
        status = drv_script_read(options, f->devices, f->count,
                                 ach_section_double(options, "rate", 10), &f->script);
    if (status == ACH_OK)
        status = have_answers(driver, f);
    if (status != ACH_OK)
        fake_destroy(driver, f);
    *state = f;
    return status;
}

static void fake_sleep_for(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

    while (nanosleep(&t, &t) != 0)
        ;
}

static ach_status_t fake_setup(ach_driver_t *driver, void *state)
{
    struct fake *f = state;
    int32_t fail = ach_driver_get_int(driver, "fail_setup");
    double slow = ach_driver_get_double(driver, "slow_setup");
    struct drv_stream *s;

    if (slow > 0)
        fake_sleep_for(slow);
    if (fail > 0 && ++f->setups % (unsigned)fail == 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "every setup number %d fails", fail);
    f->random = f->seed;
    f->published = 0;
    f->since = ach_driver_time(driver);
    for (s = f->script.streams; s; s = s->next)
        s->due = f->since + s->period;
    return ACH_OK;
}

static void fake_shut_down(ach_driver_t *driver, void *state)
{
    struct fake *f = state;
    unsigned i;

    (void)driver;
    for (i = 0; i < LATE_MAX; i++)
        ach_message_unref(f->late[i].request);
    memset(f->late, 0, sizeof(f->late));
}

/* True for every n-th count; never if n is 0. */
static bool every(int32_t n, unsigned count)
{
    return n > 0 && count % (unsigned)n == 0;
}

/* Publish only half of the bytes, with one of them changed. */
static ach_status_t publish_damaged(ach_driver_t *driver, const struct drv_stream *s, double time)
{
    ach_header_t h = {
        .address = s->address, .type = ACH_MSG_DATA, .subtype = s->def->subtype, .timestamp = time};
    ach_message_t *sound, *damaged;
    ach_status_t status = ach_message_create(&h, s->body, &sound);
    unsigned char *bytes;
    const void *from;
    size_t size;

    if (status != ACH_OK)
        return status;
    from = ach_message_bytes(sound, &size);
    size = size / 8 * 4 + 2;
    bytes = calloc(1, size);
    if (bytes && size > 2)
        memcpy(bytes, from, size - 2);
    if (bytes)
        bytes[0] ^= 0xff;
    status = bytes ? ach_message_wrap(&h, bytes, size, &damaged) : ACH_FAILED_SYSCALL;
    free(bytes);
    ach_message_unref(sound);
    if (status != ACH_OK)
        return status;
    status = ach_driver_forward(driver, &s->address, damaged);
    ach_message_unref(damaged);
    return status;
}

static void fake_publish(ach_driver_t *driver, struct fake *f, const struct drv_stream *s,
                         double now)
{
    double silent = ach_driver_get_double(driver, "silent_after");
    double sensed = now - ach_driver_get_double(driver, "delay");
    const struct drv_signal *signal;

    if (silent > 0 && now - f->since >= silent)
        return;
    for (signal = s->signals; signal; signal = signal->next)
        drv_signal_apply(signal, s->def->body, s->body, sensed - f->since, &f->random);
    f->published++;
    if (every(ach_driver_get_int(driver, "drop"), f->published))
        return;
    if (every(ach_driver_get_int(driver, "corrupt"), f->published))
        publish_damaged(driver, s, sensed);
    else
        ach_driver_publish_at(driver, &s->address, s->def->subtype, s->body, sensed);
}

static ach_status_t answer(ach_driver_t *driver, const struct drv_reply *r,
                           const ach_message_t *request)
{
    return ach_driver_reply(driver, request, r->refuse ? ACH_MSG_NACK : ACH_MSG_ACK,
                            r->refuse ? NULL : r->body);
}

/* Keep the request until its answer is due, or until shutdown. */
static ach_status_t answer_later(ach_driver_t *driver, struct fake *f, const struct drv_reply *r,
                                 const ach_message_t *request)
{
    unsigned i;

    for (i = 0; i < LATE_MAX; i++)
        if (!f->late[i].request) {
            f->late[i].request = ach_message_ref(request);
            f->late[i].reply = r;
            f->late[i].due = r->hold ? INFINITY : ach_driver_time(driver) + r->delay;
            return ACH_OK;
        }
    return ach_errstr_set(ACH_OVERFLOW, "%u delayed answers are already pending", LATE_MAX);
}

static ach_status_t fake_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    struct fake *f = state;
    const ach_header_t *h = ach_message_header(message);
    const struct drv_reply *r = f->script.replies;

    if (h->type != ACH_MSG_REQ)
        return ACH_OK;
    while (r && !(ach_address_equal(&r->address, &h->address) && r->def->subtype == h->subtype))
        r = r->next;
    if (!r)
        return ACH_ENOTSUP;
    return r->hold || r->delay > 0 ? answer_later(driver, f, r, message)
                                   : answer(driver, r, message);
}

/* Publish and answer what is due. Returns the time of the next work. */
static double work(ach_driver_t *driver, struct fake *f, double now)
{
    double next = now + 0.1; /* check again soon: properties may change */
    struct drv_stream *s;
    unsigned i;

    for (s = f->script.streams; s; s = s->next) {
        if (s->due <= now) {
            fake_publish(driver, f, s, now);
            s->due = s->due + s->period > now ? s->due + s->period : now + s->period;
        }
        next = s->due < next ? s->due : next;
    }
    for (i = 0; i < LATE_MAX; i++) {
        struct late *l = &f->late[i];

        if (l->request && l->due <= now) {
            answer(driver, l->reply, l->request);
            ach_message_unref(l->request);
            l->request = NULL;
        } else if (l->request && l->due < next)
            next = l->due;
    }
    return next;
}

static void fake_run(ach_driver_t *driver, void *state)
{
    struct fake *f = state;
    double next = f->since;

    while (ach_driver_wait_until(driver, next)) {
        double now = ach_driver_time(driver), die = ach_driver_get_double(driver, "die_after");

        if (die > 0 && now - f->since >= die)
            return;
        next = work(driver, f, now);
    }
}

const ach_driver_class_t drv_driver_fake = {
    .version = ACH_DRIVER_VERSION,
    .name = "fake",
    .create = fake_create,
    .destroy = fake_destroy,
    .setup = fake_setup,
    .shutdown = fake_shut_down,
    .process = fake_process,
    .main = fake_run,
};
