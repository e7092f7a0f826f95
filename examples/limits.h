/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.h - what the system lets a process have, and what it has used */
#ifndef LIMITS_H
#define LIMITS_H

/* Ask for so many open files; says so if that was not granted before. */
void raise_file_limit(unsigned long files);

/* What could be in the way of more channels. */
void print_limits(void);

/* Of a directory: /proc/self/fd has one for each descriptor. */
unsigned entries(const char *directory);

/* Memory that the system has left. */
double available_kib(void);

#endif
