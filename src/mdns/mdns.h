/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mdns.h - advertise services of this machine by mDNS, and find those of others
 *
 * Avahi depends on many libraries. So this is a library of its own, which programs load with
 * dlopen when they need it, and which may not be installed.
 */
#ifndef MDNS_H
#define MDNS_H

#include <ach.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A server of devices, as Player's was: a TXT record "device=laser#0(driver)" for each device. */
#define MDNS_DEVICES "_player2._tcp"

/* An achd; src/relay/records.h describes its TXT records. */
#define MDNS_CHANNELS "_ach._tcp"

/* Bytes of a service's TXT records: more does not fit a packet. */
#define MDNS_TXT_MAX 1200u

/* Services that mdns_find reports at most. */
#define MDNS_FOUND_MAX 4096u

struct mdns_mdns;

/* A service to advertise. Its name is the host's name, a space and the label. */
struct mdns_service {
    char label[16];
    uint16_t port;
    char **txt; /* its TXT records */
    size_t n_txt;
};

struct mdns_attr {
    const char *type;
    unsigned interface; /* advertise on this interface only; 0: on all */
    void (*log)(void *context, bool warning, const char *text); /* called in another thread */
    void *context;
};

/* A service that was found. All texts come from the network. */
struct mdns_found {
    const char *type;
    const char *service; /* its name */
    const char *host;    /* name of its host */
    const char *address; /* numeric address of its host */
    uint16_t port;
    const char *const *txt;
    size_t n_txt;
};

typedef void mdns_found_t(void *context, const struct mdns_found *service);

struct mdns_library {
    /*
     * Advertise services, which are copied. Runs in a thread of its own. Without avahi-daemon that
     * thread logs a warning and retries.
     */
    ach_status_t (*advertise)(const struct mdns_attr *attr, const struct mdns_service *services,
                              size_t n, struct mdns_mdns **mdns);

    /* Advertise these services instead. Those that differ only in TXT records are not withdrawn. */
    ach_status_t (*update)(struct mdns_mdns *mdns, const struct mdns_service *services, size_t n);

    /* Stop advertising; NULL does nothing. */
    void (*end)(struct mdns_mdns *mdns);

    /*
     * Call @found for each service of the types, which NULL ends. Returns when all are found, or
     * after @seconds.
     */
    ach_status_t (*find)(const char *const *types, double seconds, mdns_found_t *found,
                         void *context);
};

/* Load the library; NULL with ach_errstr if it is not installed. */
const struct mdns_library *mdns_load(void);

ach_status_t mdns_advertise(const struct mdns_attr *attr, const struct mdns_service *services,
                            size_t n, struct mdns_mdns **mdns);
ach_status_t mdns_update(struct mdns_mdns *m, const struct mdns_service *services, size_t n);
void mdns_end(struct mdns_mdns *m);
ach_status_t mdns_find(const char *const *types, double seconds, mdns_found_t *found,
                       void *context);

#endif
