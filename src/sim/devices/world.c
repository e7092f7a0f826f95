/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include <ach.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agenda.h"
#include "physics/mechanism.h"

struct simd_world {
    struct simd_world *next; /* in the list of all worlds of this process */
    ach_config_t *config;
    pthread_mutex_t lock;
    uint64_t seed;
    int64_t now;
    unsigned ranks;
    struct simd_agenda agenda;
    struct phys_mechanism **mechanisms;
    size_t n_mechanisms;
    ach_status_t failed; /* first error of an engine; ACH_OK: none */
    char why[512];
};

/* Drivers find their world by their config section: simd_world_of searches this list. */
static pthread_mutex_t worlds_lock = PTHREAD_MUTEX_INITIALIZER;
static struct simd_world *worlds;

static void enlist(struct simd_world *w)
{
    pthread_mutex_lock(&worlds_lock);
    w->next = worlds;
    worlds = w;
    pthread_mutex_unlock(&worlds_lock);
}

static void delist(struct simd_world *w)
{
    struct simd_world **at = &worlds;

    pthread_mutex_lock(&worlds_lock);
    while (*at && *at != w)
        at = &(*at)->next;
    if (*at)
        *at = w->next;
    pthread_mutex_unlock(&worlds_lock);
}

static bool has(const struct simd_world *w, const ach_section_t *section)
{
    ach_section_t *s = NULL;

    do
        s = ach_section_next(ach_config_root(w->config), "driver", s);
    while (s && s != section);
    return s;
}

struct simd_world *simd_world_of(const ach_section_t *section)
{
    struct simd_world *w;

    pthread_mutex_lock(&worlds_lock);
    for (w = worlds; w && !has(w, section);)
        w = w->next;
    pthread_mutex_unlock(&worlds_lock);
    return w;
}

static ach_status_t make_mechanism(struct simd_world *w, ach_section_t *s)
{
    struct phys_mechanism *m;
    ach_status_t status = phys_mechanism_open(s, &m);

    if (status != ACH_OK)
        return status;
    if (simd_world_find(w, phys_mechanism_name(m))) {
        phys_mechanism_close(m);
        ach_section_refuse(s, "name", 0, "a name that no other mechanism has");
        return ACH_EINVAL;
    }
    w->mechanisms[w->n_mechanisms++] = m;
    return ACH_OK;
}

/* Keep the first line of config errors, or all lines of an engine's error, joined. */
static void keep_why(const struct simd_world *w, const ach_section_t *s, char *why, size_t size)
{
    bool config = ach_section_failed(s);
    char *c;

    snprintf(why, size, "%s", config ? ach_config_errors(w->config) : ach_errstr());
    if (config)
        why[strcspn(why, "\n")] = '\0';
    for (c = why; *c; c++)
        if (*c == '\n')
            *c = ' ';
}

/* Tries all, so that one run reports most errors; returns the first error. */
static ach_status_t make_mechanisms(struct simd_world *w)
{
    ach_section_t *s = NULL, *root = ach_config_root(w->config);
    ach_status_t status = ACH_OK;
    char why[512] = "";
    size_t n = 0;

    while ((s = ach_section_next(root, "physics", s)))
        n++;
    w->mechanisms = calloc(n + 1, sizeof(struct phys_mechanism *));
    if (!w->mechanisms)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for mechanisms");
    while ((s = ach_section_next(root, "physics", s))) {
        ach_status_t one = make_mechanism(w, s);

        if (one != ACH_OK && status == ACH_OK) {
            status = one;
            keep_why(w, s, why, sizeof(why));
        }
    }
    return status == ACH_OK ? ACH_OK : ach_errstr_set(status, "%s", why);
}

/* Recursive: data of one device may be a command to another one, within the same call. */
static void init_lock(struct simd_world *w)
{
    pthread_mutexattr_t recursive;

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&w->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

ach_status_t simd_world_create(ach_config_t *config, uint64_t seed, struct simd_world **world)
{
    struct simd_world *w = calloc(1, sizeof(*w));
    ach_status_t status;

    if (!w)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a world");
    w->config = config;
    w->seed = seed;
    init_lock(w);
    enlist(w);
    status = make_mechanisms(w);
    if (status == ACH_OK)
        *world = w;
    else
        simd_world_destroy(w);
    return status;
}

void simd_world_destroy(struct simd_world *w)
{
    if (!w)
        return;
    delist(w);
    while (w->n_mechanisms)
        phys_mechanism_close(w->mechanisms[--w->n_mechanisms]);
    free(w->mechanisms);
    simd_agenda_finish(&w->agenda);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

int64_t simd_world_now(const struct simd_world *w)
{
    return w->now;
}

void simd_world_lock(struct simd_world *w)
{
    pthread_mutex_lock(&w->lock);
}

void simd_world_unlock(struct simd_world *w)
{
    pthread_mutex_unlock(&w->lock);
}

static int64_t next(const struct simd_world *w)
{
    const struct simd_agenda_item *first = simd_agenda_first(&w->agenda);

    return first ? first->time : INT64_MAX;
}

int64_t simd_world_next(struct simd_world *w)
{
    int64_t time;

    simd_world_lock(w);
    time = next(w);
    simd_world_unlock(w);
    return time;
}

static ach_status_t fail(struct simd_world *w, ach_status_t status)
{
    if (w->failed == ACH_OK) {
        w->failed = status;
        snprintf(w->why, sizeof(w->why), "%s", ach_errstr());
    }
    return ach_errstr_set(w->failed, "%s", w->why);
}

static ach_status_t run(struct simd_world *w, int64_t time)
{
    struct simd_agenda_item *item;
    ach_status_t status;

    if (time < w->now || time > next(w))
        return ach_errstr_set(ACH_EINVAL, "the world is at %lld ns and cannot be run to %lld ns",
                              (long long)w->now, (long long)time);
    w->now = time;
    while (w->failed == ACH_OK && next(w) <= time) {
        item = simd_agenda_first(&w->agenda);
        simd_agenda_remove(&w->agenda, item);
        status = item->act(item);
        if (status != ACH_OK)
            fail(w, status);
    }
    return w->failed == ACH_OK ? ACH_OK : fail(w, w->failed);
}

ach_status_t simd_world_run(struct simd_world *w, int64_t time)
{
    ach_status_t status;

    simd_world_lock(w);
    status = run(w, time);
    simd_world_unlock(w);
    return status;
}

struct simd_agenda *simd_world_agenda(struct simd_world *w)
{
    return &w->agenda;
}

uint64_t simd_world_seed(const struct simd_world *w)
{
    return w->seed;
}

unsigned simd_world_rank(struct simd_world *w)
{
    return w->ranks++;
}

struct phys_mechanism *simd_world_mechanism(const struct simd_world *w, size_t i)
{
    return i < w->n_mechanisms ? w->mechanisms[i] : NULL;
}

struct phys_mechanism *simd_world_find(const struct simd_world *w, const char *name)
{
    size_t i;

    for (i = 0; i < w->n_mechanisms; i++)
        if (strcmp(phys_mechanism_name(w->mechanisms[i]), name) == 0)
            return w->mechanisms[i];
    return NULL;
}

ach_status_t simd_world_reach(struct simd_world *w, struct phys_mechanism *m)
{
    ach_status_t status = w->failed;

    if (status == ACH_OK)
        status = phys_mechanism_advance(m, w->now);
    return status == ACH_OK ? ACH_OK : fail(w, status);
}
