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

/* Wake all who sleep on the word. Safe in a signal handler. */
void achi_futex_wake(const uint32_t *word, bool private_);

/*
 * Add to the word and wake all who sleep on it, in one step that no kill can
 * split. add is small or a power of two. Safe in a signal handler.
 */
void achi_futex_add_wake(uint32_t *word, uint32_t add, bool private_);

/*
 * The same, and wake those who sleep on another word; those on the word itself
 * after them if both is set. never is a small number that the word does not have
 * meanwhile; if it does, some sleepers on the word are woken, or are not.
 */
void achi_futex_add_wake_at(const uint32_t *at, uint32_t *word, uint32_t add, bool both,
                            uint32_t never);

/* Can this process sleep on several words? */
bool achi_futex_has_waitv(void);

/*
 * Sleep while all words have their values. 0: woken, or a value differed;
 * -ETIMEDOUT; -EINTR. clock is CLOCK_MONOTONIC or CLOCK_REALTIME. A kernel
 * without futex_waitv watches the first of several words only, for a few
 * milliseconds.
 */
int achi_futex_wait(const struct achi_futex_word *words, unsigned n, clockid_t clock,
                    const struct timespec *deadline);

/* Take and give back a priority-inheriting lock word that holds a thread id. */
int achi_futex_lock_pi(uint32_t *word, const struct timespec *monotonic, bool private_);
int achi_futex_unlock_pi(uint32_t *word, bool private_);

#endif
