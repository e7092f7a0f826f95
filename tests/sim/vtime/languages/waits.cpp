// SPDX-License-Identifier: BSD-3-Clause
// waits.cpp - timed waits of C++: each takes the requested time, by the clocks that it reads
//
// usage: waits SLACK: milliseconds that a wait may take longer
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono;

static int failures, slack;

template <class F> static void takes(const char *what, int ms, F f, int more = 0)
{
    auto begin = steady_clock::now();
    f();
    auto took = steady_clock::now() - begin;
    if (took < milliseconds(ms) || took > milliseconds(ms + slack + more)) {
        std::printf("%s took %lld ns\n", what, static_cast<long long>(nanoseconds(took).count()));
        failures++;
    }
}

static void timeouts()
{
    std::promise<int> promise;
    auto future = promise.get_future();
    std::condition_variable cond;
    std::mutex mutex;

    takes("sleep_for", 50, [] { std::this_thread::sleep_for(50ms); });
    takes("sleep_until", 50, [] { std::this_thread::sleep_until(system_clock::now() + 50ms); });
    takes("future::wait_for", 50, [&] { future.wait_for(50ms); });
    takes("future::wait_until", 50, [&] { future.wait_until(system_clock::now() + 50ms); });
    takes("condition_variable", 50, [&] {
        std::unique_lock<std::mutex> lock(mutex);
        cond.wait_for(lock, 50ms, [] { return false; });
    });
}

static void held_locks()
{
    std::shared_timed_mutex shared;
    std::timed_mutex timed;
    std::recursive_timed_mutex recursive;
    std::promise<void> held;
    std::thread holder([&] {
        std::lock_guard<std::shared_timed_mutex> a(shared);
        std::lock_guard<std::timed_mutex> b(timed);
        std::lock_guard<std::recursive_timed_mutex> c(recursive);
        held.set_value();
        std::this_thread::sleep_for(1000ms);
    });

    held.get_future().wait();
    takes("try_lock_for", 50, [&] { shared.try_lock_for(50ms); });
    takes("try_lock_shared_for", 50, [&] { shared.try_lock_shared_for(50ms); });
    takes("timed_mutex", 50, [&] { timed.try_lock_for(50ms); });
    takes("recursive_timed_mutex", 50, [&] { recursive.try_lock_for(50ms); });
    holder.join();
}

static void others()
{
    takes("join", 1000, held_locks);
    takes("future::get", 50, [] {
        std::promise<int> promise;
        std::thread setter([&] {
            std::this_thread::sleep_for(50ms);
            promise.set_value(1);
        });
        promise.get_future().get();
        setter.join();
    });
    takes(
        "yield", 5,
        [] {
            std::atomic<bool> flag{false};
            std::thread setter([&] {
                std::this_thread::sleep_for(5ms);
                flag = true;
            });
            while (!flag)
                std::this_thread::yield();
            setter.join();
        },
        1);
#if __cplusplus >= 202002L
    takes("atomic::wait", 50, [] {
        std::atomic<int> word{0};
        std::thread waker([&] {
            std::this_thread::sleep_for(50ms);
            word = 1;
            word.notify_all();
        });
        word.wait(0);
        waker.join();
    });
#endif
}

int main(int, char **argv)
{
    slack = std::atoi(argv[1]);
    timeouts();
    others();
    auto now = duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
    if (now < 1700000000 || now > 1700010000) {
        std::printf("it is %lld\n", static_cast<long long>(now));
        failures++;
    }
    if (!failures)
        std::puts("all waits were right");
    return failures ? 1 : 0;
}
