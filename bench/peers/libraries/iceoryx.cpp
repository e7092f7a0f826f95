/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * iceoryx.cpp - iceoryx: chunks of shared memory that change hands
 *
 * A daemon, RouDi, makes the memory and introduces publishers to subscribers; a
 * message is written into a loaned chunk, and every subscriber gets its address.
 * A full queue drops its oldest, which is what iceoryx does unless told.
 */
#include "contender.h"
#include "daemon.hpp"
#include "patience.hpp"

#include <iceoryx_hoofs/log/logmanager.hpp>
#include <iceoryx_posh/popo/untyped_publisher.hpp>
#include <iceoryx_posh/popo/untyped_subscriber.hpp>
#include <iceoryx_posh/popo/wait_set.hpp>
#include <iceoryx_posh/runtime/posh_runtime.hpp>

#include <cstdint>
#include <fstream>
#include <grp.h>
#include <memory>
#include <optional>
#include <sstream>
#include <sys/mman.h>

namespace
{
using namespace iox::popo;
using iox::runtime::PoshRuntime;

/* What the pools must hold: the longest queue, and a few more for those who read and write. */
const size_t small_limit = 64 << 10, large_limit = 4 << 20;
const uint64_t small_queue = 256, large_queue = 8;

const char *const memory = R"(
[general]
version = 1
[[segment]]
[[segment.mempool]]
size = 128
count = 8192
[[segment.mempool]]
size = 4096
count = 4096
[[segment.mempool]]
size = 65536
count = 1024
[[segment.mempool]]
size = 1048576
count = 64
[[segment.mempool]]
size = 4194304
count = 48
)";

Daemon roudi;
unsigned in_use; /* how many links this process has open: they share the runtime */

struct Link {
    explicit Link(const struct job *job) : mode(job->mode), size(job->size), id(job->id)
    {
    }

    const enum mode mode;
    const size_t size;
    const unsigned id;

    std::optional<UntypedPublisher> publisher;
    std::optional<UntypedSubscriber> subscriber;
    std::unique_ptr<WaitSet<1>> wait_set;
};

bool says(const std::string &file, const char *words)
{
    std::ifstream in(file);
    std::stringstream all;

    all << in.rdbuf();
    return all.str().find(words) != std::string::npos;
}

/* Without monitoring: a receiver that is stopped for a while must not be taken for dead. Ends that
   still run when the daemon ends hold it up for a second, instead of 45. */
const char *start(const char *dir)
{
    const std::string base(dir), config = base + "/roudi.toml", log = base + "/roudi.log";

    std::ofstream(config) << memory;
    if (!roudi.start({"iox-roudi", "-c", config, "-m", "off", "-k", "1"}, log))
        return "iox-roudi cannot be started";
    if (roudi.wait_until([&] { return says(log, "RouDi is ready for clients"); },
                         std::chrono::seconds(30)))
        return nullptr;
    roudi.stop();
    if (says(log, "still running"))
        return "another iox-roudi is running";
    return "iox-roudi did not get ready; it needs 400 MB of shared memory";
}

/* RouDi aborts when an end has died without signing off, and leaves its memory behind: what it
   manages, and a segment with the name of the user's group. */
void stop()
{
    const struct group *group = getgrgid(getegid());

    if (roudi.stop())
        return;
    shm_unlink("/iceoryx_mgmt");
    if (group)
        shm_unlink((std::string("/") + group->gr_name).c_str());
}

void *setup(const struct job *job)
{
    return new Link(job);
}

void finish(void *link)
{
    delete static_cast<Link *>(link);
}

void join_daemon(const Link &link, enum side side, unsigned index)
{
    const std::string name = "ach-peers-" + std::to_string(link.id) +
                             (side == SENDER ? "-s" : "-r") + std::to_string(index);

    if (in_use++ > 0)
        return;
    iox::log::LogManager::GetLogManager().SetDefaultLogLevel(
        iox::log::LogLevel::kError, iox::log::LogLevelOutput::kHideLogLevel);
    PoshRuntime::initRuntime({iox::cxx::TruncateToCapacity, name});
}

