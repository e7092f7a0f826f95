/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * futex.h - the futex calls that channels use
 *
 * Thin wrappers: 0 or the negative errno, errno itself untouched. Times are
 * absolute. A process-private word (heap channels) is cheaper to look up.
 */
#ifndef ACHI_FUTEX_H
#define ACHI_FUTEX_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct achi_futex_word {
    const uint32_t *word;
    uint32_t value; /* sleep while the word has this value */
    bool private_;
};

/* Wake all sleepers on the word. Safe in a signal handler. */
void achi_futex_wake(const uint32_t *word, bool private_);

/*
 * Add to the word and wake all its sleepers, in one step that a kill cannot
 * split. add is small or a power of two. Safe in a signal handler.
 */
void achi_futex_add_wake(uint32_t *word, uint32_t add, bool private_);

/*
 * Clear one of the lowest bits of word and wake all sleepers on it, and before them those on
 * another word, at, in one step. at may be word. If the bit was not set, sleepers on word may be
 * left alone. False: the kernel cannot do it, and has done nothing.
 */
bool achi_futex_clear_wake(const uint32_t *at, uint32_t *word, uint32_t bit, bool private_);

/*
 * Add to word and wake all sleepers on another word, at, then also those on word
 * if both is set; all in one step. never is a small number that word does not
 * have meanwhile; if it does, sleepers on word may be woken without both, or
 * stay asleep with it.
 */
void achi_futex_add_wake_at(const uint32_t *at, uint32_t *word, uint32_t add, bool both,
                            uint32_t never);

/* Can this process sleep on several words (futex_waitv)? */
bool achi_futex_has_waitv(void);

/*
 * Sleep while all words have their values. 0: woken, or a value differed;
 * -ETIMEDOUT; -EINTR. clock is CLOCK_MONOTONIC or CLOCK_REALTIME. Without
 * futex_waitv in the kernel it sleeps on the first of several words only, for a
 * few milliseconds.
 */
int achi_futex_wait(const struct achi_futex_word *words, unsigned n, clockid_t clock,
                    const struct timespec *deadline);

/* Lock and unlock a priority-inheriting futex. The word holds the thread id of the owner. */
int achi_futex_lock_pi(uint32_t *word, const struct timespec *monotonic, bool private_);
int achi_futex_unlock_pi(uint32_t *word, bool private_);

#endif
