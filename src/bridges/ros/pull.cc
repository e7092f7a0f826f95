// SPDX-License-Identifier: BSD-3-Clause
#include "channel.hpp"

#include <algorithm>

// Bytes of a frame of a channel that is created, at least.
static const size_t FRAME_MIN = 512;

Pull::Pull(Bridge &bridge, const std::string &topic, const std::string &channel)
    : Link(bridge, "pull " + topic + ":=" + channel), channel_name_(channel), topic_(topic)
{
}

bool Pull::open()
{
    ros::SubscribeOptions options;

    options.initByFullCallbackType<const Event &>(topic_, bridge_.settings.queue,
                                                  [this](const Event &event) { receive(event); });
    options.transport_hints = ros::TransportHints().tcpNoDelay();
    subscriber_ = bridge_.node.subscribe(options);
    if (!subscriber_)
        throw Fatal("cannot subscribe to topic '" + topic_ + "'");
    return true;
}

// Messages that this node has published do not come back into channels.
void Pull::receive(const Event &event)
{
    if (event.getPublisherName() == ros::this_node::getName())
        return;
    try {
        learn(*event.getConstMessage());
        copy(*event.getConstMessage());
    } catch (const std::exception &e) {
        refuse(e.what());
    }
}

// Prepare for the type of the first message. The publisher says it, and is not trusted.
void Pull::learn(const topic_tools::ShapeShifter &message)
{
    if (channel_ && channel_->gone()) {
        channel_.reset();
        md5_.clear();
    }
    if (message.getMD5Sum() == md5_)
        return;
    if (!md5_.empty())
        throw ach::Error(ACH_BAD_TYPE, "a publisher sends another type, " + message.getDataType());
    const Definition theirs(message.getDataType(), message.getMessageDefinition());
    const auto [name, text] = theirs.text(2);
    const Definition ours(name, text);

    if (ours.md5() != message.getMD5Sum())
        throw ach::Error(ACH_BAD_TYPE, "the definition that the publisher sent has the MD5 sum " +
                                           ours.md5() + ", not " + message.getMD5Sum());
    prepare(ours, message);
    md5_ = message.getMD5Sum();
}

// Create the channel with room for a message of this size in each frame.
static void create(const std::string &channel, const Definition &definition, unsigned frames,
                   size_t size)
{
    const auto [name, text] = definition.text(2);
    ach_channel_type_t type{};
    ach_create_attr_t attr;

    type.name = name.c_str();
    type.encoding = "cdr";
    type.schema_encoding = "ros2msg";
    type.schema = text.data();
    type.schema_size = text.size();
    ach_create_attr_init(&attr);
    must(ach_create_attr_set_type(&attr, &type));
    const ach_status_t status =
        ach_create(channel.c_str(), frames, std::max(size, FRAME_MIN), &attr);

    if (status != ACH_EEXIST)
        must(status);
}

// Twice the size of a message of ROS 1 leaves room for padding and for somewhat longer messages.
void Pull::prepare(const Definition &wanted, const topic_tools::ShapeShifter &message)
{
    const std::string md5 = wanted.md5();

    try {
        channel_ = std::make_unique<Channel>(channel_name_);
    } catch (const ach::Error &e) {
        if (e.status() != ACH_ENOENT)
            throw;
        create(channel_name_, wanted, bridge_.settings.frames, 2 * size_t{message.size()});
        channel_ = std::make_unique<Channel>(channel_name_);
    }
    definition_ = std::make_unique<Definition>(channel_->definition(channel_name_));
    if (definition_->md5() != md5)
        throw ach::Error(ACH_BAD_TYPE, "channel '" + channel_name_ + "' is of the type " +
                                           definition_->type()->name + " with the MD5 sum " +
                                           definition_->md5() + ", but topic '" + topic_ +
                                           "' is of the type " + message.getDataType() + " with " +
                                           md5);
}

void Pull::copy(const topic_tools::ShapeShifter &message)
{
    std::vector<uint8_t> ros1(message.size());
    ros::serialization::OStream stream(ros1.data(), message.size());
    void *body = nullptr;
    size_t size = 0;

    message.write(stream);
    must(ach_ros1_decode_new(definition_->get(), ros1.data(), ros1.size(), &body));
    const Body owner(body);

    must(ach_cdr_encoded_size(definition_->type(), body, &size));
    cdr_.resize(size);
    must(ach_cdr_encode(definition_->type(), body, cdr_.data(), size, &size));
    const ach_status_t status = ach_put(channel_->get(), cdr_.data(), size);

    if (status != ACH_OK)
        throw ach::Error(status, "channel '" + channel_name_ + "' " + channel_->why(status));
    copied_++;
}
