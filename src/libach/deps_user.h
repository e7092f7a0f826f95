/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deps_user.h - what the core needs, in user space (see core/deps.h)
 */
#ifndef ACHI_DEPS_USER_H
#define ACHI_DEPS_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ach/status.h>

#include "copy.h"
#include "lock.h"

#define ACHI_STEP(label) ((void)0)

void achi_commit_wake(const struct achi_view *v, uint32_t add);
uint64_t achi_now(const struct achi_view *v);

#endif
