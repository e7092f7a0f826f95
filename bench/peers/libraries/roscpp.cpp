/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roscpp.cpp - ROS 1: topics over TCP, and a master that introduces the nodes
 *
 * Each process is a node. A thread of roscpp reads the socket and queues the
 * message; the receiver handles the queue itself, so it waits where it receives.
 * Topics and master stay on loopback; the port on which a node takes orders does
 * not, because roscpp binds it to every address, whatever ROS_IP says.
 */
#include "contender.h"
#include "daemon.hpp"
#include "patience.hpp"

#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <std_msgs/UInt8MultiArray.h>

#include <arpa/inet.h>
#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>

namespace
{
using Message = std_msgs::UInt8MultiArray;

Daemon master;

struct Link {
    explicit Link(const struct job *job) : mode(job->mode), size(job->size), id(job->id)
    {
    }

    const enum mode mode;
    const size_t size;
    const unsigned id;

    ros::CallbackQueue queue;
    std::optional<ros::NodeHandle> node;
    ros::Publisher publisher;
    ros::Subscriber subscriber;
    Message outgoing;
    Message::ConstPtr incoming;
};

struct sockaddr_in loopback(uint16_t port)
{
    struct sockaddr_in address = {};

    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

/* One that nobody uses now; 0: none. */
uint16_t free_port()
{
    struct sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool bound = bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0 &&
                       getsockname(fd, reinterpret_cast<sockaddr *>(&address), &length) == 0;

    ::close(fd);
    return bound ? ntohs(address.sin_port) : 0;
}

bool listens(uint16_t port)
{
    const struct sockaddr_in address = loopback(port);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool connected =
        connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;

    ::close(fd);
    return connected;
}

/* The environment tells the master and all nodes, which inherit it, to stay on loopback. */
const char *start(const char *dir)
{
    const uint16_t port = free_port();
    const std::string number = std::to_string(port);

    if (port == 0)
        return "there is no port on the loopback interface";
    setenv("ROS_MASTER_URI", ("http://127.0.0.1:" + number).c_str(), 1);
    setenv("ROS_IP", "127.0.0.1", 1);
    setenv("ROS_HOME", dir, 1);
    setenv("ROS_LOG_DIR", dir, 1);
    unsetenv("ROS_HOSTNAME");
    if (!master.start({"rosmaster", "--core", "-p", number}, std::string(dir) + "/rosmaster.out"))
        return "rosmaster cannot be started";
    if (master.wait_until([&] { return listens(port); }, std::chrono::seconds(60)))
        return nullptr;
    master.stop();
    return "rosmaster did not get ready";
}

void stop()
{
    master.stop();
}

void *setup(const struct job *job)
{
    return new Link(job);
}

void finish(void *link)
{
    delete static_cast<Link *>(link);
}

uint32_t depth(const Link &link)
{
    return link.size <= 64 << 10 ? 256 : 8;
}

void open_sender(Link &link, const std::string &topic)
{
    link.outgoing.data.resize(link.size);
    link.publisher = link.node->advertise<Message>(topic, depth(link));
}

void open_receiver(Link &link, const std::string &topic)
{
    auto options = ros::SubscribeOptions::create<Message>(
        topic, depth(link), [&link](const Message::ConstPtr &message) { link.incoming = message; },
        ros::VoidPtr(), &link.queue);

    options.transport_hints = ros::TransportHints().tcpNoDelay();
    link.subscriber = link.node->subscribe(options);
}

/* The first link of a process names its node; for further ones, init does nothing. */
bool open(void *handle, enum side side, unsigned index)
{
    auto &link = *static_cast<Link *>(handle);
    const std::string topic = "/ach_peers_" + std::to_string(link.id);
    const std::string name = "ach_peers_" + std::to_string(link.id) +
                             (side == SENDER ? "_s" : "_r") + std::to_string(index);

    ros::init(ros::M_string(), name,
              ros::init_options::NoSigintHandler | ros::init_options::NoRosout);
    ros::master::setRetryTimeout(ros::WallDuration(5));
    if (!ros::master::check())
        return false;
    link.node.emplace();
    if (side == SENDER)
        open_sender(link, topic);
    else
        open_receiver(link, topic);
    return side == SENDER ? bool(link.publisher) : bool(link.subscriber);
}

/* What the thread that writes has not written is lost. */
void close(void *handle, enum side, unsigned)
{
    auto &link = *static_cast<Link *>(handle);

    if (link.publisher)
        linger([&] { return link.publisher.getNumSubscribers(); });
    link.incoming.reset();
    link.subscriber.shutdown();
    link.publisher.shutdown();
    link.node.reset();
}

void *loan(void *handle, size_t size)
{
    auto &data = static_cast<Link *>(handle)->outgoing.data;

    data.resize(size);
    return data.data();
}

int publish(void *handle, void *, size_t)
{
    auto &link = *static_cast<Link *>(handle);

    link.publisher.publish(link.outgoing);
    return 1;
}

/* The queue is asked again after a call that brought no message. */
bool spin(Link &link, int timeout_ms)
{
    Patience patience(timeout_ms);

    do
        link.queue.callOne();
    while (!link.incoming && !patience.over_for_all());
    return link.incoming != nullptr;
}

bool sleep(Link &link, int timeout_ms)
{
    link.queue.callOne(ros::WallDuration(timeout_ms / 1e3));
    return link.incoming != nullptr;
}

const void *take(void *handle, size_t *size, int timeout_ms)
{
    auto &link = *static_cast<Link *>(handle);

    if (!(link.mode == MODE_SPIN ? spin(link, timeout_ms) : sleep(link, timeout_ms)))
        return nullptr;
    *size = link.incoming->data.size();
    return link.incoming->data.data();
}

bool give_back(void *handle, const void *)
{
    static_cast<Link *>(handle)->incoming.reset();
    return true;
}

struct contender describe()
{
    struct contender c = {};

    c.name = "roscpp";
    c.source = __FILE__ " libraries/patience.hpp libraries/daemon.hpp";
    c.kind = KIND_LIBRARY;
    c.package = "libroscpp-dev, libstd-msgs-dev, python3-rosmaster";
    c.settings = "std_msgs/UInt8MultiArray over TCP on loopback, tcpNoDelay; "
                 "the receiver handles its callback queue";
    c.modes = MODE_BLOCK | MODE_SPIN;
    c.start = start;
    c.stop = stop;
    c.setup = setup;
    c.finish = finish;
    c.open = open;
    c.close = close;
    c.loan = loan;
    c.publish = publish;
    c.take = take;
    c.give_back = give_back;
    return c;
}

const struct contender roscpp = describe();
} // namespace

extern "C" {
extern const struct contender *const contenders[];
const struct contender *const contenders[] = {&roscpp, nullptr};
}
