/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_word.h - where the writers' lock is in a channel's memory */
#ifndef LOCK_WORD_H
#define LOCK_WORD_H

#include <stdint.h>

struct ach_header; /* of a channel, not that of a device's message */

uint32_t *lock_word(struct ach_header *shm);

#endif
