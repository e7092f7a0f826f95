/* SPDX-License-Identifier: BSD-3-Clause */
/* error.h - the error text of a failed call (ach_errstr) */
#ifndef ACHI_ERROR_H
#define ACHI_ERROR_H

#include <ach.h>

/* Remember why this thread's call failed, and return the status. Keeps errno. */
#define achi_fail ach_errstr_set

/* As achi_fail, for a system call: picks the status by errno and adds its text. */
enum ach_status achi_fail_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
