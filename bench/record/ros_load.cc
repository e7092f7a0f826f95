// SPDX-License-Identifier: BSD-3-Clause
//
// ros_load.cc - record-ros-load CHANNELS HZ SIZE IMAGE_HZ IMAGE_SIZE: publishes the same as topics of ROS 1
#include <string>
#include <vector>

#include <ros/ros.h>
#include <std_msgs/UInt8MultiArray.h>

#include "pace.h"

namespace
{

struct Load {
    std::vector<ros::Publisher> topics;
    std_msgs::UInt8MultiArray message;

    void fill(size_t size)
    {
        uint32_t x = 1;

        for (size_t i = 0; i < size; i++) {
            x = x * 1664525u + 1013904223u;
            message.data.push_back(static_cast<uint8_t>(i / 64 + (x >> 30)));
        }
    }
};

void send(void *context, unsigned which)
{
    const auto *load = static_cast<Load *>(context);

    load->topics[which].publish(load->message);
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "record_load", ros::init_options::NoSigintHandler);
    if (argc != 6)
        return 2;
    ros::NodeHandle node;
    ros::AsyncSpinner spinner(1);
    Load small, image;
    const auto n = static_cast<unsigned>(std::stoul(argv[1]));

    spinner.start();
    for (unsigned i = 0; i < n; i++)
        small.topics.push_back(
            node.advertise<std_msgs::UInt8MultiArray>("load" + std::to_string(i), 64));
    image.topics.push_back(node.advertise<std_msgs::UInt8MultiArray>("image", 8));
    small.fill(std::stoul(argv[3]));
    image.fill(std::stoul(argv[5]));
    struct pace paces[2] = {};

    paces[0].name = "small";
    paces[0].channels = n;
    paces[0].hz = std::stod(argv[2]);
    paces[0].context = &small;
    paces[1].name = "image";
    paces[1].channels = 1;
    paces[1].hz = std::stod(argv[4]);
    paces[1].context = &image;
    paces[0].send = paces[1].send = send;
    return pace_serve(paces, 2);
}
