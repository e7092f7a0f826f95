/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peer.h - the second process, and what both share
 *
 * The peer runs on a core of its own and dies with the process that started
 * it. Waits in here look again and again: nothing of them falls into a time
 * that is measured.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <ach.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Two prefetched lines: what one process writes disturbs no neighbour. */
#define APART __attribute__((aligned(128)))

/*
 * End the attempt under way if something failed: a call of libach, a call that sets errno, anything
 * else.
 */
#define MUST_ACH(call) must_ach((call), #call)
#define MUST_SYS(cond) must_sys((cond), #cond)
#define MUST(cond) must((cond), #cond)

void must_ach(enum ach_status status, const char *what);
void must_sys(bool ok, const char *what);
void must(bool ok, const char *what);

/* Zeroed memory that children share, present in full. */
void *shared_alloc(size_t size);
void shared_free(void *memory, size_t size);

/* Private memory, present in full. */
void *private_alloc(size_t size);

/* Where peers run. */
void peer_cpu_set(int cpu);

/* Slow all peers down, as brake_start does. */
void peer_brake(void);

/* Run fun in a child. Returns when the child has called peer_ready. */
pid_t peer_start(void (*fun)(void *), void *arg);
void peer_ready(void);

/* Wait for a child to end by itself. */
void peer_join(pid_t pid);

/* Make a channel of the benchmark, and open it. */
void channel_make(const char *name, size_t frames, size_t size, bool single_writer);
void channel_open(ach_channel_t *chan, const char *name, bool source, uint64_t spin_ns);

#endif
