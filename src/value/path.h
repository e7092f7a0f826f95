/* SPDX-License-Identifier: BSD-3-Clause */
/* path.h - fields by name, such as pose.position.x and ranges[3] */
#ifndef VALUE_PATH_H
#define VALUE_PATH_H

#include <ach.h>

#include "value.h"

/*
 * Find a field of a message. ACH_OK; ACH_ENOENT: the message does not have it, because a list is
 * shorter or a value on the way is null; ACH_EINVAL: no path, or ach_errstr lists the names.
 */
enum ach_status value_find(const struct value *root, const char *path, struct value *found);

/* Find it in an example, where the only item of a list stands for all, and null for anything. */
enum ach_status value_find_example(const struct value *example, const char *path,
                                   struct value *found);

/* The paths of fields, to be freed with value_paths_finish. Begin with all members 0. */
struct value_paths {
    struct value_arena arena;
    char **paths;
    size_t count;
};

/* Most paths. */
#define VALUE_PATHS_MAX 4096u

/*
 * Append a path. `a[2:5]` is short for a[2], a[3] and a[4]. ACH_EINVAL: not a path, or too many;
 * ACH_FAILED_SYSCALL: no memory.
 */
enum ach_status value_paths_add(struct value_paths *p, const char *path);

enum value_spread {
    VALUE_SPREAD_LISTS,   /* lists of fixed length, element by element */
    VALUE_SPREAD_EXAMPLE, /* the first object of a list stands for all; other lists are one path */
};

/* Append the paths of all scalars in a value, as far as lists are spread. Returns as above. */
enum ach_status value_paths_of(struct value_paths *p, const struct value *root,
                               enum value_spread spread);

void value_paths_finish(struct value_paths *p);

#endif
