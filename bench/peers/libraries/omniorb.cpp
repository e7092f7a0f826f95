/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omniorb.cpp - omniORB: a oneway CORBA call to each receiver, over Unix sockets
 *
 * A receiver is an object; its reference waits in a file for the senders, who
 * look for it until they have it. omniORB makes the call in a thread of its own,
 * which leaves a copy in a ring for the thread that receives. While the ring is
 * full the call waits, then the socket fills, and then the sender waits.
 */
#include "adapter.hpp"

#include "omniorb.hh"

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <vector>

/* An ORB serves all links of a process. */
CORBA::ORB_var orb;

/* Many calls at once may add to the ring; one thread takes. */
struct Receiver : POA_Peers::Receiver {
    std::vector<std::vector<CORBA::Octet>> slots;
    std::mutex mutex;
    std::condition_variable news, room;
    std::atomic<uint64_t> added{0}, taken{0};
    bool closed = false;

    void push(const Peers::Octets &message) override
    {
        const CORBA::Octet *bytes = message.get_buffer();
        std::unique_lock<std::mutex> lock(mutex);

        room.wait(lock, [this] { return closed || added - taken < slots.size(); });
        if (closed)
            return;
        slots[added % slots.size()].assign(bytes, bytes + message.length());
        added++;
        lock.unlock();
        news.notify_one();
    }
};

std::string reference_file(const struct link &l, unsigned index)
{
    return "omniorb-" + std::to_string(l.id) + "-" + std::to_string(index) + ".ior";
}

struct End : Adapter {
    Peers::Receiver_var targets[RECEIVERS_MAX]; /* nil: not found yet */
    Receiver *receiver = nullptr;

    /* One thread for each connection keeps the order of what comes through it. A receiver that is
       gone is an error at once, not a reason to try again for long. */
    static bool join()
    {
        const std::string endpoint = "giop:unix:omniorb-" + std::to_string(getpid());
        const char *options[][2] = {{"endPoint", endpoint.c_str()},
                                    {"threadPerConnectionPolicy", "1"},
                                    {"maxServerThreadPerConnection", "1"},
                                    {"supportCurrent", "0"},
                                    {"scanGranularity", "0"},
                                    {"giopMaxMsgSize", "67108864"},
                                    {"traceLevel", "0"},
                                    {nullptr, nullptr}};
        int argc = 0;

        try {
            orb = CORBA::ORB_init(argc, nullptr, "omniORB4", options);
        } catch (const CORBA::Exception &) {
            return false;
        }
        omniORB::installTransientExceptionHandler(
            nullptr,
            [](void *, CORBA::ULong, const CORBA::TRANSIENT &) { return CORBA::Boolean(0); });
        return true;
    }

    static void leave()
    {
        try {
            orb->destroy();
        } catch (const CORBA::Exception &) {
            return;
        }
    }

    bool open(struct link &l)
    {
        if (l.side == SENDER)
            return true;
        CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
        PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
        PortableServer::POAManager_var manager = poa->the_POAManager();
        manager->activate();
        receiver = new Receiver;
        receiver->slots.resize(queue_length(l.size));
        Peers::Receiver_var self = receiver->_this();
        CORBA::String_var reference = orb->object_to_string(self);
        return bool(std::ofstream(reference_file(l, l.index)) << reference << std::endl);
    }

    void close(struct link &)
    {
        if (!receiver)
            return;
        receiver->mutex.lock();
        receiver->closed = true;
        receiver->mutex.unlock();
        receiver->room.notify_all();
        receiver->_remove_ref(); /* the ORB deletes it */
    }

    bool find(struct link &l, unsigned index)
    {
        std::ifstream file(reference_file(l, index));
        std::string reference;

        if (!std::getline(file, reference) || file.eof())
            return false; /* not there, or not whole */
        CORBA::Object_var object = orb->string_to_object(reference.c_str());
        targets[index] = Peers::Receiver::_unchecked_narrow(object);
        return true;
    }

    int send(struct link &l)
    {
        const auto length = static_cast<CORBA::ULong>(l.size);
        const Peers::Octets message(length, length, static_cast<CORBA::Octet *>(l.message), false);

        try {
            for (unsigned i = 0; i < l.receivers; i++)
                if (!CORBA::is_nil(targets[i]) || find(l, i))
                    targets[i]->push(message);
        } catch (const CORBA::Exception &) {
            return -1;
        }
        return 1;
    }

    size_t receive(struct link &l, int timeout_ms)
    {
        Receiver &r = *receiver;

        if (timeout_ms > 0) {
            std::unique_lock<std::mutex> lock(r.mutex);
            r.news.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                            [&] { return r.added != r.taken; });
        }
        if (r.added == r.taken)
            return 0;
        l.message = r.slots[r.taken % r.slots.size()].data();
        return r.slots[r.taken % r.slots.size()].size();
    }

    bool release(struct link &)
    {
        receiver->mutex.lock();
        receiver->taken++;
        receiver->mutex.unlock();
        receiver->room.notify_one();
        return true;
    }
};

const struct contender contenders[] = {
    adapter<End>("omniorb", "libomniorb4-dev, omniidl", __FILE__, MODE_BLOCK | MODE_SPIN,
                 "oneway calls over Unix sockets, a thread for each connection, supportCurrent 0, "
                 "no connection scan"),
    {}};
