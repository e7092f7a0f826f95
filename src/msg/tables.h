/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.h - the tables of interface.h, made from a parsed definition */
#ifndef MSG_TABLES_H
#define MSG_TABLES_H

#include <ach/definition.h>

#include "parse.h"

struct ach_definition {
    struct msg_text text;
    ach_type_t *types;   /* of each section, then time and duration, then strings in arrays */
    uint8_t *state;      /* of each section: an enum in tables.c */
    ach_field_t *fields; /* of all types */
    ach_step_t *steps;
    size_t field_count, step_count, field_room, step_room;
    unsigned string_count; /* types of strings in arrays */
};

/* The name of the only field of an empty message. */
extern const char msg_empty_field[];

/* Make the tables of the first section and of all that it uses. */
enum ach_status msg_tables_make(struct ach_definition *d);

#endif
