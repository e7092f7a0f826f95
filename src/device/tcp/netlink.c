/* SPDX-License-Identifier: BSD-3-Clause */
#include "netlink.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for an answer; there is one, and it is short. */
#define ANSWER 8192

static size_t address_size(const struct achi_end *end)
{
    return end->family == AF_INET ? sizeof(end->address.v4) : sizeof(end->address.v6);
}

/* Ask, and take the answer into @answer: its length, or -1 with errno. */
static ssize_t exchange(int protocol, const void *question, size_t size, void *answer)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    ssize_t n = -1;
    int error;

    if (fd < 0)
        return -1;
    if (send(fd, question, size, MSG_DONTWAIT) == (ssize_t)size)
        n = recv(fd, answer, ANSWER, MSG_DONTWAIT); /* the kernel has answered by now */
    error = errno;
    close(fd);
    errno = error;
    return n;
}

/* The body of an answer of that type and at least that size. NULL: another one; with errno. */
static const void *ask(int protocol, const void *question, size_t size, int type, size_t least,
                       void *answer)
{
    const struct nlmsghdr *h = answer;
    ssize_t n = exchange(protocol, question, size, answer);

    if (n < 0)
        return NULL;
    if (!NLMSG_OK(h, (size_t)n)) {
        errno = EPROTO;
        return NULL;
    }
    if (h->nlmsg_type == NLMSG_ERROR && h->nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr))) {
        errno = -((const struct nlmsgerr *)NLMSG_DATA(h))->error;
        return NULL;
    }
    errno = EPROTO;
    return h->nlmsg_type == type && h->nlmsg_len >= NLMSG_LENGTH(least) ? NLMSG_DATA(h) : NULL;
}

/* Connected to the other end, or was until one of them began to close; not one that listens. */
static bool is_connection(const struct inet_diag_msg *m, const struct inet_diag_sockid *id)
{
    return (m->idiag_state == TCP_ESTABLISHED || m->idiag_state == TCP_FIN_WAIT1 ||
            m->idiag_state == TCP_FIN_WAIT2 || m->idiag_state == TCP_CLOSE_WAIT) &&
           m->idiag_inode && m->id.idiag_sport == id->idiag_sport &&
           m->id.idiag_dport == id->idiag_dport;
}

enum achi_found achi_netlink_owner(const struct achi_end *end, const struct achi_end *other,
                                   uid_t *uid)
{
    struct {
        struct nlmsghdr h;
        struct inet_diag_req_v2 r;
    } q = {.h = {.nlmsg_len = sizeof(q),
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST},
           .r = {.sdiag_family = (unsigned char)end->family,
                 .sdiag_protocol = IPPROTO_TCP,
                 .idiag_states = ~0u,
                 .id = {.idiag_sport = end->port,
                        .idiag_dport = other->port,
                        .idiag_if = end->scope,
                        .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
    _Alignas(struct nlmsghdr) char answer[ANSWER];
    const struct inet_diag_msg *m;

    memcpy(q.r.id.idiag_src, &end->address, address_size(end));
    memcpy(q.r.id.idiag_dst, &other->address, address_size(other));
    m = ask(NETLINK_SOCK_DIAG, &q, sizeof(q), SOCK_DIAG_BY_FAMILY, sizeof(*m), answer);
    if (!m) /* ENOENT: no such socket; but also: the kernel has no module for that */
        return errno == ENOENT ? ACHI_NOT_FOUND : ACHI_CANNOT_TELL;
    if (!is_connection(m, &q.r.id))
        return ACHI_NOT_FOUND;
    *uid = m->idiag_uid;
    return ACHI_FOUND;
}

enum achi_found achi_netlink_local(const struct achi_end *end)
{
    struct {
        struct nlmsghdr h;
        struct rtmsg r;
        char attributes[RTA_SPACE(sizeof(struct in6_addr)) + RTA_SPACE(sizeof(unsigned))];
    } q = {.h = {.nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST},
           .r = {.rtm_family = (unsigned char)end->family,
                 .rtm_dst_len = (unsigned char)(8 * address_size(end))}};
    struct rtattr *a = (struct rtattr *)(void *)q.attributes;
    _Alignas(struct nlmsghdr) char answer[ANSWER];
    const struct rtmsg *m;
    size_t size = RTA_SPACE(address_size(end));

    a->rta_type = RTA_DST;
    a->rta_len = (unsigned short)RTA_LENGTH(address_size(end));
    memcpy(RTA_DATA(a), &end->address, address_size(end));
    if (end->scope) {
        a = (struct rtattr *)(void *)(q.attributes + size);
        a->rta_type = RTA_OIF;
        a->rta_len = (unsigned short)RTA_LENGTH(sizeof(end->scope));
        memcpy(RTA_DATA(a), &end->scope, sizeof(end->scope));
        size += RTA_SPACE(sizeof(end->scope));
    }
    q.h.nlmsg_len = (unsigned)(NLMSG_LENGTH(sizeof(q.r)) + size);
    m = ask(NETLINK_ROUTE, &q, q.h.nlmsg_len, RTM_NEWROUTE, sizeof(*m), answer);
    if (m)
        return m->rtm_type == RTN_LOCAL ? ACHI_FOUND : ACHI_NOT_FOUND;
    return errno == ENETUNREACH || errno == EHOSTUNREACH ? ACHI_NOT_FOUND : ACHI_CANNOT_TELL;
}
