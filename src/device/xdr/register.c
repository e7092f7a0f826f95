/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * register.c - the interfaces that this process knows
 *
 * The built-in ones are an array made by the generator. Added ones are in a
 * list that only grows, so that readers need no lock: an entry is complete
 * before the store that links it, and is never removed.
 */
#include "register.h"

#include <ach/interface/common.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct added {
    const ach_interface_t *interface;
    _Atomic(struct added *) next;
};

static _Atomic(struct added *) first;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

const ach_interface_t *ach_interface_at(size_t index)
{
    const struct added *a;
    size_t i;

    for (i = 0; xdr_builtin_interfaces[i]; i++)
        if (i == index)
            return xdr_builtin_interfaces[i];
    for (a = atomic_load_explicit(&first, memory_order_acquire); a;
         a = atomic_load_explicit(&a->next, memory_order_acquire))
        if (i++ == index)
            return a->interface;
    return NULL;
}

static bool is_called(const ach_interface_t *interface, const char *name, unsigned code)
{
    return name ? strcmp(interface->name, name) == 0 : interface->code == code;
}

/* The first interface that has this name, or this number if name is NULL. */
static const ach_interface_t *find(const char *name, unsigned code)
{
    const ach_interface_t *const *builtin = xdr_builtin_interfaces;
    const struct added *a;

    for (; *builtin; builtin++)
        if (is_called(*builtin, name, code))
            return *builtin;
    for (a = atomic_load_explicit(&first, memory_order_acquire); a;
         a = atomic_load_explicit(&a->next, memory_order_acquire))
        if (is_called(a->interface, name, code))
            return a->interface;
    return NULL;
}

const ach_interface_t *ach_interface_find(const char *name)
{
    return name ? find(name, 0) : NULL;
}

const ach_interface_t *ach_interface_by_code(unsigned code)
{
    return find(NULL, code);
}

static enum ach_status append(const ach_interface_t *interface)
{
    struct added *a = calloc(1, sizeof(*a));
    _Atomic(struct added *) *end = &first;
    struct added *next;

    if (!a)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory");
    a->interface = interface;
    while ((next = atomic_load_explicit(end, memory_order_relaxed)))
        end = &next->next;
    atomic_store_explicit(end, a, memory_order_release);
    return ACH_OK;
}

/* Call with `adding` locked. */
static enum ach_status add(const ach_interface_t *interface)
{
    const ach_interface_t *other = ach_interface_find(interface->name);

    if (!other)
        other = ach_interface_by_code(interface->code);
    if (other == interface)
        return ACH_OK;
    if (other)
        return ach_errstr_set(ACH_EEXIST,
                              "interface %s (%u): its name or number is used by %s (%u)",
                              interface->name, interface->code, other->name, other->code);
    return append(interface);
}

enum ach_status ach_interface_add(const ach_interface_t *interface)
{
    enum ach_status status = xdr_interface_check(interface);

    if (status != ACH_OK)
        return status;
    pthread_mutex_lock(&adding);
    status = add(interface);
    pthread_mutex_unlock(&adding);
    return status;
}

static unsigned lookup_type(unsigned type)
{
    return type == ACH_MSG_ACK || type == ACH_MSG_NACK ? ACH_MSG_REQ : type;
}

static const ach_message_def_t *message_in(const ach_interface_t *interface, unsigned type,
                                           unsigned subtype, const char *name)
{
    const ach_message_def_t *m = interface->messages;
    uint32_t i;

    for (i = 0; i < interface->message_count; i++, m++)
        if (m->type == type && (name ? strcasecmp(m->name, name) == 0 : m->subtype == subtype))
            return m;
    return NULL;
}

const ach_message_def_t *ach_interface_message(const ach_interface_t *interface, unsigned type,
                                               unsigned subtype)
{
    const ach_message_def_t *m = NULL;

    type = lookup_type(type);
    if (interface)
        m = message_in(interface, type, subtype, NULL);
    return m ? m : message_in(&ach_common_interface, type, subtype, NULL);
}

const ach_message_def_t *ach_interface_message_named(const ach_interface_t *interface,
                                                     unsigned type, const char *name)
{
    const ach_message_def_t *m = NULL;

    if (!name)
        return NULL;
    type = lookup_type(type);
    if (interface)
        m = message_in(interface, type, 0, name);
    return m ? m : message_in(&ach_common_interface, type, 0, name);
}
