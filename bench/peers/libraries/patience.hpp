/* SPDX-License-Identifier: BSD-3-Clause */
/* patience.hpp - how long a receiver may look again and again, and a sender may linger */
#ifndef PEERS_PATIENCE_HPP
#define PEERS_PATIENCE_HPP

#include <chrono>
#include <sched.h>
#include <thread>

/* The clock costs more than a look does, so it is read only now and then. */
class Patience
{
  public:
    explicit Patience(int timeout_ms)
        : end_(std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms))
    {
    }

    bool over()
    {
        return ++looks_ % 64 == 0 && std::chrono::steady_clock::now() >= end_;
    }

    /* For libraries that receive in a thread of their own, which may have to share a core with the
       one that looks: it would wait for the end of a time slice. */
    bool over_for_all()
    {
        sched_yield();
        return over();
    }

  private:
    std::chrono::steady_clock::time_point end_;
    unsigned looks_ = 0;
};

/* A sender that leaves at once can take the last messages with it. Wait until its receivers have
   gone, but not long: they may be waiting alike. */
template <typename Receivers> void linger(Receivers receivers)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);

    while (receivers() > 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

#endif
