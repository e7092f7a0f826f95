/* SPDX-License-Identifier: BSD-3-Clause */
/* note.c - the channels between the coordinator and its sinks */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filelock.h"
#include "sim.h"

#define NOTES 1024u /* each sink has one under way at most */
#define CONTROL_COUNT 16u
#define CONTROL_SIZE 64u
#define STATUS_COUNT 4u
#define STATUS_SIZE 4096u
#define TIME_MAX (INT64_MAX / 4) /* a hundred years are nonsense */

static ach_status_t make(const char *sim, const char *what, size_t count, size_t size,
                         ach_channel_t *chan)
{
    char name[ACH_CHAN_NAME_MAX];
    ach_create_attr_t attr;
    ach_status_t status;

    snprintf(name, sizeof(name), "sim.%s.%s", sim, what);
    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    ach_create_attr_set_clock(&attr, CLOCK_MONOTONIC);
    status = ach_create(name, count, size, &attr);
    return status == ACH_OK ? ach_open(chan, name, NULL) : status;
}

static ach_status_t already_running(const char *sim, const char *path, uid_t owner)
{
    if (owner == geteuid())
        return ach_errstr_set(ACH_EEXIST, "a simulation called %s is running already", sim);
    return ach_errstr_set(ACH_EEXIST,
                          "a simulation called %s is running already, or its name is taken: user "
                          "%u has locked %s; choose another name, or another ACH_DIR",
                          sim, (unsigned)owner, path);
}

/*
 * The file of the notes is locked as long as the coordinator lives. *fd: the lock, -1: nobody has
 * it, and there is no such file. It may be anybody's, and anything: a link is not followed, and
 * opening a pipe does not wait.
 */
static ach_status_t lock_notes(const char *sim, int *fd)
{
    char name[ACH_CHAN_NAME_MAX], path[PATH_MAX];
    struct stat st = {0};

    *fd = -1;
    snprintf(name, sizeof(name), "sim.%s.note", sim);
    if (ach_channel_path(name, path, sizeof(path)) == ACH_OK)
        *fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0)
        return ACH_OK;
    if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode) && filelock_take(*fd) != FILELOCK_WRITER)
        return ACH_OK;
    close(*fd);
    *fd = -1;
    return S_ISREG(st.st_mode) ? already_running(sim, path, st.st_uid) : ACH_OK;
}

/* What threads leave behind that were killed, in this simulation or in one before. */
static enum ach_status remove_go(void *sim, const char *name, enum ach_map map)
{
    char prefix[ACH_CHAN_NAME_MAX];

    (void)map;
    snprintf(prefix, sizeof(prefix), "sim.%s.go.", (const char *)sim);
    if (strncmp(name, prefix, strlen(prefix)) == 0)
        ach_unlink(name);
    return ACH_OK;
}

static ach_status_t make_all(struct achi_sim *s)
{
    const struct {
        const char *what;
        size_t count, size;
        ach_channel_t *chan;
    } all[] = {{"note", NOTES, sizeof(struct achi_note), &s->note},
               {"status", STATUS_COUNT, STATUS_SIZE, &s->status},
               {"control", CONTROL_COUNT, CONTROL_SIZE, &s->control}};
    ach_status_t status = ACH_OK;

    while (s->open < 3 && status == ACH_OK) {
        status = make(s->plan->name, all[s->open].what, all[s->open].count, all[s->open].size,
                      all[s->open].chan);
        s->open += status == ACH_OK;
    }
    return status;
}

ach_status_t achi_notes_open(struct achi_sim *s)
{
    int before;
    ach_status_t status;

    s->lock = -1;
    status = lock_notes(s->plan->name, &before);
    if (status != ACH_OK)
        return status;
    ach_list(remove_go, s->plan->name);
    status = make_all(s);
    if (before >= 0)
        close(before);
    return status == ACH_OK ? lock_notes(s->plan->name, &s->lock) : status;
}

