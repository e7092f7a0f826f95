/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside.h - what the classes of Player's API hide
 *
 * A driver of Player is one driver of a robot, and runs in that driver's thread: the thread calls
 * Setup, Main, Update and Shutdown, and while it waits or processes messages it moves what the
 * robot has queued into InQueue. So Wait sleeps as all drivers do, and a simulated clock works.
 *
 * Main has to end when the last client leaves. The calls that Player documents as cancellation
 * points throw a Stop then, as the cancellation of a thread would unwind the stack.
 *
 * Locks, outermost first: of the driver's requests; of a queue. Neither is held while a method of
 * the driver runs.
 */
#ifndef PLAYER_INSIDE_H
#define PLAYER_INSIDE_H

#include <ach/robot.h>
#include <libplayercore/playercore.h>
#include <libplayerinterface/layouts.h>
#include <poll.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace player
{
/* Leaves Main. */
struct Stop {
};

/* What the driver under construction is made from. */
struct Making {
    ach_driver_t *driver;
    ach_section_t *options;
    std::vector<ach_address_t> required; /* in the order of the option */
    bool requires_read;
};
extern thread_local Making *making;

/* A driver whose functions run in this thread, or NULL. */
extern thread_local Driver *current;

class Current
{
  public:
    explicit Current(Driver *driver) : before(current)
    {
        current = driver;
    }
    ~Current()
    {
        current = before;
    }

  private:
    Driver *before;
};

/* Our struct made from Player's. It points into Player's struct. */
class Ours
{
  public:
    Ours(uint16_t interf, uint8_t type, uint8_t subtype, const void *theirs);
    const void *get() const
    {
        return body;
    }

  private:
    const void *body;
    std::vector<std::unique_ptr<char[]>> parts;
};

/* Player's struct made from the body of a message; NULL: it has none. The caller frees it. */
void *theirs_of(const ach_message_t *message);

ach_address_t ours(const player_devaddr_t &address);
player_devaddr_t theirs(const ach_address_t &address);
bool same(const player_devaddr_t &a, const player_devaddr_t &b);

/* Seconds on the clock of the current driver's robot, or of any. */
double now();
} // namespace player

struct MessageQueue::Inside {
    struct Rule {
        int host, robot, interf, index, type, subtype, replace;
    };

    std::atomic<unsigned> refs{1};
    std::mutex lock;
    std::condition_variable arrived;
    std::deque<Message *> messages;
    std::vector<Rule> rules;
    std::unique_ptr<Rule> filter;
    bool replace;
    size_t room;
    bool signaled = false;
    Driver *reader = nullptr;  /* whose InQueue it is */
    Driver *clients = nullptr; /* the driver whose clients get what is pushed; it queues nothing */

    void Changed();
    bool Queued(); /* whether the filter lets a message through */
    std::deque<Message *>::iterator First();
};

struct Driver::Inside {
    struct Device {
        player_devaddr_t addr;
        unsigned subscriptions; /* that the driver has been told of */
    };
    struct Request {
        player_devaddr_t addr;
        uint8_t subtype;
        ach_message_t *message;
    };
    struct Watch {
        int fd;
        short events;
    };

    explicit Inside(Driver *driver);
    ~Inside();
    Inside(const Inside &) = delete;
    Inside &operator=(const Inside &) = delete;

    Driver *driver;
    ach_driver_t *ach = nullptr; /* NULL: not made from a config file */
    ach_section_t *options = nullptr;
    PropertyBag properties;
    pthread_mutex_t access, subscription;
    int subscriptions = 0;
    std::vector<Device> provided;
    std::vector<player_devaddr_t> claimed; /* of the option provides */
    std::vector<ach_address_t> required;
    std::vector<player_devaddr_t> sources; /* devices whose data it wants */
    std::vector<Watch> watches;
    QueuePointer clients;

    std::mutex lock;                          /* for what follows */
    std::list<Request> requests;              /* not answered yet, oldest first */
    std::map<uint32_t, ach_message_t *> sent; /* passed on to a device, by sequence */
    const ach_message_t *handled = nullptr;   /* the message in ProcessMessage */
    uint32_t sequence = 0;

    pthread_t thread{};
    std::atomic<bool> attended{false}; /* the driver is set up, and thread is its thread */
    bool stopping = false;             /* the server has asked it to stop */
    bool main_wanted = false;          /* StartThread was called */
    bool main_ready = false;           /* MainSetup has run */
    bool in_main = false;
    bool leave_main = false; /* StopThread was called by Main */
    bool following = false;  /* Follow is under way */
    bool updated = false;    /* Driver::Update ran: it is not overridden */

    /* The robot's side: bridge.cc */
    ach_status_t Setup();
    void Live();
    void Shutdown();
    void Retire(); /* the robot is gone */
    ach_status_t Take(const ach_message_t *message);

    /* Whether the caller is the driver's thread. */
    bool Here() const
    {
        return attended && pthread_equal(pthread_self(), thread);
    }

    /* Take what the robot has queued; if that is nothing, sleep. Negative: for ever. */
    void Turn(double seconds);

    /* Wait until a message is in InQueue. 0: for ever. */
    bool WaitFor(double timeout);

    /* In Main: throw a Stop if it is to end. */
    void CheckStop();

    /* Pass one message to the driver. */
    void Handle(Message &message);

    /* An answer or data for clients. @body: Player's struct. */
    bool Send(const player_msghdr_t &header, const void *body);
    bool Publish(const player_msghdr_t &header, const void *body);
    bool Answer(const player_msghdr_t &header, const void *body);

    /* To a device that it requires. A request of a client is answered by the device. */
    bool Put(const player_msghdr_t &header, const void *body, bool for_client);
    Message *Ask(const player_devaddr_t &device, uint8_t subtype, const void *body, double timeout);

    /* Claim an address of the option provides. */
    bool Claim(const player_devaddr_t &addr);

    ach_message_t *TakeRequest(const player_devaddr_t &addr, uint8_t subtype);

  private:
    void Follow();
    bool PollWatches(double timeout);
    bool RunMain();
    bool MainSetup();
    void LeaveMain();
    void Drain();
    bool Subscribe(Device &device);
    void Unsubscribe(Device &device);
    void Forget();
};

#endif
