/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.cc - queues of messages, and references to them */
#include <math.h>

#include "inside.h"

QueuePointer::QueuePointer() : queue(nullptr)
{
}

QueuePointer::QueuePointer(bool Replace, size_t Maxlen) : queue(new MessageQueue(Replace, Maxlen))
{
}

static MessageQueue *reference(MessageQueue *queue)
{
    if (queue)
        queue->inside->refs++;
    return queue;
}

static void release(MessageQueue *queue)
{
    if (queue && --queue->inside->refs == 0)
        delete queue;
}

QueuePointer::QueuePointer(const QueuePointer &from) : queue(reference(from.queue))
{
}

QueuePointer::~QueuePointer()
{
    release(queue);
}

QueuePointer &QueuePointer::operator=(const QueuePointer &from)
{
    MessageQueue *before = queue;

    queue = reference(from.queue);
    release(before);
    return *this;
}

MessageQueue::MessageQueue(bool Replace, size_t Maxlen) : inside(new Inside)
{
    inside->replace = Replace;
    inside->room = Maxlen;
}

MessageQueue::~MessageQueue()
{
    for (Message *m : inside->messages)
        delete m;
    delete inside;
}

static bool fits(int wanted, uint32_t is)
{
    return wanted < 0 || (uint32_t)wanted == is;
}

static bool rule_fits(const MessageQueue::Inside::Rule &r, const player_msghdr_t &h)
{
    return fits(r.host, h.addr.host) && fits(r.robot, h.addr.robot) &&
           fits(r.interf, h.addr.interf) && fits(r.index, h.addr.index) && fits(r.type, h.type) &&
           fits(r.subtype, h.subtype);
}

/* The first message that the filter lets through. Under lock. */
std::deque<Message *>::iterator MessageQueue::Inside::First()
{
    auto m = messages.begin();

    while (m != messages.end() && filter && !rule_fits(*filter, *(*m)->GetHeader()))
        ++m;
    return m;
}

/* Wake who waits. Under lock. */
void MessageQueue::Inside::Changed()
{
    signaled = true;
    arrived.notify_all();
    if (reader && reader->inside->ach && !reader->inside->Here())
        ach_driver_wake(reader->inside->ach);
}

/* Main may look here for messages instead of waiting for them. */
static void fetch(const MessageQueue::Inside &q)
{
    if (q.reader && q.reader->inside->Here())
        q.reader->inside->Turn(0);
}

bool MessageQueue::Inside::Queued()
{
    std::lock_guard<std::mutex> guard(lock);

    return First() != messages.end();
}

bool MessageQueue::Empty()
{
    fetch(*inside);
    return !inside->Queued();
}

size_t MessageQueue::GetLength(void)
{
    fetch(*inside);
    std::lock_guard<std::mutex> guard(inside->lock);

    return inside->messages.size();
}

static bool droppable(const player_msghdr_t &h)
{
    return h.type == PLAYER_MSGTYPE_DATA || h.type == PLAYER_MSGTYPE_CMD;
}

static int action(const MessageQueue::Inside &q, const player_msghdr_t &h)
{
    for (const auto &r : q.rules)
        if (rule_fits(r, h))
            return r.replace;
    return droppable(h) && q.replace ? PLAYER_PLAYER_MSG_REPLACE_RULE_REPLACE
                                     : PLAYER_PLAYER_MSG_REPLACE_RULE_ACCEPT;
}

int MessageQueue::CheckReplace(player_msghdr_t *hdr)
{
    std::lock_guard<std::mutex> guard(inside->lock);

    return action(*inside, *hdr);
}

/* Drop the message that the new one replaces. Under lock. */
static void make_way(std::deque<Message *> &messages, Message &m)
{
    for (auto old = messages.begin(); old != messages.end(); ++old) {
        if (!(*old)->Compare(m))
            continue;
        delete *old;
        messages.erase(old);
        return;
    }
}

bool MessageQueue::Push(Message &m)
{
    const player_msghdr_t &h = *m.GetHeader();

    if (inside->clients)
        return inside->clients->inside->Send(h, m.GetPayload());
    std::lock_guard<std::mutex> guard(inside->lock);
    int what = action(*inside, h);

    if (what == PLAYER_PLAYER_MSG_REPLACE_RULE_IGNORE)
        return true;
    if (what == PLAYER_PLAYER_MSG_REPLACE_RULE_REPLACE)
        make_way(inside->messages, m);
    if (inside->messages.size() >= inside->room && droppable(h))
        return false;
    inside->messages.push_back(new Message(m));
    inside->Changed();
    return true;
}

void MessageQueue::PushFront(Message &m, bool)
{
    std::lock_guard<std::mutex> guard(inside->lock);

    inside->messages.push_front(new Message(m));
    inside->Changed();
}

void MessageQueue::PushBack(Message &m, bool)
{
    std::lock_guard<std::mutex> guard(inside->lock);

    inside->messages.push_back(new Message(m));
    inside->Changed();
}

Message *MessageQueue::Pop()
{
    std::lock_guard<std::mutex> guard(inside->lock);
    auto first = inside->First();

    if (first == inside->messages.end())
        return nullptr;
    Message *m = *first;

    inside->messages.erase(first);
    return m;
}

void MessageQueue::SetReplace(bool replace)
{
    std::lock_guard<std::mutex> guard(inside->lock);

    inside->replace = replace;
}

/* An equal rule is replaced; otherwise the first one counts. */
void MessageQueue::AddReplaceRule(int host, int robot, int interf, int index, int type, int subtype,
                                  int replace)
{
    std::lock_guard<std::mutex> guard(inside->lock);

    for (auto &r : inside->rules) {
        if (r.host != host || r.robot != robot || r.interf != interf || r.index != index ||
            r.type != type || r.subtype != subtype)
            continue;
        r.replace = replace;
        return;
    }
    inside->rules.push_back({host, robot, interf, index, type, subtype, replace});
}

void MessageQueue::AddReplaceRule(const player_devaddr_t &device, int type, int subtype,
                                  int replace)
{
    AddReplaceRule((int)device.host, (int)device.robot, device.interf, device.index, type, subtype,
                   replace);
}

bool MessageQueue::Wait(double TimeOut)
{
    if (inside->reader && inside->reader->inside->Here())
        return inside->reader->inside->WaitFor(TimeOut);
    std::unique_lock<std::mutex> guard(inside->lock);
    auto come = [this] { return inside->signaled || inside->First() != inside->messages.end(); };

    if (TimeOut > 0)
        inside->arrived.wait_for(guard, std::chrono::duration<double>(TimeOut), come);
    else
        inside->arrived.wait(guard, come);
    inside->signaled = false;
    return inside->First() != inside->messages.end();
}

void MessageQueue::DataAvailable(void)
{
    std::lock_guard<std::mutex> guard(inside->lock);

    inside->Changed();
}

bool MessageQueue::Filter(Message &m)
{
    std::lock_guard<std::mutex> guard(inside->lock);

    return !inside->filter || rule_fits(*inside->filter, *m.GetHeader());
}

void MessageQueue::ClearFilter(void)
{
    std::lock_guard<std::mutex> guard(inside->lock);

    inside->filter.reset();
}

void MessageQueue::SetFilter(int host, int robot, int interf, int index, int type, int subtype)
{
    std::lock_guard<std::mutex> guard(inside->lock);

    inside->filter.reset(new Inside::Rule{host, robot, interf, index, type, subtype, 0});
}
