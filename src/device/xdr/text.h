/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.h - what printing and reading of bodies share
 *
 * Numbers are written and read with a point, whatever the locale of the
 * program is.
 */
#ifndef ACHI_XDR_TEXT_H
#define ACHI_XDR_TEXT_H

#include <ach/interface.h>
#include <locale.h>

/* Switch this thread to the C locale, and back to what achi_locale_enter returned. */
locale_t achi_locale_enter(void);
void achi_locale_leave(locale_t before);

/* A scalar in memory as text; `exact`: reading it back gives the same bits. */
void achi_print_scalar(unsigned kind, const void *at, bool exact, FILE *to);

/*
 * A scalar from text, up to `end`, which is set to what follows it. Whole numbers
 * may be hexadecimal; true and false are 1 and 0, null is NaN. False: not a
 * number, or too large for the kind.
 */
bool achi_read_scalar(unsigned kind, const char *text, const char **end, void *at);

/* The name of a kind, for sentences about failures. */
const char *achi_kind_name(unsigned kind);

/* A body that grows while it is read. */
struct achi_draft {
    const ach_type_t *type;
    uint8_t *body;
    struct achi_piece *pieces; /* all memory that the body points to */
};

enum ach_status achi_draft_begin(struct achi_draft *draft, const ach_type_t *type);

/* The body in one piece of memory; or nothing, if the status is a failure already. */
enum ach_status achi_draft_end(struct achi_draft *draft, enum ach_status status, void **body);

/*
 * Give the variable array of a struct n elements, keeping those that it has; the
 * others are zero. A string's NUL comes extra and is counted by n. Returns the first
 * element, or NULL with the status in *status: over the limit, or no memory.
 */
uint8_t *achi_draft_resize(struct achi_draft *draft, const ach_field_t *field, uint8_t *body,
                           uint32_t n, enum ach_status *status);

/* The memory of one element of a field. */
size_t achi_field_element_size(const ach_field_t *field);

/* How many elements a field has now. */
uint32_t achi_field_count(const ach_field_t *field, const void *body);

/* The first element of a field. */
uint8_t *achi_field_elements(const ach_field_t *field, const void *body);

const ach_field_t *achi_field_find(const ach_type_t *type, const char *name, size_t length);

/* Read a value, or an array of values, into a field; *text moves behind it. */
enum ach_status achi_json_field(struct achi_draft *draft, const ach_field_t *field, uint8_t *body,
                                const char **text);

/* Read an object into a struct; *text moves behind it. */
enum ach_status achi_json_struct(struct achi_draft *draft, const ach_type_t *type, uint8_t *body,
                                 const char **text);

#endif
