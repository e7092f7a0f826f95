/* SPDX-License-Identifier: BSD-3-Clause */
/* brake.h - slow a process down, to see that nothing depends on how fast it is */
#ifndef BENCH_BRAKE_H
#define BENCH_BRAKE_H

/*
 * From now on the calling process is stopped most of the time, at any instruction, by a process
 * that ends with it.
 */
void brake_start(void);

#endif
