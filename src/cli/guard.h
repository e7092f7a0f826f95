/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guard.h - looking at channels whose files others may cut short at any moment
 *
 * Touching memory behind a file's end is SIGBUS. A verb that looks at channels which it was not
 * told to use must outlive that. The calls here only read; what they were doing is abandoned.
 */
#ifndef GUARD_H
#define GUARD_H

#include <ach.h>

/* As ach_channel_info; ACH_BAD_SHM_FILE: the channel's memory is gone. */
enum ach_status guard_info(const ach_channel_t *chan, ach_info_t *info);

/* As ach_view; likewise. */
enum ach_status guard_view(ach_channel_t *chan, const void **message, size_t *size, int options);

#endif
