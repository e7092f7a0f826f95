/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - the channels of a robot's devices
 *
 *     dev.6665.laser.0.data   what the device senses; one writer, the server
 *     dev.6665.laser.0.cmd    commands to it; any process with write permission
 *     dev.6665.req            requests to all devices and to the server
 *     dev.6665.ans            the answers
 *
 * Each message is a header in wire format, and the body. In commands, requests and
 * answers the header's host is the pid of the client and its robot the number of a
 * handle of that process. So each handle finds its own answers, and the server knows
 * whose commands were not handled.
 */
#ifndef DEVCH_NAMES_H
#define DEVCH_NAMES_H

#include <ach.h>
#include <ach/transport.h>
#include <stdio.h>

static inline void devch_device_channel(uint32_t robot, const ach_address_t *a, const char *what,
                                        char name[ACH_CHAN_NAME_MAX])
{
    const ach_interface_t *known = ach_interface_by_code(a->interf);

    if (known)
        snprintf(name, ACH_CHAN_NAME_MAX, "dev.%u.%.24s.%u.%s", robot, known->name, a->index, what);
    else
        snprintf(name, ACH_CHAN_NAME_MAX, "dev.%u.%u.%u.%s", robot, a->interf, a->index, what);
}

static inline void devch_robot_channel(uint32_t robot, const char *what,
                                       char name[ACH_CHAN_NAME_MAX])
{
    snprintf(name, ACH_CHAN_NAME_MAX, "dev.%u.%s", robot, what);
}

/*
 * Whether a server serves the robot's channels: it holds the source lock of the answers, which
 * the kernel releases when it exits. *pid: its process; 0: not known. Takes no lock, so that a
 * client stopped here does not block the server.
 */
static inline bool devch_robot_served(uint32_t robot, uint32_t *pid)
{
    char name[ACH_CHAN_NAME_MAX];
    ach_info_t info = {0};
    ach_channel_t chan;
    ach_attr_t attr;
    ach_status_t status;

    *pid = 0;
    devch_robot_channel(robot, "ans", name);
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
