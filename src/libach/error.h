/* SPDX-License-Identifier: BSD-3-Clause */
/* error.h - the sentence behind a failed call */
#ifndef ACHI_ERROR_H
#define ACHI_ERROR_H

#include <ach.h>

/* Remember why this thread's call failed, and return the status. Keeps errno. */
enum ach_status achi_fail(enum ach_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* As achi_fail, for a system call: picks the status by errno and adds its text. */
enum ach_status achi_fail_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
