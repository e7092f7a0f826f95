/* SPDX-License-Identifier: BSD-3-Clause */
/* complain.h - messages on standard error */
#ifndef VIEW_COMPLAIN_H
#define VIEW_COMPLAIN_H

/*
 * Print "ach view: sentence". Control characters are escaped: names of others may be in it. Clients can cause
 * lines, so those that come too fast, and those that nobody reads, are left out and counted. It never waits.
 */
void view_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
