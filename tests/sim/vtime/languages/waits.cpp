// SPDX-License-Identifier: BSD-3-Clause
// future.cpp - timed waits of C++: each takes exactly as long as it says, in the time it shows
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono;

static int failures;

template <class F> static void takes(const char *what, int ms, F f)
{
    auto begin = steady_clock::now();
    f();
    auto took = duration_cast<microseconds>(steady_clock::now() - begin).count();
    if (took != ms * 1000) {
        std::printf("%s took %lld us\n", what, static_cast<long long>(took));
        failures++;
    }
}

int main()
{
    std::promise<int> promise;
    auto future = promise.get_future();
    std::shared_timed_mutex shared;
    std::timed_mutex timed;
    std::recursive_timed_mutex recursive;
    std::condition_variable cond;
    std::mutex mutex;
    std::atomic<int> word{0};

    takes("sleep_for", 50, [] { std::this_thread::sleep_for(50ms); });
    takes("future::wait_for", 50, [&] { future.wait_for(50ms); });
    takes("future::wait_until", 50, [&] { future.wait_until(system_clock::now() + 50ms); });
    std::thread holder([&] {
        std::lock_guard<std::shared_timed_mutex> a(shared);
        std::lock_guard<std::timed_mutex> b(timed);
        std::lock_guard<std::recursive_timed_mutex> c(recursive);
        std::this_thread::sleep_for(1000ms);
    });
    std::this_thread::sleep_for(1ms);
    takes("try_lock_for", 50, [&] { shared.try_lock_for(50ms); });
    takes("try_lock_shared_for", 50, [&] { shared.try_lock_shared_for(50ms); });
    takes("timed_mutex", 50, [&] { timed.try_lock_for(50ms); });
    takes("recursive_timed_mutex", 50, [&] { recursive.try_lock_for(50ms); });
    takes("condition_variable", 50, [&] {
        std::unique_lock<std::mutex> lock(mutex);
        cond.wait_for(lock, 50ms, [] { return false; });
    });
    takes("join", 749, [&] { holder.join(); });
    std::thread setter([&] {
        std::this_thread::sleep_for(50ms);
        promise.set_value(1);
    });
    takes("future::get", 50, [&] { future.get(); });
    setter.join();
#if __cplusplus >= 202002L
    std::thread waker([&] {
        std::this_thread::sleep_for(50ms);
        word = 1;
        word.notify_all();
    });
    takes("atomic::wait", 50, [&] { word.wait(0); });
    waker.join();
#endif
    return failures ? 1 : 0;
}
