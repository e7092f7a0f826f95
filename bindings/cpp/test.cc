// SPDX-License-Identifier: BSD-3-Clause
// test.cc - channels of values in C++, and errors. conformance covers each operation.
#include <Ach.hpp>
#include <ach/ach.hpp>
#include <ach/device.hpp>

#include "check.h"

#include <thread>

namespace
{

using namespace std::chrono_literals;

const char CHAN[] = "cpp";

struct Pose {
    double x, y;
    std::uint8_t valid; // the message ends here
};

ach_channel_type_t pose_type(const char *schema)
{
    ach_channel_type_t t = {};

    t.name = "demo/msg/Pose";
    t.encoding = "cdr";
    t.schema_encoding = "ros2msg";
    t.schema = schema;
    t.schema_size = std::strlen(schema);
    return t;
}

} // namespace

template <> struct ach::message_type<Pose> {
    static constexpr std::size_t size = 17;
    static ach_status_t put(ach_channel_t *chan, const Pose &p) noexcept
    {
        return ach_put(chan, &p, size);
    }
    static bool valid(const Pose &p) noexcept
    {
        return p.valid <= 1;
    }
    static const ach_channel_type_t *get()
    {
        static const ach_channel_type_t type = pose_type("float64 x\nfloat64 y\nbool valid");

        return &type;
    }
};

namespace
{

template <class F> ach_status_t thrown(F f, const char *text)
{
    try {
        f();
    } catch (const ach::Error &e) {
        CHECK(std::strstr(e.what(), text) != nullptr);
        return e.status();
    }
    return ACH_OK;
}

void values()
{
    ach::create<Pose>(CHAN);
    ach::channel<Pose> w(CHAN), r(CHAN);
    Pose p = {};

    CHECK(!r.poll());
    CHECK(!r.get_for(1ms));
    CHECK(!r.get_until(std::chrono::steady_clock::now()));
    w.put({1, 2, 1});
    w.put({3, 4, 0});
    CHECK(r.get().x == 1);
    CHECK(r.get_for(1min, ach::newest)->y == 4);
    CHECK(!r.poll(ach::newest));
    CHECK(r.poll(ach::newest_again)->x == 3);
    CHECK_STATUS(r.try_get(p), ACH_EAGAIN);
    w.put({5, 6, 1});
    w.put({7, 8, 1});
    CHECK_STATUS(r.try_get(p, ach::newest), ACH_MISSED_FRAME);
    CHECK(p.x == 7 && r.missed().last == 1 && r.missed().total == 1 && r.seq() == 4);
    CHECK(r.info().frame_size == 17);
    ach::unlink(CHAN);
}

// A message of another size is skipped, and the next one is got.
void sizes()
{
    ach::create<Pose>(CHAN);
    ach::channel<Pose> r(CHAN);
    ach::channel<> w(CHAN);
    Pose p = {};

    w.put("x", 1);
    w.put(std::vector<std::byte>(100));
    w.put(std::string(17, '\0'));
    CHECK_STATUS(thrown([&] { r.get(); }, "the message has 1 bytes, not 17"), ACH_EINVAL);
    CHECK_STATUS(thrown([&] { r.get(); }, "the message has 100 bytes, not 17"), ACH_EINVAL);
    CHECK_OK(r.try_get(p));
    w.put(std::string(17, '\2'));
    CHECK_STATUS(r.try_get(p), ACH_CORRUPT);
    w.put(std::string(17, '\2'));
    CHECK_STATUS(thrown([&] { r.view([](const Pose &) {}); }, "ACH_CORRUPT"), ACH_CORRUPT);
    w.put("x", 1);
    CHECK_STATUS(thrown([&] { r.view([](const Pose &) {}); }, "has 1 bytes"), ACH_EINVAL);
    CHECK(w.get().size() == 1);
    CHECK(w.get().size() == 100);
    ach::unlink(CHAN);
}

void in_place()
{
    ach::create_options o;

    o.single_writer = true;
    ach::create<Pose>(CHAN, o);
    ach::open_options source;
    source.source = true;
    ach::channel<Pose> w(CHAN, source), r(CHAN);
    double x = 0;

    CHECK(!r.view([](const Pose &) {}));
    w.emplace([](Pose &p) { p.x = 9; });
    CHECK(r.view([&](const Pose &p) { x = p.x + p.y; }) && x == 9);
    w.emplace([](Pose &p) { p.x = 10; });
    CHECK_STATUS(thrown(
                     [&] {
                         r.view([&](const Pose &) {
                             for (int i = 0; i < 40; i++)
                                 w.put({});
                         });
                     },
                     "ACH_EAGAIN"),
                 ACH_EAGAIN);
    r.flush();
    CHECK_STATUS(
        thrown([&] { w.emplace([](Pose &) { throw ach::Error(ACH_BUG, "mine"); }); }, "mine"),
        ACH_BUG);
    CHECK(!r.poll());
    CHECK(ach_abort(w.get_handle()) == ACH_EINVAL);
    ach::unlink(CHAN);
}

void types()
{
    ach_channel_type_t other = pose_type("float64 z");
    ach::create_options o;

    o.type = &other;
    ach::create(CHAN, o);
    CHECK_STATUS(thrown([] { ach::channel<Pose> c(CHAN); }, "demo/msg/Pose"), ACH_BAD_TYPE);
    CHECK(ach::channel<>(CHAN).type()->schema_size == 9);
    ach::unlink(CHAN);
    ach::create(CHAN);
    CHECK(ach::channel<int>(CHAN).type() == nullptr);
    ach::unlink(CHAN);
}

void life()
{
    ach::channel<> none;

    CHECK(!none);
    CHECK_STATUS(thrown([&] { none.put("x", 1); }, "ACH_CLOSED"), ACH_CLOSED);
    CHECK_STATUS(thrown([] { ach::channel<> c("no-such"); }, "no-such"), ACH_ENOENT);
    ach::create(CHAN);
    ach::channel<> a(CHAN);
    a.put("x", 1);
    a.put("y", 1);
    CHECK(a.get()[0] == std::byte('x'));
    ach::channel<> b(std::move(a));
    CHECK(!a && b && b.get()[0] == std::byte('y'));
    b.put(std::vector<char>(2000));
    CHECK(b.get().size() == 2000);
    a = std::move(b);
    CHECK(a && !b);
    std::thread waiter(
        [&a] { CHECK_STATUS(thrown([&] { a.get(); }, "ACH_CANCELED"), ACH_CANCELED); });
    CHECK_OK(a.cancel());
    waiter.join();
    a.close();
    CHECK_STATUS(thrown([&] { a.close(); }, ""), ACH_CLOSED);
    ach::unlink(CHAN);
}

} // namespace

int main()
{
    values();
    sizes();
    in_place();
    types();
    life();
    return check_result();
}
