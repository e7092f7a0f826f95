// SPDX-License-Identifier: BSD-3-Clause
//
// main.cc - ach-ros: a bridge between Ach and ROS 1
#include <cstdio>
#include <cstdlib>
#include <set>

#include <getopt.h>
#include <ros/xmlrpc_manager.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "channel.hpp"
#include "device.hpp"

extern "C" {
#include "parse.h"
}

// Seconds between attempts to reach the master.
static const double MASTER_SECONDS = 1;

// A mistake on the command line.
struct Usage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Request {
    std::string verb, from, to;
};

struct CommandLine {
    Settings settings;
    std::vector<Request> requests;
};

static void help()
{
    printf("usage: ach-ros [OPTION ...] {push CHANNEL[:=TOPIC] ... | pull TOPIC[:=CHANNEL] ... |\n"
           "                             device ADDRESS[:=NAME] ...} ...\n"
           "\n"
           "Copy messages between Ach and ROS 1.\n"
           "\n"
           "  push      channels, whose type is a definition of ROS, to topics\n"
           "  pull      topics to channels, which are created if they do not exist\n"
           "  device    data of devices to topics of sensor_msgs, nav_msgs and tf, and cmd_vel to\n"
           "            position2d; with a NAME, its topics are NAME/scan and so on\n"
           "\n"
           "  -n, --node NAME         name of the node; default: ach_ros with a number\n"
           "  -q, --queue COUNT       messages that topics queue; default: 1, the newest one\n"
           "  -l, --latch             send the last message to new subscribers, too\n"
           "  -t, --timeout SECONDS   stop the robot so long after the last cmd_vel; default: 0.5\n"
           "  -f, --frames COUNT      messages in channels that pull creates; default: 16\n"
           "      --base FRAME        frame of the robot; default: base_link\n"
           "      --odom FRAME        frame of odometry; default: odom\n"
           "      --no-tf             do not publish transforms\n"
           "  -h, --help              print this\n"
           "  -V, --version           print the version\n"
           "\n"
           "Interfaces of devices and their topics:\n");
    for (size_t i = 0; i < device_interface_count; i++)
        printf("  %-14s %s\n", ach_interface_by_code(device_interfaces[i].code)->name,
               device_interfaces[i].topics);
    printf("\n"
           "ROS_MASTER_URI says where the master is.\n"
           "\n"
           "Examples:\n"
           "  ach-ros device position2d:0 laser:0     # then drive it with cmd_vel\n"
           "  ach-ros push pose pull /goal:=goal\n");
}

static unsigned count_of(const char *option, const char *text)
{
    uint64_t n;

    if (!parse_count(text, 1, 1000000, &n))
        throw Usage(std::string(option) + ": expected a number from 1 to 1000000, found '" + text +
                    "'");
    return static_cast<unsigned>(n);
}

static double seconds_of(const char *text)
{
    double seconds;

    if (!parse_seconds(text, &seconds))
        throw Usage(std::string("--timeout: expected " SECONDS_WANTED ", found '") + text + "'");
    return seconds;
}

// False: the program shall end, because help or version was printed.
static bool parse_options(int argc, char **argv, Settings &s)
{
    enum { BASE = 256, ODOM, NO_TF };
    static const option options[] = {
        {"node", 1, nullptr, 'n'},    {"queue", 1, nullptr, 'q'},   {"latch", 0, nullptr, 'l'},
        {"timeout", 1, nullptr, 't'}, {"frames", 1, nullptr, 'f'},  {"base", 1, nullptr, BASE},
        {"odom", 1, nullptr, ODOM},   {"no-tf", 0, nullptr, NO_TF}, {"help", 0, nullptr, 'h'},
        {"version", 0, nullptr, 'V'}, {nullptr, 0, nullptr, 0}};
    int c;

    while ((c = getopt_long(argc, argv, "n:q:lt:f:hV", options, nullptr)) != -1) {
        switch (c) {
        case 'n':
            s.node = optarg;
            break;
        case 'q':
            s.queue = count_of("--queue", optarg);
            break;
        case 'l':
            s.latch = true;
            break;
        case 't':
            s.timeout = seconds_of(optarg);
            break;
        case 'f':
            s.frames = count_of("--frames", optarg);
            break;
        case BASE:
            s.base = optarg;
            break;
        case ODOM:
            s.odom = optarg;
            break;
        case NO_TF:
            s.tf = false;
            break;
        case 'h':
            help();
            return false;
        case 'V':
            printf("ach-ros %s\n", ACH_ROS_VERSION);
            return false;
        default:
            throw Usage("");
        }
    }
    return true;
}

// "push a b:=c pull d" becomes three requests.
static std::vector<Request> parse_requests(int count, char **words)
{
    std::vector<Request> requests;
    std::string verb;

    for (int i = 0; i < count; i++) {
        const std::string word = words[i];
        const size_t assign = word.find(":=");

        if (word == "push" || word == "pull" || word == "device")
            verb = word;
        else if (verb.empty())
            throw Usage("expected push, pull or device, found '" + word + "'");
        else if (assign == std::string::npos)
            requests.push_back({verb, word, ""});
        else
            requests.push_back({verb, word.substr(0, assign), word.substr(assign + 2)});
    }
    if (requests.empty())
        throw Usage("expected push, pull or device, and what to copy");
    return requests;
}

