/* SPDX-License-Identifier: BSD-3-Clause */
#include "path.h"

#include <stdio.h>
#include <string.h>

#include "printable.h"

#define NAMES_SHOWN 160u
#define INDEX_DIGITS 9u
#define SPREAD_MAX 256u /* elements of a list that become paths of their own */

/* The names of an object's members, with "..." if there are too many. */
static void join_names(const struct value *object, char text[NAMES_SHOWN])
{
    FILE *f = fmemopen(text, NAMES_SHOWN - sizeof("..."), "w");
    size_t i, k, n, used = 0;

    if (!f)
        return;
    for (i = 0; i < object->count && used < NAMES_SHOWN; i++) {
        struct value_text name = object->items[i].name;

        fputs(i ? ", " : "", f);
        for (k = 0; k < name.size && k < NAMES_SHOWN; k += n ? n : 1) {
            n = printable_length(name.at + k, name.size - k);
            fwrite(n ? name.at + k : "?", 1, n ? n : 1, f);
        }
        used += name.size + 2;
    }
    fclose(f);
    if (used >= NAMES_SHOWN - sizeof("..."))
        strcat(text, "...");
}

static enum ach_status unknown_name(const struct value *object, const char *path, const char *name,
                                    size_t size)
{
    char names[NAMES_SHOWN] = "";

    join_names(object, names);
    if (name == path)
        return ach_errstr_set(ACH_EINVAL, "the message has no field '%.*s'; it has: %s",
                              (int)(size < 80 ? size : 80), name, *names ? names : "none");
    return ach_errstr_set(ACH_EINVAL, "%.*s has no field '%.*s'; it has: %s",
                          (int)(name - path - 1 < 80 ? name - path - 1 : 80), path,
                          (int)(size < 80 ? size : 80), name, *names ? names : "none");
}

/* Parse digits of an index. False: there are none, or too many. */
static bool parse_index(const char **at, size_t *index)
{
    size_t n = strspn(*at, "0123456789"), i;

    if (n == 0 || n > INDEX_DIGITS)
        return false;
    for (i = 0, *index = 0; i < n; i++)
        *index = *index * 10 + (size_t)((*at)[i] - '0');
    *at += n;
    return true;
}

static enum ach_status no_path(const char *path)
{
    return ach_errstr_set(ACH_EINVAL, "'%.80s' is not a field such as pose.position.x or ranges[3]",
                          path);
}

struct path_walk {
    const char *path, *at;
    bool example;
};

/* What stands for each item of a list in an example. */
static struct value any_item(const struct value *list)
{
    struct value any = {.kind = list->kind == VALUE_PACKED ? VALUE_DOUBLE : VALUE_NULL};

    return list->kind == VALUE_LIST && list->count ? list->items[0] : any;
}

static enum ach_status go_to_item(struct path_walk *w, struct value *v)
{
    size_t index, shown = (size_t)(w->at - w->path);

    w->at++;
    if (!parse_index(&w->at, &index) || *w->at != ']')
        return no_path(w->path);
    w->at++;
    if (v->kind == VALUE_NULL)
        return ACH_OK;
    if (!value_is_list(v))
        return ach_errstr_set(ACH_EINVAL, "%.*s is not an array", (int)(shown < 80 ? shown : 80),
                              w->path);
    if (w->example && !v->fixed) {
        *v = any_item(v);
        return ACH_OK;
    }
    if (index >= v->count && v->fixed)
        return ach_errstr_set(ACH_EINVAL, "%.*s has only %zu elements",
                              (int)(shown < 80 ? shown : 80), w->path, v->count);
    if (index >= v->count)
        return ach_errstr_set(ACH_ENOENT, "%.80s: there are only %zu elements", w->path, v->count);
    *v = value_item(v, index);
    return ACH_OK;
}

static enum ach_status go_to_member(struct path_walk *w, struct value *v)
{
    const char *name = w->at;
    size_t n = strcspn(name, ".[");
    const struct value *found;

    if (n == 0)
        return no_path(w->path);
    w->at += n;
    if (v->kind == VALUE_NULL)
        return ACH_OK;
    if (v->kind != VALUE_OBJECT && name == w->path)
        return ach_errstr_set(ACH_EINVAL, "the message has no fields");
    if (v->kind != VALUE_OBJECT)
        return ach_errstr_set(ACH_EINVAL, "%.*s has no fields",
                              (int)(name - w->path - 1 < 80 ? name - w->path - 1 : 80), w->path);
    found = value_member(v, name, n);
    if (!found)
        return unknown_name(v, w->path, name, n);
    *v = *found;
    return ACH_OK;
}

static enum ach_status path_follow(struct path_walk *w, struct value *v)
{
    enum ach_status status;

    w->at = w->path;
    status = go_to_member(w, v);
    while (status == ACH_OK && *w->at) {
        if (!w->example && v->kind == VALUE_NULL)
            return ach_errstr_set(ACH_ENOENT, "%.80s is null", w->path);
        if (*w->at == '[') {
            status = go_to_item(w, v);
        } else if (*w->at == '.') {
            w->at++;
            status = go_to_member(w, v);
        } else {
            return no_path(w->path);
        }
    }
    return status;
}

