/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fastdds.cpp - Fast DDS: the history of a writer, shared with its readers
 *
 * Data sharing delivers from the writer's memory without a copy, and samples are
 * loaned on both sides. Only the shared-memory transport is there for the rest,
 * so that no network is touched.
 */
#include "adapter.hpp"
#include "octets.hpp"

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/log/Log.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.h>

using namespace eprosima::fastdds::dds;
using eprosima::fastdds::rtps::SharedMemTransportDescriptor;

/* All that is set is set alike for writers and readers. */
template <typename Qos> Qos configured(Qos qos, size_t size)
{
    const auto depth = static_cast<int32_t>(queue_length(size));

    qos.reliability().kind = BEST_EFFORT_RELIABILITY_QOS;
    qos.durability().kind = VOLATILE_DURABILITY_QOS;
    qos.history().kind = KEEP_LAST_HISTORY_QOS;
    qos.history().depth = depth;
    qos.resource_limits().max_samples = depth;
    qos.resource_limits().max_instances = 1;
    qos.resource_limits().max_samples_per_instance = depth;
    qos.resource_limits().allocated_samples = depth;
    qos.data_sharing().on("");
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_MEMORY_MODE;
    return qos;
}

struct End : Adapter {
    static constexpr unsigned looks_first = MODE_BLOCK;
    static constexpr bool copies_nothing = true;

    DomainParticipant *participant;
    DataWriter *writer = nullptr;
    DataReader *reader = nullptr;
    LoanableSequence<unsigned char> data;
    SampleInfoSeq infos;
    void *sample; /* loaned; the message is in it */

    bool open(struct link &l)
    {
        auto qos = PARTICIPANT_QOS_DEFAULT;
        const auto name = std::to_string(getppid()) + "_" + std::to_string(l.id);
        const TypeSupport type(new Octets(l.size));

        Log::SetVerbosity(Log::Kind::Error);
        qos.transport().use_builtin_transports = false;
        qos.transport().user_transports = {std::make_shared<SharedMemTransportDescriptor>()};
        participant =
            DomainParticipantFactory::get_instance()->create_participant(1 + l.id % 200, qos);
        if (!participant || type.register_type(participant) != ReturnCode_t::RETCODE_OK)
            return false;
        auto *topic = participant->create_topic(name, type.get_type_name(), TOPIC_QOS_DEFAULT);
        if (!topic)
            return false;
        if (l.side == SENDER) {
            auto writer_qos = configured(DATAWRITER_QOS_DEFAULT, l.size);

            writer_qos.publish_mode().kind = SYNCHRONOUS_PUBLISH_MODE;
            writer_qos.resource_limits().extra_samples = 2;
            writer = participant->create_publisher(PUBLISHER_QOS_DEFAULT)
                         ->create_datawriter(topic, writer_qos);
        } else {
            reader = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT)
                         ->create_datareader(topic, configured(DATAREADER_QOS_DEFAULT, l.size));
        }
        return writer || reader;
    }

    /* The history goes with its writer, even from under a receiver that reads. */
    void close(struct link &)
    {
        PublicationMatchedStatus status;

        if (writer)
            linger([&] {
                writer->get_publication_matched_status(status);
                return status.current_count;
            });
        participant->delete_contained_entities();
        DomainParticipantFactory::get_instance()->delete_participant(participant);
    }

    bool loan(struct link &l)
    {
        return writer->loan_sample(sample) == ReturnCode_t::RETCODE_OK &&
               (l.message = Octets::message(sample));
    }

    int send(struct link &)
    {
        if (writer->write(sample))
            return 1;
        writer->discard_loan(sample);
        return 0;
    }

    /* What comes may also be news of a writer, which carries no message. */
    size_t receive(struct link &l, int timeout_ms)
    {
        if (timeout_ms > 0)
            reader->wait_for_unread_message(
                {timeout_ms / 1000, static_cast<uint32_t>(timeout_ms % 1000) * 1000000});
        while (reader->take(data, infos, 1) == ReturnCode_t::RETCODE_OK) {
            sample = data.buffer()[0];
            l.message = Octets::message(sample);
            if (infos[0].valid_data)
                return l.size;
            reader->return_loan(data, infos);
        }
        return 0;
    }

    bool release(struct link &)
    {
        const bool whole = reader->is_sample_valid(sample, &infos[0]);

        reader->return_loan(data, infos);
        return whole;
    }
};

const struct contender contenders[] = {
    adapter<End>(
        "fastdds", "libfastrtps-dev", __FILE__ " libraries/octets.hpp", MODE_BLOCK | MODE_SPIN,
        "data sharing, loaned samples, best effort, keep last, preallocated history, synchronous "
        "publishing; shared-memory transport only"),
    {}};
