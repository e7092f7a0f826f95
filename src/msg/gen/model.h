/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model.h - a definition as the structs of a header
 *
 * A message is fixed if its struct has the layout of CDR: then its bytes are the message. CDR
 * aligns each number, but never a struct, so a struct within a struct can have another layout
 * than in C. Messages with strings, sequences or such a layout are converted.
 */
#ifndef GEN_MODEL_H
#define GEN_MODEL_H

#include "../resolve.h"

/* The macro that has the size of a fixed message, behind the message's name. */
#define GEN_SIZE "CDR_SIZE"

struct gen_struct;

struct gen_field {
    const struct msg_field *from;
    struct msg_reference ref;
    const struct gen_struct *inner; /* if it is a struct */
    char *name;                     /* in C */
    uint32_t padding;               /* bytes before it, if the struct is fixed */
    uint64_t offset;                /* the same */
};

struct gen_struct {
    const struct msg_section *from; /* NULL: not used yet */
    char *name;                     /* functions and macros begin with it */
    char *tag;                      /* of the struct: the name, unless that is a keyword */
    struct gen_field *fields;
    unsigned count;
    bool fixed;
    bool holes;              /* fixed: there is padding between numbers */
    bool booleans;           /* there are some, also within inner structs */
    uint32_t first_align;    /* fixed: of the first number */
    uint32_t align;          /* fixed: of the struct */
    uint64_t size;           /* fixed: in CDR */
    uint64_t memory;         /* fixed: in C, with padding at the end */
    uint32_t fingerprint;    /* differs for structs that differ */
    struct gen_struct *next; /* in the order of declaration */
};

struct gen_model {
    struct msg_text text;
    struct gen_struct *structs; /* of each section */
    struct gen_struct *first;   /* in the order of declaration; the message is the last one */
};

struct gen_names {
    const char *prefix; /* of all names */
    bool packages;      /* put the package before the name */
};

/* Make the model of a definition that ach_definition_new accepts. Free it in any case. */
enum ach_status gen_model_make(struct gen_model *m, const struct gen_names *names, const char *type,
                               const char *text, size_t size);
void gen_model_free(struct gen_model *m);

/* The size and alignment of a number, a time or a duration; 0: it is something else. */
uint32_t gen_number_size(const struct gen_field *f);
uint32_t gen_number_align(const struct gen_field *f);

/*
 * Can an array of this be copied? A number, or a struct without any padding whose first number has
 * the largest alignment, so that the elements of a sequence begin where they would in C.
 */
bool gen_is_solid(const struct gen_struct *s);
bool gen_is_bulk(const struct gen_field *f);

#endif
