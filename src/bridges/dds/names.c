/* SPDX-License-Identifier: BSD-3-Clause */
#include "names.h"

#include <stdio.h>
#include <string.h>

#include "common.h"

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* Is it one or more identifiers with a slash between them? Returns their number, 0: it is not. */
static unsigned identifiers(const char *text)
{
    unsigned n = 0;

    for (;;) {
        size_t length = strspn(text, LETTERS DIGITS);

        if (length == 0 || strchr(DIGITS, *text))
            return 0;
        n++;
        text += length;
        if (*text == '\0')
            return n;
        if (*text++ != '/')
            return 0;
    }
}

static bool bad_name(const char *what, const char *name, const char *wanted)
{
    tool_complain("'%s' cannot be the name of a %s: give %s", name, what, wanted);
    return false;
}

bool achdds_topic_name(char name[ACHDDS_NAME_MAX], const char *topic, bool ros2)
{
    const char *plain = topic + (ros2 && *topic == '/');

    if (!identifiers(plain))
        return bad_name("topic", topic, "letters, digits, _ and /, for example CHANNEL=arm/scan");
    if (snprintf(name, ACHDDS_NAME_MAX, "%s%s", ros2 ? "rt/" : "", plain) >= ACHDDS_NAME_MAX)
        return bad_name("topic", topic, "fewer letters");
    return true;
}

/* Types of ROS 1 have no msg between the package and the name. */
bool achdds_type_name(char name[ACHDDS_NAME_MAX], const char *type, bool ros2)
{
    const char *package_end = strchr(type, '/'), *last = strrchr(type, '/');
    unsigned n = identifiers(type);

    if (n != 2 && n != 3)
        return bad_name("type", type, "package/msg/Name");
    if (snprintf(name, ACHDDS_NAME_MAX, "%.*s::%.*s::%s%s%s", (int)(package_end - type), type,
                 n == 2 ? 3 : (int)(last - package_end - 1), n == 2 ? "msg" : package_end + 1,
                 ros2 ? "dds_::" : "", last + 1, ros2 ? "_" : "") >= ACHDDS_NAME_MAX)
        return bad_name("type", type, "fewer letters");
    return true;
}
