/* SPDX-License-Identifier: BSD-3-Clause */
/* channels.h - the groups of ach-bench */
#ifndef CHANNELS_H
#define CHANNELS_H

#include "bench.h"

extern const struct op operations[], in_place_ops[], bulk_ops[], readers_ops[], kernel_ops[];

/* What valgrind runs: one of operations, by name, many times. Returns what to exit with. */
int operations_repeat(const char *name);

void herd_measure(const struct group *g, unsigned round);

#endif
