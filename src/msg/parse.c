/* SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ach/interface.h>

#include "literal.h"

#define SEPARATOR "==="
#define SECTION "MSG:"

static enum ach_status bad(unsigned line, const char *what, const char *word)
{
    return ach_errstr_set(ACH_EINVAL, "line %u of the definition: %s '%.40s'", line, what, word);
}

static bool is_identifier(const char *word)
{
    if (!isalpha((unsigned char)*word))
        return false;
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && *word != '_')
            return false;
    return true;
}

/* A name of a type: identifiers with slashes between them. */
static bool is_type_name(const char *word)
{
    if (!isalpha((unsigned char)*word))
        return false;
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && *word != '_' &&
            (*word != '/' || !isalpha((unsigned char)word[1])))
            return false;
    return true;
}

void msg_split(char *full, const char **package, const char **name)
{
    char *last = strrchr(full, '/'), *middle;

    *package = last ? full : "";
    *name = last ? last + 1 : full;
    if (!last)
        return;
    *last = '\0';
    middle = strrchr(full, '/');
    if (middle && strcmp(middle, "/msg") == 0)
        *middle = '\0';
}

static enum ach_status bad_size(unsigned line, const char *wanted, const char *type)
{
    return ach_errstr_set(ACH_EINVAL,
                          "line %u of the definition: expected %s with N from 1 to %u, found "
                          "'%.40s'",
                          line, wanted, ACH_BODY_MAX, type);
}

/* A number of a bound, from 1 to the largest count. */
static bool read_bound(const char *text, const char *end, uint32_t *bound)
{
    char *after;
    unsigned long n;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    n = strtoul(text, &after, 10);
    *bound = (uint32_t)n;
    return after == end && errno == 0 && n > 0 && n <= ACH_BODY_MAX;
}

/* Cut "[]", "[3]" or "[<=3]" off a type. False: it has a bracket, but is none of these. */
static bool cut_array(char *type, struct msg_field *f)
{
    char *open = strchr(type, '['), *end;

    f->array = ACH_ARRAY_NONE;
    f->limit = 1;
    if (!open)
        return true;
    end = open + strlen(open) - 1;
    if (*end != ']')
        return false;
    f->array = ACH_ARRAY_VARIABLE;
    f->limit = ACH_BODY_MAX;
    if (open[1] == '<' && open[2] == '=') {
        if (!read_bound(open + 3, end, &f->limit))
            return false;
    } else if (open + 1 != end) {
        f->array = ACH_ARRAY_FIXED;
        if (!read_bound(open + 1, end, &f->limit))
            return false;
    }
    *open = '\0';
    return true;
}

/* Cut "<=3" off a string. False: it has another bound, or is not a string. */
static bool cut_bound(char *type, struct msg_field *f)
{
    char *less = strchr(type, '<'), *end = type + strlen(type);

    f->string_limit = ACH_BODY_MAX - 1;
    if (!less)
        return true;
    type += *type == 'w';
    if (strncmp(type, "string<=", 8) != 0 || !read_bound(type + 8, end, &f->string_limit))
        return false;
    *less = '\0';
    return true;
}

static char *skip_blanks(char *s)
{
    return s + strspn(s, " \t\r");
}

/* End the word at s, and return what follows it. */
static char *end_word(char *s, const char *delimiters)
{
    s += strcspn(s, delimiters);
    if (!*s)
        return s;
    *s = '\0';
    return s + 1;
}

static void trim_end(char *s)
{
    size_t n = strlen(s);

    while (n && strchr(" \t\r", s[n - 1]))
        s[--n] = '\0';
}

/* "NAME = VALUE" or "name default" or "name", behind the type. */
static void read_name(char *rest, struct msg_field *f)
{
    size_t n = strcspn(rest, " \t\r=");
    char *after = skip_blanks(rest + n);

    f->constant = *after == '=';
    if (f->constant)
        after = skip_blanks(after + 1);
    f->value = *after ? after : NULL;
    f->name = rest;
    rest[n] = '\0';
}

/*
 * Where a comment begins; NULL: nowhere. A text in quotes may contain the sign, and so may the
 * constant strings of ROS 1, which end with the line.
 */
static char *find_comment(char *line)
{
    char *s;

    if (strncmp(line, "string", 6) != 0)
        return strchr(line, '#');
    for (s = line; *s && *s != '#'; s++) {
        if (*s == '=' && s[-1] != '<' && !msg_quoted_end(skip_blanks(s + 1)))
            return NULL;
        if (*s != '"' && *s != '\'')
            continue;
        if (!msg_quoted_end(s))
            return NULL;
        s += msg_quoted_end(s) - s - 1;
    }
    return *s ? s : NULL;
}

static void cut_comment(char *line)
{
    char *comment = find_comment(line);

    if (comment)
        *comment = '\0';
    trim_end(line);
}

