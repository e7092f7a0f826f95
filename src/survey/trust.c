/* SPDX-License-Identifier: BSD-3-Clause */
#include "trust.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#define RELAY_USER "achd" /* as in achd.service */

static bool trust_owner(const ach_info_t *info, uid_t owner)
{
    return info->uid == owner && !(info->mode & S_IWOTH);
}

bool trust_channel(const ach_info_t *info)
{
    return trust_owner(info, 0) || trust_owner(info, geteuid());
}

/* Looked up once: a directory of users may be far away. */
static uid_t trust_relay_user(void)
{
    static bool known;
    static uid_t uid;
    const struct passwd *p;

    if (!known) {
        p = getpwnam(RELAY_USER);
        uid = p ? p->pw_uid : 0;
    }
    known = true;
    return uid;
}

bool trust_relay(const ach_info_t *info)
{
    return trust_channel(info) || trust_owner(info, trust_relay_user());
}
