// SPDX-License-Identifier: BSD-3-Clause
//
// bridge.hpp - what all links between Ach and ROS share
//
// A link copies messages of one channel or device to topics, or of one topic to a channel. All run
// in the thread of the loop; threads of roscpp only queue callbacks and wake the loop.
#ifndef ROS_BRIDGE_HPP
#define ROS_BRIDGE_HPP

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <tf2_msgs/TFMessage.h>

#include "loop.hpp"

// An error that ends the program.
struct Fatal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Print "ach-ros: TEXT" to stderr.
void say(const std::string &text);

struct Settings {
    std::string node;               // empty: ach_ros with a number
    std::string base = "base_link"; // frame of the robot
    std::string odom = "odom";      // frame in which odometry counts
    unsigned queue = 1;             // messages that topics queue
    unsigned frames = 16;           // of channels that are created
    double timeout = 0.5;           // seconds after the last cmd_vel until the robot is stopped
    bool latch = false;
    bool tf = true;
};

// A queue of callbacks with a descriptor that is readable while there are any.
class CallbackQueue : public ros::CallbackQueue
{
  public:
    CallbackQueue();
    void addCallback(const ros::CallbackInterfacePtr &callback, uint64_t removal_id) override;
    int fd() const
    {
        return event_.get();
    }
    bool call(); // all that are there now

  private:
    Descriptor event_;
};

// Transforms between frames. A latched topic has one message, so it has all of tf_static.
class Frames
{
  public:
    Frames(ros::NodeHandle &node, bool enabled);
    void moving(const geometry_msgs::TransformStamped &transform);
    void fixed(const geometry_msgs::TransformStamped &transform);

  private:
    ros::Publisher moving_, fixed_;
    tf2_msgs::TFMessage all_fixed_;
    bool enabled_;
};

class Link;

class Bridge
{
  public:
    Bridge(const Settings &s, Loop &l);
    ~Bridge();

    void connect(); // all links; tries again later if one cannot be connected yet
    void retry();   // connect later

    Settings settings;
    Loop &loop;
    CallbackQueue queue;
    ros::NodeHandle node;
    Frames frames;
    std::vector<std::unique_ptr<Link>> links;

  private:
    Timer retry_;
};

class Link
{
  public:
    explicit Link(Bridge &bridge, std::string name) : bridge_(bridge), name_(std::move(name))
    {
    }
    virtual ~Link() = default;

    // Connect if it is not connected. False: what it needs is not there yet; try again later.
    bool connect();
    // Say how many messages were copied, missed and refused.
    void report() const;

  protected:
    virtual bool open() = 0; // throws Fatal if a later attempt cannot succeed either
    virtual bool take() // copy the next message; false: there is none, or roscpp calls the link
    {
        return false;
    }
    bool take_some(); // true: there may be more
    void disconnected(const std::string &why);
    void refuse(const std::string &why); // a message
    bool wait(const std::string &why);   // say it once; returns false

    Bridge &bridge_;
    std::string name_; // "push scan:=/scan"
    uint64_t copied_ = 0, missed_ = 0, refused_ = 0;

  private:
    bool connected_ = false;
    std::string waiting_, refusal_;
};

#endif
