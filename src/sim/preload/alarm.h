/* SPDX-License-Identifier: BSD-3-Clause */
/* alarm.h - timers in virtual time, by number: 0 is that of setitimer and alarm */
#ifndef ACHI_PRELOAD_ALARM_H
#define ACHI_PRELOAD_ALARM_H

#include <signal.h>

#include "preload.h"

#define ACHI_ALARMS_MAX 256

/* All return the negative errno on errors. */
int achi_alarm_create(clockid_t clock, const struct sigevent *event);
int achi_alarm_delete(unsigned index);
int achi_alarm_get(unsigned index, struct itimerspec *value);
int achi_alarm_set(unsigned index, int flags, const struct itimerspec *value,
                   struct itimerspec *old);
int achi_alarm_overrun(unsigned index);

/* Would exec have to keep one? */
bool achi_alarm_armed(void);

/* In a child of fork there are none. */
void achi_alarms_forget(void);

#endif