void achi_notes_close(struct achi_sim *s)
{
    static const char *const what[] = {"note", "status", "control"};
    ach_channel_t *const channels[] = {&s->note, &s->status, &s->control};
    char name[ACH_CHAN_NAME_MAX];

    while (s->open) {
        s->open--;
        ach_close(channels[s->open]);
        snprintf(name, sizeof(name), "sim.%s.%s", s->plan->name, what[s->open]);
        ach_unlink(name);
    }
    if (s->lock >= 0) {
        ach_list(remove_go, s->plan->name);
        close(s->lock);
    }
    s->lock = -1;
}

void achi_note_interrupt(struct achi_sim *s)
{
    ach_cancel(&s->note, NULL);
}

/* A controller may be broken: what it says is looked at before it is believed. */
static bool good(const struct achi_note *n, size_t size)
{
    size_t head = offsetof(struct achi_note, events);

    return size >= head && n->version == ACHI_SIM_VERSION && n->n_events <= ACHI_SIM_EVENTS &&
           size == head + n->n_events * sizeof(n->events[0]) && n->pid > 0 && n->tid > 0 &&
           n->time >= 0 && n->time < TIME_MAX && n->cpu >= 0 && n->cpu < TIME_MAX;
}

static void hear(struct achi_sim *s, const struct achi_note *n)
{
    struct achi_sink *k = achi_sink_find(s, n->tid);

    if (n->kind == ACHI_NOTE_REFUSED) {
        achi_child_refused(s, n->pid);
        return;
    }
    if (n->kind == ACHI_NOTE_HELLO)
        k = achi_sink_add(s, n);
    if (!k || k->pid != n->pid)
        return;
    if (n->kind == ACHI_NOTE_BYE && n->parent)
        achi_process_ends(s, k->pid);
    else if (n->kind == ACHI_NOTE_BYE)
        achi_turn_leave(s, k);
    else
        achi_turn_heard(s, k, n);
}

/* A signal handler ends the wait, and only that: what is there is got all the same. */
static ach_status_t get(struct achi_sim *s, struct achi_note *n, size_t *size, int64_t wall_until)
{
    const struct timespec until = {(time_t)(wall_until / 1000000000),
                                   (long)(wall_until % 1000000000)};
    ach_status_t status;

    if (wall_until)
        status = ach_get(&s->note, n, sizeof(*n), size, &until, ACH_O_WAIT);
    if (!wall_until || status == ACH_CANCELED) {
        s->note.cancel = 0;
        status = ach_get(&s->note, n, sizeof(*n), size, NULL, 0);
    }
    return status;
}

bool achi_notes_take(struct achi_sim *s, int64_t wall_until)
{
    struct achi_note n;
    size_t size = 0;
    ach_status_t status = get(s, &n, &size, wall_until);

    if (status == ACH_OVERFLOW) { /* no note of ours is that long */
        const void *nonsense;

        ach_view(&s->note, &nonsense, &size, NULL, 0);
        return true;
    }
    if (status == ACH_MISSED_FRAME)
        return achi_sim_fail(s, "notes of controllers were lost: more than %u threads?", NOTES);
    if (status != ACH_OK)
        return false;
    if (good(&n, size))
        hear(s, &n);
    return true;
}

void achi_go_send(struct achi_sim *s, struct achi_sink *k, bool end, int64_t cpu)
{
    const struct achi_go go = {
        .version = ACHI_SIM_VERSION,
        .end = end,
        .serial = k->serial,
        .time = k->time,
        .cpu = cpu,
        .horizon = end ? ACHI_SIM_NEVER : achi_sink_horizon(s, k),
        .posts = s->posts,
        .model = k->child->plan->model,
        .timed = k->timed,
        .cost = k->child->plan->cost,
        .slot = k->slot,
        .away = k->phase == ACHI_AWAY,
    };

    ach_put(&k->go, &go, sizeof(go));
}
