/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_word.c - where the writers' lock is in a channel's memory */
#define ACHI_DEPS "../libach/deps_user.h"
#include "lock_word.h"
#include "../../../src/core/layout.h"

uint32_t *lock_word(struct ach_header *shm)
{
    return &shm->lock;
}
