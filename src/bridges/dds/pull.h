/* SPDX-License-Identifier: BSD-3-Clause */
/* pull.h - samples of a topic become messages of its channel */
#ifndef ACHDDS_PULL_H
#define ACHDDS_PULL_H

#include "route.h"

/* Pull the samples that have arrived. False after complaining: messages cannot be put any more. */
bool achdds_pull(struct achdds_route *r);

#endif
