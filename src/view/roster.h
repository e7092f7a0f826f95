/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roster.h - which topics a client was told of
 *
 * The list of all topics could be more than what may wait for a client, so it is told in parts.
 */
#ifndef VIEW_ROSTER_H
#define VIEW_ROSTER_H

#include "client.h"

/*
 * Tell it of topics that it does not know and that are gone, as long as it reads. Call it again when something was
 * sent.
 */
void view_roster_tell(struct view_client *c);

/* Was it told of the topic? */
bool view_roster_has(const struct view_client *c, const struct view_topic *t);

#endif
