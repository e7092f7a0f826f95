/* SPDX-License-Identifier: BSD-3-Clause */
/* fastdds.cpp - Fast DDS: the history of a writer, shared with its readers; samples are loaned */
#include "fastdds.hpp"
#include "adapter.hpp"

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
        const TypeSupport type(new Octets(l.size));

        participant = join_domain(1 + l.id % 200);
        type.register_type(participant);
        auto *topic = participant->create_topic(link_name("peers", l), type.get_type_name(),
                                                TOPIC_QOS_DEFAULT);
        const auto reader_qos = configured(DATAREADER_QOS_DEFAULT, queue_length(l.size));
        auto writer_qos = configured(DATAWRITER_QOS_DEFAULT, queue_length(l.size));
        writer_qos.publish_mode().kind = SYNCHRONOUS_PUBLISH_MODE;
        writer_qos.resource_limits().extra_samples = 2;
        if (l.side == SENDER)
            writer = participant->create_publisher(PUBLISHER_QOS_DEFAULT)
                         ->create_datawriter(topic, writer_qos);
        else
            reader = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT)
                         ->create_datareader(topic, reader_qos);
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
        "fastdds", "libfastrtps-dev", __FILE__ " libraries/fastdds.hpp", MODE_BLOCK | MODE_SPIN,
        "data sharing, loaned samples, best effort, keep last, preallocated history, synchronous "
        "publishing; shared-memory transport only"),
    {}};
