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
#include <string>
#include <thread>
#include <type_traits>
#include <unistd.h>

/* All that a module exports. */
extern "C" __attribute__((visibility("default"))) const struct contender contenders[];

struct Adapter {
    static constexpr unsigned looks_first = 0;
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

/* Every sender has an address. Attach a sender to its own, a receiver to all; attach returns 0. */
template <typename Attach> bool attach_ipc(const struct link &l, Attach attach)
{
    bool ok = true;

    for (unsigned i = 0; ok && i < l.senders; i++)
        if (l.side == RECEIVER || i == l.index)
            ok = !attach(("ipc://link-" + std::to_string(l.id) + "-" + std::to_string(i)).c_str());
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
