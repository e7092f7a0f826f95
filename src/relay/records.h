/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * records.h - the services of _ach._tcp that advertise a daemon and its channels
 *
 * A service has the TXT records
 *     version=3.1      of this program
 *     host=NAME        of this machine, as the daemon tells it to peers
 *     transport=tcp    how messages travel
 *     channels=N       how many are advertised; only in the first service
 *     c0=NAME c1=...   the channels; keys of one service differ, as RFC 6763 demands
 * Channels that do not fit into one service are in further ones with the same port.
 */
#ifndef RELAY_RECORDS_H
#define RELAY_RECORDS_H

#include "service.h"

/* Channels that are advertised at most. */
#define RELAY_RECORDS_CHANNELS 2048u

/* Services at most. At least 15 of the longest names fit into one. */
#define RELAY_RECORDS_SERVICES (1 + RELAY_RECORDS_CHANNELS / 15)

struct relay_records {
    const char *version, *host, *transport;
    uint16_t port;
    char (*channels)[ACH_CHAN_NAME_MAX];
    size_t n_channels;
    struct mdns_service services[RELAY_RECORDS_SERVICES];
    size_t n_services;
};

/* Make the services from the rest. False: no memory. */
bool relay_records_make(struct relay_records *r);

/* Free the services. */
void relay_records_clear(struct relay_records *r);

#endif
