/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * module.h - load and unload the module, create and unlink its channels
 *
 * None keeps the control device open: that would pin the module. All return -1
 * and set errno when the kernel refuses.
 */
#ifndef MODULE_H
#define MODULE_H

#include "../kernel/device.h"

/* Mode 0666, clock CLOCK_MONOTONIC. */
int channel_create(const char *name, uint64_t frame_cnt, uint64_t frame_size, uint32_t flags);
int channel_unlink(const char *name);

/* Unlink every channel. Returns the number of failures. */
unsigned channel_unlink_all(void);

bool module_loaded(void);
int module_load(void);

/* Fails at once if the module is in use. */
int module_unload(void);

/* Retries: the descriptors of a killed process may be closed a moment later. */
int module_unload_soon(long limit_ms);

#endif
