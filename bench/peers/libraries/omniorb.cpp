/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omniorb.cpp - omniORB: a oneway CORBA call to each receiver, over Unix sockets
 *
 * A receiver is an object; its reference waits in a file for the senders, who
 * look for it until they have it. omniORB makes the call in a thread of its own,
 * which leaves a copy in a ring for the thread that receives. While the ring is
 * full the call waits, then the socket fills, and then the sender waits.
 */
#include "contender.h"
#include "patience.hpp"

#include "omniorb.hh"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{
using Bytes = std::vector<CORBA::Octet>;

/* Many calls at once may add; one thread takes. */
class Ring
{
  public:
    explicit Ring(size_t slots) : slots_(slots)
    {
    }

    void add(const CORBA::Octet *data, size_t size)
    {
        std::unique_lock<std::mutex> lock(mutex_);

        room_.wait(lock, [this] { return closed_ || added_ - taken_ < slots_.size(); });
        if (closed_)
            return;
        slots_[added_ % slots_.size()].assign(data, data + size);
        added_++;
        lock.unlock();
        news_.notify_one();
    }

    const Bytes *look() const
    {
        return added_ != taken_ ? &slots_[taken_ % slots_.size()] : nullptr;
    }

    const Bytes *wait(int timeout_ms)
    {
        std::unique_lock<std::mutex> lock(mutex_);

        news_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                       [this] { return added_ != taken_; });
        return look();
    }

    void drop()
    {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            taken_++;
        }
        room_.notify_one();
    }

    void close()
    {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            closed_ = true;
        }
        room_.notify_all();
    }

  private:
    std::vector<Bytes> slots_;
    std::mutex mutex_;
    std::condition_variable news_, room_;
    std::atomic<uint64_t> added_{0}, taken_{0};
    bool closed_ = false;
};

class Servant : public POA_Peers::Receiver
{
  public:
    explicit Servant(Ring &ring) : ring_(ring)
    {
    }

    void push(const Peers::Octets &message) override
    {
        ring_.add(message.get_buffer(), message.length());
    }

  private:
    Ring &ring_;
};

struct Link {
    explicit Link(const struct job *job)
        : mode(job->mode), size(job->size), id(job->id), receivers(job->receivers), dir(job->dir)
    {
    }

    const enum mode mode;
    const size_t size;
    const unsigned id;
    const unsigned receivers;
    const std::string dir;

    Bytes outgoing;
    std::vector<Peers::Receiver_var> targets; /* nil: not found yet */
    std::unique_ptr<Ring> ring;
    std::unique_ptr<Servant> servant;
};

/* An ORB serves all links of a process. */
CORBA::ORB_var orb;
unsigned in_use;

std::string reference_file(const Link &link, unsigned index)
{
    return link.dir + "/omniorb-" + std::to_string(link.id) + "-" + std::to_string(index) + ".ior";
}

/* References of a former link with the same id must not be found. */
void remove_references(const Link &link)
{
    for (unsigned i = 0; i < link.receivers; i++)
        unlink(reference_file(link, i).c_str());
}

void *setup(const struct job *job)
{
    auto *link = new Link(job);

    remove_references(*link);
    return link;
}

void finish(void *handle)
{
    auto *link = static_cast<Link *>(handle);

    remove_references(*link);
    delete link;
}

/* A receiver that is gone is an error at once, not a reason to try again for long. */
CORBA::Boolean give_up(void *, CORBA::ULong, const CORBA::TRANSIENT &)
{
    return false;
}

/* One thread for each connection keeps the order of what comes through it. */
void start_orb(const std::string &dir)
{
    const std::string endpoint = "giop:unix:" + dir + "/omniorb-" + std::to_string(getpid());
    const char *options[][2] = {{"endPoint", endpoint.c_str()},
                                {"threadPerConnectionPolicy", "1"},
                                {"maxServerThreadPerConnection", "1"},
                                {"supportCurrent", "0"},
                                {"scanGranularity", "0"},
                                {"giopMaxMsgSize", "67108864"},
                                {"traceLevel", "0"},
                                {nullptr, nullptr}};
    int argc = 0;

    if (in_use++ > 0)
        return;
    orb = CORBA::ORB_init(argc, nullptr, "omniORB4", options);
    omniORB::installTransientExceptionHandler(nullptr, give_up);
}

