/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h - identify a process: after exec, and when its pid may have been reused */
#ifndef ACHI_PROCESS_H
#define ACHI_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A number for the program that this process executes: changes with exec, not with fork. */
uint32_t achi_image(void);

/* When this process started, in clock ticks since boot; 0: unknown. */
uint64_t achi_process_start(void);

/*
 * Has the process with this id and start time ended, reaped or not? A later process may have the
 * same id. False if unknown.
 */
bool achi_process_ended(pid_t pid, uint64_t start);

#endif
