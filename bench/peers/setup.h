/* SPDX-License-Identifier: BSD-3-Clause */
/* setup.h - what many contenders do the same way when they begin and end */
#ifndef PEERS_SETUP_H
#define PEERS_SETUP_H

#include <stdarg.h>
#include <stdio.h>

#include "contender.h"

/* Say why a job cannot be done. Always NULL, for setup to return. */
__attribute__((format(printf, 2, 3))) static inline void *refuse(const struct job *job,
                                                                 const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(job->why, job->why_size, format, args);
    va_end(args);
    return NULL;
}

/* For ends that have all they need when they are forked. */
static inline bool open_nothing(void *link, enum side side, unsigned index)
{
    (void)link;
    (void)side;
    (void)index;
    return true;
}

static inline void close_nothing(void *link, enum side side, unsigned index)
{
    (void)link;
    (void)side;
    (void)index;
}

#endif
