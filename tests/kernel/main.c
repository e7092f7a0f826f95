/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/* main.c - the core in a kernel module: one message in, the same message out */
#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/rtmutex.h>
#include <linux/vmalloc.h>

#include "core/get.h"
#include "core/put.h"

static DEFINE_RT_MUTEX(writers);

enum ach_status achi_lock(const struct achi_view *v, uint32_t *word)
{
    rt_mutex_lock(&writers);
    return ACH_OK;
}

void achi_unlock(const struct achi_view *v, uint32_t *word)
{
    rt_mutex_unlock(&writers);
}

void achi_commit_wake(const struct achi_view *v, uint32_t add)
{
    atomic_add((int)add, (atomic_t *)&v->hdr->commit);
}

uint64_t achi_now(const struct achi_view *v)
{
    return ktime_get_ns();
}

static int try_channel(struct ach_header *hdr, const struct achi_geometry *g)
{
    static const char sent[] = "hello";
    char got[sizeof(sent)] = "";
    struct achi_cursor cursor = {0};
    struct achi_look look;
    struct achi_view v;
    uint32_t word;

    achi_format(hdr, g, 0, 0);
    achi_view_init(&v, hdr, g, 0);
    if (achi_put(&v, sent, sizeof(sent)) != ACH_OK)
        return -EIO;
    if (achi_get(&v, &cursor, got, sizeof(got), ACH_O_LAST, &look, &word) != ACH_OK)
        return -EIO;
    return memcmp(sent, got, sizeof(sent)) ? -EIO : 0;
}

static int __init check_init(void)
{
    struct achi_geometry g;
    struct ach_header *hdr;
    int r;

    if (achi_geometry_init(&g, 4, 64, PAGE_SIZE, 0) != ACH_OK)
        return -EINVAL;
    hdr = vzalloc(g.memory);
    if (!hdr)
        return -ENOMEM;
    r = try_channel(hdr, &g);
    vfree(hdr);
    return r;
}

static void __exit check_exit(void)
{
}

module_init(check_init);
module_exit(check_exit);
MODULE_DESCRIPTION("Ach channel core, self test");
MODULE_LICENSE("Dual BSD/GPL");
