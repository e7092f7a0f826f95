/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "limits.h"

#include <linux/capability.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

static unsigned int max_channels = 4096;
module_param(max_channels, uint, 0644);
MODULE_PARM_DESC(max_channels, "channels of all users together");

static unsigned int max_user_channels = 512;
module_param(max_user_channels, uint, 0644);
MODULE_PARM_DESC(max_user_channels, "channels of one user");

static unsigned long max_bytes;
module_param(max_bytes, ulong, 0644);
MODULE_PARM_DESC(max_bytes, "bytes of all users' channels (default: a quarter of the memory)");

static unsigned long max_user_bytes;
module_param(max_user_bytes, ulong, 0644);
MODULE_PARM_DESC(max_user_bytes, "bytes of one user's channels (default: an eighth of the memory)");

static unsigned long max_channel_bytes;
module_param(max_channel_bytes, ulong, 0644);
MODULE_PARM_DESC(max_channel_bytes, "bytes of one channel (default: an eighth of the memory)");

static unsigned int max_user_files = 1024;
module_param(max_user_files, uint, 0644);
MODULE_PARM_DESC(max_user_files,
                 "open files of one channel by one user, and tasks that wait on them");

struct achk_user {
    struct hlist_node link;
    kuid_t uid;
    unsigned int references;
    unsigned int channels;
    u64 bytes;
};

/* Guards all accounts and the totals of the machine. */
static DEFINE_SPINLOCK(lock);
static DEFINE_HASHTABLE(users, 6);
static unsigned int channels;
static u64 bytes_used;

void achk_limits_init(void)
{
    unsigned long memory = totalram_pages() << PAGE_SHIFT;

    if (!max_bytes)
        max_bytes = memory / 4;
    if (!max_user_bytes)
        max_user_bytes = memory / 8;
    if (!max_channel_bytes)
        max_channel_bytes = memory / 8;
}

static struct achk_user *limits_find(kuid_t uid)
{
    struct achk_user *user;

    hash_for_each_possible(users, user, link, __kuid_val(uid))
        if (uid_eq(user->uid, uid))
            return user;
    return NULL;
}

struct achk_user *achk_user_get(kuid_t uid)
{
    struct achk_user *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
    struct achk_user *user;

    if (!fresh)
        return NULL;
    spin_lock(&lock);
    user = limits_find(uid);
    if (!user) {
        user = fresh;
        fresh = NULL;
        user->uid = uid;
        hash_add(users, &user->link, __kuid_val(uid));
    }
    user->references++;
    spin_unlock(&lock);
    kfree(fresh);
    return user;
}

void achk_user_put(struct achk_user *user)
{
    bool last;

    spin_lock(&lock);
    last = --user->references == 0;
    if (last)
        hash_del(&user->link);
    spin_unlock(&lock);
    if (last)
        kfree(user);
}

/* Does used + more fit? The limit may have been lowered below used. */
static bool has_room(u64 used, u64 more, u64 limit)
{
    return used <= limit && more <= limit - used;
}

static bool fits_user(const struct achk_user *user, u64 bytes, unsigned int more)
{
    return has_room(user->bytes, bytes, READ_ONCE(max_user_bytes)) &&
           user->channels + more <= READ_ONCE(max_user_channels);
}

static bool fits_machine(u64 bytes, unsigned int more)
{
    return has_room(bytes_used, bytes, READ_ONCE(max_bytes)) &&
           channels + more <= READ_ONCE(max_channels);
}

/* Under the lock. */
static int charge(struct achk_user *user, u64 bytes, unsigned int more, bool exempt)
{
    if (channels + more > ACHK_MINORS)
        return -ENOSPC;
    if (!exempt && !fits_user(user, bytes, more))
        return -EDQUOT;
    if (!exempt && !fits_machine(bytes, more))
        return -ENOSPC;
    channels += more;
    bytes_used += bytes;
    user->channels += more;
    user->bytes += bytes;
    return 0;
}

static int try_charge(struct achk_user *user, u64 bytes, unsigned int more)
{
    bool exempt = false;
    int r;

    /* Check the capability only if a limit is exceeded: the check may be logged. */
    for (;;) {
        spin_lock(&lock);
        r = charge(user, bytes, more, exempt);
        spin_unlock(&lock);
        if ((r != -EDQUOT && r != -ENOSPC) || exempt || !capable(CAP_SYS_RESOURCE))
            return r;
        exempt = true;
    }
}

static void uncharge(struct achk_user *user, u64 bytes, unsigned int fewer)
{
    spin_lock(&lock);
    channels -= fewer;
    bytes_used -= bytes;
    user->channels -= fewer;
    user->bytes -= bytes;
    spin_unlock(&lock);
}

int achk_charge_channel(struct achk_user *user, u64 bytes)
{
    if (bytes > READ_ONCE(max_channel_bytes))
        return -EFBIG;
    return try_charge(user, bytes, 1);
}

void achk_uncharge_channel(struct achk_user *user, u64 bytes)
{
    uncharge(user, bytes, 1);
}

int achk_charge(struct achk_user *user, u64 bytes)
{
    return try_charge(user, bytes, 0);
}

void achk_uncharge(struct achk_user *user, u64 bytes)
{
    uncharge(user, bytes, 0);
}

static unsigned long count_of(const void *entry)
{
    return entry ? xa_to_value(entry) : 0;
}

/* Replace the count of a user. -EAGAIN: it is no longer `was`. */
static int recount(struct xarray *files, kuid_t uid, void *was, unsigned long count)
{
    void *will = count ? xa_mk_value(count) : NULL;
    void *is = xa_cmpxchg(files, __kuid_val(uid), was, will, GFP_KERNEL_ACCOUNT);

    if (xa_is_err(is))
        return xa_err(is);
    return is == was ? 0 : -EAGAIN;
}

int achk_charge_file(const struct achk_user *user, struct xarray *files)
{
    void *was;
    int r;

    do {
        was = xa_load(files, __kuid_val(user->uid));
        if (count_of(was) >= READ_ONCE(max_user_files) && !capable(CAP_SYS_RESOURCE))
            return -EDQUOT;
        r = recount(files, user->uid, was, count_of(was) + 1);
    } while (r == -EAGAIN);
    return r;
}

void achk_uncharge_file(const struct achk_user *user, struct xarray *files)
{
    void *was;

    do
        was = xa_load(files, __kuid_val(user->uid));
    while (recount(files, user->uid, was, count_of(was) - 1) == -EAGAIN);
}
