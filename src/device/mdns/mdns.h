/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mdns.h - advertise the devices of this machine, and find those of others
 *
 * A server is a service of type _player2._tcp for each of its ports, as Player's
 * was, with a TXT record "device=laser#0(driver)" for each device there.
 *
 * Avahi depends on many libraries. So this is a library of its own, which programs load with
 * dlopen when they need it, and which may not be installed.
 */
#ifndef MDNS_H
#define MDNS_H

#include <ach/robot.h>

#define MDNS_TYPE "_player2._tcp"

struct mdns_mdns;

/* A device that was found. */
struct mdns_found {
    const char *service; /* name of its server's service */
    const char *host;    /* name of its host */
    const char *address; /* numeric address of its host */
    uint16_t port;
    const char *device; /* as laser:0 */
    const char *driver;
};

typedef void mdns_found_t(void *context, const struct mdns_found *device);

/*
 * Advertise a robot's devices. @port: of devices without another robot's number. @interface:
 * advertise on this interface only, because the server listens only there; 0: on all. Runs in a
 * thread of its own. Without avahi-daemon that thread logs a warning and retries.
 */
typedef ach_status_t mdns_advertise_t(ach_robot_t *robot, uint16_t port, unsigned interface,
                                      struct mdns_mdns **mdns);

/* Stop advertising; NULL does nothing. */
typedef void mdns_end_t(struct mdns_mdns *mdns);

/* Call @found for each device of the network. Ends when all are found, or after @seconds. */
typedef ach_status_t mdns_find_t(double seconds, mdns_found_t *found, void *context);

/* The symbols in libachmdns. */
#pragma GCC visibility push(default)
mdns_advertise_t achi_mdns_advertise;
mdns_end_t achi_mdns_end;
mdns_find_t achi_mdns_find;
#pragma GCC visibility pop

#endif
