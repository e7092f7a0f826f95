/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fastdds.cpp - Fast DDS: the history of a writer, shared with its readers
 *
 * Data sharing delivers from the writer's memory without a copy, and samples are
 * loaned on both sides. Only the shared-memory transport is there for the rest,
 * so that no network is touched. The type is as many octets as a message has;
 * being plain, it needs no generated code.
 */
#include "contender.h"
#include "patience.hpp"

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/log/Log.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace
{
using namespace eprosima::fastdds::dds;
using eprosima::fastdds::rtps::SharedMemTransportDescriptor;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::SerializedPayload_t;

const uint32_t encapsulation = 4; /* bytes before every serialised sample */
const uint32_t padding = 4;       /* as many bring the message behind them to a multiple of 8 */
const uint32_t domains = 200;

/* Padding, and the message. */
class Octets : public TopicDataType
{
  public:
    explicit Octets(size_t size) : size_(static_cast<uint32_t>(size) + padding)
    {
        setName(("octets_" + std::to_string(size)).c_str());
        m_typeSize = size_ + encapsulation;
        m_isGetKeyDefined = false;
        auto_fill_type_object(false);
        auto_fill_type_information(false);
    }

    bool serialize(void *data, SerializedPayload_t *payload) override
    {
        const unsigned char header[encapsulation] = {0, DEFAULT_ENCAPSULATION, 0, 0};

        payload->encapsulation = DEFAULT_ENCAPSULATION;
        payload->length = m_typeSize;
        std::memcpy(payload->data, header, encapsulation);
        std::memcpy(payload->data + encapsulation, data, size_);
        return true;
    }

    bool deserialize(SerializedPayload_t *payload, void *data) override
    {
        if (payload->length < m_typeSize)
            return false;
        std::memcpy(data, payload->data + encapsulation, size_);
        return true;
    }

    std::function<uint32_t()> getSerializedSizeProvider(void *) override
    {
        return [this] { return m_typeSize; };
    }

    void *createData() override
    {
        return new unsigned char[size_];
    }

    void deleteData(void *data) override
    {
        delete[] static_cast<unsigned char *>(data);
    }

    bool getKey(void *, InstanceHandle_t *, bool) override
    {
        return false;
    }

    bool is_bounded() const override
    {
        return true;
    }

    bool is_plain() const override
    {
        return true;
    }

  private:
    const uint32_t size_;
};

struct Link {
    explicit Link(const struct job *job) : mode(job->mode), size(job->size), id(job->id)
    {
    }

    const enum mode mode;
    const size_t size;
    const unsigned id;

    DomainParticipant *participant = nullptr;
    DataWriter *writer = nullptr;
    DataReader *reader = nullptr;
    LoanableSequence<unsigned char> data;
    SampleInfoSeq infos;
};

void *setup(const struct job *job)
{
    return new Link(job);
}

void finish(void *link)
{
    delete static_cast<Link *>(link);
}

DomainParticipant *make_participant(const Link &link)
{
    DomainParticipantQos qos = PARTICIPANT_QOS_DEFAULT;

    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(std::make_shared<SharedMemTransportDescriptor>());
    return DomainParticipantFactory::get_instance()->create_participant(1 + link.id % domains, qos);
}

/* All that is set is set alike for writers and readers. */
template <typename Qos> void configure(Qos &qos, size_t size)
{
    const int32_t depth = size <= 64 << 10 ? 256 : 8;

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
}

bool open_sender(Link &link, Topic *topic)
{
    Publisher *publisher = link.participant->create_publisher(PUBLISHER_QOS_DEFAULT);
    DataWriterQos qos = DATAWRITER_QOS_DEFAULT;

    if (!publisher)
        return false;
    configure(qos, link.size);
    qos.publish_mode().kind = SYNCHRONOUS_PUBLISH_MODE;
    qos.resource_limits().extra_samples = 2;
    link.writer = publisher->create_datawriter(topic, qos);
    return link.writer != nullptr;
}

bool open_receiver(Link &link, Topic *topic)
{
    Subscriber *subscriber = link.participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
    DataReaderQos qos = DATAREADER_QOS_DEFAULT;

    if (!subscriber)
        return false;
    configure(qos, link.size);
    link.reader = subscriber->create_datareader(topic, qos);
    return link.reader != nullptr;
}

bool open(void *handle, enum side side, unsigned)
{
    auto &link = *static_cast<Link *>(handle);
    const TypeSupport type(new Octets(link.size));
    const std::string name = "ach_peers_" + std::to_string(link.id);

    Log::SetVerbosity(Log::Kind::Error);
    link.participant = make_participant(link);
    if (!link.participant || type.register_type(link.participant) != ReturnCode_t::RETCODE_OK)
        return false;
    Topic *topic = link.participant->create_topic(name, type.get_type_name(), TOPIC_QOS_DEFAULT);
    if (!topic)
        return false;
    return side == SENDER ? open_sender(link, topic) : open_receiver(link, topic);
}

int receivers_of(DataWriter *writer)
{
    PublicationMatchedStatus status;

    writer->get_publication_matched_status(status);
    return status.current_count;
}

/* The history goes with its writer, even from under a receiver that reads. */
void close(void *handle, enum side, unsigned)
{
    auto &link = *static_cast<Link *>(handle);

    if (!link.participant)
        return;
    if (link.writer)
        linger([&] { return receivers_of(link.writer); });
    link.participant->delete_contained_entities();
    DomainParticipantFactory::get_instance()->delete_participant(link.participant);
}

void *loan(void *handle, size_t)
{
    void *place = nullptr;

    if (static_cast<Link *>(handle)->writer->loan_sample(place) != ReturnCode_t::RETCODE_OK)
        return nullptr;
    return static_cast<unsigned char *>(place) + padding;
}

int publish(void *handle, void *place, size_t)
{
    auto &link = *static_cast<Link *>(handle);
    void *sample = static_cast<unsigned char *>(place) - padding;

    if (link.writer->write(sample))
        return 1;
    link.writer->discard_loan(sample);
    return 0;
}

/* What comes may also be news of a writer, which carries no message. */
const void *next(Link &link)
{
    while (link.reader->take(link.data, link.infos, 1) == ReturnCode_t::RETCODE_OK) {
        if (link.infos[0].valid_data)
            return static_cast<unsigned char *>(link.data.buffer()[0]) + padding;
        link.reader->return_loan(link.data, link.infos);
    }
    return nullptr;
}

const void *wait_for_next(Link &link, int timeout_ms)
{
    if (link.mode == MODE_SPIN) {
        Patience patience(timeout_ms);
        const void *place = nullptr;
        while (!place && !patience.over_for_all())
            place = next(link);
        return place;
    }
    link.reader->wait_for_unread_message(
        {timeout_ms / 1000, static_cast<uint32_t>(timeout_ms % 1000) * 1000000});
    return next(link);
}

const void *take(void *handle, size_t *size, int timeout_ms)
{
    auto &link = *static_cast<Link *>(handle);
    const void *place = next(link);

    if (!place && timeout_ms > 0)
        place = wait_for_next(link, timeout_ms);
    *size = link.size;
    return place;
}

bool give_back(void *handle, const void *place)
{
    auto &link = *static_cast<Link *>(handle);
    const void *sample = static_cast<const unsigned char *>(place) - padding;
    const bool whole = link.reader->is_sample_valid(sample, &link.infos[0]);

    link.reader->return_loan(link.data, link.infos);
    return whole;
}

struct contender describe()
{
    struct contender c = {};

    c.name = "fastdds";
    c.copies_nothing = true;
    c.source = __FILE__ " libraries/patience.hpp";
    c.kind = KIND_LIBRARY;
    c.package = "libfastrtps-dev";
    c.settings = "data sharing, loaned samples, best effort, keep last, preallocated history, "
                 "synchronous publishing; shared-memory transport only";
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

const struct contender fastdds = describe();
} // namespace

extern "C" {
extern const struct contender *const contenders[];
const struct contender *const contenders[] = {&fastdds, nullptr};
}
