/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dummy - devices that publish the same data periodically
 *
 * Provides any interface and publishes its first data message at a rate. Floating-point fields are
 * 1 and others 0, unless the table below has other values. Commands are ignored, requests are not
 * supported.
 */
#include <ach.h>
#include <stdlib.h>
#include <string.h>

#include "../drivers.h"

/* One device. Its body never changes. */
struct device {
    ach_address_t address;
    uint8_t subtype;
    void *body; /* NULL: the message has none, or the interface has no data */
    bool talks;
};

struct dummy {
    struct device *devices;
    size_t count;
    double period; /* s */
};

/* Plausible data of a sensor of this kind. */
static const struct {
    const char *interf;
    const char *words[8];
} plausible[] = {
    {"laser",
     {"min_angle=-1.5", "max_angle=1.5", "resolution=0.5", "max_range=8", "ranges=1,1,1,1,1,1,1",
      "intensity=1,1,1,1,1,1,1"}},
    {"ranger", {"ranges=1,1,1,1,1,1,1"}},
    {"sonar", {"ranges=1,1,1,1,1,1,1,1"}},
    {"ir", {"voltages=1,1,1,1", "ranges=1,1,1,1"}},
    {"bumper", {"bumpers=0,0,0,0"}},
    {"aio", {"voltages=1,1,1,1"}},
    {"dio", {"count=8", "bits=1"}},
    {"power", {"valid=15", "volts=12", "percent=100", "joules=1", "watts=1"}},
    {"gps", {"quality=1", "num_sats=4", "hdop=10", "vdop=10"}},
    {"camera", {"width=2", "height=2", "bpp=8", "format=1", "fdiv=1", "image=1,1,1,1"}},
    {"opaque", {"data=1"}},
};

static void put_one(uint8_t kind, void *at)
{
    const float f = 1;
    const double d = 1;

    if (kind == ACH_KIND_FLOAT)
        memcpy(at, &f, sizeof(f));
    else if (kind == ACH_KIND_DOUBLE)
        memcpy(at, &d, sizeof(d));
}

/* Every floating-point number outside variable arrays becomes 1. */
static void dummy_fill(const ach_type_t *type, char *body)
{
    uint32_t i, j;

    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];
        size_t size = f->kind == ACH_KIND_STRUCT  ? f->type->body_size
                      : f->kind == ACH_KIND_FLOAT ? sizeof(float)
                                                  : sizeof(double);

        if (f->array != ACH_ARRAY_NONE && f->array != ACH_ARRAY_FIXED)
            continue;
        for (j = 0; j < f->limit; j++) {
            char *at = body + f->offset + j * size;

            if (f->kind == ACH_KIND_STRUCT)
                dummy_fill(f->type, at);
            else
                put_one(f->kind, at);
        }
    }
}

static ach_status_t make_body(const ach_interface_t *interf, const ach_type_t *type, void **body)
{
    size_t i, n = 0;

    for (i = 0; i < sizeof(plausible) / sizeof(plausible[0]); i++)
        if (strcmp(plausible[i].interf, interf->name) == 0) {
            while (n < 8 && plausible[i].words[n])
                n++;
            return ach_body_from_words(type, plausible[i].words, n, body);
        }
    *body = calloc(1, type->body_size);
    if (!*body)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    dummy_fill(type, *body);
    return ACH_OK;
}

static ach_status_t prepare(struct device *d)
{
    const ach_interface_t *interf = ach_interface_by_code(d->address.interf);
    uint32_t i;

    for (i = 0; interf && i < interf->message_count; i++) {
        const ach_message_def_t *def = &interf->messages[i];

        if (def->type != ACH_MSG_DATA)
            continue;
        d->talks = true;
        d->subtype = def->subtype;
        return def->body ? make_body(interf, def->body, &d->body) : ACH_OK;
    }
    return ACH_OK;
}

static void dummy_destroy(ach_driver_t *driver, void *state)
{
    struct dummy *d = state;
    size_t i;

    (void)driver;
    for (i = 0; i < d->count; i++)
        free(d->devices[i].body);
    free(d->devices);
    free(d);
}

static ach_status_t dummy_read_options(ach_driver_t *driver, ach_section_t *options,
                                       struct dummy *d)
{
    double rate = ach_section_double(options, "rate", 10);
    size_t n = ach_section_tuple_count(options, "provides");
    ach_status_t status = ACH_OK;

    if (!(rate > 0 && rate <= 1e5)) {
        ach_section_refuse(options, "rate", 0, "a rate above 0 and up to 100000, in Hz");
        return ACH_EINVAL;
    }
    d->period = 1 / rate;
    d->devices = calloc(n ? n : 1, sizeof(*d->devices));
    if (!d->devices)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    while (d->count < n && status == ACH_OK) {
        status = ach_driver_provide_next(driver, NULL, &d->devices[d->count].address);
        if (status == ACH_OK)
            status = prepare(&d->devices[d->count++]);
    }
    return status;
}

static ach_status_t dummy_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct dummy *d = calloc(1, sizeof(*d));
    ach_status_t status;

    if (!d)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    status = dummy_read_options(driver, options, d);
    if (status != ACH_OK)
        dummy_destroy(driver, d);
    *state = d;
    return status;
}

static ach_status_t dummy_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    (void)driver;
    (void)state;
    return ach_message_header(message)->type == ACH_MSG_REQ ? ACH_ENOTSUP : ACH_OK;
}

static void dummy_run(ach_driver_t *driver, void *state)
{
    const struct dummy *d = state;
    double next = ach_driver_time(driver) + d->period;
    size_t i;

    while (ach_driver_wait_until(driver, next)) {
        double now = ach_driver_time(driver);

        for (i = 0; i < d->count; i++)
            if (d->devices[i].talks)
                ach_driver_publish(driver, &d->devices[i].address, d->devices[i].subtype,
                                   d->devices[i].body);
        next += d->period;
        if (next < now) /* late by more than a period: do not catch up */
            next = now + d->period;
    }
}

const ach_driver_class_t drv_driver_dummy = {
    .version = ACH_DRIVER_VERSION,
    .name = "dummy",
    .create = dummy_create,
    .destroy = dummy_destroy,
    .process = dummy_process,
    .main = dummy_run,
};