// A channel that is pushed and pulled would get its own messages again.
static void check_loops(const std::vector<Request> &requests)
{
    std::set<std::string> pushed, pulled;

    for (const Request &r : requests)
        if (r.verb == "push")
            pushed.insert(r.from);
        else if (r.verb == "pull")
            pulled.insert(r.to.empty() ? r.from : r.to);
    for (const std::string &channel : pushed)
        if (pulled.count(channel) || pulled.count("/" + channel))
            throw Usage("channel '" + channel +
                        "' is both pushed and pulled: its messages would come back");
}

// The topic "/arm/state" becomes the channel "arm-state".
static std::string channel_of(std::string topic)
{
    topic.erase(0, topic.find_first_not_of('/'));
    for (char &c : topic)
        if (c == '/')
            c = '-';
    return topic;
}

static std::unique_ptr<Link> make_link(Bridge &bridge, const Request &r)
{
    if (r.verb == "device")
        return std::make_unique<DeviceLink>(bridge, r.from, r.to);
    std::string why;
    const std::string &topic = r.verb == "pull" || r.to.empty() ? r.from : r.to;

    if (!ros::names::validate(topic, why))
        throw Usage("'" + topic + "' cannot be a topic: " + why);
    if (r.verb == "push")
        return std::make_unique<Push>(bridge, r.from, topic);
    return std::make_unique<Pull>(bridge, topic, r.to.empty() ? channel_of(topic) : r.to);
}

// Ends the loop at SIGINT, SIGTERM and SIGHUP. Threads that are created later have them blocked.
class Signals
{
  public:
    explicit Signals(Loop &loop) : loop_(loop), signals_(blocked())
    {
        loop_.add(signals_.get(), [this] {
            ended_ = true;
            loop_.stop();
            return false;
        });
    }
    ~Signals()
    {
        loop_.remove(signals_.get());
    }
    bool ended() const
    {
        return ended_;
    }

  private:
    static int blocked()
    {
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGINT);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGHUP);
        sigprocmask(SIG_BLOCK, &set, nullptr);
        return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    }

    Loop &loop_;
    Descriptor signals_;
    bool ended_ = false;
};

// False: a signal came before the master.
static bool wait_for_master()
{
    Loop loop;
    const Signals signals(loop);
    Timer retry(loop, [&] {
        if (ros::master::check())
            loop.stop();
        else
            retry.start(MASTER_SECONDS);
    });

    if (ros::master::check())
        return true;
    say("there is no ROS master at " + ros::master::getURI() +
        "; waiting for it (start roscore, or set ROS_MASTER_URI)");
    retry.start(MASTER_SECONDS);
    loop.run();
    return !signals.ended();
}

// `rosnode kill`, or another node has taken the name of this one. roscpp would stop in its own
// threads, without the loop.
static void end_by_master(XmlRpc::XmlRpcValue &parameters, XmlRpc::XmlRpcValue &result)
{
    if (parameters.size() > 1 && parameters[1].getType() == XmlRpc::XmlRpcValue::TypeString)
        say("asked to end: " + static_cast<std::string &>(parameters[1]));
    kill(getpid(), SIGTERM);
    result = ros::xmlrpc::responseInt(1, "", 0);
}

static void join_ros(const Settings &s)
{
    const uint32_t anonymous = s.node.empty() ? ros::init_options::AnonymousName : 0;

    ros::init(ros::M_string(), s.node.empty() ? "ach_ros" : s.node,
              anonymous | ros::init_options::NoSigintHandler | ros::init_options::NoRosout);
    ros::XMLRPCManager::instance()->unbind("shutdown");
    ros::XMLRPCManager::instance()->bind("shutdown", end_by_master);
}

static void run(const CommandLine &line)
{
    Loop loop;
    const Signals signals(loop);
    Bridge bridge(line.settings, loop);

    for (const Request &r : line.requests)
        bridge.links.push_back(make_link(bridge, r));
    bridge.connect();
    loop.run();
    for (const auto &link : bridge.links)
        link->report();
    bridge.links.clear();
}

static int bridge_main(int argc, char **argv)
{
    CommandLine line;

    if (!parse_options(argc, argv, line.settings))
        return 0;
    line.requests = parse_requests(argc - optind, argv + optind);
    check_loops(line.requests);
    join_ros(line.settings);
    if (wait_for_master())
        run(line);
    ros::shutdown();
    return 0;
}

int main(int argc, char **argv)
{
    try {
        return bridge_main(argc, argv);
    } catch (const Usage &e) {
        if (*e.what())
            say(e.what());
        fputs("Try 'ach-ros --help'.\n", stderr);
        return 2;
    } catch (const std::exception &e) {
        say(e.what());
        return 1;
    }
}
