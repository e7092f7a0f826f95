/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * module.h - the module comes and goes, and its channels with it
 *
 * No control device stays open here: that would keep the module. All return -1
 * and set errno when the kernel refuses.
 */
#ifndef MODULE_H
#define MODULE_H

#include "../kernel/device.h"

/* For everybody, of the clock that tests use. */
int channel_create(const char *name, uint64_t frame_cnt, uint64_t frame_size, uint32_t flags);
int channel_unlink(const char *name);

/* Unlink every channel. The number that would not go. */
unsigned channel_unlink_all(void);

bool module_loaded(void);
int module_load(void);

/* Does not wait for who uses it. */
int module_unload(void);

/* Of a process that was killed, the descriptors may be closed a moment later. */
int module_unload_soon(long limit_ms);

#endif
