// SPDX-License-Identifier: BSD-3-Clause
// approach.cc - a 100 Hz controller in C++: drive towards a wall, and stop half a metre before it
#include <ach/ach.hpp>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <thread>

using namespace std::chrono_literals;

struct Range {
    double distance; // to the wall, in metres
};

struct Speed {
    double forward; // metres per second
};

// A cart with a range sensor, in place of the real one.
static void cart(const std::atomic<bool> &stop)
{
    ach::channel<Range> range("approach-range");
    ach::channel<Speed> speed("approach-speed");
    ach::period period(5ms);
    double distance = 2;

    while (!stop) {
        if (std::optional<Speed> s = speed.poll(ach::newest_again))
            distance -= s->forward * 0.005;
        range.put({distance});
        period.wait();
    }
}

static double approach()
{
    ach::channel<Range> range("approach-range");
    ach::channel<Speed> speed("approach-speed");
    ach::period period(10ms);
    double error;

    do {
        error = range.get(ach::newest_again).distance - 0.5;
        speed.put({4 * error});
        period.wait();
    } while (std::abs(error) > 0.005);
    speed.put({0});
    return error + 0.5;
}

int main()
{
    ach::create_options o;

    o.truncate = true;
    ach::create<Range>("approach-range", o);
    ach::create<Speed>("approach-speed", o);

    std::atomic<bool> stop = false;
    std::thread thread(cart, std::cref(stop));
    std::printf("stopped at %.2f m\n", approach());
    stop = true;
    thread.join();

    ach::unlink("approach-range");
    ach::unlink("approach-speed");
    return 0;
}
