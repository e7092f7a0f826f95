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

/* Bytes of the buffer for an answer, which is one short message. */
#define ANSWER 8192

static size_t address_size(const struct tcp_endpoint *end)
{
    return end->family == AF_INET ? sizeof(end->address.v4) : sizeof(end->address.v6);
}

enum tcp_found tcp_netlink_failure(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS
               ? TCP_LACKING
               : TCP_CANNOT_TELL;
}

/* False: out of descriptors or memory. */
static bool open_socket(int protocol, int *fd)
{
    *fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    return *fd >= 0 || tcp_netlink_failure(errno) != TCP_LACKING;
}

bool tcp_netlink_open(struct tcp_netlink *n)
{
    *n = (struct tcp_netlink){.diag = -1, .route = -1};
    if (open_socket(NETLINK_SOCK_DIAG, &n->diag) && open_socket(NETLINK_ROUTE, &n->route))
        return true;
    tcp_netlink_close(n);
    return false;
}

void tcp_netlink_close(struct tcp_netlink *n)
{
    if (n->diag >= 0)
        close(n->diag);
    if (n->route >= 0)
        close(n->route);
    n->diag = n->route = -1;
}

/* Send a query and receive its answer into @answer. Returns its length, or -1 with errno. */
static ssize_t exchange(int fd, const struct nlmsghdr *question, void *answer)
{
    const struct nlmsghdr *h = answer;
    ssize_t n;

    if (send(fd, question, question->nlmsg_len, MSG_DONTWAIT) != (ssize_t)question->nlmsg_len)
        return -1;
    do /* the kernel has answered by now; skip answers to earlier queries */
        n = recv(fd, answer, ANSWER, MSG_DONTWAIT);
    while (n >= (ssize_t)sizeof(*h) && h->nlmsg_seq != question->nlmsg_seq);
    return n;
}

/* Returns the body of the answer, of @type and at least @least bytes; NULL: failed, with errno. */
static const void *ask(int fd, const struct nlmsghdr *question, int type, size_t least,
                       void *answer)
{
    const struct nlmsghdr *h = answer;
    ssize_t n = exchange(fd, question, answer);

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

/* Whether it is a socket of this connection, established or half closed; not a listening one. */
static bool is_connection(const struct inet_diag_msg *m, const struct inet_diag_sockid *id)
{
    return (m->idiag_state == TCP_ESTABLISHED || m->idiag_state == TCP_FIN_WAIT1 ||
            m->idiag_state == TCP_FIN_WAIT2 || m->idiag_state == TCP_CLOSE_WAIT) &&
           m->idiag_inode && m->id.idiag_sport == id->idiag_sport &&
           m->id.idiag_dport == id->idiag_dport;
}

enum tcp_found tcp_netlink_owner(struct tcp_netlink *n, const struct tcp_endpoint *end,
                                 const struct tcp_endpoint *other, uid_t *uid)
{
    struct {
        struct nlmsghdr h;
        struct inet_diag_req_v2 r;
    } q = {.h = {.nlmsg_len = sizeof(q),
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST,
                 .nlmsg_seq = ++n->sequence},
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
    m = ask(n->diag, &q.h, SOCK_DIAG_BY_FAMILY, sizeof(*m), answer);
    if (!m) /* ENOENT: no such socket, or the kernel has no inet_diag module */
        return errno == ENOENT ? TCP_NOT_FOUND : tcp_netlink_failure(errno);
    if (!is_connection(m, &q.r.id))
        return TCP_NOT_FOUND;
    *uid = m->idiag_uid;
    return TCP_FOUND;
}

struct route_question {
    struct nlmsghdr h;
    struct rtmsg r;
    char attributes[2 * RTA_SPACE(sizeof(struct in6_addr)) + RTA_SPACE(sizeof(unsigned))];
};

static void add_attribute(struct route_question *q, unsigned short type, const void *value,
                          size_t size)
{
    struct rtattr *a = (struct rtattr *)(void *)((char *)q + q->h.nlmsg_len);

    a->rta_type = type;
    a->rta_len = (unsigned short)RTA_LENGTH(size);
    memcpy(RTA_DATA(a), value, size);
    q->h.nlmsg_len += (unsigned)RTA_SPACE(size);
}

enum tcp_found tcp_netlink_remote(struct tcp_netlink *n, const struct tcp_endpoint *end,
                                  const struct tcp_endpoint *source)
{
    const unsigned char bits = (unsigned char)(8 * address_size(end));
    struct route_question q = {
        .h = {.nlmsg_len = NLMSG_LENGTH(sizeof(q.r)),
              .nlmsg_type = RTM_GETROUTE,
              .nlmsg_flags = NLM_F_REQUEST,
              .nlmsg_seq = ++n->sequence},
        .r = {.rtm_family = (unsigned char)end->family, .rtm_dst_len = bits, .rtm_src_len = bits}};
    _Alignas(struct nlmsghdr) char answer[ANSWER];
    const struct rtmsg *m;

    add_attribute(&q, RTA_DST, &end->address, address_size(end));
    add_attribute(&q, RTA_SRC, &source->address, address_size(source));
    if (end->scope)
        add_attribute(&q, RTA_OIF, &end->scope, sizeof(end->scope));
    m = ask(n->route, &q.h, RTM_NEWROUTE, sizeof(*m), answer);
    if (!m)
        return tcp_netlink_failure(errno);
    return m->rtm_type == RTN_UNICAST ? TCP_FOUND : TCP_NOT_FOUND;
}
