/* SPDX-License-Identifier: BSD-3-Clause */
/* refuse.h - the end of a program that would see real time */
#ifndef ACHI_PRELOAD_REFUSE_H
#define ACHI_PRELOAD_REFUSE_H

#include <stdbool.h>

#define ACHI_REFUSE_MAX 512 /* of the name of a call, with its reason */

/* May the program make that call all the same? The world file says so. */
bool achi_allowed(const char *call);

/* Ends the run, unless the call is allowed. advice: what to do instead. */
void achi_refuse(const char *call, const char *advice);

#endif
