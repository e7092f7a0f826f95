// SPDX-License-Identifier: BSD-3-Clause
// The C++ header: objects release what they own, errors are thrown, wrong body types are refused.
#include <ach/device.hpp>
#include <ach/proxies.h>

#include <cstdio>
#include <cstring>
#include <type_traits>

static int failures;

static void check(bool good, const char *what)
{
    if (good)
        return;
    std::printf("failed: %s\n", what);
    failures++;
}

// body, command and request accept only types for which ach::BodyType is defined.
template <class T, class = void> struct HasBodyType : std::false_type {
};
template <class T>
struct HasBodyType<T, std::void_t<decltype(sizeof(ach::BodyType<T>))>> : std::true_type {
};
static_assert(HasBodyType<ach_laser_data_t>::value, "a struct of an interface");
static_assert(HasBodyType<ach_pose2d_t>::value, "a struct that interfaces share");
static_assert(!HasBodyType<int>::value && !HasBodyType<ach_header_t>::value, "no body");

static ach_message_t *scan(uint8_t type, uint8_t subtype, const void *body)
{
    ach_header_t h = {};
    ach_message_t *m = nullptr;

    h.address.interf = ACH_LASER_CODE;
    h.type = type;
    h.subtype = subtype;
    if (ach_message_create(&h, body, &m) != ACH_OK)
        std::printf("failed: %s\n", ach_errstr());
    return m;
}

template <class T> static bool refused(const ach::Message &m, const char *why)
{
    try {
        m.body<T>();
    } catch (const ach::Error &e) {
        std::printf("refused: %s\n", e.what());
        return e.status() == ACH_EINVAL && std::strstr(e.what(), why);
    }
    return false;
}

static void bodies()
{
    float ranges[] = {1, 2};
    ach_laser_data_t data = {};

    data.ranges_count = 2;
    data.ranges = ranges;
    ach::Message m(scan(ACH_MSG_DATA, ACH_LASER_DATA_SCAN, &data));
    check(m.body<ach_laser_data_t>().ranges[1] == 2, "the body");
    check(refused<ach_laser_data_scanpose_t>(m, "SCAN has a laser.data, not a laser.data_scanpose"),
          "another message of the interface");
    check(refused<ach_sonar_data_t>(m, "not a sonar.data"), "another interface");

    ach_laser_geom_t geom = {};
    geom.size.sw = 3;
    ach::Message answer(scan(ACH_MSG_ACK, ACH_LASER_REQ_GET_GEOM, &geom));
    check(answer.body<ach_laser_geom_t>().size.sw == 3, "the body of an answer");
    check(refused<ach_laser_data_t>(answer, "GET_GEOM has a laser.geom"), "another answer");
}

int main()
{
    bodies();
    try {
        ach::Device laser("127.0.0.1:1:laser:0");
        check(false, "a device that is not there");
    } catch (const ach::Error &e) {
        std::printf("refused: %s\n", e.what());
        check(e.status() != ACH_OK, "a status");
    }
    return failures ? 1 : 0;
}