void stop_orb()
{
    if (--in_use > 0)
        return;
    orb->destroy();
    orb = CORBA::ORB::_nil();
}

void open_sender(Link &link)
{
    link.outgoing.resize(link.size);
    link.targets.resize(link.receivers);
}

/* The file gets its name when it is whole. */
bool leave_reference(const Link &link, unsigned index, const char *reference)
{
    const std::string name = reference_file(link, index), draft = name + ".new";
    std::ofstream file(draft);

    file << reference;
    file.close();
    return file.good() && std::rename(draft.c_str(), name.c_str()) == 0;
}

bool open_receiver(Link &link, unsigned index)
{
    CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    PortableServer::POAManager_var manager = poa->the_POAManager();

    link.ring = std::make_unique<Ring>(link.size <= 64 << 10 ? 256 : 8);
    link.servant = std::make_unique<Servant>(*link.ring);
    PortableServer::ObjectId_var object = poa->activate_object(link.servant.get());
    manager->activate();
    Peers::Receiver_var self = link.servant->_this();
    CORBA::String_var reference = orb->object_to_string(self);
    return leave_reference(link, index, reference);
}

bool open(void *handle, enum side side, unsigned index)
{
    auto &link = *static_cast<Link *>(handle);

    try {
        start_orb(link.dir);
        if (side == RECEIVER)
            return open_receiver(link, index);
        open_sender(link);
        return true;
    } catch (const CORBA::Exception &) {
        return false;
    }
}

void close(void *handle, enum side, unsigned)
{
    auto &link = *static_cast<Link *>(handle);

    if (link.ring)
        link.ring->close();
    link.targets.clear();
    try {
        stop_orb();
    } catch (const CORBA::Exception &) {
        return;
    }
}

bool find(Link &link, unsigned index)
{
    std::ifstream file(reference_file(link, index));
    std::string reference;

    if (!(file >> reference))
        return false;
    CORBA::Object_var object = orb->string_to_object(reference.c_str());
    link.targets[index] = Peers::Receiver::_unchecked_narrow(object);
    return true;
}

void *loan(void *handle, size_t size)
{
    auto &link = *static_cast<Link *>(handle);

    link.outgoing.resize(size);
    return link.outgoing.data();
}

int publish(void *handle, void *place, size_t size)
{
    auto &link = *static_cast<Link *>(handle);
    const auto length = static_cast<CORBA::ULong>(size);
    const Peers::Octets message(length, length, static_cast<CORBA::Octet *>(place), false);

    try {
        for (unsigned i = 0; i < link.receivers; i++)
            if (!CORBA::is_nil(link.targets[i]) || find(link, i))
                link.targets[i]->push(message);
    } catch (const CORBA::Exception &) {
        return -1;
    }
    return 1;
}

const Bytes *spin(const Ring &ring, int timeout_ms)
{
    Patience patience(timeout_ms);
    const Bytes *bytes = nullptr;

    while (!bytes && !patience.over_for_all())
        bytes = ring.look();
    return bytes;
}

const void *take(void *handle, size_t *size, int timeout_ms)
{
    auto &link = *static_cast<Link *>(handle);
    const Bytes *bytes =
        link.mode == MODE_SPIN ? spin(*link.ring, timeout_ms) : link.ring->wait(timeout_ms);

    if (!bytes)
        return nullptr;
    *size = bytes->size();
    return bytes->data();
}

bool give_back(void *handle, const void *)
{
    static_cast<Link *>(handle)->ring->drop();
    return true;
}

struct contender describe()
{
    struct contender c = {};

    c.name = "omniorb";
    c.source = __FILE__ " libraries/patience.hpp";
    c.kind = KIND_LIBRARY;
    c.package = "libomniorb4-dev, omniidl";
    c.settings = "oneway calls over Unix sockets, a thread for each connection, "
                 "supportCurrent 0, no connection scan";
    c.modes = MODE_BLOCK | MODE_SPIN;
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

const struct contender omniorb = describe();
} // namespace

extern "C" {
extern const struct contender *const contenders[];
const struct contender *const contenders[] = {&omniorb, nullptr};
}
