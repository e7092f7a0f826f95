/* SPDX-License-Identifier: BSD-3-Clause */
/* log.h - messages of achd for people: to standard error, or to the system log */
#ifndef RELAY_LOG_H
#define RELAY_LOG_H

#include <stdbool.h>

/* -1: only errors, 0: what changes, 1: details too. */
void relay_log_level(int level);

/* Write to the system log from now on. */
void relay_log_to_system(void);

void relay_log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void relay_log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void relay_log_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
