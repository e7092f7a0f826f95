/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * property.c - values of a driver that clients read and set
 *
 * A property belongs to the driver and is seen through each of its devices. A
 * request that fails is answered with a NACK and its own body, as clients expect.
 */
#include <ach.h>
#include <ach/interface/common.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "message.h"

/* Longest string, with its NUL; longer ones are truncated. */
#define STRING_MAX 1024u

enum property_kind { INT, DOUBLE, STRING, BOOL };

struct dev_property {
    struct dev_property *next;
    enum property_kind kind;
    union {
        int32_t i;
        double d;
        bool b;
        char s[STRING_MAX];
    } value;
    char name[];
};

static struct dev_property *property_find(const ach_driver_t *d, const char *name)
{
    struct dev_property *p = d->properties;

    while (p && strcmp(p->name, name) != 0)
        p = p->next;
    return p;
}

static ach_status_t property_add(ach_driver_t *d, const char *name, enum property_kind kind,
                                 struct dev_property **added)
{
    struct dev_property *p;
    size_t length = strlen(name) + 1;

    if (property_find(d, name))
        return ach_errstr_set(ACH_EEXIST, "driver %s has two properties %s", d->class->name, name);
    p = calloc(1, sizeof(*p) + length);
    if (!p)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a property");
    memcpy(p->name, name, length);
    p->kind = kind;
    p->next = d->properties;
    d->properties = p;
    *added = p;
    return ACH_OK;
}

static void copy(char *to, size_t size, const char *from)
{
    size_t n = strnlen(from, size - 1);

    memcpy(to, from, n);
    to[n] = '\0';
}

ach_status_t ach_driver_property_double(ach_driver_t *driver, const char *name, double value)
{
    struct dev_property *p;
    ach_status_t status = property_add(driver, name, DOUBLE, &p);

    if (status == ACH_OK)
        p->value.d = driver->options ? ach_section_double(driver->options, name, value) : value;
    return status;
}

ach_status_t ach_driver_property_int(ach_driver_t *driver, const char *name, int32_t value)
{
    struct dev_property *p;
    ach_status_t status = property_add(driver, name, INT, &p);

    if (status == ACH_OK)
        p->value.i = driver->options ? ach_section_int(driver->options, name, value) : value;
    return status;
}

ach_status_t ach_driver_property_bool(ach_driver_t *driver, const char *name, bool value)
{
    struct dev_property *p;
    ach_status_t status = property_add(driver, name, BOOL, &p);

    if (status == ACH_OK)
        p->value.b = driver->options ? ach_section_bool(driver->options, name, value) : value;
    return status;
}

ach_status_t ach_driver_property_string(ach_driver_t *driver, const char *name, const char *value)
{
    struct dev_property *p;
    ach_status_t status = property_add(driver, name, STRING, &p);

    if (status == ACH_OK)
        copy(p->value.s, STRING_MAX,
             driver->options ? ach_section_string(driver->options, name, value) : value);
    return status;
}

/* The value of a property of that kind. *value is unchanged if there is none. */
static void property_get(const ach_driver_t *driver, const char *name, enum property_kind kind,
                         void *value, size_t size)
{
    ach_driver_t *d = (ach_driver_t *)(uintptr_t)driver;
    const struct dev_property *p;

    pthread_mutex_lock(&d->values);
    p = property_find(d, name);
    if (p && p->kind == kind && kind == STRING)
        copy(value, size, p->value.s);
    else if (p && p->kind == kind)
        memcpy(value, &p->value, size);
    pthread_mutex_unlock(&d->values);
}

double ach_driver_get_double(const ach_driver_t *driver, const char *name)
{
    double value = 0;

    property_get(driver, name, DOUBLE, &value, sizeof(value));
    return value;
}

int32_t ach_driver_get_int(const ach_driver_t *driver, const char *name)
{
    int32_t value = 0;

    property_get(driver, name, INT, &value, sizeof(value));
    return value;
}

bool ach_driver_get_bool(const ach_driver_t *driver, const char *name)
{
    bool value = false;

    property_get(driver, name, BOOL, &value, sizeof(value));
    return value;
}

void ach_driver_get_string(const ach_driver_t *driver, const char *name, char *value, size_t size)
{
    *value = '\0';
    property_get(driver, name, STRING, value, size);
}

/* A request to get or set one property. */
struct property_asked {
    enum property_kind kind;
    bool set;
    const char *key;
};

