/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * supervise.h - run the benchmark so that it leaves nothing behind
 *
 * It runs in a child with a channel directory of its own. When the child ends,
 * is interrupted or takes too long, all its processes and the directory go.
 */
#ifndef BENCH_SUPERVISE_H
#define BENCH_SUPERVISE_H

/* Returns what the program shall exit with. */
int supervise(int (*fun)(void *), void *arg, unsigned limit_seconds);

#endif
