// SPDX-License-Identifier: BSD-3-Clause
//
// position2d.cc - odometry and its transform, and cmd_vel with a time limit
//
// A robot must not go on with an old velocity if the program that drives it has ended, or if its
// connection is lost. So it is stopped some time after the last command, and when ach-ros ends.
#include "device.hpp"

#include <cmath>

#include <geometry_msgs/Twist.h>
#include <nav_msgs/Odometry.h>

namespace
{

class Position2d : public Outlet
{
  public:
    explicit Position2d(const DeviceContext &c)
        : bridge_(c.bridge), device_(c.device), odom_(c.bridge.settings.odom),
          base_(c.bridge.settings.base), topic_(c.prefix + "cmd_vel"),
          publisher_(c.advertise<nav_msgs::Odometry>("odom")),
          limit_(c.bridge.loop, [this] { expired(); })
    {
        auto options = ros::SubscribeOptions::create<geometry_msgs::Twist>(
            topic_, 1, [this](const geometry_msgs::Twist::ConstPtr &twist) { command(*twist); }, {},
            nullptr);

        options.transport_hints = ros::TransportHints().tcpNoDelay();
        subscriber_ = bridge_.node.subscribe(options);
    }

    ~Position2d() override
    {
        if (driving_)
            send({});
    }

    bool data(const ach::Message &m) override
    {
        const auto *state = body_of<ach_position2d_data_t>(m, ACH_POSITION2D_DATA_STATE);

        if (!state)
            return false;
        nav_msgs::Odometry out;

        out.header = stamped(m, odom_);
        out.child_frame_id = base_;
        out.pose.pose = pose_of(state->pos);
        out.twist.twist.linear.x = state->vel.px;
        out.twist.twist.linear.y = state->vel.py;
        out.twist.twist.angular.z = state->vel.pa;
        publisher_.publish(out);
        bridge_.frames.moving(transform_of(out.header, base_, out.pose.pose));
        return true;
    }

  private:
    void command(const geometry_msgs::Twist &twist)
    {
        const ach_pose2d_t vel = {twist.linear.x, twist.linear.y, twist.angular.z};

        if (!std::isfinite(vel.px) || !std::isfinite(vel.py) || !std::isfinite(vel.pa))
            return say(topic_ + ": a velocity that is no finite number is ignored");
        send(vel);
        driving_ = vel.px != 0 || vel.py != 0 || vel.pa != 0;
        if (driving_)
            limit_.start(bridge_.settings.timeout);
        else
            limit_.stop();
    }

    void expired()
    {
        say(topic_ + ": no command for " + std::to_string(bridge_.settings.timeout) +
            " s; the robot is stopped");
        driving_ = false;
        send({});
    }

    void send(const ach_pose2d_t &vel)
    {
        ach_position2d_cmd_vel_t body{};

        body.vel = vel;
        body.state = 1;
        if (ach_device_command(device_, ACH_POSITION2D_CMD_VEL, &body) != ACH_OK)
            say(topic_ + ": " + ach_errstr());
    }

    Bridge &bridge_;
    ach_device_t *device_;
    std::string odom_, base_, topic_;
    ros::Publisher publisher_;
    ros::Subscriber subscriber_;
    Timer limit_;
    bool driving_ = false;
};

} // namespace

std::unique_ptr<Outlet> make_position2d(const DeviceContext &context)
{
    return std::make_unique<Position2d>(context);
}
