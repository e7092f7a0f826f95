/* SPDX-License-Identifier: BSD-3-Clause */
/* mdns.c - libachmdns, loaded when it is needed */
#include "mdns.h"

#include <ach.h>
#include <dlfcn.h>

static void *load(const char *name)
{
    void *lib = dlopen("libachmdns.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *function = lib ? dlsym(lib, name) : NULL;

    if (!function)
        ach_errstr_set(ACH_ENOTSUP, "this installation has no mDNS: %s", dlerror());
    return function;
}

ach_status_t achi_mdns_advertise(ach_robot_t *robot, uint16_t port, unsigned interface,
                                 struct mdns_mdns **mdns)
{
    mdns_advertise_t *advertise = (mdns_advertise_t *)load("achi_mdns_advertise");

    return advertise ? advertise(robot, port, interface, mdns) : ACH_ENOTSUP;
}

void achi_mdns_end(struct mdns_mdns *mdns)
{
    mdns_end_t *end = mdns ? (mdns_end_t *)load("achi_mdns_end") : NULL;

    if (end)
        end(mdns);
}

ach_status_t achi_mdns_find(double seconds, mdns_found_t *found, void *context)
{
    mdns_find_t *find = (mdns_find_t *)load("achi_mdns_find");

    return find ? find(seconds, found, context) : ACH_ENOTSUP;
}
