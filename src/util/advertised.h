/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * advertised.h - which channels this machine tells the network about
 *
 * An empty file .achshm-NAME.adv beside the channels marks the channel NAME. It needs no daemon and
 * no privilege, and it stays when a daemon ends. Everybody can create files there, so the mark
 * counts only if the channel's owner or root has made it.
 */
#ifndef ADVERTISED_H
#define ADVERTISED_H

#include <ach.h>
#include <stdbool.h>

/* Mark a channel; ach_errstr says why it failed. */
enum ach_status advertised_set(const char *name);

/* Remove the mark. ACH_ENOENT: there is none. */
enum ach_status advertised_clear(const char *name);

/* Does the channel exist, and is it marked? */
bool advertised_get(const char *name);

#endif
