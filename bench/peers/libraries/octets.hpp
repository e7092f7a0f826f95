/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * octets.hpp - the type of Fast DDS samples: as many octets as a message has
 *
 * Being plain, it needs no generated code, and loaned samples are never
 * serialised. Padding brings the message behind it to a multiple of 8 bytes.
 */
#ifndef PEERS_OCTETS_HPP
#define PEERS_OCTETS_HPP

#include <fastdds/dds/topic/TopicDataType.hpp>
#include <string>

class Octets : public eprosima::fastdds::dds::TopicDataType
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

#endif
