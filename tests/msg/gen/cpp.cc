// SPDX-License-Identifier: BSD-3-Clause
// cpp.cc - generated headers in C++
#include <cstdio>
#include <cstring>
#include <ctime>

#include <ach/ach.hpp>

#include "fixed.h"
#include "scan.h"

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::printf("cpp.cc:%d: %s (%s)\n", __LINE__, #condition, ach_errstr());               \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static void fixed()
{
    ach_channel_t chan;
    struct solid m = {}, got = {};

    m.x = 1.5;
    CHECK(solid_create("gen-cpp", 4, nullptr) == ACH_OK);
    CHECK(solid_open(&chan, "gen-cpp", nullptr) == ACH_OK);
    CHECK(solid_put(&chan, &m) == ACH_OK);
    CHECK(solid_get(&chan, &got, nullptr, 0) == ACH_OK);
    CHECK(std::memcmp(&m, &got, sizeof(m)) == 0);
    ach_close(&chan);
    CHECK(ach_unlink("gen-cpp") == ACH_OK);
}

static void variable()
{
    const double ranges[] = {1, 2};
    ach_channel_t chan;
    ach_cdr_memory_t memory = {};
    struct scan m = {}, got = {};

    m.frame = ach_cdr_text("laser");
    m.ranges.data = ranges;
    m.ranges.count = 2;
    CHECK(scan_create("gen-cpp", 4, 256, nullptr) == ACH_OK);
    CHECK(scan_open(&chan, "gen-cpp", nullptr) == ACH_OK);
    CHECK(scan_put(&chan, &m) == ACH_OK);
    CHECK(scan_view(&chan, &got, &memory, nullptr, 0) == ACH_OK);
    CHECK(got.ranges.count == 2 && got.ranges.data[1] == 2);
    CHECK(ach_view_check(&chan) == ACH_OK);
    ach_close(&chan);
    CHECK(ach_unlink("gen-cpp") == ACH_OK);
}

// ach::channel checks the type, puts padding as zeros and refuses wrong booleans.
static void values()
{
    ach::create<padded>("gen-cpp");
    ach::channel<padded> chan("gen-cpp");
    ach::channel<> bytes("gen-cpp");
    padded m;

    std::memset(&m, 0xff, sizeof(m));
    CHECK(chan.try_put(m) == ACH_EINVAL);
    m.c = 1;
    CHECK(chan.try_put(m) == ACH_OK);
    std::vector<std::byte> got = bytes.get();
    CHECK(got.size() == PADDED_CDR_SIZE);
    CHECK(got[offsetof(padded, b) - 1] == std::byte{0});
    CHECK(chan.get().c == 1);
    got[offsetof(padded, c)] = std::byte{2};
    bytes.put(got);
    CHECK(chan.try_get(m) == ACH_CORRUPT);
    try {
        ach::channel<solid> other("gen-cpp");
        CHECK(!"the type is wrong");
    } catch (const ach::Error &e) {
        CHECK(e.status() == ACH_BAD_TYPE);
    }
    CHECK(ach_unlink("gen-cpp") == ACH_OK);
}

// A message may have the name of a function of C, as time() and clock().
static void name_of_a_function()
{
    ach::create<struct time>("gen-cpp");
    {
        ach::channel<struct time> chan("gen-cpp");

        chan.put({});
        CHECK(chan.poll().has_value());
    }
    CHECK(ach_unlink("gen-cpp") == ACH_OK);
}

int main()
{
    fixed();
    values();
    name_of_a_function();
    variable();
    return failures != 0;
}
