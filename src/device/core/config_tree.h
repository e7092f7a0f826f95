/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config_tree.h - a configuration in memory
 *
 * Sections, fields and values as the file had them, templates worked in. All of
 * it lives in one arena that is freed at once. Sections made from one template
 * share its values.
 */
#ifndef ACHI_CONFIG_TREE_H
#define ACHI_CONFIG_TREE_H

#include <ach/config.h>

struct achi_place {
    const char *file;
    int line, column; /* from 1; a line of 0 is the file as a whole */
};

enum achi_value_kind { ACHI_STRING, ACHI_NUMBER, ACHI_BOOL };

struct achi_value {
    enum achi_value_kind kind;
    struct achi_place at;
    const char *text; /* as in the file, a string without its quotes */
    double number;    /* also 1 and 0 of a truth value */
    const char *path; /* a string as a path, once somebody asked */
    bool complained;  /* an error was told */
};

struct achi_field {
    struct achi_field *next;
    const char *name;
    struct achi_place at;
    struct achi_value *values;
    size_t count;
    bool tuple;                /* in brackets */
    bool inherited;            /* from a template, not yet overridden */
    bool used;                 /* somebody read it */
    bool complained;           /* an error was told, of the number of its values */
    struct achi_field *origin; /* in the template, or itself */
    unsigned told;             /* the report that last named it; used in the origin */
};

/* A name that was asked for and not there: what a misspelt field may have meant. */
struct achi_asked {
    struct achi_asked *next;
    const char *name;
};

struct ach_section {
    struct ach_section *next; /* beside this one */
    struct ach_section *first, *last;
    struct ach_config *config;
    const char *name;
    struct achi_place at;
    struct achi_field *fields, *last_field;
    size_t field_count;
    struct achi_asked *asked;
    bool visited;
    bool failed;
    struct ach_section *origin; /* as of a field */
    unsigned told;
};

struct achi_template {
    struct achi_template *next;
    const char *name;
    struct ach_section *section;
};

/* A text that grows; a NULL text is empty. What finds no memory is left out. */
struct achi_text {
    char *data;
    size_t used, room;
};

struct achi_chunk;

struct ach_config {
    struct achi_chunk *chunks;
    struct ach_section *root;
    struct achi_template *templates;
    size_t template_count, items;
    double metres, radians; /* in one unit of the file */
    size_t complaints;      /* errors told since the file was read */
    struct achi_text errors, warnings, report;
    unsigned reports;
};

struct ach_config *achi_config_new(const char *file);

/* Memory that lasts as long as the configuration; NULL if there is none. */
void *achi_config_alloc(struct ach_config *config, size_t size);
const char *achi_config_copy(struct ach_config *config, const char *text, size_t length);

/* Count items against the limit. */
bool achi_config_spend(struct ach_config *config, size_t items);

struct ach_section *achi_section_new(struct ach_config *config, const char *name,
                                     struct achi_place at);
void achi_section_add(struct ach_section *parent, struct ach_section *child);

/*
 * Give a section what a template has; the sections in it too. ACH_OVERFLOW: more
 * than a limit allows, or deeper than this; ACH_FAILED_SYSCALL: no memory.
 */
enum ach_status achi_section_inherit(struct ach_section *section, struct ach_section *from,
                                     int deeper);

struct achi_field *achi_section_find(const struct ach_section *section, const char *name);
struct achi_field *achi_section_field(struct ach_section *section, const char *name);

/* As if the file had only this section, and its fields outside of any. */
void achi_section_print_alone(const struct ach_section *section, FILE *out);

struct achi_template *achi_template_find(const struct ach_config *config, const char *name);

#endif
