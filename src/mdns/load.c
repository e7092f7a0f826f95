/* SPDX-License-Identifier: BSD-3-Clause */
/* load.c - libachmdns, loaded when it is needed */
#include <dlfcn.h>

#include "mdns.h"

const struct mdns_library *mdns_load(void)
{
    void *lib = dlopen("libachmdns.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const struct mdns_library *library = lib ? dlsym(lib, "achi_mdns_library") : NULL;

    if (!library)
        ach_errstr_set(ACH_ENOTSUP, "this installation has no mDNS: %s", dlerror());
    return library;
}
