/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * writer.h - who is in the midst of a put
 *
 * Who is stopped there keeps all others from putting.
 */
#ifndef ACHI_SIM_WRITER_H
#define ACHI_SIM_WRITER_H

#include <ach.h>
#include <sys/types.h>

/* The thread's id; 0: nobody. */
pid_t achi_channel_writer(const ach_channel_t *chan);

#endif
