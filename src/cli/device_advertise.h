/* SPDX-License-Identifier: BSD-3-Clause */
/* device_advertise.h - advertise the devices of a robot by mDNS */
#ifndef DEVICE_ADVERTISE_H
#define DEVICE_ADVERTISE_H

#include <ach/robot.h>

struct mdns_mdns;

/*
 * @port: of devices without another robot's number. @interface: advertise on this interface only,
 * because the server listens only there; 0: on all.
 */
ach_status_t device_advertise(ach_robot_t *robot, uint16_t port, unsigned interface,
                              struct mdns_mdns **mdns);

/* NULL does nothing. */
void device_advertise_end(struct mdns_mdns *mdns);

#endif
