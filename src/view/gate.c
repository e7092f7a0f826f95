/* SPDX-License-Identifier: BSD-3-Clause */
#include "gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#define TOKEN_BYTES 16u
#define COOKIE "ach-view-token"

bool view_gate_init(struct view_gate *g)
{
    uint8_t bytes[TOKEN_BYTES];
    size_t i;

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return false;
    for (i = 0; i < sizeof(bytes); i++)
        snprintf(g->token + 2 * i, 3, "%02x", bytes[i]);
    explicit_bzero(bytes, sizeof(bytes));
    return true;
}

void view_gate_port(struct view_gate *g, uint16_t port)
{
    g->port = port;
    snprintf(g->cookie, sizeof(g->cookie), COOKIE "-%u", port);
}

static bool gate_host_text(const char *text, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]",
                    text[i]))
            return false;
    return size > 0 && size < 256;
}

bool view_gate_is_host(const char *text)
{
    const char *last = strrchr(text, ':');

    return gate_host_text(text, strlen(text)) && (!last || text[strlen(text) - 1] == ']');
}

bool view_gate_is_origin(const char *text)
{
    size_t scheme = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789+.-");
    const char *rest = text + scheme;

    return scheme && strncmp(rest, "://", 3) == 0 &&
           (gate_host_text(rest + 3, strlen(rest + 3)) || !rest[3]);
}

/* Is it NAME or NAME:PORT? A proxy or a tunnel may have another port than this server. */
static bool gate_is(const char *text, const char *name)
{
    const char *port = text + strlen(name);
    char *end;

    if (strncasecmp(text, name, strlen(name)) != 0)
        return false;
    return !*port || (port[0] == ':' && port[1] >= '1' && port[1] <= '9' &&
                      strtoul(port + 1, &end, 10) <= UINT16_MAX && !*end);
}

bool view_gate_host(const struct view_gate *g, const char *host)
{
    static const char *const local[] = {"localhost", "127.0.0.1", "[::1]"};
    size_t i;

    if (!host)
        return false;
    for (i = 0; i < sizeof(local) / sizeof(local[0]); i++)
        if (gate_is(host, local[i]))
            return true;
    if (*g->bound && gate_is(host, g->bound))
        return true;
    for (i = 0; i < VIEW_GATE_NAMES && g->hosts[i]; i++)
        if (gate_is(host, g->hosts[i]))
            return true;
    return false;
}

bool view_gate_origin(const struct view_gate *g, const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    size_t i, n = sizeof(scheme) - 1;

    if (!origin)
        return true;
    for (i = 0; i < VIEW_GATE_NAMES && g->origins[i]; i++)
        if (strcasecmp(origin, g->origins[i]) == 0)
            return true;
    return host && strncmp(origin, scheme, n) == 0 && strcasecmp(origin + n, host) == 0 &&
           view_gate_host(g, host);
}

/* The time does not depend on where the first difference is. */
static bool gate_same(const char *a, const char *b, size_t size)
{
    volatile unsigned different = 0;
    size_t i;

    for (i = 0; i < size; i++)
        different |= (unsigned)(uint8_t)(a[i] ^ b[i]);
    return !different;
}

static bool gate_token(const struct view_gate *g, const char *token, size_t size)
{
    return size == VIEW_TOKEN_TEXT - 1 && gate_same(g->token, token, size);
}

bool view_gate_token(const struct view_gate *g, const char *token)
{
    return token && gate_token(g, token, strlen(token));
}

bool view_gate_cookie(const struct view_gate *g, const char *cookies)
{
    size_t n = strlen(g->cookie), size;
    const char *at = cookies;

    while (at && *at) {
        at += strspn(at, "; ");
        size = strcspn(at, ";");
        if (size > n && strncmp(at, g->cookie, n) == 0 && at[n] == '=' &&
            gate_token(g, at + n + 1, size - n - 1))
            return true;
        at += size;
    }
    return false;
}
