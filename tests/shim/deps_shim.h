/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deps_shim.h - what the core needs, in the test shim (see core/deps.h)
 *
 * Every step hands control to a scheduler, which may let any other actor run
 * before the access that follows, or end this one there for ever.
 */
#ifndef DEPS_SHIM_H
#define DEPS_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ach/status.h>

enum shim_step {
#define STEP(label) label,
#include "steps.def"
#undef STEP
    /* Steps outside the core: those of its deps (lock, copies) and of the actors. */
    SHIM_LOCK,
    SHIM_UNLOCK,
    SHIM_COPY_IN,
    SHIM_COPY_OUT,
    SHIM_SLEEP,
    SHIM_RETIRE,
    SHIM_STEPS
};

#define ACHI_STEP(label) shim_step(label)

void shim_step(enum shim_step at);
const char *shim_step_name(enum shim_step at);

struct achi_view;

void achi_copy_in(void *chan, const void *src, size_t n);
void achi_copy_out(void *dst, const void *chan, size_t n);
enum ach_status achi_lock(const struct achi_view *v, uint32_t *word);
void achi_unlock(const struct achi_view *v, uint32_t *word);
void achi_commit_wake(const struct achi_view *v, uint32_t add);
uint64_t achi_now(const struct achi_view *v);

/* Begin a run: copies can be interrupted every copy_words words; the clock starts at 0. */
void deps_reset(unsigned copy_words);
uint64_t deps_last_stamp(void);

#endif
