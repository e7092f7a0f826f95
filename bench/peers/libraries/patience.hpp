/* SPDX-License-Identifier: BSD-3-Clause */
/* patience.hpp - how long a receiver that looks again and again still may */
#ifndef PEERS_PATIENCE_HPP
#define PEERS_PATIENCE_HPP

#include <chrono>
#include <sched.h>

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

#endif
