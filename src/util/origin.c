/* SPDX-License-Identifier: BSD-3-Clause */
#include "origin.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "endpoint.h"

/* States in /proc/net/tcp of sockets with an owner: connected, or half closed. */
#define PROC_ESTABLISHED 1u
#define PROC_FIN_WAIT1 4u
#define PROC_FIN_WAIT2 5u
#define PROC_CLOSE_WAIT 8u

static bool read_ends(int fd, struct tcp_endpoint *ours, struct tcp_endpoint *theirs)
{
    struct sockaddr_storage a = {0}, b = {0};
    socklen_t n = sizeof(a), m = sizeof(b);

    return getsockname(fd, (struct sockaddr *)&a, &n) == 0 &&
           getpeername(fd, (struct sockaddr *)&b, &m) == 0 && tcp_endpoint_read(&a, ours) &&
           tcp_endpoint_read(&b, theirs) && ours->family == theirs->family;
}

/* An address as in /proc/net/tcp: its bytes read as 32-bit words in host byte order. */
static void proc_text(const struct tcp_endpoint *e, char *text, size_t size)
{
    uint32_t w[4];

    memcpy(w, &e->address, sizeof(w));
    if (e->family == AF_INET)
        snprintf(text, size, "%08" PRIX32 ":%04X", w[0], ntohs(e->port));
    else
        snprintf(text, size, "%08" PRIX32 "%08" PRIX32 "%08" PRIX32 "%08" PRIX32 ":%04X", w[0],
                 w[1], w[2], w[3], ntohs(e->port));
}

static enum tcp_found read_proc(FILE *f, const char *end, const char *other, uid_t *uid)
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
            return TCP_FOUND;
        }
    return TCP_NOT_FOUND;
}

static enum tcp_found search_proc(const char *path, const struct tcp_endpoint *end,
                                  const struct tcp_endpoint *other, uid_t *uid)
{
    FILE *f = fopen(path, "re");
    char from[64], to[64];
    enum tcp_found found;

    if (!f)
        return tcp_netlink_failure(errno);
    proc_text(end, from, sizeof(from));
    proc_text(other, to, sizeof(to));
    found = read_proc(f, from, to, uid);
    fclose(f);
    return found;
}

/* An IPv4 address as an IPv4-mapped IPv6 address. */
static struct tcp_endpoint mapped(const struct tcp_endpoint *end)
{
    struct tcp_endpoint e = {.family = AF_INET6, .port = end->port};

    e.address.v6.s6_addr[10] = e.address.v6.s6_addr[11] = 0xff;
    memcpy(&e.address.v6.s6_addr[12], &end->address.v4, sizeof(end->address.v4));
    return e;
}

/* A peer with an IPv4 address may use an IPv6 socket, listed in /proc/net/tcp6. */
static enum tcp_found proc_owner(const struct tcp_endpoint *end, const struct tcp_endpoint *other,
                                 uid_t *uid)
{
    struct tcp_endpoint e = *end, o = *other;
    enum tcp_found found;

    if (end->family == AF_INET) {
        found = search_proc("/proc/net/tcp", end, other, uid);
        if (found == TCP_FOUND || found == TCP_LACKING)
            return found;
        e = mapped(end);
        o = mapped(other);
    }
    return search_proc("/proc/net/tcp6", &e, &o, uid);
}

/* Without inet_diag the kernel finds no sockets: trust TCP_NOT_FOUND only if it finds our own. */
static enum tcp_found owner(struct tcp_netlink *n, const struct tcp_endpoint *end,
                            const struct tcp_endpoint *other, uid_t *uid)
{
    enum tcp_found found = tcp_netlink_owner(n, end, other, uid);
    uid_t own;

    if (found == TCP_FOUND || found == TCP_LACKING)
        return found;
    if (found == TCP_NOT_FOUND && tcp_netlink_owner(n, other, end, &own) == TCP_FOUND)
        return TCP_NOT_FOUND;
    return proc_owner(end, other, uid);
}

/* False: out of descriptors or memory. */
static bool read_users(struct tcp_origins *o)
{
    FILE *map = fopen("/proc/self/uid_map", "re");
    bool good = map || tcp_netlink_failure(errno) != TCP_LACKING;
    FILE *number = fopen("/proc/sys/kernel/overflowuid", "re");
    unsigned inside = 1, outside = 1, count = 0, overflow = 65534;

    good = good && (number || tcp_netlink_failure(errno) != TCP_LACKING);
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

bool tcp_origins_open(struct tcp_origins *o)
{
    if (!tcp_netlink_open(&o->netlink))
        return false;
    if (read_users(o))
        return true;
    tcp_origins_close(o);
    return false;
}

void tcp_origins_close(struct tcp_origins *o)
{
    tcp_netlink_close(&o->netlink);
}

static bool still_connected(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
           (info.tcpi_state == TCP_ESTABLISHED || info.tcpi_state == TCP_CLOSE_WAIT);
}

bool tcp_origin_find(struct tcp_origins *o, int fd, struct tcp_origin *origin)
{
    struct tcp_endpoint ours, theirs;
    enum tcp_found found;
    uid_t uid = TCP_UID_UNKNOWN;

    *origin = (struct tcp_origin){.local = true, .uid = TCP_UID_UNKNOWN};
    if (!read_ends(fd, &ours, &theirs))
        return true;
    found = owner(&o->netlink, &theirs, &ours, &uid);
    if (found == TCP_FOUND && (o->all_have_one || uid != o->overflow) && still_connected(fd))
        origin->uid = uid;
    if (found == TCP_FOUND || found == TCP_LACKING || tcp_endpoint_is_loopback(&theirs))
        return found != TCP_LACKING;
    found = tcp_netlink_remote(&o->netlink, &theirs, &ours);
    origin->local = found != TCP_FOUND;
    return found != TCP_LACKING;
}
