/* SPDX-License-Identifier: BSD-3-Clause */
/* describe.h - attributes of a channel, as text and as JSON */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <ach.h>
#include <limits.h>
#include <stdbool.h>

#include "json.h"

#define MODE_TEXT 10 /* rw-rw-rw- and NUL */
#define OWNER_TEXT 64

const char *kind_text(enum ach_map map);

/* The path of a channel's file or device. False: the name is invalid or too long. */
bool channel_path(const char *name, enum ach_map map, char path[PATH_MAX]);

/* A word for why a channel cannot be opened. */
const char *trouble_word(enum ach_status status);

const char *mode_text(mode_t mode, char text[MODE_TEXT]);

/* The user's name, or number if there is no name. */
const char *user_text(uid_t uid, char text[OWNER_TEXT]);
const char *group_text(gid_t gid, char text[OWNER_TEXT]);

/* The newest message, read in place. */
struct newest {
    bool there;
    bool stamped;
    size_t size;
    struct timespec put;
};

void look_newest(ach_channel_t *chan, struct newest *m);

/* Number of messages in the channel now. */
uint64_t messages_held(const ach_info_t *info);

/* Add members about a channel's file to an open object. */
void json_file(struct json *j, const char *name, const ach_info_t *info);

/* Add members about a channel to an open object. */
void json_channel(struct json *j, const ach_channel_t *chan, const char *name,
                  const ach_info_t *info, const struct newest *m);

/* What the messages are. NULL: unknown, or damaged. */
const ach_channel_type_t *channel_type(const ach_channel_t *chan);

#endif