static enum ach_status read_field(struct msg_text *t, char *line, unsigned number)
{
    struct msg_field *f = &t->fields[t->field_count];
    char *rest = skip_blanks(end_word(line, " \t\r"));

    if (t->field_count == MSG_FIELDS_MAX)
        return bad(number, "there are too many fields at", line);
    f->type = line;
    f->line = number;
    if (!cut_array(line, f))
        return bad_size(number, "[], [N] or [<=N]", line);
    if (!cut_bound(line, f))
        return bad_size(number, "string<=N", line);
    if (!is_type_name(line))
        return bad(number, "this is not a type:", line);
    if (!*rest)
        return bad(number, "expected the name of a field after", line);
    read_name(rest, f);
    if (!is_identifier(f->name))
        return bad(number, "this is not a field's name:", f->name);
    if (f->constant && !f->value)
        return bad(number, "expected a value after the '=' of", f->name);
    if (f->constant && f->array != ACH_ARRAY_NONE)
        return bad(number, "an array cannot be constant:", f->name);
    t->field_count++;
    t->sections[t->section_count - 1].count++;
    return msg_literal_check(f);
}

int msg_section_find(const struct msg_text *t, const char *package, const char *name)
{
    unsigned i;

    for (i = 0; i < t->section_count; i++)
        if (strcmp(t->sections[i].name, name) == 0 && strcmp(t->sections[i].package, package) == 0)
            return (int)i;
    return -1;
}

static enum ach_status begin_section(struct msg_text *t, char *full, unsigned number)
{
    struct msg_section *s = &t->sections[t->section_count];

    if (!is_type_name(full))
        return bad(number, "this is not the name of a message:", full);
    if (t->section_count == MSG_SECTIONS_MAX)
        return bad(number, "there are too many definitions at", full);
    msg_split(full, &s->package, &s->name);
    if (msg_section_find(t, s->package, s->name) >= 0)
        return bad(number, "there is already a definition of", s->name);
    s->first = t->field_count;
    s->count = 0;
    t->section_count++;
    return ACH_OK;
}

static bool is_separator(const char *line)
{
    return strncmp(line, SEPARATOR, strlen(SEPARATOR)) == 0 && line[strspn(line, "=")] == '\0';
}

static enum ach_status read_line(struct msg_text *t, char *line, unsigned number, bool *separated)
{
    bool section = strncmp(line, SECTION, strlen(SECTION)) == 0;

    cut_comment(line);
    if (!*line)
        return ACH_OK;
    if (*separated != section)
        return bad(number,
                   section ? "expected a line of '=' before"
                           : "expected 'MSG: package/Name', found",
                   line);
    *separated = is_separator(line);
    if (section)
        return begin_section(t, skip_blanks(line + strlen(SECTION)), number);
    return *separated ? ACH_OK : read_field(t, line, number);
}

/* A private copy, with a NUL behind it; NULL: no memory. */
static char *copy_text(struct msg_text *t, const char *text, size_t size)
{
    struct msg_copy *copy = malloc(sizeof(*copy) + size + 1);

    if (!copy)
        return NULL;
    copy->next = t->copies;
    t->copies = copy;
    if (size)
        memcpy(copy->text, text, size);
    copy->text[size] = '\0';
    return copy->text;
}

enum ach_status msg_parse_more(struct msg_text *t, const char *text, size_t size)
{
    char *line = copy_text(t, text, size);
    enum ach_status status = ACH_OK;
    bool separated = false;
    unsigned number = 0;

    if (!line)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
    if (strlen(line) != size)
        return ach_errstr_set(ACH_EINVAL, "the definition of %.80s is not text",
                              t->sections[0].name);
    while (status == ACH_OK && *line) {
        char *next = end_word(line, "\n");

        status = read_line(t, skip_blanks(line), ++number, &separated);
        line = next;
    }
    if (status == ACH_OK && separated)
        return ach_errstr_set(ACH_EINVAL,
                              "line %u of the definition: expected 'MSG: package/Name' after it, "
                              "found the end",
                              number);
    return status;
}

enum ach_status msg_parse(struct msg_text *t, const char *name, const char *text, size_t size)
{
    enum ach_status status;
    char *full;

    memset(t, 0, sizeof(*t));
    t->sections = calloc(MSG_SECTIONS_MAX, sizeof(*t->sections));
    t->fields = calloc(MSG_FIELDS_MAX, sizeof(*t->fields));
    full = copy_text(t, name, strlen(name));
    if (!t->sections || !t->fields || !full)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
    status = begin_section(t, full, 0);
    return status == ACH_OK ? msg_parse_more(t, text, size) : status;
}

void msg_text_free(struct msg_text *t)
{
    struct msg_copy *copy, *next;

    for (copy = t->copies; copy; copy = next) {
        next = copy->next;
        free(copy);
    }
    free(t->sections);
    free(t->fields);
}
