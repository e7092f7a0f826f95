/* SPDX-License-Identifier: BSD-3-Clause */
/* scenarios.h - plans short enough to try all their schedules */
#ifndef SHIM_SCENARIOS_H
#define SHIM_SCENARIOS_H

#include <stddef.h>

#include "plan.h"

extern const struct plan scenarios[];
extern const size_t scenarios_n;

#endif
