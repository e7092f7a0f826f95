/* SPDX-License-Identifier: BSD-3-Clause */
/* attack.h - how long a request takes beside clients that try to exhaust the server */
#ifndef BENCH_ATTACK_H
#define BENCH_ATTACK_H

#include <stddef.h>
#include <stdint.h>

#include "../samples.h"

/* The name of an attack; NULL: there are no more. */
const char *attack_name(size_t i);

/* Round trips of another client in us, for so many seconds. Exits with a message if it cannot. */
void attack_run(size_t i, uint16_t port, double seconds, struct samples *round_trips);

#endif
