// SPDX-License-Identifier: BSD-3-Clause
// threads - two threads that wake each other and sleep, in C++; usage: LOG
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

namespace
{
std::mutex lock;
std::condition_variable changed;
int turn = 0;
std::ofstream file;

void write(const char *name, int i)
{
    file << name << ' ' << i << ' ' << clock_type::now().time_since_epoch().count() << '\n';
}

void loop(const char *name, int own)
{
    for (int i = 0; i < 15; i++) {
        std::this_thread::sleep_for(1ms);
        std::unique_lock<std::mutex> held(lock);
        changed.wait(held, [own] { return turn == own; });
        write(name, i);
        turn = 1 - own;
        changed.notify_all();
    }
}
} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    file.open(argv[1]);
    std::thread other(loop, "thread", 1);
    loop("main", 0);
    other.join();
    write("end", 0);
    file.close();
    return file.fail() ? 1 : 0;
}
