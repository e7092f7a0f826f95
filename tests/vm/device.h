/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device.h - the module and its channels, without libach
 *
 * All return -1 and set errno when the kernel refuses.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <ach/kernel.h>
#include <stdbool.h>
#include <stdint.h>

int device_control(void);
int device_create(const char *name, uint64_t frame_cnt, uint64_t frame_size, uint32_t flags);
int device_unlink(const char *name);
int device_open(const char *name, int flags);

/* Unlink every channel. The number that would not go. */
unsigned device_unlink_all(void);

bool module_loaded(void);
int module_load(void);

/* Does not wait for who uses it. */
int module_unload(void);

/* Of a process that was killed, the descriptors may be closed a moment later. */
int module_unload_soon(long limit_ms);

#endif
