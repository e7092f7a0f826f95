/* SPDX-License-Identifier: BSD-3-Clause */
/* operations.h - the operations that crash_step.c kills at every instruction */
#ifndef CRASH_OPERATIONS_H
#define CRASH_OPERATIONS_H

#include "world.h"

extern const struct operation operations[];
extern const unsigned operations_count;

#endif
