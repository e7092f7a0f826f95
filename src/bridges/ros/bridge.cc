// SPDX-License-Identifier: BSD-3-Clause
#include "bridge.hpp"

#include <cstdio>

#include <sys/eventfd.h>
#include <unistd.h>

static const double RETRY_SECONDS = 1;

// Messages that are copied before other links get their turn.
static const int BURST = 64;

void say(const std::string &text)
{
    fprintf(stderr, "ach-ros: %s\n", text.c_str());
}

CallbackQueue::CallbackQueue() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
}

void CallbackQueue::addCallback(const ros::CallbackInterfacePtr &callback, uint64_t removal_id)
{
    ros::CallbackQueue::addCallback(callback, removal_id);
    eventfd_write(event_.get(), 1);
}

// A callback that is added meanwhile makes the descriptor readable again.
bool CallbackQueue::call()
{
    eventfd_t count;

    eventfd_read(event_.get(), &count);
    callAvailable();
    return false;
}

Frames::Frames(ros::NodeHandle &node, bool enabled) : enabled_(enabled)
{
    if (!enabled)
        return;
    moving_ = node.advertise<tf2_msgs::TFMessage>("/tf", 100);
    fixed_ = node.advertise<tf2_msgs::TFMessage>("/tf_static", 1, true);
}

void Frames::moving(const geometry_msgs::TransformStamped &transform)
{
    tf2_msgs::TFMessage message;

    if (!enabled_ || moving_.getNumSubscribers() == 0)
        return;
    message.transforms.push_back(transform);
    moving_.publish(message);
}

void Frames::fixed(const geometry_msgs::TransformStamped &transform)
{
    auto &all = all_fixed_.transforms;
    auto same = all.begin();

    if (!enabled_)
        return;
    while (same != all.end() && same->child_frame_id != transform.child_frame_id)
        ++same;
    if (same == all.end())
        all.push_back(transform);
    else
        *same = transform;
    fixed_.publish(all_fixed_);
}

static ros::NodeHandle with_queue(CallbackQueue &queue)
{
    ros::NodeHandle node;

    node.setCallbackQueue(&queue);
    return node;
}

Bridge::Bridge(const Settings &s, Loop &l)
    : settings(s), loop(l), node(with_queue(queue)), frames(node, s.tf),
      retry_(l, [this] { connect(); })
{
    loop.add(queue.fd(), [this] { return queue.call(); });
}

Bridge::~Bridge()
{
    loop.remove(queue.fd());
}

void Bridge::retry()
{
    retry_.start(RETRY_SECONDS);
}

void Bridge::connect()
{
    bool all = true;

    for (const auto &link : links)
        all = link->connect() && all;
    if (!all)
        retry();
}

bool Link::connect()
{
    if (connected_)
        return true;
    connected_ = open();
    if (connected_ && !waiting_.empty())
        say(name_ + ": connected");
    if (connected_)
        waiting_.clear();
    return connected_;
}

bool Link::wait(const std::string &why)
{
    if (waiting_ != why)
        say(name_ + ": " + why + "; waiting for it");
    waiting_ = why;
    return false;
}

void Link::disconnected(const std::string &why)
{
    connected_ = false;
    wait(why);
    bridge_.retry();
}

bool Link::take_some()
{
    for (int i = 0; i < BURST; i++)
        if (!take())
            return false;
    return true;
}

void Link::refuse(const std::string &why)
{
    refused_++;
    if (refusal_ != why)
        say(name_ + ": a message is not copied: " + why);
    refusal_ = why;
}

void Link::report() const
{
    say(name_ + ": copied " + std::to_string(copied_) + ", missed " + std::to_string(missed_) +
        ", refused " + std::to_string(refused_));
}
