/* SPDX-License-Identifier: BSD-3-Clause */
#include "survey.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "filelimit.h"

#define NS_PER_S 1000000000ull
#define SPARE_FILES 8 /* descriptors to list the directory and to look up owners */

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

bool survey_matches(const struct survey *s, const char *name)
{
    size_t i;

    for (i = 0; i < s->npatterns; i++) {
        if (fnmatch(s->patterns[i], name, 0) == 0)
            return true;
    }
    return s->npatterns == 0;
}

static int survey_order(const struct surveyed *c, const char *name, enum ach_map map)
{
    int order = strcmp(c->name, name);

    return order ? order : (int)c->map - (int)map;
}

/* The number of those among the first n that come before it. */
static size_t survey_rank(const struct survey *s, size_t n, const char *name, enum ach_map map)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (survey_order(s->items[middle], name, map) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct surveyed *survey_named(const struct survey *s, const char *name)
{
    size_t i;

    for (i = survey_rank(s, s->n, name, ACH_MAP_DEFAULT);
         i < s->n && strcmp(s->items[i]->name, name) == 0; i++)
        if (s->items[i]->open)
            return s->items[i];
    return NULL;
}

static struct surveyed *survey_add(struct survey *s, const char *name, enum ach_map map)
{
    struct surveyed **items = realloc(s->items, (s->n + 1) * sizeof(*items));

    if (!items)
        return NULL;
    s->items = items;
    items[s->n] = calloc(1, sizeof(**items));
    if (!items[s->n])
        return NULL;
    snprintf(items[s->n]->name, sizeof(items[s->n]->name), "%s", name);
    items[s->n]->map = map;
    return items[s->n++];
}

/* New channels are behind those that were known, which are sorted. */
struct survey_listing {
    struct survey *survey;
    size_t known;
};

static enum ach_status list_one(void *cx, const char *name, enum ach_map map)
{
    const struct survey_listing *l = cx;
    struct survey *s = l->survey;
    struct surveyed *c;
    size_t i;

    if (!survey_matches(s, name))
        return ACH_OK;
    i = survey_rank(s, l->known, name, map);
    if (i < l->known && survey_order(s->items[i], name, map) == 0)
        c = s->items[i];
    else
        c = survey_add(s, name, map);
    if (!c)
        return ACH_FAILED_SYSCALL;
    c->listed = true;
    return ACH_OK;
}

static void shut(struct surveyed *c)
{
    if (c->open)
        ach_close(&c->chan);
    c->open = c->has_file = false;
    memset(&c->info, 0, sizeof(c->info));
    c->rate = -1;
    c->lost = 0;
    memset(&c->newest, 0, sizeof(c->newest));
    c->newest_age = -1;
}

/* Owner and mode can be read even if the channel cannot be opened. */
static void look_file(struct surveyed *c)
{
    char path[PATH_MAX];
    struct stat st;

    c->has_file = channel_path(c->name, c->map, path) && lstat(path, &st) == 0;
    if (!c->has_file)
        return;
    c->info.map = c->map;
    c->info.mode = st.st_mode & 07777;
    c->info.uid = st.st_uid;
    c->info.gid = st.st_gid;
    c->info.inode = st.st_ino;
}

static bool look_open(struct surveyed *c)
{
    ach_attr_t attr;

    shut(c);
    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    ach_attr_set_map(&attr, c->map);
    c->status = ach_open(&c->chan, c->name, &attr);
    if (c->status != ACH_OK) {
        snprintf(c->trouble, sizeof(c->trouble), "%s", ach_errstr());
        look_file(c);
    }
    c->open = c->status == ACH_OK;
    return c->open;
}

/* Size and age of the newest message, without copying it. */
static void look_at_newest(struct surveyed *c)
{
    uint64_t now, at;

    look_newest(&c->chan, &c->newest);
    c->newest_age = -1;
    if (!c->newest.stamped)
        return;
    now = clock_ns(c->info.clock);
    at = (uint64_t)c->newest.put.tv_sec * NS_PER_S + (uint64_t)c->newest.put.tv_nsec;
    c->newest_age = now > at ? (double)(now - at) / (double)NS_PER_S : 0;
}

static void survey_compare(struct surveyed *c, const ach_info_t *before, uint64_t before_ns)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);

    c->looked_ns = now;
    if (!before_ns || now == before_ns || c->info.newest < before->newest)
        return;
    c->rate =
        (double)(c->info.newest - before->newest) * (double)NS_PER_S / (double)(now - before_ns);
    if (c->info.oldest > before->newest + 1)
        c->lost += c->info.oldest - before->newest - 1;
}

static void survey_look_at(struct surveyed *c)
{
    ach_info_t before = c->info;
    uint64_t before_ns = c->open ? c->looked_ns : 0;

    if (c->open)
        c->status = ach_channel_info(&c->chan, &c->info);
    if (!c->open || c->status != ACH_OK || c->info.unlinked || c->info.replaced) {
        before_ns = 0;
        if (!look_open(c))
            return;
        c->status = ach_channel_info(&c->chan, &c->info);
    }
    if (c->status != ACH_OK) {
        shut(c);
        look_file(c);
        snprintf(c->trouble, sizeof(c->trouble), "the channel's memory is %s",
                 c->status == ACH_BAD_SHM_FILE ? "lost: its file was cut short" : "damaged");
        return;
    }
    survey_compare(c, &before, before_ns);
    look_at_newest(c);
}

static int survey_by_name(const void *a, const void *b)
{
    const struct surveyed *x = *(struct surveyed *const *)a, *y = *(struct surveyed *const *)b;

    return survey_order(x, y->name, y->map);
}

/* Close and free channels that were removed. */
static void drop_unlisted(struct survey *s)
{
    size_t i, kept = 0;

    for (i = 0; i < s->n; i++) {
        if (s->items[i]->listed) {
            s->items[kept++] = s->items[i];
            continue;
        }
        shut(s->items[i]);
        free(s->items[i]);
    }
    s->n = kept;
}

bool survey_look(struct survey *s)
{
    struct survey_listing l = {.survey = s, .known = s->n};
    enum ach_status status;
    size_t i;

    filelimit_raise(0);
    for (i = 0; i < s->n; i++)
        s->items[i]->listed = false;
    status = ach_list(list_one, &l);
    if (s->n)
        qsort(s->items, s->n, sizeof(*s->items), survey_by_name);
    if (status != ACH_OK)
        return false;
    drop_unlisted(s);
    filelimit_raise(SPARE_FILES); /* there may be more channels than the hard limit */
    for (i = 0; i < s->n; i++)
        survey_look_at(s->items[i]);
    filelimit_raise(0);
    return true;
}

void survey_finish(struct survey *s)
{
    size_t i;

    for (i = 0; i < s->n; i++)
        s->items[i]->listed = false;
    drop_unlisted(s);
    free(s->items);
    s->items = NULL;
}
