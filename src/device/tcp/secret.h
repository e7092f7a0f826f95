/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * secret.h - to which servers a client sends its secret
 *
 * Any user of this machine can listen at a port while no server does. So a server on this machine
 * gets the secret only if it runs as the client's own user, as root, or as the user in
 * ACH_SECRET_USER.
 */
#ifndef TCP_SECRET_H
#define TCP_SECRET_H

#include <ach/status.h>

/* @fd: connected to a server that has sent its greeting. ACH_EACCES: no; ach_errstr says why. */
ach_status_t tcp_secret_may_show(int fd);

#endif
