/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * iceoryx.cpp - iceoryx: chunks of shared memory that change hands
 *
 * A daemon, RouDi, makes the memory and introduces publishers to subscribers; a
 * message is written into a loaned chunk, and every subscriber gets its address.
 * A full queue drops its oldest, which is what iceoryx does unless told.
 */
#include "adapter.hpp"
#include "daemon.h"

#include <fstream>
#include <grp.h>
#include <iceoryx_hoofs/log/logmanager.hpp>
#include <iceoryx_posh/popo/untyped_publisher.hpp>
#include <iceoryx_posh/popo/untyped_subscriber.hpp>
#include <iceoryx_posh/popo/wait_set.hpp>
#include <iceoryx_posh/runtime/posh_runtime.hpp>
#include <optional>
#include <sys/mman.h>

using namespace iox::popo;
using iox::cxx::TruncateToCapacity;
using iox::runtime::PoshRuntime;

/* The pools must hold the longest queue, and a few more for those who read and write. */
#define POOL(size, count) "[[segment.mempool]]\nsize = " #size "\ncount = " #count "\n"
const char *const config = "[general]\nversion = 1\n[[segment]]\n" POOL(128, 8192) POOL(4096, 4096)
    POOL(65536, 1024) POOL(1048576, 64) POOL(4194304, 48);

pid_t roudi;

struct End : Adapter {
    static constexpr unsigned looks_first = MODE_BLOCK;
    static constexpr size_t max_size = 4 << 20;
    static constexpr bool copies_nothing = true, yields = false;

    std::optional<UntypedPublisher> publisher;
    std::optional<WaitSet<1>> wait_set;
    std::optional<UntypedSubscriber> subscriber; /* is destroyed before the set it is in */

    /* Without monitoring: a receiver that is stopped for a while must not be taken for dead. Ends
       that still run when the daemon ends hold it up for a second, instead of 45. */
    static const char *start()
    {
        const char *const argv[] = {"iox-roudi", "-c", "roudi.toml", "-m",
                                    "off",       "-k", "1",          nullptr};

        std::ofstream("roudi.toml") << config;
        roudi = daemon_start(argv, "roudi.log", "RouDi is ready for clients", 0);
        if (roudi > 0)
            return nullptr;
        return daemon_says("roudi.log", "still running")
                   ? "another iox-roudi is running"
                   : "iox-roudi did not get ready; it needs 400 MB of shared memory";
    }

    /* RouDi aborts when an end has died without signing off, and leaves its memory behind: what it
       manages, and a segment with the name of the user's group. */
    static void stop()
    {
        if (daemon_stop(roudi))
            return;
        shm_unlink("/iceoryx_mgmt");
        if (const struct group *group = getgrgid(getegid()))
            shm_unlink((std::string("/") + group->gr_name).c_str());
    }

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
        "iceoryx", "libiceoryx-posh-dev, iceoryx", __FILE__, MODE_BLOCK | MODE_SPIN,
        "untyped, loaned chunks; WaitSet or polling take; a full queue drops its oldest; daemon "
        "without monitoring"),
    {}};
