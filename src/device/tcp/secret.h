/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * secret.h - to which servers a client shows its secret
 *
 * Any user of this machine can listen at a port while no server does. So a server on this machine
 * sees the secret only if it is of the client's own user, of root, or of the user in
 * ACH_SECRET_USER.
 */
#ifndef ACHI_SECRET_H
#define ACHI_SECRET_H

#include <ach/status.h>

/* @fd: connected to a server that has sent its greeting. ACH_EACCES: no, and why. */
ach_status_t achi_secret_may_show(int fd);

#endif
