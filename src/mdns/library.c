/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c - the only symbol that libachmdns exports */
#include "mdns.h"

extern const struct mdns_library achi_mdns_library;

__attribute__((visibility("default"))) const struct mdns_library achi_mdns_library = {
    .advertise = mdns_advertise,
    .update = mdns_update,
    .end = mdns_end,
    .find = mdns_find,
};
