/* SPDX-License-Identifier: BSD-3-Clause */
/* service.h - the TXT records of a service to advertise */
#ifndef MDNS_SERVICE_H
#define MDNS_SERVICE_H

#include "mdns.h"

/* Add a TXT record. False: it does not fit, or there is no memory. */
bool mdns_service_add(struct mdns_service *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void mdns_service_finish(struct mdns_service *s);

#endif
