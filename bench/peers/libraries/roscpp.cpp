/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roscpp.cpp - ROS 1: topics over TCP, and a master that introduces the nodes
 *
 * Each process is a node. A thread of roscpp reads the socket and queues the
 * message; the receiver handles the queue itself, so it waits where it receives.
 * Topics and master stay on loopback; the port on which a node takes orders does
 * not, because roscpp binds it to every address, whatever ROS_IP says.
 */
#include "daemon.hpp"
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <std_msgs/UInt8MultiArray.h>

using Message = std_msgs::UInt8MultiArray;

struct End : Adapter {
    static constexpr enum reach reach = REACH_BOTH;

    ros::CallbackQueue queue;
    ros::NodeHandle node;
    ros::Publisher publisher;
    ros::Subscriber subscriber;
    Message outgoing;
    Message::ConstPtr incoming;

    /* The environment keeps the master, which ends with this process, and all nodes on loopback. */
    static const char *start()
    {
        const uint16_t port = loopback_port(0, bind);
        const std::string number = std::to_string(port);
        const char *const argv[] = {"rosmaster", "--core", "-p", number.c_str(), nullptr};

        setenv("ROS_MASTER_URI", ("http://127.0.0.1:" + number).c_str(), 1);
        setenv("ROS_IP", "127.0.0.1", 1);
        setenv("ROS_HOME", getenv("ACH_DIR"), 1);
        setenv("ROS_LOG_DIR", getenv("ACH_DIR"), 1);
        unsetenv("ROS_HOSTNAME");
        if (port == 0)
            return "there is no port on the loopback interface";
        const auto ready = [port] { return loopback_port(port, connect) != 0; };
        return daemon_start(argv, "rosmaster.out", ready) > 0 ? nullptr
                                                              : "rosmaster did not get ready";
    }

    static bool join()
    {
        ros::init(ros::M_string(), "ach_peers_" + std::to_string(getpid()),
                  ros::init_options::NoSigintHandler | ros::init_options::NoRosout);
        ros::master::setRetryTimeout(ros::WallDuration(5));
        return ros::master::check();
    }

    bool open(struct link &l)
    {
        auto options = ros::SubscribeOptions::create<Message>(
            "/ach_peers_" + std::to_string(l.id), queue_length(l.size),
            [this](const Message::ConstPtr &message) { incoming = message; }, {}, &queue);

        options.transport_hints = ros::TransportHints().tcpNoDelay();
        if (l.side == RECEIVER)
            return bool(subscriber = node.subscribe(options));
        outgoing.data.resize(l.size);
        l.message = outgoing.data.data();
        return bool(publisher = node.advertise<Message>(options.topic, options.queue_size));
    }

    /* What the thread that writes has not written is lost. */
    void close(struct link &)
    {
        linger([&] { return publisher.getNumSubscribers(); });
    }

    int send(struct link &)
    {
        publisher.publish(outgoing);
        return 1;
    }

    size_t receive(struct link &l, int timeout_ms)
    {
        queue.callOne(ros::WallDuration(timeout_ms / 1e3));
        if (!incoming)
            return 0; /* the call was none of ours */
        l.message = const_cast<uint8_t *>(incoming->data.data());
        return incoming->data.size();
    }

    bool release(struct link &)
    {
        incoming.reset();
        return true;
    }
};

const struct contender contenders[] = {
    adapter<End>("roscpp", "libroscpp-dev, libstd-msgs-dev, python3-rosmaster", __FILE__,
                 MODE_BLOCK | MODE_SPIN,
                 "std_msgs/UInt8MultiArray over TCP on loopback, tcpNoDelay; the receiver handles "
                 "its callback queue"),
    {}};
