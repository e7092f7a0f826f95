/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.h - what achd shall do: from its arguments or a file */
#ifndef RELAY_SETTINGS_H
#define RELAY_SETTINGS_H

#include <stdio.h>

#include "../tls/tls.h"
#include "access.h"
#include "account.h"

#define RELAY_PORT 8076u
#define RELAY_HOST_MAX 256u
#define RELAY_PATH_MAX 1024u

struct relay_flow_setting {
    struct relay_flow_setting *next;
    struct relay_request request;
    char local[ACH_CHAN_NAME_MAX];
    char host[RELAY_HOST_MAX];
    unsigned port;
    char name[TLS_NAME_MAX]; /* of its certificate; "": that of this host */
    bool named;              /* the address has a name: without TLS that is an error */
};

/* Send a channel to a group, if it is sent in datagrams. */
struct relay_multicast {
    struct relay_multicast *next;
    char channel[ACH_CHAN_NAME_MAX];
    unsigned char group[4];
    uint16_t port;
    uint64_t rate; /* bytes per second */
};

struct relay_settings {
    unsigned port; /* the default of lines without one, of listen and of peers */
    bool listens;
    char listen[RELAY_HOST_MAX];
    unsigned listen_port;
    bool insecure;
    bool sctp;                 /* instead of TCP */
    char keys[RELAY_PATH_MAX]; /* the directory of keys for TLS; "": without TLS */
    char user[RELAY_HOST_MAX]; /* to become; "": nobody else */
    char file[RELAY_PATH_MAX]; /* that was read; "": none */
    struct relay_rule *rules;
    struct relay_limits limits;
    bool creates; /* peers may create channels: */
    char create[RELAY_WIRE_TEXT];
    bool hidden;                     /* do not advertise this daemon in the network */
    char advertise[RELAY_WIRE_TEXT]; /* pattern of channels to advertise besides those of ach adv */
    uint64_t window_max, silence;
    double anticipates; /* share of a processor for that; 0: never */
    bool exports;       /* metrics, at this port of loopback: */
    unsigned metrics_port;
    uint64_t key_life; /* nanoseconds */
    struct relay_flow_setting *flows;
    struct relay_multicast *multicasts;
};

void relay_settings_init(struct relay_settings *s);
void relay_settings_finish(struct relay_settings *s);

/* Each function returns false after it has set ach_errstr. */

/* HOST, HOST:PORT, or [HOST]:PORT. */
bool relay_settings_address(const char *text, unsigned default_port, char host[RELAY_HOST_MAX],
                            unsigned *port);

/* Channels of this host with the lists of its peers, see listing.h: achd-peer.HOST.PORT. */
#define RELAY_PEER_PREFIX "achd-peer."

/* A directory of keys, or a file. A relative path is kept as one from the root. */
bool relay_settings_path(char to[RELAY_PATH_MAX], const char *path);

/* NAME=VALUE, as memory=64M. */
bool relay_settings_limit(struct relay_settings *s, const char *text);

/* Append a flow; its name on the other side is the same at first. The address may begin with the
 * name of a certificate: NAME@HOST:PORT. */
struct relay_flow_setting *relay_settings_flow(struct relay_settings *s, bool push,
                                               const char *address, const char *channel);

/* Anticipate messages, with so many percent of a processor. */
bool relay_settings_anticipate(struct relay_settings *s, const char *percent);

/* Export metrics at a port; 0: any. */
bool relay_settings_metrics(struct relay_settings *s, const char *port);

/* A word that changes a flow: all, newest, udp, remote=NAME, priority=N, max-age=SECONDS, ... */
bool relay_settings_word(struct relay_flow_setting *f, const char *word);

/* Read lines; `name` is the name of the file. The text of an error begins with it and the line. */
bool relay_settings_parse(struct relay_settings *s, const char *name, FILE *file);

/* Read a file. */
bool relay_settings_read(struct relay_settings *s, const char *path);

/* All arguments and lines are there: check that they fit together. Keys may come from ACH_KEYS. */
bool relay_settings_check(struct relay_settings *s);

#endif