static bool read_request(const ach_message_t *m, struct property_asked *a)
{
    static const struct {
        enum property_kind kind;
        bool set;
    } requests[] = {
        [ACH_REQ_SET_BOOLPROP] = {BOOL, true},  [ACH_REQ_GET_BOOLPROP] = {BOOL, false},
        [ACH_REQ_SET_STRPROP] = {STRING, true}, [ACH_REQ_GET_STRPROP] = {STRING, false},
        [ACH_REQ_SET_DBLPROP] = {DOUBLE, true}, [ACH_REQ_GET_DBLPROP] = {DOUBLE, false},
        [ACH_REQ_SET_INTPROP] = {INT, true},    [ACH_REQ_GET_INTPROP] = {INT, false},
    };
    uint8_t subtype = ach_message_header(m)->subtype;

    if (subtype < ACH_REQ_SET_BOOLPROP || subtype > ACH_REQ_GET_INTPROP)
        return false;
    a->kind = requests[subtype].kind;
    a->set = requests[subtype].set;
    return true;
}

/* All four structs begin with the key. */
static const char *key_of(const ach_message_t *m)
{
    const ach_intprop_t *body = ach_message_body(m);

    return body && body->key_count ? body->key : NULL;
}

static void set_value(struct dev_property *p, const void *body)
{
    switch (p->kind) {
    case INT:
        p->value.i = ((const ach_intprop_t *)body)->value;
        break;
    case DOUBLE:
        p->value.d = ((const ach_dblprop_t *)body)->value;
        break;
    case BOOL:
        p->value.b = ((const ach_boolprop_t *)body)->value != 0;
        break;
    case STRING:
        copy(p->value.s, STRING_MAX, ((const ach_strprop_t *)body)->value);
        break;
    }
}

/* Room for the struct of any answer. */
union property_answer {
    ach_intprop_t i;
    ach_dblprop_t d;
    ach_boolprop_t b;
    ach_strprop_t s;
};

static void get_value(struct dev_property *p, const ach_intprop_t *asked, union property_answer *a)
{
    memset(a, 0, sizeof(*a));
    a->i.key_count = asked->key_count;
    a->i.key = asked->key;
    switch (p->kind) {
    case INT:
        a->i.value = p->value.i;
        break;
    case DOUBLE:
        a->d.value = p->value.d;
        break;
    case BOOL:
        a->b.value = p->value.b;
        break;
    case STRING:
        a->s.value_count = (uint32_t)strlen(p->value.s) + 1;
        a->s.value = p->value.s;
        break;
    }
}

/* Refuse NaN and infinity, which drivers do not check for. */
static bool sensible(const struct dev_property *p, const void *body)
{
    return p->kind != DOUBLE || isfinite(((const ach_dblprop_t *)body)->value);
}

/* Every driver has the read-only property alwayson: whether it runs without clients. */
static bool is_alwayson(const struct property_asked *a)
{
    return a->key && a->kind == BOOL && !a->set && strcmp(a->key, "alwayson") == 0;
}

/* *with: the answer. False: no such property, or the value is not allowed. */
static bool property_answer(ach_driver_t *d, const ach_message_t *m, const struct property_asked *a,
                            ach_message_t **with)
{
    struct dev_property on = {.kind = BOOL, .value.b = d->alwayson};
    struct dev_property *p = a->key ? property_find(d, a->key) : NULL;
    union property_answer body;

    if (!p && is_alwayson(a))
        p = &on;
    if (!p || p->kind != a->kind || (a->set && !sensible(p, ach_message_body(m))))
        return false;
    if (a->set)
        set_value(p, ach_message_body(m));
    get_value(p, ach_message_body(m), &body);
    return ach_message_create(ach_message_header(m), &body, with) == ACH_OK;
}

bool dev_property_request(struct dev_device *device, const ach_message_t *m)
{
    ach_driver_t *d = device->driver;
    ach_message_t *with = NULL;
    struct property_asked a;
    bool found;

    if (device->remote || !read_request(m, &a))
        return false;
    a.key = key_of(m);
    pthread_mutex_lock(&d->values);
    found = property_answer(d, m, &a, &with);
    pthread_mutex_unlock(&d->values);
    if (!found && d->class->flags & ACH_DRIVER_TRANSPARENT)
        return false;
    if (dev_message_claim(m))
        dev_message_answer(m, found ? ACH_MSG_ACK : ACH_MSG_NACK, ach_message_header(m)->timestamp,
                           found ? with : m);
    ach_message_unref(with);
    return true;
}

void dev_properties_destroy(ach_driver_t *d)
{
    while (d->properties) {
        struct dev_property *p = d->properties;

        d->properties = p->next;
        free(p);
    }
}
