/* SPDX-License-Identifier: BSD-3-Clause */
/* refuse.h - end a program that would see real time */
#ifndef SIMP_PRELOAD_REFUSE_H
#define SIMP_PRELOAD_REFUSE_H

#include <stdbool.h>

#define SIMP_REFUSE_MAX 512 /* largest length of a call's name with the reason */

/* Ends the run, unless the call is allowed. advice: what to do instead. */
void simp_refuse(const char *call, const char *advice);

#endif
