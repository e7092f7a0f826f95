/* SPDX-License-Identifier: BSD-3-Clause */
/* alarm.h - timers in virtual time, by index: index 0 is the timer of setitimer and alarm */
#ifndef SIMP_PRELOAD_ALARM_H
#define SIMP_PRELOAD_ALARM_H

#include <signal.h>

#include "overrun.h"

/* These functions return a negative errno on errors. */
int simp_alarm_create(clockid_t clock, const struct sigevent *event);
int simp_alarm_delete(unsigned index);
int simp_alarm_get(unsigned index, struct itimerspec *value);
int simp_alarm_set(unsigned index, int flags, const struct itimerspec *value,
                   struct itimerspec *old);
int simp_alarm_overrun(unsigned index);

/* Is the timer of setitimer and alarm armed? It would have to survive exec. */
bool simp_alarm_armed(void);

/* Reset in a child of fork: timers are not inherited. */
void simp_alarms_forget(void);

#endif
