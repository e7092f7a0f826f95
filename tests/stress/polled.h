/* SPDX-License-Identifier: BSD-3-Clause */
/* polled.h - the two sides of a race in which one side polls a descriptor */
#ifndef POLLED_H
#define POLLED_H

#include "actors.h"

/* The server puts a ball, often after other messages, and awaits it; the other returns it. */
actor_fun serve_pollers, answer_polling;

/* The server cancels the other side's handle or puts a message; the other polls for either. */
actor_fun serve_canceled, poll_canceled;

#endif
