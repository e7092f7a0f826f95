// SPDX-License-Identifier: BSD-3-Clause
//
// channel.hpp - links between typed channels and topics
#ifndef ROS_CHANNEL_HPP
#define ROS_CHANNEL_HPP

#include <memory>
#include <string>
#include <vector>

#include <ach.h>
#include <topic_tools/shape_shifter.h>

#include "bridge.hpp"
#include "definition.hpp"

// A handle that is closed with the object.
class Channel
{
  public:
    explicit Channel(const std::string &name); // throws ach::Error
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;
    ~Channel();

    ach_channel_t *get()
    {
        return &channel_;
    }
    bool gone() const; // its name was removed, or belongs to another channel
    // Why a get or put failed: these calls set no ach_errstr.
    std::string why(ach_status_t status) const;
    // Its type, if that is a definition of ROS with messages in CDR; throws Fatal.
    Definition definition(const std::string &name) const;

  private:
    ach_channel_t channel_;
};

// A channel to a topic.
class Push : public Link
{
  public:
    Push(Bridge &bridge, const std::string &channel, const std::string &topic);
    ~Push() override;

  private:
    bool open() override;
    void close();
    void advertise();
    bool take() override;
    void copy(size_t size);

    std::string channel_name_, topic_;
    std::unique_ptr<Channel> channel_;
    std::unique_ptr<Definition> definition_;
    ros::Publisher publisher_;
    topic_tools::ShapeShifter message_;
    std::vector<uint8_t> cdr_{0}, ros1_{0};
    int fd_ = -1;
};

// A topic to a channel, which is created if it does not exist.
class Pull : public Link
{
  public:
    Pull(Bridge &bridge, const std::string &topic, const std::string &channel);

  private:
    using Event = ros::MessageEvent<topic_tools::ShapeShifter const>;

    bool open() override;
    void receive(const Event &event);
    void learn(const topic_tools::ShapeShifter &message);
    void prepare(const Definition &wanted, const topic_tools::ShapeShifter &message);
    void copy(const topic_tools::ShapeShifter &message);

    std::string channel_name_, topic_, md5_;
    std::unique_ptr<Channel> channel_;
    std::unique_ptr<Definition> definition_;
    ros::Subscriber subscriber_;
    std::vector<uint8_t> cdr_;
};

#endif
