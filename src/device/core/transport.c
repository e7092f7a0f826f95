/* SPDX-License-Identifier: BSD-3-Clause */
/* transport.c - the transports that this process knows */
#include <ach.h>
#include <ach/transport.h>
#include <pthread.h>
#include <string.h>

#define TRANSPORTS_MAX 32u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const ach_transport_class_t *known[TRANSPORTS_MAX];
static unsigned count;

static const ach_transport_class_t *transport_find(const char *name)
{
    unsigned i;

    for (i = 0; i < count; i++)
        if (strcmp(known[i]->name, name) == 0)
            return known[i];
    return NULL;
}

static ach_status_t transport_check(const ach_transport_class_t *t)
{
    if (t->version != ACH_TRANSPORT_VERSION)
        return ach_errstr_set(
            ACH_BAD_HEADER,
            "a transport is built for version %u of transport.h; this is version %u", t->version,
            ACH_TRANSPORT_VERSION);
    if (!t->name || !*t->name || !t->serve != !t->end || !t->connect != !t->send ||
        !t->connect != !t->disconnect || (!t->serve && !t->connect))
        return ach_errstr_set(ACH_BAD_HEADER, "a transport lacks a name or a function");
    return ACH_OK;
}

static ach_status_t transport_add(const ach_transport_class_t *t)
{
    const ach_transport_class_t *same = transport_find(t->name);

    if (same == t)
        return ACH_OK;
    if (same)
        return ach_errstr_set(ACH_EEXIST, "there are two transports called %s", t->name);
    if (count == TRANSPORTS_MAX)
        return ach_errstr_set(ACH_OVERFLOW, "more than %u transports", TRANSPORTS_MAX);
    known[count++] = t;
    return ACH_OK;
}

ach_status_t ach_transport_add(const ach_transport_class_t *transport)
{
    ach_status_t status = transport_check(transport);

    if (status != ACH_OK)
        return status;
    pthread_mutex_lock(&lock);
    status = transport_add(transport);
    pthread_mutex_unlock(&lock);
    return status;
}

const ach_transport_class_t *ach_transport_find(const char *name)
{
    const ach_transport_class_t *t;

    pthread_mutex_lock(&lock);
    t = transport_find(name);
    pthread_mutex_unlock(&lock);
    return t;
}

const ach_transport_class_t *ach_transport_next(const ach_transport_class_t *previous)
{
    const ach_transport_class_t *t = NULL;
    unsigned i = 0;

    pthread_mutex_lock(&lock);
    while (previous && i < count && known[i] != previous)
        i++;
    if (previous)
        i++;
    if (i < count)
        t = known[i];
    pthread_mutex_unlock(&lock);
    return t;
}
