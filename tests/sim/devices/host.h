/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host.h - a thread that runs a world and serves its robot's channels
 *
 * The test is the client: it opens devices by their channels, and sets the time up to which the
 * world runs.
 */
#ifndef HOST_H
#define HOST_H

#include <ach/device.h>

#include "bench.h"

struct host;

struct host *host_start(const char *config);
void host_end(struct host *h);

/* Execute the commands in the channels, then run the world up to that time and stop there. */
void host_run(struct host *h, int64_t time);

ach_device_t *host_open(const char *address);

/* The newest data, which must have that time. The caller releases it. */
ach_message_t *host_data(ach_device_t *device, int subtype, double time);

#endif
