/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate.h - who may connect
 *
 * A browser sends a page's requests to any address, also to this machine, so a request proves
 * nothing about who made it. Host must be a name of this server, with any port: a page of another
 * site that lets its own name resolve to this machine has the wrong one. Origin must be this server or one that
 * was allowed. And each request must show the token, which only who has started the server knows.
 */
#ifndef VIEW_GATE_H
#define VIEW_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIEW_TOKEN_TEXT 33 /* 128 bits in hexadecimal digits, and a NUL */
#define VIEW_COOKIE_TEXT 32
#define VIEW_GATE_NAMES 18u

struct view_gate {
    char token[VIEW_TOKEN_TEXT];
    char cookie
        [VIEW_COOKIE_TEXT]; /* its name, which has the port: cookies are common to all ports */
    uint16_t port;
    char bound[64]; /* the address where it listens; "": loopback */
    const char *hosts[VIEW_GATE_NAMES],
        *origins[VIEW_GATE_NAMES]; /* also allowed; NULL ends them */
};

/* Make a token. False: the kernel gives no random numbers, see errno. */
bool view_gate_init(struct view_gate *g);

/* The port is known after the server listens. */
void view_gate_port(struct view_gate *g, uint16_t port);

/* Each takes the text of a header, or NULL if the request has none. */
bool view_gate_host(const struct view_gate *g, const char *host);
bool view_gate_origin(const struct view_gate *g, const char *origin, const char *host);
bool view_gate_cookie(const struct view_gate *g, const char *cookies);

/* In constant time. NULL: false. */
bool view_gate_token(const struct view_gate *g, const char *token);

/* Is it "http://NAME", maybe with a port, or with another scheme, and nothing behind it? */
bool view_gate_is_origin(const char *text);

/* Is it a name or an address as it may be in a header Host, without a port? */
bool view_gate_is_host(const char *text);

#endif
