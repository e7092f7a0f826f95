/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mdns.h - say which devices are here, and hear which are elsewhere
 *
 * A server is a service of type _player2._tcp for each of its ports, as Player's
 * was, with a TXT record "device=laser#0(driver)" for each device there.
 *
 * Avahi does the work, and brings many libraries along. So this is one that
 * programs load when they need it, and that may not be there.
 */
#ifndef ACHI_MDNS_H
#define ACHI_MDNS_H

#include <ach/robot.h>

#define ACHI_MDNS_TYPE "_player2._tcp"

struct achi_mdns;

/* A device that was found. */
struct achi_mdns_found {
    const char *service; /* its server's name */
    const char *host;    /* its name */
    const char *address; /* its number */
    uint16_t port;
    const char *device; /* as laser:0 */
    const char *driver;
};

typedef void achi_mdns_found_t(void *context, const struct achi_mdns_found *device);

/*
 * Advertise a robot's devices; @port is where those without a robot's number are met. @interface:
 * to the network of this one only, because the server listens there only; 0: to all. It goes on
 * in a thread of its own. Without a daemon that is tried again, with a warning in the log.
 */
typedef ach_status_t achi_mdns_advertise_t(ach_robot_t *robot, uint16_t port, unsigned interface,
                                           struct achi_mdns **mdns);

/* Take it back; NULL does nothing. */
typedef void achi_mdns_end_t(struct achi_mdns *mdns);

/* Call @found for each device of the network; ends when no more come, or after so many seconds. */
typedef ach_status_t achi_mdns_find_t(double seconds, achi_mdns_found_t *found, void *context);

/* By these names in libachmdns. */
#pragma GCC visibility push(default)
achi_mdns_advertise_t achi_mdns_advertise;
achi_mdns_end_t achi_mdns_end;
achi_mdns_find_t achi_mdns_find;
#pragma GCC visibility pop

#endif
