/* SPDX-License-Identifier: BSD-3-Clause */
#include "secure.h"

#include <ach.h>
#include <stdlib.h>
#include <string.h>

static bool is_here(const char *host)
{
    return !*host || strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0;
}

ach_status_t tcp_secure_split(const ach_place_t *place, ach_place_t *where, char name[TLS_NAME_MAX])
{
    const char *at = strchr(place->host, '@');
    size_t n = at ? (size_t)(at - place->host) : strlen(place->host);

    *where = *place;
    name[0] = '\0';
    if (!at && is_here(place->host))
        return ACH_OK;
    if (!n || n >= TLS_NAME_MAX)
        return ach_errstr_set(ACH_EINVAL,
                              "%s: expected NAME or NAME@ADDRESS, and a name of at most %d "
                              "characters",
                              place->host, TLS_NAME_MAX - 1);
    memcpy(name, place->host, n);
    name[n] = '\0';
    if (at)
        memmove(where->host, where->host + n + 1, strlen(where->host + n + 1) + 1);
    return ACH_OK;
}

static ach_status_t secure_session(struct tcp_stream *s, const char *name)
{
    struct tls_info info;

    s->tls->context_info(s->context, &info);
    return s->tls->session_create(s->context, TLS_CLIENT, s->fd, *name ? name : info.name,
                                  &s->session);
}

ach_status_t tcp_secure_begin(struct tcp_stream *s, const char *name)
{
    const char *keys = secure_getenv("ACH_KEYS");
    ach_status_t status;

    if (!keys || !*keys)
        return ach_errstr_set(ACH_EINVAL,
                              "TLS needs keys: set ACH_KEYS to a directory that ach keys "
                              "has made");
    s->tls = tls_load();
    if (!s->tls)
        return ACH_ENOTSUP;
    status = s->tls->context_create(keys, &s->context);
    return status == ACH_OK ? secure_session(s, name) : status;
}
