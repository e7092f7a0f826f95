/* SPDX-License-Identifier: BSD-3-Clause */
/* link.h - the harness's side of a link: make it, hand it to an end, wait for messages */
#ifndef PEERS_LINK_H
#define PEERS_LINK_H

#include "run.h"

/* why: WHY_SIZE bytes. NULL: they say why not. */
struct link *link_create(const struct contender *c, const struct setting *s, char *why);
void link_destroy(struct link *l);

/* Open a copy for an end, with a buffer for its message. NULL: failed. */
struct link *link_open(const struct link *l, enum side side, unsigned index, void *buffer);
void link_close(struct link *l);

/* As receive of a contender, in whatever mode. */
ssize_t link_receive(struct link *l, int timeout_ms);

#endif
