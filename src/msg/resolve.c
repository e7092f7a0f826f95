/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve.h"

#include <string.h>

#include <ach/interface.h>

/* msg_scalar_name returns the first name of a kind. */
static const struct word {
    const char *name;
    uint8_t meaning, kind;
} words[] = {
    {"bool", MSG_SCALAR, ACH_KIND_BOOL},
    {"int8", MSG_SCALAR, ACH_KIND_INT8},
    {"uint8", MSG_SCALAR, ACH_KIND_UINT8},
    {"byte", MSG_SCALAR, ACH_KIND_UINT8},
    {"char", MSG_SCALAR, ACH_KIND_UINT8},
    {"int16", MSG_SCALAR, ACH_KIND_INT16},
    {"uint16", MSG_SCALAR, ACH_KIND_UINT16},
    {"int32", MSG_SCALAR, ACH_KIND_INT32},
    {"uint32", MSG_SCALAR, ACH_KIND_UINT32},
    {"int64", MSG_SCALAR, ACH_KIND_INT64},
    {"uint64", MSG_SCALAR, ACH_KIND_UINT64},
    {"float32", MSG_SCALAR, ACH_KIND_FLOAT},
    {"float64", MSG_SCALAR, ACH_KIND_DOUBLE},
    {"string", MSG_STRING, ACH_KIND_CHAR},
    {"wstring", MSG_WSTRING, 0},
};

const char *msg_scalar_name(unsigned kind)
{
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i].meaning == MSG_SCALAR && words[i].kind == kind)
            return words[i].name;
    return "char"; /* ACH_KIND_CHAR: no word stands for it alone */
}

/* The section of a type's name, as it is used in a package; -1: there is none. */
static int find_section(const struct msg_text *t, const char *package, const char *name,
                        const char *user)
{
    unsigned i;

    for (i = 0; i < t->section_count; i++) {
        const struct msg_section *s = &t->sections[i];

        if (strcmp(s->name, name) == 0 && strcmp(s->package, *package ? package : user) == 0)
            return (int)i;
    }
    return *package || strcmp(name, "Header") != 0 || strcmp(user, "std_msgs") == 0
               ? -1
               : find_section(t, "std_msgs", name, user);
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
    const char *package, *name;
    size_t i;
    int section;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].name, type) == 0)
            return (struct msg_reference){.meaning = words[i].meaning, .kind = words[i].kind};
    if (strlen(type) >= sizeof(full))
        return (struct msg_reference){.meaning = MSG_ABSENT};
    strcpy(full, type);
    msg_split(full, &package, &name);
    section = find_section(t, package, name, user);
    if (section >= 0)
        return (struct msg_reference){.meaning = MSG_SECTION, .section = (unsigned)section};
    return (struct msg_reference){.meaning = find_time(package, name)};
}
