/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host.h - a thread that runs a world and serves its robot's channels
 *
 * The test is the client: it opens devices by their channels, and says how far the
 * world goes.
 */
#ifndef HOST_H
#define HOST_H

#include <ach/device.h>

#include "bench.h"

struct host;

struct host *host_start(const char *config);
void host_end(struct host *h);

/* Obey what is in the channels, then let the world go on to that time, and stand. */
void host_run(struct host *h, int64_t time);

ach_device_t *host_open(const char *address);

/* The newest data, of that time; the caller's to release. */
ach_message_t *host_data(ach_device_t *device, int subtype, double time);

#endif
