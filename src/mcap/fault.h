/* SPDX-License-Identifier: BSD-3-Clause */
/* fault.h - why a file cannot be read */
#ifndef MCAP_FAULT_H
#define MCAP_FAULT_H

#include "mcap.h"

struct mcap_fault {
    char text[MCAP_WHY]; /* a sentence; the first one stays */
};

/* Returns the result. */
__attribute__((format(printf, 3, 4))) enum mcap_result
mcap_fault_say(struct mcap_fault *f, enum mcap_result result, const char *format, ...);

#endif
