/* SPDX-License-Identifier: BSD-3-Clause */
/* user_cells.h - processes that use a channel, in a table */
#ifndef USER_CELLS_H
#define USER_CELLS_H

#include "table.h"
#include "users.h"

/* Add a cell such as "driver:123,planner:456", or "-". writes: those that may put, else readers. */
void users_cell(struct table *t, const struct users *u, const char *channel, const ach_info_t *info,
                bool writes);

#endif
