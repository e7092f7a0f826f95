/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * attempt.h - run a part of a benchmark so that its failure costs no other part
 *
 * The part runs in a new process. If it succeeds, that process goes on with the
 * rest of the program, with everything it measured in its memory, and the old
 * one only waits for it. If it fails, the old process goes on, as if the part
 * had not begun. So no result has to be carried from one process to another.
 */
#ifndef BENCH_ATTEMPT_H
#define BENCH_ATTEMPT_H

/*
 * Call fun. Returns NULL if it returned, otherwise the reason: what it passed to attempt_fail, the
 * signal that ended it, or that it took more than limit_seconds. The reason is valid until the
 * next attempt.
 */
const char *attempt(void (*fun)(void *arg), void *arg, unsigned limit_seconds);

/*
 * End the attempt under way, with a reason. Any process of the attempt may call it. Outside of an
 * attempt it prints the reason and ends the program.
 */
void attempt_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
