/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - the channels of a robot's devices
 *
 *     dev.6665.laser.0.data   what the device senses; one writer, the server
 *     dev.6665.laser.0.cmd    commands to it, from anybody who may write it
 *     dev.6665.req            requests to all devices and to the server
 *     dev.6665.ans            the answers
 *
 * Each message is a header as it travels, and the body. In requests and their
 * answers the header's host is the asking process and its robot one of the
 * process's handles, so that each finds its own.
 */
#ifndef ACHI_NAMES_H
#define ACHI_NAMES_H

#include <ach.h>
#include <ach/transport.h>
#include <stdio.h>

static inline void achi_device_channel(uint32_t robot, const ach_address_t *a, const char *what,
                                       char name[ACH_CHAN_NAME_MAX])
{
    const ach_interface_t *known = ach_interface_by_code(a->interf);

    if (known)
        snprintf(name, ACH_CHAN_NAME_MAX, "dev.%u.%.24s.%u.%s", robot, known->name, a->index, what);
    else
        snprintf(name, ACH_CHAN_NAME_MAX, "dev.%u.%u.%u.%s", robot, a->interf, a->index, what);
}

static inline void achi_robot_channel(uint32_t robot, const char *what,
                                      char name[ACH_CHAN_NAME_MAX])
{
    snprintf(name, ACH_CHAN_NAME_MAX, "dev.%u.%s", robot, what);
}

/*
 * A request of the interface player, for the server: has it taken all commands to the device that
 * the body names? The answer comes when it has. NACK: commands to that device were
 * overwritten before they were taken, since the handle's last such request or its subscription.
 */
#define ACHI_REQ_FLUSH 101u

/*
 * Whether a server has the robot's channels: it is the source of the answers, and
 * that ends with its process. *pid: which process; 0: not known. Takes no lock: a client that
 * is stopped here keeps the server from nothing.
 */
static inline bool achi_robot_served(uint32_t robot, uint32_t *pid)
{
    char name[ACH_CHAN_NAME_MAX];
    ach_info_t info = {0};
    ach_channel_t chan;
    ach_attr_t attr;
    ach_status_t status;

    *pid = 0;
    achi_robot_channel(robot, "ans", name);
    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    status = ach_open(&chan, name, &attr);
    if (status != ACH_OK)
        return status == ACH_EACCES;
    if (ach_channel_info(&chan, &info) == ACH_OK)
        *pid = info.source_pid;
    ach_close(&chan);
    return info.sourced;
}

#endif
