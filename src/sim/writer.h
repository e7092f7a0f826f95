/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * writer.h - which thread holds a channel's writer lock
 *
 * A writer that is stopped during a put blocks all other writers of the channel.
 */
#ifndef SIM_WRITER_H
#define SIM_WRITER_H

#include <ach.h>
#include <sys/types.h>

/* The tid of the lock's owner; 0: the lock is free. */
pid_t sim_channel_writer(const ach_channel_t *chan);

#endif
