/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trust.h - whose channels a program believes
 *
 * Every user of the machine can make a channel of any name. A program that follows channels by their
 * names believes those of its own user and of root only.
 */
#ifndef TRUST_H
#define TRUST_H

#include <ach.h>
#include <stdbool.h>

/* Has root or this user made the channel, and can no stranger write to it? */
bool trust_channel(const ach_info_t *info);

/* The same, or has achd made it, which runs as a user of that name? */
bool trust_relay(const ach_info_t *info);

#endif
