/* SPDX-License-Identifier: BSD-3-Clause */
#include "nested.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../msg/resolve.h"
#include "cli.h"
#include "schemafile.h"

/* As rosbag2 and MCAP have it. */
#define SEPARATOR                                                                                  \
    "================================================================================\nMSG: "

struct nested_name {
    char full[ACH_TYPE_NAME_MAX]; /* cut into the two others */
    const char *package, *name;
    bool header; /* "Header" alone is that of std_msgs, if the package has none */
};

/* Does a field use a definition that is not there? */
static bool is_absent(const struct msg_text *t, const struct msg_section *s,
                      const struct msg_field *f, struct nested_name *n)
{
    if (f->constant || msg_resolve(t, f->type, s->package).meaning != MSG_ABSENT ||
        strlen(f->type) >= sizeof(n->full))
        return false;
    strcpy(n->full, f->type);
    msg_split(n->full, &n->package, &n->name);
    n->header = !*n->package && strcmp(n->name, "Header") == 0;
    if (!*n->package)
        n->package = s->package;
    return true;
}

/* The path if it is a file that can be read, to be freed; else NULL. */
static char *readable(const char *dir, int dir_length, const char *between, const char *package,
                      const char *msg, const char *name)
{
    char *path = NULL;

    if (asprintf(&path, "%.*s%s%s%s%s.msg", dir_length, dir, between, package, msg, name) < 0)
        return NULL;
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static char *find_nested(const struct type_words *w, const struct msg_section *top,
                         const struct nested_name *n)
{
    const char *slash = strrchr(w->file, '/'), *dir = slash ? w->file : ".";
    int length = slash ? (int)(slash - w->file) : 1;
    char *path = NULL;
    size_t i;

    if (strcmp(n->package, top->package) == 0)
        path = readable(dir, length, "/", "", "", n->name);
    if (!path)
        path = readable(dir, length, "/../../", n->package, "/msg/", n->name);
    for (i = 0; !path && i < w->include_count; i++) {
        const char *include = w->include[i];

        path = readable(include, (int)strlen(include), "/", n->package, "/msg/", n->name);
        if (!path)
            path = readable(include, (int)strlen(include), "/", n->package, "/", n->name);
    }
    return path;
}

/* Append a definition to the schema. False after complaining. */
static bool nested_append(ach_channel_type_t *type, const struct nested_name *n, const char *text,
                          size_t size)
{
    const char *schema = type->schema;
    bool ended = schema[type->schema_size - 1] == '\n';
    char *head = NULL, *all = NULL;
    int length = asprintf(&head, "%s" SEPARATOR "%s%s%s\n", ended ? "" : "\n", n->package,
                          *n->package ? "/" : "", n->name);
    size_t whole = type->schema_size + (size_t)length + size;

    if (length < 0)
        head = NULL;
    if (whole > ACH_TYPE_SCHEMA_MAX)
        complain("with %s/%s the schema is larger than %d bytes", n->package, n->name,
                 ACH_TYPE_SCHEMA_MAX);
    else if (head && (all = realloc((void *)type->schema, whole)) == NULL)
        complain("no memory for the schema");
    if (all) {
        memcpy(all + type->schema_size, head, (size_t)length);
        memcpy(all + type->schema_size + (size_t)length, text, size);
        type->schema = all;
        type->schema_size = whole;
    }
    free(head);
    return all;
}

static bool nested_read(ach_channel_type_t *type, const struct nested_name *n, const char *path)
{
    char *text = NULL;
    size_t size;
    bool added = schema_read(path, &text, &size);

    if (added) {
        added = nested_append(type, n, text, size);
        free(text);
    }
    return added;
}

static bool nested_missing(const struct type_words *w, const struct nested_name *n)
{
    complain("%s%s: there is no file %s%s%s.msg beside it, nor in a directory of --include",
             w->complete ? "" : "warning: ", w->file, n->package, *n->package ? "/msg/" : "",
             n->name);
    return !w->complete;
}

/* Find a definition, and append it to the schema and to the text. False after complaining. */
static bool nested_find(const struct type_words *words, struct nested_name *n,
                        ach_channel_type_t *type, struct msg_text *t, bool *more)
{
    size_t before = type->schema_size;
    char *path = find_nested(words, &t->sections[0], n);
    bool ok;

    if (!path && n->header) {
        n->package = "std_msgs";
        path = find_nested(words, &t->sections[0], n);
    }
    ok = path ? nested_read(type, n, path) : nested_missing(words, n);
    *more = ok && path &&
            msg_parse_more(t, (const char *)type->schema + before, type->schema_size - before) ==
                ACH_OK;
    free(path);
    return ok;
}

/* The sections grow in the loop; the parser limits how many there can be. */
bool nested_add(const struct type_words *words, ach_channel_type_t *type)
{
    struct msg_text t;
    struct nested_name n;
    bool ok = true;
    /* Errors of the text are reported when it is used. */
    bool more = msg_parse(&t, type->name, type->schema, type->schema_size) == ACH_OK;
    unsigned i, k;

    for (i = 0; more && i < t.section_count; i++) {
        const struct msg_section *s = &t.sections[i];

        for (k = 0; more && k < s->count; k++)
            if (is_absent(&t, s, &t.fields[s->first + k], &n))
                ok = nested_find(words, &n, type, &t, &more);
    }
    msg_text_free(&t);
    return ok;
}
