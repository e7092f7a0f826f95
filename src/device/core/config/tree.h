/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree.h - a configuration in memory
 *
 * Sections, fields and values of the file, with templates expanded. All of it
 * lives in one arena that is freed at once. Sections made from one template
 * share its values.
 */
#ifndef DEV_CONFIG_TREE_H
#define DEV_CONFIG_TREE_H

#include <ach/config.h>

struct dev_place {
    const char *file;
    int line, column; /* from 1; a line of 0 is the file as a whole */
};

enum dev_value_kind { DEV_STRING, DEV_NUMBER, DEV_BOOL };

struct dev_value {
    enum dev_value_kind kind;
    struct dev_place at;
    const char *text; /* as in the file, a string without its quotes */
    double number;    /* also 1 and 0 of a truth value */
    const char *path; /* the string as a path; NULL until it is read as one */
    bool complained;  /* an error was reported */
};

struct dev_field {
    struct dev_field *next;
    const char *name;
    struct dev_place at;
    struct dev_value *values;
    size_t count;
    bool tuple;               /* in brackets */
    bool inherited;           /* from a template, not yet overridden */
    bool used;                /* it was read */
    bool complained;          /* an error about the number of its values was reported */
    struct dev_field *origin; /* in the template, or itself */
    unsigned told;            /* in the origin: number of the last report that named it */
};

/* A name that was read but is not in the section: maybe the intended name of a misspelt field. */
struct dev_asked {
    struct dev_asked *next;
    const char *name;
};

struct ach_section {
    struct ach_section *next; /* beside this one */
    struct ach_section *first, *last;
    struct ach_config *config;
    const char *name;
    struct dev_place at;
    struct dev_field *fields, *last_field;
    size_t field_count;
    struct dev_asked *asked;
    bool visited;
    bool failed;
    struct ach_section *origin; /* in the template, or itself */
    unsigned told;
};

struct dev_template {
    struct dev_template *next;
    const char *name;
    struct ach_section *section;
};

/* A text that grows; NULL data: it is empty. Additions are dropped if there is no memory. */
struct dev_text {
    char *data;
    size_t used, room;
};

struct dev_chunk;

struct ach_config {
    struct dev_chunk *chunks;
    struct ach_section *root;
    struct dev_template *templates;
    size_t template_count, items;
    double metres, radians; /* in one unit of the file */
    size_t complaints;      /* errors reported since the file was read */
    struct dev_text errors, warnings, report;
    unsigned reports;
};

struct ach_config *dev_config_new(const char *file);

/* Memory that lasts as long as the configuration; NULL if there is none. */
void *dev_config_alloc(struct ach_config *config, size_t size);
const char *dev_config_copy(struct ach_config *config, const char *text, size_t length);

/* Count items against the limit. */
bool dev_config_spend(struct ach_config *config, size_t items);

struct ach_section *dev_section_new(struct ach_config *config, const char *name,
                                    struct dev_place at);
void dev_section_add(struct ach_section *parent, struct ach_section *child);

/*
 * Copy a template's fields and sections into a section. ACH_OVERFLOW: more than a
 * limit allows, or nested deeper than @deeper; ACH_FAILED_SYSCALL: no memory.
 */
enum ach_status dev_section_inherit(struct ach_section *section, struct ach_section *from,
                                    int deeper);

struct dev_field *dev_section_find(const struct ach_section *section, const char *name);
struct dev_field *dev_section_field(struct ach_section *section, const char *name);

/* Print a file with only this section, and the fields that are outside of any section. */
void dev_section_print_alone(const struct ach_section *section, FILE *out);

struct dev_template *dev_template_find(const struct ach_config *config, const char *name);

#endif
