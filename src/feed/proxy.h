/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * proxy.h - open devices, so that their drivers run, and ask them for what data channels do not have
 *
 * Requests block, so each device has a thread. It asks for geometry, configuration or the map. A device
 * that was added stays open, and is opened again when its server was restarted. Nothing but the
 * results is shared.
 */
#ifndef FEED_PROXY_H
#define FEED_PROXY_H

#include "device.h"

struct feed_proxies;

struct feed_proxy_result {
    struct ach_message *answer; /* or NULL */
    struct feed_device_map map; /* cells NULL: none */
    char trouble[256];          /* "": none */
};

struct feed_proxies *feed_proxies_new(void); /* NULL: see errno */
bool feed_proxies_add(struct feed_proxies *p, const char *address, const char *channel);
bool feed_proxies_start(struct feed_proxies *p);

/*
 * Open a device, ask and close it. Does nothing if that is under way, or the device is open. Failures
 * are not told.
 */
void feed_proxies_ask(struct feed_proxies *p, const char *address, const char *channel);

void feed_proxies_free(struct feed_proxies *p); /* NULL is accepted */

/* Readable when there are results. */
int feed_proxies_fd(const struct feed_proxies *p);

/* Calls a function for each result; false: keep it for the next time. */
typedef bool feed_proxy_fun(void *context, const char *channel, struct feed_proxy_result *r);
void feed_proxies_take(struct feed_proxies *p, feed_proxy_fun *fun, void *context);

#endif
