/* SPDX-License-Identifier: BSD-3-Clause */
/* omniorb.cpp - omniORB: a oneway CORBA call to each receiver, over Unix sockets */
#include "omniorb.hh"
#include "mailbox.hpp"
#include <fstream>

CORBA::ORB_var orb; /* serves all links of a process */

std::string reference_file(const struct link &l, unsigned index)
{
    return link_name("omniorb", l) + "_" + std::to_string(index) + ".ior";
}

struct Receiver : POA_Peers::Receiver, Mailbox {
    using Mailbox::Mailbox;

    void push(const Peers::Octets &message) override
    {
        add(message.get_buffer(), message.length());
    }
};

struct End : MailboxAdapter {
    Peers::Receiver_var targets[RECEIVERS_MAX]; /* nil: not found yet */
    Receiver *receiver = nullptr;

    /* One thread for each connection keeps the order. A call to a receiver that is gone fails. */
    static bool join()
    {
        const auto endpoint = "giop:unix:omniorb-" + std::to_string(getpid());
        const char *options[][2] = {{"endPoint", endpoint.c_str()},
                                    {"threadPerConnectionPolicy", "1"},
                                    {"maxServerThreadPerConnection", "1"},
                                    {"supportCurrent", "0"},
                                    {"scanGranularity", "0"},
                                    {"giopMaxMsgSize", "67108864"},
                                    {"traceLevel", "0"},
                                    {nullptr, nullptr}};
        int argc = 0;
        const auto give_up = [](void *, CORBA::ULong, const CORBA::TRANSIENT &) -> CORBA::Boolean {
            return 0;
        };

        orb = CORBA::ORB_init(argc, nullptr, "omniORB4", options);
        omniORB::installTransientExceptionHandler(nullptr, give_up);
        return true;
    }

    static void leave()
    {
        orb->destroy();
    }

    bool open(struct link &l)
    {
        if (l.side == SENDER)
            return true;
        const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
        const PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
        PortableServer::POAManager_var(poa->the_POAManager())->activate();
        box = receiver = new Receiver(queue_length(l.size));
        CORBA::String_var reference = orb->object_to_string(Peers::Receiver_var(receiver->_this()));
        const auto file = reference_file(l, l.index), draft = file + ".new";
        std::ofstream(draft) << reference;
        return rename(draft.c_str(), file.c_str()) == 0;
    }

    void close(struct link &)
    {
        if (!receiver)
            return;
        box->close();
        receiver->_remove_ref(); /* the ORB deletes it */
    }

    int send(struct link &l)
    {
        const auto n = static_cast<CORBA::ULong>(l.size);
        const Peers::Octets message(n, n, static_cast<CORBA::Octet *>(l.message), false);
        std::string reference;

        for (unsigned i = 0; i < l.receivers; i++) {
            if (CORBA::is_nil(targets[i]) &&
                std::getline(std::ifstream(reference_file(l, i)), reference))
                targets[i] = Peers::Receiver::_unchecked_narrow(
                    CORBA::Object_var(orb->string_to_object(reference.c_str())));
            if (!CORBA::is_nil(targets[i]))
                targets[i]->push(message);
        }
        return 1;
    }
};

const struct contender contenders[] = {
    adapter<End>("omniorb", "libomniorb4-dev, omniidl", __FILE__ " libraries/mailbox.hpp",
                 MODE_BLOCK | MODE_SPIN,
                 "oneway calls over Unix sockets, a thread for each connection, supportCurrent 0, "
                 "no connection scan"),
    {}};
