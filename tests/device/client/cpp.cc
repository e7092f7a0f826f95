// SPDX-License-Identifier: BSD-3-Clause
// The C++ header: what it opens it closes, and what fails is thrown.
#include <ach/device.hpp>
#include <ach/proxies.h>

#include <cstdio>

int main()
{
    try {
        ach::Device laser("127.0.0.1:1:laser:0");
    } catch (const ach::Error &e) {
        std::printf("refused: %s\n", e.what());
        return e.status() == ACH_OK;
    }
    return 1;
}
