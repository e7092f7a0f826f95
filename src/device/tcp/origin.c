/* SPDX-License-Identifier: BSD-3-Clause */
#include "origin.h"

#include <ach/access.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "end.h"

/* The states of /proc/net/tcp that have an owner: connected, or half closed. */
#define PROC_ESTABLISHED 1u
#define PROC_FIN_WAIT1 4u
#define PROC_FIN_WAIT2 5u
#define PROC_CLOSE_WAIT 8u

static bool read_ends(int fd, struct achi_end *ours, struct achi_end *theirs)
{
    struct sockaddr_storage a = {0}, b = {0};
    socklen_t n = sizeof(a), m = sizeof(b);

    return getsockname(fd, (struct sockaddr *)&a, &n) == 0 &&
           getpeername(fd, (struct sockaddr *)&b, &m) == 0 && achi_end_read(&a, ours) &&
           achi_end_read(&b, theirs) && ours->family == theirs->family;
}

/* An address as /proc/net/tcp has it: words of 32 bits as this machine reads them. */
static void proc_text(const struct achi_end *e, char *text, size_t size)
{
    uint32_t w[4];

    memcpy(w, &e->address, sizeof(w));
    if (e->family == AF_INET)
        snprintf(text, size, "%08" PRIX32 ":%04X", w[0], ntohs(e->port));
    else
        snprintf(text, size, "%08" PRIX32 "%08" PRIX32 "%08" PRIX32 "%08" PRIX32 ":%04X", w[0],
                 w[1], w[2], w[3], ntohs(e->port));
}

static enum achi_found read_proc(FILE *f, const char *end, const char *other, uid_t *uid)
{
    char line[512], from[64], to[64];
    unsigned state, owner;
    unsigned long inode;

    while (fgets(line, sizeof(line), f))
        if (sscanf(line, " %*d: %63s %63s %x %*s %*s %*s %u %*d %lu", from, to, &state, &owner,
                   &inode) == 5 &&
            strcmp(from, end) == 0 && strcmp(to, other) == 0 && inode &&
            (state == PROC_ESTABLISHED || state == PROC_FIN_WAIT1 || state == PROC_FIN_WAIT2 ||
             state == PROC_CLOSE_WAIT)) {
            *uid = owner;
            return ACHI_FOUND;
        }
    return ACHI_NOT_FOUND;
}

static enum achi_found search_proc(const char *path, const struct achi_end *end,
                                   const struct achi_end *other, uid_t *uid)
{
    FILE *f = fopen(path, "re");
    char from[64], to[64];
    enum achi_found found;

    if (!f)
        return achi_netlink_failure(errno);
    proc_text(end, from, sizeof(from));
    proc_text(other, to, sizeof(to));
    found = read_proc(f, from, to, uid);
    fclose(f);
    return found;
}

/* As a socket of IPv6 has it. */
static struct achi_end mapped(const struct achi_end *end)
{
    struct achi_end e = {.family = AF_INET6, .port = end->port};

    e.address.v6.s6_addr[10] = e.address.v6.s6_addr[11] = 0xff;
    memcpy(&e.address.v6.s6_addr[12], &end->address.v4, sizeof(end->address.v4));
    return e;
}

/* The client of an IPv4 address may have a socket of IPv6. */
static enum achi_found proc_owner(const struct achi_end *end, const struct achi_end *other,
                                  uid_t *uid)
{
    struct achi_end e = *end, o = *other;
    enum achi_found found;

    if (end->family == AF_INET) {
        found = search_proc("/proc/net/tcp", end, other, uid);
        if (found == ACHI_FOUND || found == ACHI_LACKING)
            return found;
        e = mapped(end);
        o = mapped(other);
    }
    return search_proc("/proc/net/tcp6", &e, &o, uid);
}

/* A kernel that cannot tell says that there is no such socket; then it has not ours either. */
static enum achi_found owner(struct achi_netlink *n, const struct achi_end *end,
                             const struct achi_end *other, uid_t *uid)
{
    enum achi_found found = achi_netlink_owner(n, end, other, uid);
    uid_t own;

    if (found == ACHI_FOUND || found == ACHI_LACKING)
        return found;
    if (found == ACHI_NOT_FOUND && achi_netlink_owner(n, other, end, &own) == ACHI_FOUND)
        return ACHI_NOT_FOUND;
    return proc_owner(end, other, uid);
}

/* False: descriptors or memory are lacking. */
static bool read_users(struct achi_origins *o)
{
    FILE *map = fopen("/proc/self/uid_map", "re");
    bool good = map || achi_netlink_failure(errno) != ACHI_LACKING;
    FILE *number = fopen("/proc/sys/kernel/overflowuid", "re");
    unsigned inside = 1, outside = 1, count = 0, overflow = 65534;

    good = good && (number || achi_netlink_failure(errno) != ACHI_LACKING);
    if (number && fscanf(number, "%u", &overflow) != 1)
        overflow = 65534;
    o->overflow = overflow;
    o->all_have_one = map && fscanf(map, "%u %u %u", &inside, &outside, &count) == 3 &&
                      inside == 0 && count == UINT32_MAX;
    if (map)
        fclose(map);
    if (number)
        fclose(number);
    return good;
}

bool achi_origins_open(struct achi_origins *o)
{
    if (!achi_netlink_open(&o->netlink))
        return false;
    if (read_users(o))
        return true;
    achi_origins_close(o);
    return false;
}

void achi_origins_close(struct achi_origins *o)
{
    achi_netlink_close(&o->netlink);
}

static bool still_connected(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
           (info.tcpi_state == TCP_ESTABLISHED || info.tcpi_state == TCP_CLOSE_WAIT);
}

bool achi_origin_find(struct achi_origins *o, int fd, struct achi_origin *origin)
{
    struct achi_end ours, theirs;
    enum achi_found found;
    uid_t uid = ACH_UID_UNKNOWN;

    *origin = (struct achi_origin){.local = true, .uid = ACH_UID_UNKNOWN};
    if (!read_ends(fd, &ours, &theirs))
        return true;
    found = owner(&o->netlink, &theirs, &ours, &uid);
    if (found == ACHI_FOUND && (o->all_have_one || uid != o->overflow) && still_connected(fd))
        origin->uid = uid;
    if (found == ACHI_FOUND || found == ACHI_LACKING || achi_end_is_loopback(&theirs))
        return found != ACHI_LACKING;
    found = achi_netlink_remote(&o->netlink, &theirs, &ours);
    origin->local = found != ACHI_FOUND;
    return found != ACHI_LACKING;
}
