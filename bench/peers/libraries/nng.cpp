/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nng.cpp - nng's pub0 and sub0 over ipc:// and tcp://
 *
 * Every sender listens at an address of its own, every receiver dials all.
 * Messages are written and read in place, in an nng_msg.
 */
#include "adapter.hpp"

#include <cstring>
#include <nng/nng.h>
#include <nng/protocol/pubsub0/pub.h>
#include <nng/protocol/pubsub0/sub.h>
#include <nng/supplemental/util/platform.h>
#include <sched.h>

template <typename Transport> struct End : Adapter {
    static constexpr auto reach = Transport::reach;
    static constexpr auto setup = Transport::setup;

    nng_socket socket;
    nng_msg *message;

    bool configure(struct link &l)
    {
        if (l.side == SENDER)
            return nng_pub0_open(&socket) == 0 &&
                   nng_socket_set_int(socket, NNG_OPT_SENDBUF, 128) == 0;
        return nng_sub0_open(&socket) == 0 &&
               nng_socket_set(socket, NNG_OPT_SUB_SUBSCRIBE, "", 0) == 0 &&
               nng_socket_set_int(socket, NNG_OPT_RECVBUF, 128) == 0 &&
               nng_socket_set_size(socket, NNG_OPT_RECVMAXSZ, 0) == 0 &&
               nng_socket_set_ms(socket, NNG_OPT_RECONNMINT, 5) == 0 &&
               nng_socket_set_ms(socket, NNG_OPT_RECONNMAXT, 5) == 0 &&
               (l.mode != MODE_POLL || nng_socket_get_int(socket, NNG_OPT_RECVFD, &l.fd) == 0);
    }

    /* A thread of the library spins from when a socket is made until it is connected. With
       SCHED_FIFO and one core, those that would connect it never run: let the threads have other
       cores then. A receiver dials in the background: a sender may start later. */
    bool open(struct link &l)
    {
        cpu_set_t mine, all;

        std::memset(&all, 0xff, sizeof all);
        sched_getaffinity(0, sizeof mine, &mine);
        if (sched_getscheduler(0) != SCHED_OTHER)
            sched_setaffinity(0, sizeof all, &all);
        const bool ok = configure(l) && attach_all<Transport>(l, [&](const char *at) {
                            return l.side == SENDER
                                       ? nng_listen(socket, at, nullptr, 0)
                                       : nng_dial(socket, at, nullptr, NNG_FLAG_NONBLOCK);
                        });
        return sched_setaffinity(0, sizeof mine, &mine) == 0 && ok;
    }

    /* Close throws away what is on its way; the manual says to wait a little. */
    void close(struct link &l)
    {
        if (l.side == SENDER)
            nng_msleep(50);
        nng_close(socket);
    }

    bool loan(struct link &l)
    {
        return nng_msg_alloc(&message, l.size) == 0 && (l.message = nng_msg_body(message));
    }

    int send(struct link &)
    {
        if (nng_sendmsg(socket, message, 0) == 0)
            return 1;
        nng_msg_free(message);
        return -1;
    }

    bool limit(struct link &, int timeout_ms)
    {
        return nng_socket_set_ms(socket, NNG_OPT_RECVTIMEO, timeout_ms) == 0;
    }

    size_t receive(struct link &l, int timeout_ms)
    {
        if (nng_recvmsg(socket, &message, timeout_ms > 0 ? 0 : NNG_FLAG_NONBLOCK) != 0)
            return 0;
        l.message = nng_msg_body(message);
        return nng_msg_len(message);
    }

    bool release(struct link &)
    {
        nng_msg_free(message);
        return true;
    }
};

#define NNG(NAME, OVER)                                                                            \
    NAME, "libnng-dev", __FILE__, MODE_BLOCK | MODE_SPIN | MODE_POLL,                              \
        "pub0/sub0 over " OVER "; messages written and read in place; queues of 128 messages "     \
        "at both ends (the default of a subscriber); a slow receiver loses the oldest"

const struct contender contenders[] = {
    adapter<End<Ipc>>(NNG("nng", "ipc")), adapter<End<Tcp>>(NNG("nng-tcp", "TCP on loopback")), {}};
