/* SPDX-License-Identifier: BSD-3-Clause */
/* load.c - libachtls, loaded when it is needed */
#include <dlfcn.h>

#include "tls.h"

const struct tls_library *tls_load(void)
{
    void *lib = dlopen("libachtls.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const struct tls_library *library = lib ? dlsym(lib, "achi_tls_library") : NULL;

    if (!library)
        ach_errstr_set(ACH_ENOTSUP, "this installation has no TLS: %s", dlerror());
    return library;
}
