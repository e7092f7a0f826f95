/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve.h"

#include <string.h>

#include <ach/interface.h>

/* The section of a type's name, as it is used in a package; -1: there is none. */
static int find_section(const struct msg_text *t, const char *package, const char *name,
                        const char *user)
{
    int section = msg_section_find(t, *package ? package : user, name);

    if (section < 0 && !*package && strcmp(name, "Header") == 0)
        section = msg_section_find(t, "std_msgs", name);
    return section;
}

/* "time" and "duration" are of ROS 1. */
static enum msg_meaning find_time(const char *package, const char *name)
{
    bool builtin = strcmp(package, "builtin_interfaces") == 0;

    if (strcmp(name, builtin ? "Time" : "time") == 0 && (builtin || !*package))
        return MSG_TIME;
    if (strcmp(name, builtin ? "Duration" : "duration") == 0 && (builtin || !*package))
        return MSG_DURATION;
    return MSG_ABSENT;
}

struct msg_reference msg_resolve(const struct msg_text *t, const char *type, const char *user)
{
    char full[ACH_TYPE_NAME_MAX];
    const struct msg_word *word = msg_word_find(type);
    const char *package, *name;
    int section;

    if (word)
        return (struct msg_reference){.meaning = word->meaning, .kind = word->kind};
    if (strlen(type) >= sizeof(full))
        return (struct msg_reference){.meaning = MSG_ABSENT};
    strcpy(full, type);
    msg_split(full, &package, &name);
    section = find_section(t, package, name, user);
    if (section >= 0)
        return (struct msg_reference){.meaning = MSG_SECTION, .section = (unsigned)section};
    return (struct msg_reference){.meaning = find_time(package, name)};
}
