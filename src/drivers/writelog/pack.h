/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h - compress text to gzip such that all text so far can be decompressed at any time */
#ifndef DRV_WRITELOG_PACK_H
#define DRV_WRITELOG_PACK_H

#include <stdbool.h>
#include <stddef.h>

struct drv_pack;

/* NULL: out of memory. */
struct drv_pack *drv_pack_create(void);
void drv_pack_destroy(struct drv_pack *p);

/* The compressed bytes since drv_pack_clear. */
const char *drv_pack_bytes(const struct drv_pack *p, size_t *size);
void drv_pack_clear(struct drv_pack *p);

/* Compress text; there must be no other bytes. @end: the last. False: out of memory. */
bool drv_pack_add(struct drv_pack *p, const char *text, size_t size, bool end);

#endif
