/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "registry.h"

#include <linux/capability.h>
#include <linux/cdev.h>
#include <linux/cred.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/slab.h>
#include <linux/stringhash.h>

#include "compat/compat.h"
#include "file.h"
#include "limits.h"

/* A channel's device in /dev, with its owner and mode. */
struct achk_node {
    struct device dev;
    kuid_t uid;
    kgid_t gid;
    umode_t mode;
};

/* Guards names, minors, and which channel has which node. */
static DEFINE_MUTEX(lock);
static DEFINE_HASHTABLE(names, 8);
static DEFINE_IDR(minors);
static struct class class = {.name = "ach"};
static struct cdev cdev;
static dev_t first_device;

bool achk_name_valid(const char name[ACH_KERNEL_NAME_MAX])
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t length = strnlen(name, ACH_KERNEL_NAME_MAX);

    return length > 0 && length < ACH_KERNEL_NAME_MAX && name[0] != '.' &&
           strspn(name, letters) == length;
}

static u32 hash_of(const char *name)
{
    return full_name_hash(NULL, name, strlen(name));
}

static struct achk_channel *registry_find(const char *name)
{
    struct achk_channel *ch;

    hash_for_each_possible(names, ch, by_name, hash_of(name))
        if (!strcmp(ch->name, name))
            return ch;
    return NULL;
}

static char *devnode(ACHK_DEVNODE_CONST struct device *dev, umode_t *mode, kuid_t *uid, kgid_t *gid)
{
    const struct achk_node *node = container_of(dev, struct achk_node, dev);

    if (mode)
        *mode = node->mode;
    if (uid)
        *uid = node->uid;
    if (gid)
        *gid = node->gid;
    return NULL;
}

static const struct device_type node_type = {.name = "ach", .devnode = devnode};

static void release_node(struct device *dev)
{
    kfree(container_of(dev, struct achk_node, dev));
}

static int add_node(struct achk_channel *ch)
{
    struct achk_node *node = kzalloc(sizeof(*node), GFP_KERNEL);
    int r;

    if (!node)
        return -ENOMEM;
    node->uid = ch->uid;
    node->gid = ch->gid;
    node->mode = ch->mode;
    device_initialize(&node->dev);
    node->dev.class = &class;
    node->dev.type = &node_type;
    node->dev.devt = MKDEV(MAJOR(first_device), ch->minor);
    node->dev.release = release_node;
    r = dev_set_name(&node->dev, "ach-%s", ch->name);
    if (!r)
        r = device_add(&node->dev);
    if (r)
        put_device(&node->dev);
    else
        ch->node = node;
    return r;
}

/* Cyclic: a minor is reused as late as possible. */
static int add_device(struct achk_channel *ch)
{
    int r;

    ch->minor = idr_alloc_cyclic(&minors, ch, 0, ACHK_MINORS, GFP_KERNEL);
    if (ch->minor < 0)
        return ch->minor;
    r = add_node(ch);
    if (r)
        idr_remove(&minors, ch->minor);
    return r;
}

static void drop_device(struct achk_channel *ch)
{
    device_unregister(&ch->node->dev);
    ch->node = NULL;
    idr_remove(&minors, ch->minor);
}

/* The new channel takes over the device, so that /dev always has one. */
static void hand_over_device(struct achk_channel *old, struct achk_channel *ch)
{
    ch->minor = old->minor;
    ch->node = old->node;
    old->node = NULL;
    idr_replace(&minors, ch, ch->minor);
}

static bool same_rights(const struct achk_channel *a, const struct achk_channel *b)
{
    return a->mode == b->mode && uid_eq(a->uid, b->uid) && gid_eq(a->gid, b->gid);
}

/*
 * Find a channel's file in /dev as the caller sees it. Call it without the lock: the path lookup
 * may block for ever in a file system that does not answer.
 */
static bool find_in_dev(const char *name, struct path *path)
{
    char *full = kasprintf(GFP_KERNEL, ACH_KERNEL_PREFIX "%s", name);
    bool found = full && kern_path(full, 0, path) == 0;

    kfree(full);
    return found;
}

static bool has_acl(const struct inode *inode)
{
#ifdef CONFIG_FS_POSIX_ACL
    return IS_POSIXACL(inode) && READ_ONCE(inode->i_acl);
#else
    return false;
#endif
}

