/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zeromq.cpp - ZeroMQ's PUB and SUB sockets over ipc:// and tcp://
 *
 * Every sender binds an address of its own, every receiver connects to all.
 * Messages are written and read in place, in a zmq_msg_t.
 */
#include "adapter.hpp"

#include <cerrno>
#include <zmq.h>

/* What has been sent still goes out when the socket is closed, but nobody waits long for it. */
const int linger_ms = 200;

/* Queues have 1000 messages by default; large messages get fewer, or they would fill the memory. */
int high_water_mark(size_t size)
{
    const size_t most = (size_t(64) << 20) / size;

    return most > 1000 ? 1000 : most < 16 ? 16 : static_cast<int>(most);
}

template <typename Transport> struct End : Adapter {
    static constexpr auto reach = Transport::reach;
    static constexpr auto setup = Transport::setup;
    static constexpr unsigned looks_first = MODE_POLL; /* the descriptor tells only of a change */

    void *context, *socket;
    zmq_msg_t message;

    bool set(int option, int value)
    {
        return zmq_setsockopt(socket, option, &value, sizeof value) == 0;
    }

    bool open(struct link &l)
    {
        const bool sends = l.side == SENDER;
        size_t size = sizeof l.fd;

        context = zmq_ctx_new();
        socket = zmq_socket(context, sends ? ZMQ_PUB : ZMQ_SUB);
        return socket && set(ZMQ_LINGER, linger_ms) &&
               set(sends ? ZMQ_SNDHWM : ZMQ_RCVHWM, high_water_mark(l.size)) &&
               (sends || (zmq_msg_init(&message) == 0 && set(ZMQ_RECONNECT_IVL, 5) &&
                          zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0) == 0 &&
                          zmq_getsockopt(socket, ZMQ_FD, &l.fd, &size) == 0)) &&
               attach_all<Transport>(l, [&](const char *at) {
                   return sends ? zmq_bind(socket, at) : zmq_connect(socket, at);
               });
    }

    void close(struct link &)
    {
        zmq_close(socket);
        zmq_ctx_term(context);
    }

    bool loan(struct link &l)
    {
        return zmq_msg_init_size(&message, l.size) == 0 && (l.message = zmq_msg_data(&message));
    }

    int send(struct link &)
    {
        if (zmq_msg_send(&message, socket, 0) >= 0)
            return 1;
        zmq_msg_close(&message);
        return errno == EAGAIN ? 0 : -1;
    }

    bool limit(struct link &, int timeout_ms)
    {
        return set(ZMQ_RCVTIMEO, timeout_ms);
    }

    int receive(struct link &l, int timeout_ms)
    {
        const int n = zmq_msg_recv(&message, socket, timeout_ms > 0 ? 0 : ZMQ_DONTWAIT);

        l.message = zmq_msg_data(&message);
        return n < 0 ? 0 : n;
    }

    bool release(struct link &)
    {
        return zmq_msg_close(&message) == 0 && zmq_msg_init(&message) == 0;
    }
};

#define ZEROMQ(NAME, OVER)                                                                         \
    NAME, "libzmq3-dev", __FILE__, MODE_BLOCK | MODE_SPIN | MODE_POLL,                             \
        "PUB/SUB over " OVER "; messages written and read in place; one I/O thread; high water "   \
        "marks 1000 messages (the default) or 64 MiB; a slow receiver loses the newest"

const struct contender contenders[] = {adapter<End<Ipc>>(ZEROMQ("zeromq", "ipc")),
                                       adapter<End<Tcp>>(ZEROMQ("zeromq-tcp", "TCP on loopback")),
                                       {}};
