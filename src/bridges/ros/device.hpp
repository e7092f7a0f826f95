// SPDX-License-Identifier: BSD-3-Clause
//
// device.hpp - links between devices and topics
//
// Each interface that is known has an entry in a table (interfaces.cc). It makes an outlet, which
// translates the data of one device, and commands to it.
#ifndef ROS_DEVICE_HPP
#define ROS_DEVICE_HPP

#include <memory>
#include <string>

#include <ach/device.hpp>
#include <geometry_msgs/Pose.h>
#include <geometry_msgs/TransformStamped.h>
#include <std_msgs/Header.h>

#include "bridge.hpp"

// What an outlet is made for.
struct DeviceContext {
    Bridge &bridge;
    ach_device_t *device;
    std::string prefix; // of topics and frames: "", "laser1/" or what the user gave
    std::string frame;  // of the device

    template <class M> ros::Publisher advertise(const std::string &topic, bool latch = false) const
    {
        return bridge.node.advertise<M>(prefix + topic, bridge.settings.queue,
                                        latch || bridge.settings.latch);
    }
    // Publish where the device is on the robot.
    void mounted(const ach_pose3d_t &pose) const;
};

class Outlet
{
  public:
    virtual ~Outlet() = default;
    virtual bool data(const ach::Message &message) = 0; // true: it was published
};

struct DeviceInterface {
    uint16_t code;
    const char *topics; // for the help text
    std::unique_ptr<Outlet> (*make)(const DeviceContext &context);
};
extern const DeviceInterface device_interfaces[];
extern const size_t device_interface_count;

std::unique_ptr<Outlet> make_position2d(const DeviceContext &context);
std::unique_ptr<Outlet> make_map(const DeviceContext &context);

// The struct of a message, or NULL if it is another message.
template <class T> const T *body_of(const ach::Message &m, unsigned subtype)
{
    const auto *body = static_cast<const T *>(ach_message_body(m.get()));

    return m.header().type == ACH_MSG_DATA && m.header().subtype == subtype ? body : nullptr;
}

// The answer to a request without a body; empty if the device has none.
template <class T>
std::optional<ach::Message> ask(ach_device_t *device, uint8_t subtype, const T *body = nullptr)
{
    ach_message_t *answer = nullptr;
    const ach_status_t status = ach_device_request(device, subtype, body, 1, &answer);
    std::optional<ach::Message> owner;

    if (answer)
        owner.emplace(answer);
    if (status != ACH_OK || !ach_message_body(answer))
        owner.reset();
    return owner;
}

std_msgs::Header stamped(const ach::Message &m, const std::string &frame);
geometry_msgs::Quaternion quaternion(double roll, double pitch, double yaw);
geometry_msgs::Pose pose_of(const ach_pose2d_t &p);
geometry_msgs::TransformStamped transform_of(const std_msgs::Header &header,
                                             const std::string &child,
                                             const geometry_msgs::Pose &pose);

class DeviceLink : public Link
{
  public:
    // Without a name, the prefix of its topics depends on its index. Throws Fatal.
    DeviceLink(Bridge &bridge, const std::string &address, const std::string &name);
    ~DeviceLink() override;

  private:
    bool open() override;
    void close();
    bool take() override;

    std::string address_, prefix_, frame_;
    const DeviceInterface *interface_;
    ach_device_t *device_ = nullptr;
    std::unique_ptr<Outlet> outlet_;
    uint64_t lost_ = 0; // by handles that are closed
};

#endif
