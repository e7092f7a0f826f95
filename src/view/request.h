/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h - a JSON text from a client, which is not trusted */
#ifndef VIEW_REQUEST_H
#define VIEW_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "value.h"

struct view_request {
    struct value_tree tree;
    struct value_text op;
};

/* False: it is no JSON object with a text `op`, see ach_errstr. Finish it in any case. */
bool view_request_parse(struct view_request *r, const char *text, size_t size);
void view_request_finish(struct view_request *r);

bool view_request_is(const struct view_request *r, const char *op);

bool view_request_has(const struct value *object, const char *name);

/* Members of an object. NULL, or false: there is none, or it is of another kind. */
const struct value *view_request_list(const struct value *object, const char *name);
bool view_request_text(const struct value *object, const char *name, struct value_text *text);
bool view_request_real(const struct value *object, const char *name, double *real); /* finite */
bool view_request_bool(const struct value *object, const char *name, bool *truth);

/* A whole number from 0 to most. */
bool view_request_number(const struct value *object, const char *name, uint64_t most, uint64_t *n);
bool view_request_as_number(const struct value *v, uint64_t most, uint64_t *n);

bool view_text_is(struct value_text text, const char *word);

/* Copy a text with a NUL. False: there is no room, or a NUL in it. */
bool view_text_copy(struct value_text text, char *to, size_t room);

#endif
