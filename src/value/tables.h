/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.h - bodies of messages that a table of libachxdr describes, as trees */
#ifndef VALUE_TABLES_H
#define VALUE_TABLES_H

#include <ach/interface.h>

#include "value.h"

/*
 * The value of a body, to which the tree refers. Without a body: an example. ACH_OK;
 * ACH_FAILED_SYSCALL: no memory.
 */
enum ach_status value_from_body(struct value_arena *a, const ach_type_t *type, const void *body,
                                struct value *v);

/* The table of a struct of an interface, such as laser.data; NULL: there is none. */
const ach_type_t *value_interface_type(const char *name);

#endif
