/* SPDX-License-Identifier: BSD-3-Clause */
/* lcm.cpp - LCM over UDP multicast that does not leave the machine */
#include "adapter.hpp"

#include <arpa/inet.h>
#include <cstdint>
#include <cstring>
#include <lcm/lcm.h>

/* A group for each program, a port for each link: nobody gets what is not for them. */
struct sockaddr_in address_of(const struct link &l, pid_t program)
{
    struct sockaddr_in at = {};

    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<uint16_t>(20000 + l.id % 10000));
    at.sin_addr.s_addr = htonl(0xefff0000u | (program & 0xffff)); /* 239.255.x.y */
    return at;
}

struct End : Adapter {
    static constexpr size_t max_size = LCM_MAX_MESSAGE_SIZE;
    static constexpr bool multicasts = true;

    lcm_t *lcm;
    ssize_t got;

    /* LCM needs a route for multicast even within one machine. */
    static bool setup(struct link *l)
    {
        const struct sockaddr_in at = address_of(*l, getpid());
        const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        const bool ok = connect(fd, reinterpret_cast<const sockaddr *>(&at), sizeof at) == 0;

        ::close(fd);
        return ok ||
               refuse(l, "no route for multicast; `ip route add 239.0.0.0/8 dev lo` makes one");
    }

    static void handle(const lcm_recv_buf_t *message, const char *, void *link)
    {
        auto *l = static_cast<struct link *>(link);
        const size_t size = message->data_size < l->size ? message->data_size : l->size;

        std::memcpy(l->message, message->data, size);
        end_of<End>(l).got = static_cast<ssize_t>(size);
    }

    bool open(struct link &l)
    {
        const struct sockaddr_in at = address_of(l, getppid());
        const std::string group = inet_ntoa(at.sin_addr), port = std::to_string(ntohs(at.sin_port));

        lcm = lcm_create(("udpm://" + group + ":" + port + "?ttl=0&recv_buf_size=4194304").c_str());
        if (!lcm || l.side == SENDER)
            return lcm; /* asking for its descriptor would make it receive, too */
        return lcm_subscribe(lcm, "peers", handle, &l) && (l.fd = lcm_get_fileno(lcm)) >= 0;
    }

    void close(struct link &)
    {
        lcm_destroy(lcm);
    }

    int send(struct link &l)
    {
        return lcm_publish(lcm, "peers", l.message, static_cast<unsigned>(l.size)) == 0 ? 1 : -1;
    }

    ssize_t receive(struct link &l, int timeout_ms)
    {
        got = 0;
        const int n = l.mode == MODE_POLL ? lcm_handle(lcm) : lcm_handle_timeout(lcm, timeout_ms);
        return n < 0 ? -1 : got;
    }
};

const struct contender contenders[] = {
    adapter<End>(
        "lcm", "liblcm-dev", __FILE__, MODE_BLOCK | MODE_SPIN | MODE_POLL,
        "UDP multicast, ttl=0: stays on the machine; recv_buf_size=4 MiB (if the kernel allows it) "
        "against loss of large messages; queue of 30 messages (the default); a slow receiver loses "
        "the newest"),
    {}};
