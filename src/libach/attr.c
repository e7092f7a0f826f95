/* SPDX-License-Identifier: BSD-3-Clause */
#include <ach.h>
#include <string.h>

#include "anticipate.h"
#include "clock.h"

_Static_assert(sizeof(ach_attr_t) == 64, "public layout");
_Static_assert(sizeof(ach_create_attr_t) == 128, "public layout");
_Static_assert(sizeof(ach_cancel_attr_t) == 64, "public layout");
_Static_assert(sizeof(ach_channel_t) == 128, "public layout");
_Static_assert(sizeof(ach_info_t) == 256, "public layout");
_Static_assert(sizeof(ach_anticipation_t) == 128, "public layout");

static int known(enum ach_map map)
{
    return (unsigned)map <= ACH_MAP_KERNEL;
}

void ach_attr_init(ach_attr_t *attr)
{
    if (!attr)
        return;
    memset(attr, 0, sizeof(*attr));
    attr->lock_timeout_ns = (uint64_t)ACHI_NS_PER_S;
}

enum ach_status ach_attr_set_shm(ach_attr_t *attr, struct ach_header *shm)
{
    if (!attr || !shm)
        return ACH_EINVAL;
    attr->map = ACH_MAP_ANON;
    attr->shm = shm;
    return ACH_OK;
}

enum ach_status ach_attr_set_map(ach_attr_t *attr, enum ach_map map)
{
    if (!attr || !known(map))
        return ACH_EINVAL;
    attr->map = map;
    return ACH_OK;
}

enum ach_status ach_attr_set_lock_source(ach_attr_t *attr, int lock_source)
{
    if (!attr)
        return ACH_EINVAL;
    attr->lock_source = lock_source != 0;
    return ACH_OK;
}

enum ach_status ach_attr_set_readonly(ach_attr_t *attr, int readonly)
{
    if (!attr)
        return ACH_EINVAL;
    attr->readonly = readonly != 0;
    return ACH_OK;
}

enum ach_status ach_attr_set_spin(ach_attr_t *attr, uint64_t nanoseconds)
{
    if (!attr)
        return ACH_EINVAL;
    attr->spin_ns = nanoseconds;
    return ACH_OK;
}

enum ach_status ach_attr_set_anticipate(ach_attr_t *attr, uint32_t budget, int forced)
{
    if (!attr || budget > ACHI_BUDGET_ONE)
        return ACH_EINVAL;
    attr->anticipate_budget = budget;
    attr->anticipate_forced = forced != 0;
    return ACH_OK;
}

enum ach_status ach_attr_set_lock_timeout(ach_attr_t *attr, uint64_t nanoseconds)
{
    if (!attr)
        return ACH_EINVAL;
    attr->lock_timeout_ns = nanoseconds;
    return ACH_OK;
}

enum ach_status ach_attr_set_type(ach_attr_t *attr, const ach_channel_type_t *type)
{
    if (!attr)
        return ACH_EINVAL;
    attr->type = type;
    return ACH_OK;
}

void ach_create_attr_init(ach_create_attr_t *attr)
{
    if (attr)
        memset(attr, 0, sizeof(*attr));
}

enum ach_status ach_create_attr_set_clock(ach_create_attr_t *attr, clockid_t clock)
{
    if (!attr)
        return ACH_EINVAL;
    attr->clock = clock;
    attr->set_clock = 1;
    return ACH_OK;
}

enum ach_status ach_create_attr_set_map(ach_create_attr_t *attr, enum ach_map map)
{
    if (!attr || !known(map))
        return ACH_EINVAL;
    attr->map = map;
    return ACH_OK;
}

enum ach_status ach_create_attr_set_truncate(ach_create_attr_t *attr, int truncate)
{
    if (!attr)
        return ACH_EINVAL;
    attr->truncate = truncate != 0;
    return ACH_OK;
}

enum ach_status ach_create_attr_set_replace_corrupt(ach_create_attr_t *attr, int replace)
{
    if (!attr)
        return ACH_EINVAL;
    attr->replace_corrupt = replace != 0;
    return ACH_OK;
}

enum ach_status ach_create_attr_set_timestamps(ach_create_attr_t *attr, int timestamps)
{
    if (!attr)
        return ACH_EINVAL;
    attr->timestamps = timestamps != 0;
    return ACH_OK;
}

enum ach_status ach_create_attr_set_readonly_wake(ach_create_attr_t *attr, int wake)
{
    if (!attr)
        return ACH_EINVAL;
    attr->readonly_wake = wake != 0;
    return ACH_OK;
}

enum ach_status ach_create_attr_set_single_writer(ach_create_attr_t *attr, int single)
{
    if (!attr)
        return ACH_EINVAL;
    attr->single_writer = single != 0;
    return ACH_OK;
}

enum ach_status ach_create_attr_set_mode(ach_create_attr_t *attr, mode_t mode)
{
    if (!attr || (mode & ~(mode_t)0777))
        return ACH_EINVAL;
    attr->mode = mode;
    attr->set_mode = 1;
    return ACH_OK;
}

enum ach_status ach_create_attr_set_type(ach_create_attr_t *attr, const ach_channel_type_t *type)
{
    if (!attr)
        return ACH_EINVAL;
    attr->type = type;
    return ACH_OK;
}

enum ach_status ach_create_attr_set_relayed(ach_create_attr_t *attr, int relayed)
{
    if (!attr)
        return ACH_EINVAL;
    attr->relayed = relayed != 0;
    return ACH_OK;
}

enum ach_status ach_create_attr_set_anticipated(ach_create_attr_t *attr, int anticipated)
{
    if (!attr)
        return ACH_EINVAL;
    attr->anticipated = anticipated != 0;
    return ACH_OK;
}

enum ach_status ach_create_attr_get_shm(ach_create_attr_t *attr, struct ach_header **shm)
{
    if (!attr || !shm)
        return ACH_EINVAL;
    *shm = attr->shm;
    return ACH_OK;
}

void ach_cancel_attr_init(ach_cancel_attr_t *attr)
{
    if (attr)
        memset(attr, 0, sizeof(*attr));
}

enum ach_status ach_cancel_attr_set_async_unsafe(ach_cancel_attr_t *attr, int async_unsafe)
{
    if (!attr)
        return ACH_EINVAL;
    attr->async_unsafe = async_unsafe != 0;
    return ACH_OK;
}
