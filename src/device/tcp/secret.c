/* SPDX-License-Identifier: BSD-3-Clause */
#include "secret.h"

#include <ach.h>
#include <ach/access.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "origin.h"

_Static_assert(TCP_UID_UNKNOWN == ACH_UID_UNKNOWN, "one value for both");

static bool find_user(const char *name, uid_t *uid)
{
    struct passwd entry, *found = NULL;
    char *end, buffer[16384];
    unsigned long number;

    if (getpwnam_r(name, &entry, buffer, sizeof(buffer), &found) == 0 && found) {
        *uid = entry.pw_uid;
        return true;
    }
    errno = 0;
    number = strtoul(name, &end, 10);
    *uid = (uid_t)number;
    return *name >= '0' && *name <= '9' && !*end && !errno && number < ACH_UID_UNKNOWN;
}

static bool find_server(int fd, struct tcp_origin *server)
{
    struct tcp_origins origins;
    bool good;

    if (!tcp_origins_open(&origins))
        return false;
    good = tcp_origin_find(&origins, fd, server);
    tcp_origins_close(&origins);
    return good;
}

ach_status_t tcp_secret_may_show(int fd)
{
    const char *name = getenv("ACH_SECRET_USER");
    struct tcp_origin server;
    uid_t also = 0;

    if (name && strcmp(name, "any") == 0)
        return ACH_OK;
    if (name && *name && !find_user(name, &also))
        return ach_errstr_set(ACH_EINVAL, "ACH_SECRET_USER is no user of this machine: %s", name);
    if (!find_server(fd, &server))
        return ach_errstr_set(ACH_FAILED_SYSCALL,
                              "no descriptors or memory to find out which user runs the server");
    if (!server.local || server.uid == geteuid() || server.uid == 0 || server.uid == also)
        return ACH_OK;
    if (server.uid == ACH_UID_UNKNOWN)
        return ach_errstr_set(ACH_EACCES,
                              "the secret is not sent to this server, because the user that runs "
                              "it is unknown; see ACH_SECRET_USER in ach-dev(1)");
    return ach_errstr_set(ACH_EACCES,
                          "the secret is not sent to this server, because uid %u runs it; if you "
                          "trust that user, set ACH_SECRET_USER=%u",
                          (unsigned)server.uid, (unsigned)server.uid);
}
