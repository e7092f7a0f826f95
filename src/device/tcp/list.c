/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c - list the devices of a remote server */
#include <ach.h>
#include <ach/interface/player.h>
#include <stdlib.h>
#include <string.h>

#include "handshake.h"
#include "link.h"

static ach_status_t ask_drivers(struct tcp_handshake *c, const ach_player_devlist_t *list, size_t n)
{
    ach_status_t status = ACH_OK;
    unsigned char bytes[64];
    uint32_t i;

    for (i = 0; i < n && status == ACH_OK; i++) {
        const ach_player_driverinfo_t body = {.addr = list->devices[i]};
        size_t size;

        status = ach_encode(&ach_player_driverinfo_type, &body, bytes, sizeof(bytes), &size);
        if (status == ACH_OK)
            status = tcp_handshake_ask(c, ACH_PLAYER_REQ_DRIVERINFO, i, bytes, size);
    }
    return status;
}

/* After a NACK the name stays empty. */
static ach_status_t read_driver(struct tcp_handshake *c, uint32_t sequence, char *name, size_t room)
{
    const unsigned char *answer;
    ach_player_driverinfo_t *info;
    size_t size;
    void *body;
    ach_status_t status =
        tcp_handshake_answer(c, ACH_PLAYER_REQ_DRIVERINFO, sequence, &answer, &size);

    if (status == ACH_EACCES)
        return ACH_OK;
    if (status != ACH_OK)
        return status;
    if (ach_decode_new(&ach_player_driverinfo_type, answer, size, &body) != ACH_OK)
        return ach_errstr_set(ACH_CORRUPT, "%s: the answer is invalid", c->name);
    info = body;
    strncpy(name, info->driver_name, room - 1);
    free(body);
    return ACH_OK;
}

/* Requests in flight: few, so that they and their answers fit into the socket buffers. */
#define GROUP 64u

static ach_status_t describe(struct tcp_handshake *c, const ach_player_devlist_t *list,
                             ach_device_info_t *devices, size_t n)
{
    ach_status_t status = ACH_OK;
    size_t i, first;

    for (first = 0; first < n && status == ACH_OK; first += GROUP) {
        ach_player_devlist_t group = {.devices = list->devices + first};
        size_t here = n - first < GROUP ? n - first : GROUP;

        status = ask_drivers(c, &group, here);
        for (i = 0; i < here && status == ACH_OK; i++) {
            ach_device_info_t *d = &devices[first + i];

            memset(d, 0, sizeof(*d));
            d->address = (ach_address_t){.host = group.devices[i].host,
                                         .robot = group.devices[i].robot,
                                         .interf = group.devices[i].interf,
                                         .index = group.devices[i].index};
            status = read_driver(c, (uint32_t)i, d->driver, sizeof(d->driver));
        }
    }
    return status;
}

static ach_status_t list_all(struct tcp_handshake *c, ach_device_info_t *devices, size_t room,
                             size_t *count)
{
    const unsigned char *answer;
    ach_player_devlist_t *list;
    size_t size;
    void *body;
    ach_status_t status = tcp_handshake_request(c, ACH_PLAYER_REQ_DEVLIST, NULL, &answer, &size);

    if (status != ACH_OK)
        return status;
    if (ach_decode_new(&ach_player_devlist_type, answer, size, &body) != ACH_OK)
        return ach_errstr_set(ACH_CORRUPT, "%s: the list of devices is invalid", c->name);
    list = body;
    status = describe(c, list, devices, list->devices_count < room ? list->devices_count : room);
    if (status == ACH_OK)
        *count = list->devices_count;
    free(body);
    return status;
}

static ach_status_t list_at(const ach_place_t *place, bool tls, double timeout,
                            ach_device_info_t *devices, size_t room, size_t *count)
{
    struct tcp_handshake c;
    ach_status_t status = tcp_handshake_begin(&c, place, tls, timeout);

    if (status == ACH_OK)
        status = tcp_handshake_introduce(&c);
    if (status == ACH_OK)
        status = tcp_handshake_tell_route(&c);
    if (status == ACH_OK)
        status = list_all(&c, devices, room, count);
    tcp_handshake_end(&c);
    return status;
}

ach_status_t tcp_list(const ach_place_t *place, double timeout, ach_device_info_t *devices,
                      size_t room, size_t *count)
{
    return list_at(place, false, timeout, devices, room, count);
}

ach_status_t tcp_list_tls(const ach_place_t *place, double timeout, ach_device_info_t *devices,
                          size_t room, size_t *count)
{
    return list_at(place, true, timeout, devices, room, count);
}
