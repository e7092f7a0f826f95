/* SPDX-License-Identifier: BSD-3-Clause */
/* polled.h - the two sides of a race with a descriptor */
#ifndef POLLED_H
#define POLLED_H

#include "actors.h"

/* Puts a ball, with others ahead of it, and awaits its return; polls and sends it back. */
actor_fun serve_pollers, answer_polling;

/* Cancels or puts; polls for either. */
actor_fun serve_canceled, poll_canceled;

#endif
