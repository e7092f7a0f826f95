/* SPDX-License-Identifier: BSD-3-Clause */
/* generic.h - part of Ach 2's headers; ach.h has everything that was declared here */
#ifndef ACH_GENERIC_H
#define ACH_GENERIC_H

#include <ach.h>

#endif
