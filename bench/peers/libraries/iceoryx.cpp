/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * iceoryx.cpp - iceoryx: chunks of shared memory that change hands
 *
 * A message is written into a loaned chunk, and every subscriber gets its address. A full queue
 * drops its oldest, which is the default of iceoryx.
 */
#include "roudi.hpp"
#include <iceoryx_hoofs/log/logmanager.hpp>
#include <iceoryx_posh/popo/untyped_publisher.hpp>
#include <iceoryx_posh/popo/untyped_subscriber.hpp>
#include <iceoryx_posh/popo/wait_set.hpp>
#include <iceoryx_posh/runtime/posh_runtime.hpp>
#include <optional>

using namespace iox::popo;
using iox::cxx::TruncateToCapacity;
using iox::runtime::PoshRuntime;

struct End : Adapter {
    static constexpr unsigned looks_first = MODE_BLOCK;
    static constexpr size_t max_size = 4 << 20;
    static constexpr bool copies_nothing = true, yields = false;
    static constexpr auto start = roudi_start;
    static constexpr auto stop = roudi_stop;

    std::optional<UntypedPublisher> publisher;
    std::optional<WaitSet<1>> wait_set;
    std::optional<UntypedSubscriber> subscriber; /* is destroyed before the set it is in */

    static bool join()
    {
        iox::log::LogManager::GetLogManager().SetDefaultLogLevel(
            iox::log::LogLevel::kError, iox::log::LogLevelOutput::kHideLogLevel);
        PoshRuntime::initRuntime({TruncateToCapacity, "ach-peers-" + std::to_string(getpid())});
        return true;
    }

    /* The runtime signs off in its destructor, at exit; but ends leave by _exit. */
    static void leave()
    {
        PoshRuntime::getInstance().~PoshRuntime();
    }

    bool open(struct link &l)
    {
        const iox::capro::IdString_t id(TruncateToCapacity, std::to_string(l.id));
        const iox::capro::ServiceDescription service("ach-peers", id, "message");
        SubscriberOptions options;

        options.queueCapacity = queue_length(l.size);
        if (l.side == SENDER)
            publisher.emplace(service);
        else
            subscriber.emplace(service, options);
        return l.side == SENDER || l.mode == MODE_SPIN ||
               !wait_set.emplace().attachState(*subscriber, SubscriberState::HAS_DATA).has_error();
    }

    bool loan(struct link &l)
    {
        return (l.message = publisher->loan(static_cast<uint32_t>(l.size)).value_or(nullptr));
    }

    int send(struct link &l)
    {
        publisher->publish(l.message);
        return 1;
    }

    ssize_t receive(struct link &l, int timeout_ms)
    {
        if (timeout_ms > 0)
            wait_set->timedWait(iox::units::Duration::fromMilliseconds(timeout_ms));
        auto chunk = subscriber->take();
        if (chunk.has_error())
            return 0;
        l.message = const_cast<void *>(chunk.value());
        return iox::mepoo::ChunkHeader::fromUserPayload(l.message)->userPayloadSize();
    }

    bool release(struct link &l)
    {
        subscriber->release(l.message);
        return true;
    }
};

const struct contender contenders[] = {
    adapter<End>(
        "iceoryx", "libiceoryx-posh-dev, iceoryx", __FILE__ " libraries/roudi.hpp",
        MODE_BLOCK | MODE_SPIN,
        "untyped, loaned chunks; WaitSet or polling take; a full queue drops its oldest; daemon "
        "without monitoring"),
    {}};
