/* SPDX-License-Identifier: BSD-3-Clause */
/* cyclonedds.cpp - Eclipse Cyclone DDS over UDP on the loopback interface; a link is a topic */
#include "adapter.hpp"
#include "frame.h"
#include <dds/dds.h>

/* Fragments as large as a datagram may be, because the loopback interface takes them whole. */
const char *const config = R"(<CycloneDDS><Domain Id="any"><General>
<Interfaces><NetworkInterface name="lo"/></Interfaces><AllowMulticast>false</AllowMulticast>
<MaxMessageSize>65500B</MaxMessageSize><FragmentSize>65000B</FragmentSize>
</General><Discovery><Peers><Peer Address="127.0.0.1"/></Peers>
<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>40</MaxAutoParticipantIndex>
</Discovery><Internal><SocketReceiveBufferSize max="4MiB"/>
<SynchronousDeliveryLatencyBound>inf</SynchronousDeliveryLatencyBound>
<SynchronousDeliveryPriorityThreshold>0</SynchronousDeliveryPriorityThreshold>
</Internal></Domain></CycloneDDS>)";

dds_entity_t participant; /* one for all links of a process */

/* A domain for each program: its processes must not meet those of others. */
bool join_domain(const char *with)
{
    const dds_domainid_t id = 1 + static_cast<unsigned>(getppid()) % 200;

    return dds_create_domain(id, with) > 0 &&
           (participant = dds_create_participant(id, nullptr, nullptr)) > 0;
}

template <dds_reliability_kind_t reliability> struct End : Adapter {
    static constexpr enum reach reach = REACH_BOTH;

    dds_entity_t end, waitset; /* end: reader or writer */
    void *taken;

    static bool join()
    {
        return join_domain(config);
    }

    static void leave()
    {
        dds_delete(DDS_CYCLONEDDS_HANDLE);
    }

    bool open(struct link &l)
    {
        dds_qos_t *q = dds_create_qos();

        dds_qset_reliability(q, reliability, DDS_MSECS(100));
        dds_qset_history(q, DDS_HISTORY_KEEP_LAST, 64);
        dds_qset_durability(q, DDS_DURABILITY_VOLATILE);
        dds_qset_latency_budget(q, 0);
        dds_qset_writer_data_lifecycle(q, false);
        const auto topic = dds_create_topic(participant, &peers_frame_desc,
                                            link_name("peers", l).c_str(), q, nullptr);
        const auto create = l.side == SENDER ? dds_create_writer : dds_create_reader;
        end = create(participant, topic, q, nullptr);
        dds_delete_qos(q);
        if (l.side == SENDER)
            return end > 0;
        waitset = dds_create_waitset(participant);
        return !dds_waitset_attach(waitset, dds_create_readcondition(end, DDS_ANY_STATE), 0);
    }

    int send(struct link &l)
    {
        const auto n = static_cast<uint32_t>(l.size);
        const peers_frame frame = {{n, n, static_cast<uint8_t *>(l.message), false}};
        const auto result = dds_write(end, &frame);
        return result == DDS_RETCODE_OK ? 1 : result == DDS_RETCODE_TIMEOUT ? 0 : -1;
    }

    ssize_t receive(struct link &l, int timeout_ms)
    {
        dds_sample_info_t info;

        if (timeout_ms > 0)
            dds_waitset_wait(waitset, nullptr, 0, DDS_MSECS(int64_t(timeout_ms)));
        for (taken = nullptr; dds_take(end, &taken, &info, 1, 1) == 1; taken = nullptr) {
            l.message = static_cast<peers_frame *>(taken)->bytes._buffer;
            if (info.valid_data) /* else it tells of a writer that has gone */
                return static_cast<peers_frame *>(taken)->bytes._length;
            release(l);
        }
        return 0;
    }

    bool release(struct link &)
    {
        return dds_return_loan(end, &taken, 1) == DDS_RETCODE_OK;
    }
};

/* The receiver listens at a port, and the sender connects to it. */
struct TcpEnd : End<DDS_RELIABILITY_RELIABLE> {
    static constexpr enum reach reach = REACH_NETWORK;
    static constexpr auto join = nullptr;

    static bool setup(struct link *l)
    {
        return Tcp::setup(l);
    }

    bool open(struct link &l)
    {
        const std::string port = std::to_string(Tcp::ports.at({l.id, 0}));
        const std::string with =
            "<CycloneDDS><Domain Id=\"any\"><General><Transport>tcp</Transport>"
            "<Interfaces><NetworkInterface name=\"lo\"/></Interfaces>"
            "<AllowMulticast>false</AllowMulticast></General><Discovery><Peers>"
            "<Peer Address=\"127.0.0.1:" +
            port +
            "\"/></Peers></Discovery>"
            "<TCP><Enable>true</Enable><NoDelay>true</NoDelay><Port>" +
            (l.side == RECEIVER ? port : "-1") + "</Port></TCP></Domain></CycloneDDS>";

        return join_domain(with.c_str()) && End::open(l);
    }
};

#define CYCLONEDDS(NAME, MORE)                                                                     \
    NAME, "cyclonedds-dev", __FILE__, MODE_BLOCK | MODE_SPIN,                                      \
        "UDP on lo, fragments of 65000 bytes as in its own benchmark; synchronous delivery, "      \
        "latency budget 0, keep last 64; received in place; " MORE

const struct contender contenders[] = {
    adapter<End<DDS_RELIABILITY_RELIABLE>>(
        CYCLONEDDS("cyclonedds", "reliable: a slow receiver loses the oldest, and holds up the "
                                 "sender of much data for at most 100 ms (the default)")),
    adapter<End<DDS_RELIABILITY_BEST_EFFORT>>(
        CYCLONEDDS("cyclonedds-besteffort",
                   "best effort: no acknowledgements, a slow receiver loses the oldest")),
    adapter<TcpEnd>("cyclonedds-tcp", "cyclonedds-dev", __FILE__, MODE_BLOCK | MODE_SPIN,
                    "TCP on lo, NoDelay; the rest as cyclonedds"),
    {}};
