/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fastdds.hpp - the type of Fast DDS samples, and the quality of service of both sides
 *
 * A sample is as many octets as a message has. Being plain, the type needs no generated code, and
 * loaned samples are never serialised. Padding brings the message to a multiple of 8 bytes.
 */
#ifndef PEERS_FASTDDS_HPP
#define PEERS_FASTDDS_HPP

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
#include <string>

using namespace eprosima::fastdds::dds;

class Octets : public TopicDataType
{
    using Payload = eprosima::fastrtps::rtps::SerializedPayload_t;

  public:
    static void *message(void *sample)
    {
        return static_cast<unsigned char *>(sample) + padding;
    }

    explicit Octets(size_t size) : size_(static_cast<uint32_t>(size) + padding)
    {
        setName(("octets_" + std::to_string(size)).c_str());
        m_typeSize = 4 + size_; /* encapsulated */
        m_isGetKeyDefined = false;
        auto_fill_type_object(false);
        auto_fill_type_information(false);
    }

    bool serialize(void *, Payload *) override
    {
        return false;
    }

    bool deserialize(Payload *, void *) override
    {
        return false;
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

    bool getKey(void *, eprosima::fastrtps::rtps::InstanceHandle_t *, bool) override
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
    static constexpr uint32_t padding = 4;
    const uint32_t size_;
};

template <typename Qos> Qos configured(Qos qos, size_t length)
{
    const auto depth = static_cast<int32_t>(length);

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

/* A participant with the shared-memory transport only, so that no network is touched. */
inline DomainParticipant *join_domain(unsigned id)
{
    auto qos = PARTICIPANT_QOS_DEFAULT;

    Log::SetVerbosity(Log::Kind::Error);
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports = {
        std::make_shared<eprosima::fastdds::rtps::SharedMemTransportDescriptor>()};
    return DomainParticipantFactory::get_instance()->create_participant(id, qos);
}

#endif