enum ach_status value_find(const struct value *root, const char *path, struct value *found)
{
    struct path_walk w = {.path = path};

    *found = *root;
    return path_follow(&w, found);
}

enum ach_status value_find_example(const struct value *example, const char *path,
                                   struct value *found)
{
    struct path_walk w = {.path = path, .example = true};

    *found = *example;
    return path_follow(&w, found);
}

static enum ach_status append_path(struct value_paths *p, const char *path, size_t size)
{
    char *copy = value_copy(&p->arena, path, size);
    char **paths = copy ? value_grow(&p->arena, p->paths, p->count, sizeof(*paths)) : NULL;

    if (!paths)
        return ACH_FAILED_SYSCALL;
    if (p->count == VALUE_PATHS_MAX)
        return ach_errstr_set(ACH_EINVAL, "there are more than %u fields: choose some of them",
                              VALUE_PATHS_MAX);
    p->paths = paths;
    paths[p->count++] = copy;
    return ACH_OK;
}

/* a[2:5].x: one path for each index. */
static enum ach_status append_slice(struct value_paths *p, const char *path, const char *colon)
{
    const char *open = colon, *at = colon + 1;
    size_t from, to, n;
    enum ach_status status = ACH_OK;
    char one[512];

    while (open > path && *open != '[')
        open--;
    n = (size_t)(open - path);
    open++;
    if (!parse_index(&open, &from) || open != colon || !parse_index(&at, &to) || *at != ']' ||
        from >= to || strlen(path) >= sizeof(one) - INDEX_DIGITS || strchr(at, ':'))
        return no_path(path);
    for (; status == ACH_OK && from < to; from++) {
        int length = snprintf(one, sizeof(one), "%.*s[%zu%s", (int)n, path, from, at);

        status = append_path(p, one, (size_t)length);
    }
    return status;
}

enum ach_status value_paths_add(struct value_paths *p, const char *path)
{
    const char *colon = strchr(path, ':');
    struct value unused;
    enum ach_status status;

    if (colon)
        return append_slice(p, path, colon);
    status = value_find_example(&(struct value){.kind = VALUE_NULL}, path, &unused);
    return status == ACH_OK ? append_path(p, path, strlen(path)) : status;
}

/* The path so far, to which the names of inner fields are appended. */
struct path_spread {
    struct value_paths *paths;
    enum value_spread how;
    char text[1024];
};

static enum ach_status spread(struct path_spread *s, size_t length, const struct value *v);

static enum ach_status spread_member(struct path_spread *s, size_t length, const struct value *v)
{
    size_t room = sizeof(s->text) - length;
    int n = snprintf(s->text + length, room, "%s%.*s", length ? "." : "", (int)v->name.size,
                     v->name.at);

    /* A name with such characters cannot be part of a path. */
    if (v->name.size == 0 || (size_t)n >= room || memchr(v->name.at, '.', v->name.size) ||
        memchr(v->name.at, '[', v->name.size) || memchr(v->name.at, 0, v->name.size))
        return ACH_OK;
    return spread(s, length + (size_t)n, v);
}

static enum ach_status spread_item(struct path_spread *s, size_t length, const struct value *list,
                                   size_t index)
{
    size_t room = sizeof(s->text) - length;
    int n = snprintf(s->text + length, room, "[%zu]", index);
    struct value item = value_item(list, index);

    return (size_t)n < room ? spread(s, length + (size_t)n, &item) : ACH_OK;
}

/* How many items of a list have paths of their own. */
static size_t spread_count(const struct path_spread *s, const struct value *v)
{
    if (s->how == VALUE_SPREAD_LISTS)
        return v->fixed && v->count <= SPREAD_MAX ? v->count : 0;
    return v->kind == VALUE_LIST && v->count && v->items[0].kind == VALUE_OBJECT;
}

static enum ach_status spread(struct path_spread *s, size_t length, const struct value *v)
{
    enum ach_status status = ACH_OK;
    size_t i, n = 0;

    if (v->kind == VALUE_OBJECT) {
        for (i = 0; status == ACH_OK && i < v->count; i++)
            status = spread_member(s, length, &v->items[i]);
        return status;
    }
    if (value_is_list(v))
        n = spread_count(s, v);
    for (i = 0; status == ACH_OK && i < n; i++)
        status = spread_item(s, length, v, i);
    return n || !length ? status : append_path(s->paths, s->text, length);
}

enum ach_status value_paths_of(struct value_paths *p, const struct value *root,
                               enum value_spread how)
{
    struct path_spread s = {.paths = p, .how = how};

    return spread(&s, 0, root);
}

void value_paths_finish(struct value_paths *p)
{
    value_arena_finish(&p->arena);
    *p = (struct value_paths){.count = 0};
}
