/* SPDX-License-Identifier: BSD-3-Clause */
#include "nochannel.h"

#include <ach.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "suggest.h"

#define ERRSTR_TEXT 384

/* Take the directory of the channels from the path of any channel. */
static bool missing_directory(char dir[PATH_MAX])
{
    struct stat st;

    if (ach_channel_path("x", dir, PATH_MAX) != ACH_OK)
        return false;
    *strrchr(dir, '/') = '\0';
    return stat(*dir ? dir : "/", &st) != 0 && errno == ENOENT;
}

bool no_channel_directory(void)
{
    char dir[PATH_MAX];

    return missing_directory(dir);
}

/* Store why the channel was not found. False: the directory is missing, and text is complete. */
static bool begin(char text[NO_CHANNEL_TEXT], char why[ERRSTR_TEXT])
{
    char dir[PATH_MAX];

    snprintf(why, ERRSTR_TEXT, "%s", ach_errstr()); /* later calls overwrite it */
    if (!missing_directory(dir) || !strstr(why, dir))
        return true;
    snprintf(text, NO_CHANNEL_TEXT, "the directory of the channels is missing: %.*s",
             NO_CHANNEL_TEXT / 2, dir);
    return false;
}

const char *no_channel(char text[NO_CHANNEL_TEXT], const char *name, const char *maker)
{
    char why[ERRSTR_TEXT];

    if (begin(text, why))
        snprintf(text, NO_CHANNEL_TEXT, "%s; %s%s'ach mk %s' creates it%s", why, maker ? maker : "",
                 maker ? " or " : "", name, suggest_channel(name));
    return text;
}

const char *no_channel_to_remove(char text[NO_CHANNEL_TEXT], const char *name)
{
    char why[ERRSTR_TEXT];

    if (begin(text, why))
        snprintf(text, NO_CHANNEL_TEXT, "%s%s", why, suggest_channel(name));
    return text;
}
