/* SPDX-License-Identifier: BSD-3-Clause */
#include "blob.h"

#include <stdlib.h>
#include <string.h>

struct view_blob *view_blob_adopt(void *bytes, size_t size)
{
    struct view_blob *b = bytes ? malloc(sizeof(*b)) : NULL;

    if (!b) {
        free(bytes);
        return NULL;
    }
    *b = (struct view_blob){.references = 1, .size = size, .bytes = bytes};
    return b;
}

struct view_blob *view_blob_copy(const void *bytes, size_t size)
{
    void *copy = malloc(size ? size : 1);

    if (copy && size)
        memcpy(copy, bytes, size);
    return view_blob_adopt(copy, size);
}

struct view_blob *view_blob_ref(struct view_blob *b)
{
    b->references++;
    return b;
}

void view_blob_unref(struct view_blob *b)
{
    if (!b || --b->references)
        return;
    free(b->bytes);
    free(b);
}
