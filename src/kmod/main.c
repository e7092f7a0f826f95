/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/* main.c - module init and exit */
#include <linux/module.h>

#include "control.h"
#include "limits.h"
#include "registry.h"
#include "sleepers.h"

static int __init achk_init(void)
{
    int r;

    achk_limits_init();
    r = achk_sleepers_start();
    if (r)
        return r;
    r = achk_registry_init();
    if (r)
        goto no_registry;
    r = achk_control_init();
    if (r)
        goto no_control;
    return 0;

no_control:
    achk_registry_exit();
no_registry:
    achk_sleepers_stop();
    return r;
}

/* Runs only when no channel and no control device is open. */
static void __exit achk_exit(void)
{
    achk_control_exit();
    achk_sleepers_stop();
    achk_registry_exit();
}

module_init(achk_init);
module_exit(achk_exit);
MODULE_DESCRIPTION("Ach channels: many writers, many readers, newest message first");
MODULE_AUTHOR("The Ach developers");
MODULE_LICENSE("Dual BSD/GPL");
