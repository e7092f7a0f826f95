/* SPDX-License-Identifier: BSD-3-Clause */
/* input.h - what a link does with the frames that arrive */
#ifndef RELAY_INPUT_H
#define RELAY_INPUT_H

#include "link.h"

/* False: the peer does not follow the protocol; ach_errstr says how. */
bool relay_input_frame(struct relay_link *l, const struct relay_frame *f, uint64_t now);

#endif
