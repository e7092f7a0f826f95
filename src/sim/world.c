/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include <ach.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agenda.h"
#include "devices/devices.h"
#include "physics/mechanism.h"

struct achi_world {
    struct achi_world *next; /* of all in this process */
    ach_config_t *config;
    pthread_mutex_t lock;
    uint64_t seed;
    int64_t now;
    unsigned ranks;
    struct achi_agenda agenda;
    struct achi_mechanism **mechanisms;
    size_t n_mechanisms;
    ach_status_t failed; /* of an engine; ACH_OK: none */
    char why[512];
};

/* A driver knows nothing but its section of a config file: that leads to the world. */
static pthread_mutex_t worlds_lock = PTHREAD_MUTEX_INITIALIZER;
static struct achi_world *worlds;

static void enlist(struct achi_world *w)
{
    pthread_mutex_lock(&worlds_lock);
    w->next = worlds;
    worlds = w;
    pthread_mutex_unlock(&worlds_lock);
}

static void delist(struct achi_world *w)
{
    struct achi_world **at = &worlds;

    pthread_mutex_lock(&worlds_lock);
    while (*at && *at != w)
        at = &(*at)->next;
    if (*at)
        *at = w->next;
    pthread_mutex_unlock(&worlds_lock);
}

static bool has(const struct achi_world *w, const ach_section_t *section)
{
    ach_section_t *s = NULL;

    do
        s = ach_section_next(ach_config_root(w->config), "driver", s);
    while (s && s != section);
    return s;
}

struct achi_world *achi_world_of(const ach_section_t *section)
{
    struct achi_world *w;

    pthread_mutex_lock(&worlds_lock);
    for (w = worlds; w && !has(w, section);)
        w = w->next;
    pthread_mutex_unlock(&worlds_lock);
    return w;
}

static ach_status_t make_mechanism(struct achi_world *w, ach_section_t *s)
{
    struct achi_mechanism *m;
    ach_status_t status = achi_mechanism_open(s, &m);

    if (status != ACH_OK)
        return status;
    if (achi_world_find(w, achi_mechanism_name(m))) {
        achi_mechanism_close(m);
        ach_section_refuse(s, "name", 0, "a name that no other mechanism has");
        return ACH_EINVAL;
    }
    w->mechanisms[w->n_mechanisms++] = m;
    return ACH_OK;
}

/* Of the config the first error is told; one of an engine may have several lines, and all of them. */
static void keep_why(const struct achi_world *w, const ach_section_t *s, char *why, size_t size)
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

/* All are tried, so that one run finds most of what is wrong; the first error is returned. */
static ach_status_t make_mechanisms(struct achi_world *w)
{
    ach_section_t *s = NULL, *root = ach_config_root(w->config);
    ach_status_t status = ACH_OK;
    char why[512] = "";
    size_t n = 0;

    while ((s = ach_section_next(root, "physics", s)))
        n++;
    w->mechanisms = calloc(n + 1, sizeof(struct achi_mechanism *));
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

/* Data of one device may be a command of another one, within the same call. */
static void init_lock(struct achi_world *w)
{
    pthread_mutexattr_t recursive;

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&w->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

ach_status_t achi_world_create(ach_config_t *config, uint64_t seed, struct achi_world **world)
{
    struct achi_world *w = calloc(1, sizeof(*w));
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
        achi_world_destroy(w);
    return status;
}

void achi_world_destroy(struct achi_world *w)
{
    if (!w)
        return;
    delist(w);
    while (w->n_mechanisms)
        achi_mechanism_close(w->mechanisms[--w->n_mechanisms]);
    free(w->mechanisms);
    achi_agenda_finish(&w->agenda);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

ach_status_t achi_world_add_drivers(struct achi_world *w, ach_robot_t *robot)
{
    const ach_driver_class_t *const classes[] = {&achi_sim_joints, &achi_sim_base,
                                                 &achi_sim_pose,   &achi_sim_imu,
                                                 &achi_sim_ranger, &achi_sim_world};
    ach_status_t status = ACH_OK;
    size_t i;

    (void)w;
    for (i = 0; i < sizeof(classes) / sizeof(classes[0]) && status == ACH_OK; i++)
        status = ach_robot_add_class(robot, classes[i]);
    return status;
}

int64_t achi_world_now(const struct achi_world *w)
{
    return w->now;
}

void achi_world_lock(struct achi_world *w)
{
    pthread_mutex_lock(&w->lock);
}

void achi_world_unlock(struct achi_world *w)
{
    pthread_mutex_unlock(&w->lock);
}

static int64_t next(const struct achi_world *w)
{
    const struct achi_agenda_item *first = achi_agenda_first(&w->agenda);

    return first ? first->time : INT64_MAX;
}

int64_t achi_world_next(struct achi_world *w)
{
    int64_t time;

    achi_world_lock(w);
    time = next(w);
    achi_world_unlock(w);
    return time;
}

static ach_status_t fail(struct achi_world *w, ach_status_t status)
{
    if (w->failed == ACH_OK) {
        w->failed = status;
        snprintf(w->why, sizeof(w->why), "%s", ach_errstr());
    }
    return ach_errstr_set(w->failed, "%s", w->why);
}

static ach_status_t run(struct achi_world *w, int64_t time)
{
    struct achi_agenda_item *item;
    ach_status_t status;

    if (time < w->now || time > next(w))
        return ach_errstr_set(ACH_EINVAL, "the world is at %lld ns and cannot be run to %lld ns",
                              (long long)w->now, (long long)time);
    w->now = time;
    while (w->failed == ACH_OK && next(w) <= time) {
        item = achi_agenda_first(&w->agenda);
        achi_agenda_remove(&w->agenda, item);
        status = item->act(item);
        if (status != ACH_OK)
            fail(w, status);
    }
    return w->failed == ACH_OK ? ACH_OK : fail(w, w->failed);
}

ach_status_t achi_world_run(struct achi_world *w, int64_t time)
{
    ach_status_t status;

    achi_world_lock(w);
    status = run(w, time);
    achi_world_unlock(w);
    return status;
}

struct achi_agenda *achi_world_agenda(struct achi_world *w)
{
    return &w->agenda;
}

uint64_t achi_world_seed(const struct achi_world *w)
{
    return w->seed;
}

unsigned achi_world_rank(struct achi_world *w)
{
    return w->ranks++;
}

struct achi_mechanism *achi_world_mechanism(const struct achi_world *w, size_t i)
{
    return i < w->n_mechanisms ? w->mechanisms[i] : NULL;
}

struct achi_mechanism *achi_world_find(const struct achi_world *w, const char *name)
{
    size_t i;

    for (i = 0; i < w->n_mechanisms; i++)
        if (strcmp(achi_mechanism_name(w->mechanisms[i]), name) == 0)
            return w->mechanisms[i];
    return NULL;
}

ach_status_t achi_world_reach(struct achi_world *w, struct achi_mechanism *m)
{
    ach_status_t status = w->failed;

    if (status == ACH_OK)
        status = achi_mechanism_advance(m, w->now);
    return status == ACH_OK ? ACH_OK : fail(w, status);
}
