/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.h - remove the files that makers of channels leave behind when they die */
#ifndef ACHI_SWEEP_H
#define ACHI_SWEEP_H

#include <stdbool.h>

/*
 * Remove the temporary files that makers of the channel name left when they died, and
 * notify the users of replaced channels among them. False: a file of the channel's
 * owner or of this user could not be removed, or its maker is alive.
 */
bool achi_sweep(const char *name);

#endif
