/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_source.h - the channel whose messages a flow sends */
#ifndef RELAY_FLOW_SOURCE_H
#define RELAY_FLOW_SOURCE_H

#include "link.h"

/* Open the channel, and wait for its messages. ach_errstr says why not. */
enum ach_status relay_flow_source_open(struct relay_flow *f);
void relay_flow_source_close(struct relay_flow *f);

#endif
