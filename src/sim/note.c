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

#define NOTES 1024u /* a sink has few notes pending at a time */
#define CONTROL_COUNT 16u
#define CONTROL_SIZE 64u
#define STATUS_COUNT 4u
#define STATUS_SIZE 4096u
#define TIME_MAX (INT64_MAX / 4) /* about 73 years in ns: larger times are invalid */

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
 * The file of the channel "note" is locked as long as the coordinator lives. *fd: the lock; -1: no
 * such file, or not a regular one. Another user may have created it, as anything: a link is not
 * followed, and opening a FIFO does not block.
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

/* Remove go channels left by threads that were killed, in this run or in an earlier one. */
static enum ach_status remove_go(void *sim, const char *name, enum ach_map map)
{
    char prefix[ACH_CHAN_NAME_MAX];

    (void)map;
    snprintf(prefix, sizeof(prefix), "sim.%s.go.", (const char *)sim);
    if (strncmp(name, prefix, strlen(prefix)) == 0)
        ach_unlink(name);
    return ACH_OK;
}

static ach_status_t make_all(struct sim_sim *s)
{
    const struct {
        const char *what;
        size_t count, size;
        ach_channel_t *chan;
    } all[] = {{"note", NOTES, sizeof(struct sim_note), &s->note},
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

ach_status_t sim_notes_open(struct sim_sim *s)
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

void sim_notes_close(struct sim_sim *s)
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

void sim_note_interrupt(struct sim_sim *s)
{
    ach_cancel(&s->note, NULL);
}

/* Is a note well-formed? A controller may be broken. */
static bool good(const struct sim_note *n, size_t size)
{
    size_t head = offsetof(struct sim_note, events);

    return size >= head && n->version == SIM_VERSION && n->n_events <= SIM_EVENTS &&
           size == head + n->n_events * sizeof(n->events[0]) && n->pid > 0 && n->tid > 0 &&
           n->time >= 0 && n->time < TIME_MAX && n->cpu >= 0 && n->cpu < TIME_MAX;
}

/* A signal handler cancels the wait; a note that is there is received all the same. */
static ach_status_t get(struct sim_sim *s, struct sim_note *n, size_t *size, int64_t wall_until)
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

bool sim_notes_get(struct sim_sim *s, struct sim_note *n, int64_t wall_until, bool *understood)
{
    size_t size = 0;
    ach_status_t status = get(s, n, &size, wall_until);

    *understood = false;
    if (status == ACH_OVERFLOW) { /* longer than a note: skip it */
        const void *nonsense;

        ach_view(&s->note, &nonsense, &size, NULL, 0);
        return true;
    }
    if (status == ACH_MISSED_FRAME)
        return sim_fail(s, "notes of controllers were lost: more than %u threads?", NOTES);
    if (status != ACH_OK)
        return false;
    *understood = good(n, size);
    return true;
}
