/* SPDX-License-Identifier: BSD-3-Clause */
/* user.h - give up the rights of root */
#ifndef RELAY_USER_H
#define RELAY_USER_H

#include <stdbool.h>

/* Become this user, with its groups, for ever. False: ach_errstr says why. */
bool relay_user_become(const char *name);

#endif
