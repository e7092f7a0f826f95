/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.h - helpers for printing and parsing bodies
 *
 * Numbers are written and read with a point, whatever the locale of the
 * program is.
 */
#ifndef XDR_TEXT_H
#define XDR_TEXT_H

#include <ach/interface.h>
#include <locale.h>

/* Switch this thread to the C locale, and back to what xdr_locale_enter returned. */
locale_t xdr_locale_enter(void);
void xdr_locale_leave(locale_t before);

/* A scalar in memory as text; `exact`: reading it back gives the same bits. */
void xdr_print_scalar(unsigned kind, const void *at, bool exact, FILE *to);

/*
 * Parse a scalar of a field; *text advances past it. Whole numbers may be hexadecimal; true and
 * false are 1 and 0, null is NaN. ACH_EINVAL: not a number, or it does not fit the kind.
 */
enum ach_status xdr_read_scalar(const ach_field_t *f, const char **text, void *at);

/* Set the text of ACH_EINVAL: the text at @at is not what was expected. */
enum ach_status xdr_expected(const char *what, const char *where, const char *at);

/* The same for a number of a field. @which: "" or "finite ". */
enum ach_status xdr_expected_number(const char *which, const ach_field_t *f, const char *at);

/* The name of a kind, for error messages. */
const char *xdr_kind_name(unsigned kind);

/* A body that grows while it is read. */
struct xdr_builder {
    const ach_type_t *type;
    uint8_t *body;
    struct xdr_piece *pieces; /* all memory that the body points to */
};

enum ach_status xdr_builder_begin(struct xdr_builder *draft, const ach_type_t *type);

/* Copy the body into one block, unless @status is already a failure. Frees the draft. */
enum ach_status xdr_builder_end(struct xdr_builder *draft, enum ach_status status, void **body);

/*
 * Give the variable array of a struct n elements, keeping those that it has; the
 * others are zero. The n of a string includes its NUL. Returns the first
 * element, or NULL with the status in *status: over the limit, or no memory.
 */
uint8_t *xdr_builder_resize(struct xdr_builder *draft, const ach_field_t *field, uint8_t *body,
                            uint32_t n, enum ach_status *status);

const ach_field_t *xdr_field_find(const ach_type_t *type, const char *name, size_t length);

/* Read a value, or an array of values, into a field; *text advances past it. */
enum ach_status xdr_json_field(struct xdr_builder *draft, const ach_field_t *field, uint8_t *body,
                               const char **text);

/* Read an object into a struct; *text advances past it. */
enum ach_status xdr_json_struct(struct xdr_builder *draft, const ach_type_t *type, uint8_t *body,
                                const char **text);

#endif
