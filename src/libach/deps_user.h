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

#define ACHI_STEP(label) ((void)0)

enum ach_status achi_lock(const struct achi_view *v);
void achi_unlock(const struct achi_view *v);
void achi_commit_wake(const struct achi_view *v, uint32_t add);
uint64_t achi_now(const struct achi_view *v);

#endif
