/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "control.h"

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/time.h>
#include <linux/uaccess.h>

#include "registry.h"

/*
 * Kernel memory cannot be swapped out, and all users share one namespace of channels. So the
 * administrator decides who may create channels: the udev rule gives the device to the group ach.
 */
static ushort control_mode = 0660;
module_param(control_mode, ushort, 0444);
MODULE_PARM_DESC(control_mode, "permissions of /dev/achctrl where udev sets none (default: 0660)");

#define CREATE_FLAGS (ACH_KERNEL_TIMESTAMPS | ACH_KERNEL_SINGLE_WRITER | ACH_KERNEL_REPLACE)

static long create_channel(const struct ach_kernel_create *wish, const void __user *type)
{
    struct achk_channel *ch;
    int r = 0;

    if ((wish->flags & ~CREATE_FLAGS) || (wish->mode & ~0777) ||
        !ACH_KERNEL_CLOCK_KNOWN(wish->clock) || !achk_name_valid(wish->name))
        return -EINVAL;
    ch = achk_channel_create(wish);
    if (IS_ERR(ch))
        return PTR_ERR(ch);
    if (copy_from_user((char *)ch->view.hdr + ch->geometry.type_off, type, wish->type_size))
        r = -EFAULT;
    if (!r)
        r = achk_registry_add(ch, wish->flags & ACH_KERNEL_REPLACE);
    if (r)
        achk_channel_put(ch);
    return r;
}

static long control_create(const void __user *arg)
{
    struct ach_kernel_create wish;

    if (copy_from_user(&wish, arg, sizeof(wish)))
        return -EFAULT;
    return wish.type_size ? -EINVAL : create_channel(&wish, NULL);
}

static long create_typed(const void __user *arg)
{
    struct ach_kernel_create_typed wish;

    if (copy_from_user(&wish, arg, sizeof(wish)))
        return -EFAULT;
    return create_channel(&wish.create, u64_to_user_ptr(wish.type));
}

static long unlink(const void __user *arg)
{
    struct ach_kernel_name name;

    if (copy_from_user(&name, arg, sizeof(name)))
        return -EFAULT;
    if (!achk_name_valid(name.name))
        return -EINVAL;
    return achk_registry_remove(name.name);
}

static long ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
    switch (cmd) {
    case ACH_KERNEL_CREATE:
        return control_create((const void __user *)arg);
    case ACH_KERNEL_CREATE_TYPED:
        return create_typed((const void __user *)arg);
    case ACH_KERNEL_UNLINK:
        return unlink((const void __user *)arg);
    default:
        return -ENOTTY;
    }
}

static const struct file_operations ops = {
    .owner = THIS_MODULE,
    .unlocked_ioctl = ioctl,
    .compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "achctrl",
    .fops = &ops,
};

int achk_control_init(void)
{
    if (control_mode & ~0777)
        return -EINVAL;
    device.mode = control_mode;
    return misc_register(&device);
}

void achk_control_exit(void)
{
    misc_deregister(&device);
}
