/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * adapter.hpp - a contender whose ends are objects of a class
 *
 * An adapter derives End from Adapter, with the functions and constants below
 * that it needs, and exports contenders. All functions are as in contender.h.
 * open, send and receive must be there. An exception in a function is a failure.
 */
#ifndef PEERS_ADAPTER_HPP
#define PEERS_ADAPTER_HPP

#include "contender.h"

#include <chrono>
#include <map>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <type_traits>
#include <unistd.h>

/* All that a module exports. */
extern "C" __attribute__((visibility("default"))) const struct contender contenders[];

struct Adapter {
    static constexpr unsigned looks_first = 0;
    static constexpr enum reach reach = REACH_MACHINE;
    static constexpr size_t max_size = 0;
    static constexpr bool multicasts = false, copies_nothing = false, yields = true;
    static constexpr auto start = nullptr, stop = nullptr, setup = nullptr;
    static constexpr auto join = nullptr, leave = nullptr;

    void close(struct link &)
    {
    }
    bool loan(struct link &);
    bool limit(struct link &, int timeout_ms);
    bool release(struct link &);
};

template <typename End> End &end_of(struct link *l)
{
    return *static_cast<End *>(l->state);
}

/* What a function returns, or failed if it throws. */
template <typename Result, typename Function> Result guarded(Result failed, Function function)
{
    try {
        return function();
    } catch (...) {
        return failed;
    }
}

template <typename End>
struct contender adapter(const char *name, const char *package, const char *source, unsigned modes,
                         const char *settings)
{
    struct contender c = {};

    c.name = name;
    c.kind = KIND_LIBRARY;
    c.package = package;
    c.settings = settings;
    c.source = source;
    c.reach = End::reach;
    c.modes = modes;
    c.looks_first = End::looks_first;
    c.max_size = End::max_size;
    c.multicasts = End::multicasts;
    c.copies_nothing = End::copies_nothing;
    c.yields = End::yields;
    c.start = End::start;
    c.stop = End::stop;
    c.setup = End::setup;
    if constexpr (!std::is_null_pointer_v<decltype(End::join)>)
        c.join = [] { return guarded(false, End::join); };
    if constexpr (!std::is_null_pointer_v<decltype(End::leave)>)
        c.leave = [] { guarded(false, [] { return End::leave(), true; }); };
    c.open = [](struct link *l) {
        return guarded(false, [l]() -> bool {
            l->state = new End;
            return end_of<End>(l).open(*l);
        });
    };
    c.close = [](struct link *l) {
        end_of<End>(l).close(*l);
        delete &end_of<End>(l);
    };
    if constexpr (!std::is_same_v<decltype(&End::loan), decltype(&Adapter::loan)>)
        c.loan = [](struct link *l) { return end_of<End>(l).loan(*l); };
    c.send = [](struct link *l) {
        return guarded(-1, [l]() -> int { return end_of<End>(l).send(*l); });
    };
    if constexpr (!std::is_same_v<decltype(&End::limit), decltype(&Adapter::limit)>)
        c.limit = [](struct link *l, int ms) { return end_of<End>(l).limit(*l, ms); };
    c.receive = [](struct link *l, int ms) -> ssize_t { return end_of<End>(l).receive(*l, ms); };
    if constexpr (!std::is_same_v<decltype(&End::release), decltype(&Adapter::release)>)
        c.release = [](struct link *l) { return end_of<End>(l).release(*l); };
    return c;
}

/* Bind or connect to a TCP port of the loopback interface. Returns the port, for 0 the one that the
   kernel found. 0: failed. */
template <typename Attach> uint16_t loopback_port(uint16_t port, Attach bind_or_connect)
{
    struct sockaddr_in in = {};
    auto *at = reinterpret_cast<struct sockaddr *>(&in);
    socklen_t length = sizeof in;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool ok =
        bind_or_connect(fd, at, length) == 0 && (port != 0 || getsockname(fd, at, &length) == 0);
    close(fd);
    return ok ? ntohs(in.sin_port) : 0;
}

/* Where the ends of a link find each other: sockets in the working directory, or TCP. */
struct Ipc {
    static constexpr enum reach reach = REACH_MACHINE;
    static constexpr auto setup = nullptr;

    static std::string address(const struct link &l, unsigned sender)
    {
        return "ipc://link-" + std::to_string(l.id) + "-" + std::to_string(sender);
    }
};

struct Tcp {
    static constexpr enum reach reach = REACH_NETWORK;

    static inline std::map<std::pair<unsigned, unsigned>, uint16_t> ports; /* by link and sender */

    /* Choose free ports before the ends fork. */
    static bool setup(struct link *l)
    {
        for (unsigned i = 0; i < l->senders; i++)
            if ((ports[{l->id, i}] = loopback_port(0, bind)) == 0)
                return refuse(l, "there is no port on the loopback interface");
        return true;
    }

    static std::string address(const struct link &l, unsigned sender)
    {
        return "tcp://127.0.0.1:" + std::to_string(ports.at({l.id, sender}));
    }
};

/* Every sender has an address. Attach a sender to its own, a receiver to all; attach returns 0. */
template <typename Transport, typename Attach> bool attach_all(const struct link &l, Attach attach)
{
    bool ok = true;

    for (unsigned i = 0; ok && i < l.senders; i++)
        if (l.side == RECEIVER || i == l.index)
            ok = !attach(Transport::address(l, i).c_str());
    return ok;
}

/* A name for a link that no other program and no other link has. */
inline std::string link_name(const char *prefix, const struct link &l)
{
    return prefix + ("_" + std::to_string(getppid())) + "_" + std::to_string(l.id);
}

/* Messages in a queue of which the library does not say how long it should be. */
inline unsigned queue_length(size_t size)
{
    return size <= 64 << 10 ? 256 : 8;
}

/* Wait until a condition holds, but no longer than so many seconds. Does it? */
template <typename Condition> bool eventually(double seconds, Condition condition)
{
    for (int looks = int(seconds * 200); looks > 0; looks--) {
        if (condition())
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

/* A sender that leaves at once can take the last messages with it. Wait until its receivers have
   gone, but not long: they may be waiting alike. */
template <typename Receivers> void linger(Receivers receivers)
{
    eventually(0.3, [&] { return receivers() == 0; });
}

#endif
