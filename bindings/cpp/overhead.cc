// SPDX-License-Identifier: BSD-3-Clause
// overhead.cc - what bindings/overhead/overhead.c does, with ach.hpp
#include <ach/ach.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace
{

using Message = std::array<unsigned char, 64>;

template <class Operation> void measure(const char *name, char *const *counts, Operation operation)
{
    using clock = std::chrono::steady_clock;
    const long calls = std::atol(counts[1]);

    std::printf("%s:", name);
    for (long batch = std::atol(counts[0]); batch > 0; batch--) {
        const auto begin = clock::now();
        for (long i = 0; i < calls; i++)
            operation();
        const std::chrono::duration<double, std::nano> took = clock::now() - begin;
        std::printf(" %.1f", took.count() / static_cast<double>(calls));
    }
    std::printf("\n");
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    ach::channel<Message> channel(argv[1]);
    Message message{};

    measure("put", argv + 2, [&] { channel.put(message); });
    measure("get", argv + 2, [&] { message = *channel.poll(ach::newest_again); });
    measure("get into", argv + 2, [&] { channel.try_get(message, ach::newest_again); });
    measure("view", argv + 2,
            [&] { channel.view([&](const Message &m) { message[0] = m[0]; }, ach::newest_again); });
}
