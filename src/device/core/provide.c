/* SPDX-License-Identifier: BSD-3-Clause */
/* provide.c - what a driver provides and requires, by its options */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* A bit for each address of an option. */
#define PLACES_MAX 64u

/* The word before the last colon; "": there is no colon. */
static void interface_word(const char *text, char *name, size_t size)
{
    const char *end = strrchr(text, ':'), *start = end;

    *name = '\0';
    while (start && start > text && start[-1] != ':')
        start--;
    if (end)
        snprintf(name, size, "%.*s", (int)(end - start), start);
}

static void refuse_address(const ach_driver_t *d, const char *option, size_t i, const char *text)
{
    const char *best = NULL;
    char name[64], expected[160];

    interface_word(text, name, sizeof(name));
    if (!*name || ach_interface_find(name)) {
        ach_section_refuse(d->options, option, i, "an address, as laser:0 or front:::laser:0");
        return;
    }
    best = dev_interface_nearest(name);
    snprintf(expected, sizeof(expected),
             "an address, as laser:0; the interface of this one is unknown%s%s%s",
             best ? "; was '" : "", best ? best : "", best ? "' meant?" : "");
    ach_section_refuse(d->options, option, i, expected);
}

static ach_status_t read_place(const ach_driver_t *d, const char *option, size_t i,
                               ach_place_t *place)
{
    const char *text = ach_section_tuple_string(d->options, option, i, NULL);

    if (!text)
        return ACH_EINVAL; /* the error is among ach_config_errors */
    if (ach_place_parse(text, place) == ACH_OK)
        return ACH_OK;
    refuse_address(d, option, i, text);
    return ACH_EINVAL;
}

static bool provide_fits(const ach_place_t *p, uint16_t interf, const char *key)
{
    return (!interf || p->interf == interf) && (!key || strcmp(p->key, key) == 0);
}

/* Find the first unused address that matches, and mark it used. */
static ach_status_t provide_take(ach_driver_t *d, const char *option, uint64_t *taken,
                                 uint16_t interf, const char *key, ach_place_t *place)
{
    size_t i, n = d->options ? ach_section_tuple_count(d->options, option) : 0;

    for (i = 0; i < n && i < PLACES_MAX; i++) {
        ach_status_t status = read_place(d, option, i, place);

        if (status != ACH_OK)
            return status;
        if (*taken >> i & 1 || !provide_fits(place, interf, key))
            continue;
        *taken |= UINT64_C(1) << i;
        return ACH_OK;
    }
    return ACH_ENOENT;
}

static ach_status_t nothing(const ach_driver_t *d, const char *option, uint16_t interf,
                            const char *key)
{
    const ach_interface_t *known = ach_interface_by_code(interf);

    return ach_errstr_set(ACH_ENOENT, "driver %s: its option %s names no %s%s%s", d->class->name,
                          option, known ? known->name : "device", key ? " with the key " : "",
                          key ? key : "");
}

static ach_status_t provide(ach_driver_t *d, const ach_place_t *p, ach_address_t *address)
{
    ach_address_t a = {.robot = p->robot == d->robot->attr.robot ? 0 : p->robot,
                       .interf = p->interf,
                       .index = p->index};
    ach_status_t status = dev_device_add(d->robot, d, &a, false);

    if (status == ACH_OK)
        *address = a;
    return status;
}

ach_status_t ach_driver_provide(ach_driver_t *driver, uint16_t interf, const char *key,
                                ach_address_t *address)
{
    ach_place_t place;
    ach_status_t status = provide_take(driver, "provides", &driver->provided, interf, key, &place);

    if (status == ACH_ENOENT)
        return nothing(driver, "provides", interf, key);
    return status == ACH_OK ? provide(driver, &place, address) : status;
}

ach_status_t ach_driver_provide_next(ach_driver_t *driver, char *key, ach_address_t *address)
{
    ach_place_t place;
    ach_status_t status = provide_take(driver, "provides", &driver->provided, 0, NULL, &place);

    if (status == ACH_ENOENT)
        return nothing(driver, "provides", 0, NULL);
    if (status == ACH_OK)
        status = provide(driver, &place, address);
    if (status == ACH_OK && key)
        memcpy(key, place.key, sizeof(place.key));
    return status;
}

ach_status_t ach_driver_require(ach_driver_t *driver, uint16_t interf, const char *key,
                                ach_address_t *address)
{
    struct dev_need *n, **end = &driver->needs;
    ach_place_t place;
    ach_status_t status = provide_take(driver, "requires", &driver->required, interf, key, &place);

    if (status == ACH_ENOENT)
        return nothing(driver, "requires", interf, key);
    if (status != ACH_OK)
        return status;
    n = calloc(1, sizeof(*n));
    if (!n)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver's needs");
    n->place = place;
    n->address = dev_need_address(driver->robot, &place);
    while (*end)
        end = &(*end)->next;
    *end = n;
    *address = n->address;
    return ACH_OK;
}

ach_status_t ach_driver_handles(ach_driver_t *driver, const ach_address_t *address, uint8_t type,
                                uint8_t subtype)
{
    struct dev_device *d = dev_device_find(driver->robot, address);
    struct dev_handled *more;

    if (!d || d->driver != driver)
        return ach_errstr_set(ACH_ENOENT, "driver %s does not provide that device",
                              driver->class->name);
    more = realloc(d->handled, (d->n_handled + 1) * sizeof(*more));
    if (!more)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a device");
    d->handled = more;
    d->handled[d->n_handled++] = (struct dev_handled){type, subtype};
    return ACH_OK;
}
