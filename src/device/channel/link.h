/* SPDX-License-Identifier: BSD-3-Clause */
/* link.h - an application's end of a device's channels */
#ifndef DEVCH_CHANNEL_LINK_H
#define DEVCH_CHANNEL_LINK_H

#include <ach/device.h>
#include <ach/transport.h>

struct devch_channel_link;

#pragma GCC visibility push(default)

/*
 * ACH_ENOENT: this machine has no such channels; ACH_EACCES: the caller may not read them. A user
 * who may read data but not write requests gets data only while the driver runs.
 */
ach_status_t achi_channel_link_open(const ach_place_t *place, const ach_device_attr_t *attr,
                                    struct devch_channel_link **link);
void achi_channel_link_close(struct devch_channel_link *l);

/*
 * The devices of a robot of this machine, without their drivers, which no channel names.
 * ACH_ENOENT: there is no such server.
 */
ach_status_t achi_channel_list(const ach_place_t *place, ach_device_info_t *devices, size_t room,
                               size_t *count);

/* As ach_device_get, for any subtype. *missed: messages lost before this one. */
ach_status_t achi_channel_link_get(struct devch_channel_link *l, double timeout, int options,
                                   ach_message_t **m, uint64_t *missed);
ach_status_t achi_channel_link_command(struct devch_channel_link *l, const ach_header_t *h,
                                       const ach_type_t *type, const void *body);

/* *answer: the ACK or NACK. */
ach_status_t achi_channel_link_request(struct devch_channel_link *l, const ach_header_t *h,
                                       const ach_type_t *type, const void *body, double timeout,
                                       ach_message_t **answer);
/* A set of ACH_RIGHT_*. */
unsigned achi_channel_link_rights(const struct devch_channel_link *l);

/* In a child of fork: become a client of the server besides the parent. */
ach_status_t achi_channel_link_inherit(struct devch_channel_link *l, double timeout);

/* Wait until the driver has handled all commands of this handle. */
ach_status_t achi_channel_link_flush(struct devch_channel_link *l, double seconds);
int achi_channel_link_fd(struct devch_channel_link *l);

#pragma GCC visibility pop
#endif
