/* SPDX-License-Identifier: BSD-3-Clause */
/* backend.c - the kinds of channels that the tests run on */
#include "conformance.h"

#include <ach/kernel.h>

static enum ach_status named_create(const char *name, size_t frame_cnt, size_t frame_size,
                                    ach_create_attr_t *attr)
{
    ach_create_attr_t defaults;

    ach_create_attr_init(&defaults);
    if (!attr)
        attr = &defaults;
    attr->map = backend->map;
    return ach_create(name, frame_cnt, frame_size, attr);
}

static enum ach_status named_open(ach_channel_t *chan, const char *name, ach_attr_t *attr)
{
    ach_attr_t defaults;

    ach_attr_init(&defaults);
    if (!attr)
        attr = &defaults;
    attr->map = backend->map;
    return ach_open(chan, name, attr);
}

/* Heap channels have no names, so the tests name them here. */
static struct heap_channel {
    char name[ACH_CHAN_NAME_MAX];
    struct ach_header *shm;
} heap_channels[128];

static struct heap_channel *heap_find(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(heap_channels) / sizeof(heap_channels[0]); i++)
        if (strcmp(heap_channels[i].name, name) == 0)
            return &heap_channels[i];
    return NULL;
}

static enum ach_status heap_create(const char *name, size_t frame_cnt, size_t frame_size,
                                   ach_create_attr_t *attr)
{
    struct heap_channel *c = heap_find("");
    ach_create_attr_t defaults;
    enum ach_status r;

    REQUIRE(c && !heap_find(name));
    ach_create_attr_init(&defaults);
    if (!attr)
        attr = &defaults;
    attr->map = ACH_MAP_ANON;
    r = ach_create(NULL, frame_cnt, frame_size, attr);
    if (r != ACH_OK)
        return r;
    REQUIRE_OK(ach_create_attr_get_shm(attr, &c->shm));
    strcpy(c->name, name);
    return ACH_OK;
}

static enum ach_status heap_open(ach_channel_t *chan, const char *name, ach_attr_t *attr)
{
    struct heap_channel *c = heap_find(name);
    ach_attr_t defaults;

    REQUIRE(c != NULL);
    ach_attr_init(&defaults);
    if (!attr)
        attr = &defaults;
    REQUIRE_OK(ach_attr_set_shm(attr, c->shm));
    return ach_open(chan, NULL, attr);
}

static enum ach_status heap_unlink(const char *name)
{
    struct heap_channel *c = heap_find(name);

    REQUIRE(c != NULL);
    c->name[0] = '\0';
    free(c->shm);
    return ACH_OK;
}

static bool always(void)
{
    return true;
}

static bool module_loaded(void)
{
    return access(ACH_KERNEL_CONTROL, F_OK) == 0;
}

const struct backend backends[3] = {
    {"user", USER, ACH_MAP_USER, named_create, named_open, ach_unlink, always},
    {"heap", HEAP, ACH_MAP_ANON, heap_create, heap_open, heap_unlink, always},
    {"kernel", KERNEL, ACH_MAP_KERNEL, named_create, named_open, ach_unlink, module_loaded},
};

const struct backend *backend;
