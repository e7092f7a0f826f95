/* SPDX-License-Identifier: BSD-3-Clause */
#include "origin.h"

#include <ach/access.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "end.h"
#include "netlink.h"

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
        return ACHI_CANNOT_TELL;
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

    if (end->family == AF_INET) {
        if (search_proc("/proc/net/tcp", end, other, uid) == ACHI_FOUND)
            return ACHI_FOUND;
        e = mapped(end);
        o = mapped(other);
    }
    return search_proc("/proc/net/tcp6", &e, &o, uid);
}

static enum achi_found owner(const struct achi_end *end, const struct achi_end *other, uid_t *uid)
{
    static bool answers; /* so that not finding a socket is an answer */
    enum achi_found found = achi_netlink_owner(end, other, uid);

    if (found == ACHI_FOUND)
        __atomic_store_n(&answers, true, __ATOMIC_RELAXED);
    else if (found == ACHI_CANNOT_TELL || !__atomic_load_n(&answers, __ATOMIC_RELAXED))
        found = proc_owner(end, other, uid);
    return found;
}

/* In a user namespace, users without a number there all have the same one. */
static bool is_nobody_known(uid_t uid)
{
    FILE *f = fopen("/proc/self/uid_map", "re"), *o = fopen("/proc/sys/kernel/overflowuid", "re");
    unsigned inside = 1, outside = 1, count = 0, overflow = 65534;
    bool known;

    if (o && fscanf(o, "%u", &overflow) != 1)
        overflow = 65534;
    known = uid != overflow || (f && fscanf(f, "%u %u %u", &inside, &outside, &count) == 3 &&
                                inside == 0 && count == UINT32_MAX);
    if (f)
        fclose(f);
    if (o)
        fclose(o);
    return known;
}

static bool still_connected(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
           (info.tcpi_state == TCP_ESTABLISHED || info.tcpi_state == TCP_CLOSE_WAIT);
}

struct achi_origin achi_origin_find(int fd)
{
    struct achi_origin o = {.local = true, .uid = ACH_UID_UNKNOWN};
    struct achi_end ours, theirs;
    uid_t uid;

    if (!read_ends(fd, &ours, &theirs))
        return o;
    if (!achi_end_is_loopback(&theirs) && achi_netlink_local(&theirs) == ACHI_NOT_FOUND) {
        o.local = false;
        return o;
    }
    if (owner(&theirs, &ours, &uid) == ACHI_FOUND && is_nobody_known(uid) && still_connected(fd))
        o.uid = uid;
    return o;
}