/* The runtime signs off when it is destroyed, which would be at exit; but ends leave by _exit. */
void leave_daemon()
{
    if (--in_use == 0)
        PoshRuntime::getInstance().~PoshRuntime();
}

bool open_sender(Link &link, const iox::capro::ServiceDescription &service)
{
    link.publisher.emplace(service);
    return true;
}

bool open_receiver(Link &link, const iox::capro::ServiceDescription &service)
{
    SubscriberOptions options;

    options.queueCapacity = link.size <= small_limit ? small_queue : large_queue;
    link.subscriber.emplace(service, options);
    if (link.mode == MODE_SPIN)
        return true;
    link.wait_set = std::make_unique<WaitSet<1>>();
    return !link.wait_set->attachState(*link.subscriber, SubscriberState::HAS_DATA).has_error();
}

bool open(void *handle, enum side side, unsigned index)
{
    auto &link = *static_cast<Link *>(handle);
    const iox::capro::IdString_t instance(iox::cxx::TruncateToCapacity, std::to_string(link.id));

    join_daemon(link, side, index);
    const iox::capro::ServiceDescription service("ach-peers", instance, "message");
    return side == SENDER ? open_sender(link, service) : open_receiver(link, service);
}

void close(void *handle, enum side, unsigned)
{
    auto &link = *static_cast<Link *>(handle);

    link.subscriber.reset();
    link.wait_set.reset();
    link.publisher.reset();
    leave_daemon();
}

void *loan(void *handle, size_t size)
{
    auto chunk = static_cast<Link *>(handle)->publisher->loan(static_cast<uint32_t>(size));

    return chunk.has_error() ? nullptr : chunk.value();
}

int publish(void *handle, void *place, size_t)
{
    static_cast<Link *>(handle)->publisher->publish(place);
    return 1;
}

const void *next(Link &link)
{
    auto chunk = link.subscriber->take();

    return chunk.has_error() ? nullptr : chunk.value();
}

const void *wait_for_next(Link &link, int timeout_ms)
{
    if (link.mode == MODE_SPIN) {
        Patience patience(timeout_ms);
        const void *place = nullptr;
        while (!place && !patience.over())
            place = next(link);
        return place;
    }
    link.wait_set->timedWait(
        iox::units::Duration::fromMilliseconds(static_cast<uint64_t>(timeout_ms)));
    return next(link);
}

const void *take(void *handle, size_t *size, int timeout_ms)
{
    auto &link = *static_cast<Link *>(handle);
    const void *place = next(link);

    if (!place && timeout_ms > 0)
        place = wait_for_next(link, timeout_ms);
    if (place)
        *size = iox::mepoo::ChunkHeader::fromUserPayload(place)->userPayloadSize();
    return place;
}

bool give_back(void *handle, const void *place)
{
    static_cast<Link *>(handle)->subscriber->release(place);
    return true;
}

struct contender describe()
{
    struct contender c = {};

    c.name = "iceoryx";
    c.copies_nothing = true;
    c.source = __FILE__ " libraries/patience.hpp libraries/daemon.hpp";
    c.kind = KIND_LIBRARY;
    c.package = "libiceoryx-posh-dev, iceoryx";
    c.settings = "untyped, loaned chunks; WaitSet or polling take; a full queue drops its oldest; "
                 "daemon without monitoring";
    c.modes = MODE_BLOCK | MODE_SPIN;
    c.max_size = large_limit;
    c.start = start;
    c.stop = stop;
    c.setup = setup;
    c.finish = finish;
    c.open = open;
    c.close = close;
    c.loan = loan;
    c.publish = publish;
    c.take = take;
    c.give_back = give_back;
    return c;
}

const struct contender iceoryx = describe();
} // namespace

extern "C" {
extern const struct contender *const contenders[];
const struct contender *const contenders[] = {&iceoryx, nullptr};
}
