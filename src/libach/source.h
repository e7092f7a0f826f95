/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.h - the lock that makes a handle the only source of a channel's file
 *
 * It belongs to the open file, so it ends with the process however that ends. But
 * a child of fork has the parent's open files and mappings, and would keep the
 * lock when the parent is dead. So the file is opened anew for the lock, and once
 * more in the child; that takes /proc.
 */
#ifndef ACHI_SOURCE_H
#define ACHI_SOURCE_H

#include "handle.h"

/* 0, or -1 with errno; EAGAIN: another handle has it. */
int achi_source_lock(struct achi_handle *h);

/* Before a handle that was a source is closed, also in a child of the process that was it. */
void achi_source_unlock(struct achi_handle *h);

#endif
