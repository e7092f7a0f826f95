/* SPDX-License-Identifier: BSD-3-Clause */
/* blob.h - bytes that several queues share */
#ifndef VIEW_BLOB_H
#define VIEW_BLOB_H

#include <stddef.h>
#include <stdint.h>

struct view_blob {
    unsigned references;
    size_t size;
    uint8_t *bytes;
};

/* With one reference. NULL: no memory. */
struct view_blob *view_blob_copy(const void *bytes, size_t size);

/* The same of memory of malloc, which is freed in any case. */
struct view_blob *view_blob_adopt(void *bytes, size_t size);

struct view_blob *view_blob_ref(struct view_blob *b);
void view_blob_unref(struct view_blob *b); /* NULL is accepted */

#endif