/* Does the file in /dev have the channel's owner and mode? Programs may have changed them. */
static bool has_rights_of(const struct path *path, const struct achk_channel *ch)
{
    const struct inode *inode = d_backing_inode(path->dentry);
    umode_t mode = READ_ONCE(inode->i_mode);

    return !strcmp(inode->i_sb->s_type->name, "devtmpfs") && inode->i_nlink && S_ISCHR(mode) &&
           inode->i_rdev == ch->node->dev.devt && (mode & S_IALLUGO) == ch->mode &&
           uid_eq(inode->i_uid, ch->uid) && gid_eq(inode->i_gid, ch->gid) && !has_acl(inode);
}

static bool may_remove(const struct achk_channel *ch)
{
    return uid_eq(current_fsuid(), ch->uid) || capable(CAP_FOWNER);
}

/*
 * Under the lock. in_dev is NULL if the file was not found. *old is set to the channel that was
 * removed, also on failure.
 */
static int add(struct achk_channel *ch, bool replace, const struct path *in_dev,
               struct achk_channel **old)
{
    struct achk_channel *there = registry_find(ch->name);
    int r = 0;

    *old = NULL;
    if (there && !replace)
        return -EEXIST;
    if (there && !may_remove(there))
        return -EPERM;
    if (there) {
        *old = there;
        hash_del(&there->by_name);
    }
    if (there && same_rights(there, ch) && in_dev && has_rights_of(in_dev, there)) {
        hand_over_device(there, ch);
    } else {
        if (there)
            drop_device(there);
        r = add_device(ch);
    }
    if (!r)
        hash_add(names, &ch->by_name, hash_of(ch->name));
    return r;
}

int achk_registry_add(struct achk_channel *ch, bool replace)
{
    struct achk_channel *old = NULL;
    struct path path;
    bool found = replace && find_in_dev(ch->name, &path);
    int r = -ERESTARTSYS;

    if (!mutex_lock_interruptible(&lock)) {
        r = add(ch, replace, found ? &path : NULL, &old);
        mutex_unlock(&lock);
    }
    if (found)
        path_put(&path);
    if (old) {
        achk_channel_retire(old, r ? ACHI_UNLINKED : ACHI_REPLACED);
        achk_channel_put(old);
    }
    return r;
}

static void forget(struct achk_channel *ch)
{
    hash_del(&ch->by_name);
    drop_device(ch);
}

int achk_registry_remove(const char *name)
{
    struct achk_channel *ch;
    int r = mutex_lock_interruptible(&lock);

    if (r)
        return -ERESTARTSYS;
    ch = registry_find(name);
    if (!ch)
        r = -ENOENT;
    else if (!may_remove(ch))
        r = -EPERM;
    else
        forget(ch);
    mutex_unlock(&lock);
    if (r)
        return r;
    achk_channel_retire(ch, ACHI_UNLINKED);
    achk_channel_put(ch);
    return 0;
}

/*
 * A process may keep a removed device by an O_PATH descriptor. It must not open
 * another user's channel that has reused the minor: a removed device has i_nlink 0,
 * and it is removed before its minor is freed.
 */
struct achk_channel *achk_registry_open(const struct inode *inode)
{
    struct achk_channel *ch = NULL;

    if (mutex_lock_interruptible(&lock))
        return ERR_PTR(-ERESTARTSYS);
    if (inode->i_nlink)
        ch = idr_find(&minors, iminor(inode));
    if (ch)
        achk_channel_get(ch);
    mutex_unlock(&lock);
    return ch ? ch : ERR_PTR(-ENXIO);
}

int achk_registry_init(void)
{
    int r = class_register(&class);

    if (r)
        return r;
    r = alloc_chrdev_region(&first_device, 0, ACHK_MINORS, "ach");
    if (r)
        goto no_region;
    cdev_init(&cdev, &achk_file_ops);
    cdev.owner = THIS_MODULE;
    r = cdev_add(&cdev, first_device, ACHK_MINORS);
    if (r)
        goto no_cdev;
    return 0;

no_cdev:
    unregister_chrdev_region(first_device, ACHK_MINORS);
no_region:
    class_unregister(&class);
    return r;
}

void achk_registry_exit(void)
{
    struct achk_channel *ch;
    struct hlist_node *next;
    int i;

    hash_for_each_safe(names, i, next, ch, by_name) {
        forget(ch);
        achk_channel_put(ch);
    }
    cdev_del(&cdev);
    unregister_chrdev_region(first_device, ACHK_MINORS);
    idr_destroy(&minors);
    class_unregister(&class);
}
