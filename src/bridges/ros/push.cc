// SPDX-License-Identifier: BSD-3-Clause
#include "channel.hpp"

Push::Push(Bridge &bridge, const std::string &channel, const std::string &topic)
    : Link(bridge, "push " + channel + ":=" + topic), channel_name_(channel), topic_(topic)
{
}

Push::~Push()
{
    close();
}

void Push::close()
{
    if (fd_ >= 0)
        bridge_.loop.remove(fd_);
    fd_ = -1;
    publisher_.shutdown();
    channel_.reset();
}

bool Push::open()
{
    try {
        channel_ = std::make_unique<Channel>(channel_name_);
    } catch (const ach::Error &e) {
        if (e.status() != ACH_ENOENT)
            throw Fatal("cannot open channel '" + channel_name_ + "': " + e.what());
        return wait("there is no channel '" + channel_name_ + "'");
    }
    definition_ = std::make_unique<Definition>(channel_->definition(channel_name_));
    advertise();
    must(ach_channel_fd(channel_->get(), &fd_));
    bridge_.loop.add(fd_, [this] { return take_some(); });
    return true;
}

// roscpp counts `seq` of messages that begin with a header.
static bool begins_with_header(const ach_type_t *type)
{
    const ach_type_t *first = type->fields->type;

    return first && type->fields->array == ACH_ARRAY_NONE && std::string(first->name) == "Header";
}

void Push::advertise()
{
    const auto [name, text] = definition_->text(1);
    const std::string md5 = definition_->md5();
    ros::AdvertiseOptions options(topic_, bridge_.settings.queue, md5, name, text);

    options.latch = bridge_.settings.latch;
    options.has_header = begins_with_header(definition_->type());
    message_.morph(md5, name, text, "");
    publisher_ = bridge_.node.advertise(options);
    if (!publisher_)
        throw Fatal("cannot advertise topic '" + topic_ + "'");
}

bool Push::take()
{
    const int newest = bridge_.settings.queue == 1 ? ACH_O_LAST : 0;
    size_t size = 0;
    const ach_status_t status =
        ach_get(channel_->get(), cdr_.data(), cdr_.size(), &size, nullptr, ACH_O_LINKED | newest);

    if (status == ACH_OVERFLOW) {
        cdr_.resize(size);
        return true;
    }
    if (status == ACH_STALE_FRAMES)
        return false;
    if (status != ACH_OK && status != ACH_MISSED_FRAME) {
        const std::string why = "channel '" + channel_name_ + "' " + channel_->why(status);

        close();
        disconnected(why);
        return false;
    }
    ach_channel_missed(channel_->get(), nullptr, &missed_);
    copy(size);
    return true;
}

// Without subscribers there is nothing to do, unless later ones shall get it.
void Push::copy(size_t size)
{
    void *body = nullptr;
    size_t n = 0;

    if (publisher_.getNumSubscribers() == 0 && !bridge_.settings.latch)
        return;
    if (ach_cdr_decode_new(definition_->type(), cdr_.data(), size, &body) != ACH_OK)
        return refuse(ach_errstr());
    const Body owner(body);

    if (ach_ros1_encoded_size(definition_->get(), body, &n) != ACH_OK)
        return refuse(ach_errstr());
    ros1_.resize(n);
    if (ach_ros1_encode(definition_->get(), body, ros1_.data(), n, &n) != ACH_OK)
        return refuse(ach_errstr());
    ros::serialization::IStream stream(ros1_.data(), static_cast<uint32_t>(n));

    message_.read(stream);
    publisher_.publish(message_);
    copied_++;
}
