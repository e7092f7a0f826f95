// SPDX-License-Identifier: BSD-3-Clause
#include "device.hpp"

#include <cmath>

// ros::Time throws if the number does not fit.
std_msgs::Header stamped(const ach::Message &m, const std::string &frame)
{
    const double t = m.header().timestamp;
    std_msgs::Header header;

    if (t >= 0 && t < 4e9)
        header.stamp = ros::Time(t);
    header.frame_id = frame;
    return header;
}

geometry_msgs::Quaternion quaternion(double roll, double pitch, double yaw)
{
    const double cr = cos(roll / 2), sr = sin(roll / 2), cp = cos(pitch / 2), sp = sin(pitch / 2);
    const double cy = cos(yaw / 2), sy = sin(yaw / 2);
    geometry_msgs::Quaternion q;

    q.w = cr * cp * cy + sr * sp * sy;
    q.x = sr * cp * cy - cr * sp * sy;
    q.y = cr * sp * cy + sr * cp * sy;
    q.z = cr * cp * sy - sr * sp * cy;
    return q;
}

geometry_msgs::Pose pose_of(const ach_pose2d_t &p)
{
    geometry_msgs::Pose pose;

    pose.position.x = p.px;
    pose.position.y = p.py;
    pose.orientation = quaternion(0, 0, p.pa);
    return pose;
}

geometry_msgs::TransformStamped transform_of(const std_msgs::Header &header,
                                             const std::string &child,
                                             const geometry_msgs::Pose &pose)
{
    geometry_msgs::TransformStamped t;

    t.header = header;
    t.child_frame_id = child;
    t.transform.translation.x = pose.position.x;
    t.transform.translation.y = pose.position.y;
    t.transform.translation.z = pose.position.z;
    t.transform.rotation = pose.orientation;
    return t;
}

void DeviceContext::mounted(const ach_pose3d_t &p) const
{
    std_msgs::Header header;
    geometry_msgs::Pose pose;

    header.frame_id = bridge.settings.base;
    pose.position.x = p.px;
    pose.position.y = p.py;
    pose.position.z = p.pz;
    pose.orientation = quaternion(p.proll, p.ppitch, p.pyaw);
    bridge.frames.fixed(transform_of(header, frame, pose));
}

static std::string known_interfaces()
{
    std::string names;

    for (size_t i = 0; i < device_interface_count; i++)
        names +=
            std::string(i ? ", " : "") + ach_interface_by_code(device_interfaces[i].code)->name;
    return names;
}

static const DeviceInterface *find_interface(uint16_t code, const std::string &address)
{
    for (size_t i = 0; i < device_interface_count; i++)
        if (device_interfaces[i].code == code)
            return &device_interfaces[i];
    throw Fatal("there are no topics for '" + address +
                "'; known interfaces are: " + known_interfaces());
}

DeviceLink::DeviceLink(Bridge &bridge, const std::string &address, const std::string &name)
    : Link(bridge, "device " + address), address_(address)
{
    ach_place_t place;

    if (ach_place_parse(address.c_str(), &place) != ACH_OK)
        throw Fatal("'" + address + "' is not the address of a device: " + ach_errstr());
    interface_ = find_interface(place.interf, address);
    const std::string kind = ach_interface_by_code(place.interf)->name;

    if (!name.empty())
        prefix_ = name + "/";
    else if (place.index > 0)
        prefix_ = kind + std::to_string(place.index) + "/";
    frame_ = prefix_ + kind;
}

DeviceLink::~DeviceLink()
{
    close();
}

void DeviceLink::close()
{
    outlet_.reset(); // may send a last command
    if (!device_)
        return;
    lost_ += ach_device_lost(device_);
    bridge_.loop.remove(ach_device_fd(device_));
    ach_device_close(device_);
    device_ = nullptr;
}

bool DeviceLink::open()
{
    ach_device_attr_t attr{};

    attr.size = sizeof(attr);
    attr.timeout = 1;
    if (ach_device_open(address_.c_str(), &attr, &device_) != ACH_OK) {
        device_ = nullptr;
        return wait(ach_errstr());
    }
    bridge_.loop.add(ach_device_fd(device_), [this] { return take_some(); });
    outlet_ = interface_->make({bridge_, device_, prefix_, frame_});
    return true;
}

// Different data of one device must not replace each other, so all is taken in order. Topics drop
// what subscribers do not take.
bool DeviceLink::take()
{
    ach_message_t *got = nullptr;
    const ach_status_t status = ach_device_get(device_, ACH_SUBTYPE_ANY, 0, 0, &got);

    if (status == ACH_STALE_FRAMES || status == ACH_TIMEOUT)
        return false;
    if (status != ACH_OK && status != ACH_MISSED_FRAME) {
        close();
        disconnected("the connection to the device was lost");
        return false;
    }
    const ach::Message message(got);

    missed_ = lost_ + ach_device_lost(device_);
    if (outlet_->data(message))
        copied_++;
    return true;
}
