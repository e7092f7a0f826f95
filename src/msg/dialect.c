/* SPDX-License-Identifier: BSD-3-Clause */
#include "dialect.h"

#include <ach/ros1.h>

#include <stdlib.h>
#include <string.h>

#include "tables.h"

/* Programs of ROS split texts at lines of exactly this length, and genpy needs the empty line. */
#define SEPARATOR                                                                                  \
    "\n================================================================================\n"

static bool section_is(const struct msg_section *s, const char *package, const char *name)
{
    return strcmp(s->package, package) == 0 && strcmp(s->name, name) == 0;
}

static bool is_seq(const struct msg_section *s, const struct msg_field *f)
{
    return section_is(s, "std_msgs", "Header") && !f->constant && strcmp(f->name, "seq") == 0;
}

int msg_dialect_header(const struct msg_text *t)
{
    unsigned i, k;

    for (i = 0; i < t->section_count; i++) {
        const struct msg_section *s = &t->sections[i];

        if (!section_is(s, "std_msgs", "Header"))
            continue;
        for (k = 0; k < s->count; k++)
            if (is_seq(s, &t->fields[s->first + k]))
                return -1;
        return (int)i;
    }
    return -1;
}

struct msg_reference msg_dialect_resolve(const struct msg_text *t, const struct msg_field *f,
                                         const struct msg_section *user)
{
    struct msg_reference r = msg_resolve(t, f->type, user->package);

    if (r.meaning == MSG_SECTION &&
        section_is(&t->sections[r.section], "builtin_interfaces", "Time"))
        r.meaning = MSG_TIME;
    if (r.meaning == MSG_SECTION &&
        section_is(&t->sections[r.section], "builtin_interfaces", "Duration"))
        r.meaning = MSG_DURATION;
    return r;
}

static void write_type(const struct msg_text *t, const struct msg_section *user,
                       const struct msg_field *f, int ros, FILE *to)
{
    struct msg_reference r = msg_dialect_resolve(t, f, user);
    const struct msg_section *s = &t->sections[r.section];

    if (r.meaning == MSG_SECTION)
        fprintf(to, "%s/%s", s->package, s->name);
    else if (r.meaning == MSG_TIME)
        fputs(ros == 1 ? "time" : "builtin_interfaces/Time", to);
    else if (r.meaning == MSG_DURATION)
        fputs(ros == 1 ? "duration" : "builtin_interfaces/Duration", to);
    else
        fputs(f->type, to);
    if (r.meaning == MSG_STRING && ros == 2 && f->string_limit < ACH_BODY_MAX - 1)
        fprintf(to, "<=%u", f->string_limit);
}

static void write_array(const struct msg_field *f, int ros, FILE *to)
{
    if (f->array == ACH_ARRAY_FIXED)
        fprintf(to, "[%u]", f->limit);
    else if (f->array == ACH_ARRAY_VARIABLE && ros == 2 && f->limit < ACH_BODY_MAX)
        fprintf(to, "[<=%u]", f->limit);
    else if (f->array == ACH_ARRAY_VARIABLE)
        fputs("[]", to);
}

/* Only ROS 2 has quotes around strings. */
static void write_constant(const struct msg_field *f, int ros, FILE *to)
{
    size_t n = strlen(f->value);
    bool string = strcmp(f->type, "string") == 0;
    bool quoted = n >= 2 && strchr("\"'", f->value[0]) && f->value[n - 1] == f->value[0];

    if (string && quoted && ros == 1)
        fprintf(to, "=%.*s", (int)(n - 2), f->value + 1);
    else if (string && !quoted && ros == 2)
        fprintf(to, "=\"%s\"", f->value);
    else
        fprintf(to, "=%s", f->value);
}

void msg_dialect_field(const struct msg_text *t, const struct msg_section *user,
                       const struct msg_field *f, int ros, FILE *to)
{
    write_type(t, user, f, ros, to);
    write_array(f, ros, to);
    fprintf(to, " %s", f->name);
    if (f->constant)
        write_constant(f, ros, to);
    else if (f->value && ros == 2)
        fprintf(to, " %s", f->value);
    fputc('\n', to);
}

static void write_section(const struct msg_text *t, unsigned section, int ros, FILE *to)
{
    const struct msg_section *s = &t->sections[section];
    unsigned i;

    if (ros == 1 && msg_dialect_header(t) == (int)section)
        fputs("uint32 seq\n", to);
    for (i = 0; i < s->count; i++) {
        const struct msg_field *f = &t->fields[s->first + i];

        if (ros == 1 || !is_seq(s, f))
            msg_dialect_field(t, s, f, ros, to);
    }
}

/* Note the sections that one uses, in the order in which they are used first. */
static void note_used(const struct msg_text *t, unsigned section, unsigned *used, unsigned *count)
{
    const struct msg_section *s = &t->sections[section];
    unsigned i, k;

    for (i = 0; i < s->count; i++) {
        const struct msg_field *f = &t->fields[s->first + i];
        struct msg_reference r = msg_dialect_resolve(t, f, s);

        for (k = 0; k < *count && used[k] != r.section; k++)
            ;
        if (r.meaning == MSG_SECTION && k == *count)
            used[(*count)++] = r.section;
    }
}

static void write_all(const struct msg_text *t, int ros, FILE *to)
{
    unsigned used[MSG_SECTIONS_MAX] = {0}, count = 1, i;

    for (i = 0; i < count; i++) {
        const struct msg_section *s = &t->sections[used[i]];

        if (i > 0)
            fprintf(to, SEPARATOR "MSG: %s/%s\n", s->package, s->name);
        write_section(t, used[i], ros, to);
        note_used(t, used[i], used, &count);
    }
}

enum ach_status ach_definition_text(const ach_definition_t *definition, int ros, char **name,
                                    char **text)
{
    const struct msg_section *first = definition->text.sections;
    size_t size;
    FILE *to;

    *name = *text = NULL;
    if (ros != 1 && ros != 2)
        return ach_errstr_set(ACH_EINVAL, "there is ROS 1 and ROS 2, and no ROS %d", ros);
    if (!*first->package)
        return ach_errstr_set(
            ACH_EINVAL, "expected package/Name as the name of a message, found %s", first->name);
    to = open_memstream(text, &size);
    if (to)
        write_all(&definition->text, ros, to);
    if (to && fclose(to) == 0 &&
        asprintf(name, ros == 1 ? "%s/%s" : "%s/msg/%s", first->package, first->name) >= 0)
        return ACH_OK;
    free(*text);
    *name = *text = NULL;
    return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
}
