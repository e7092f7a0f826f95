/* SPDX-License-Identifier: BSD-3-Clause */
/* device.cc - devices, as drivers use them */
#include "inside.h"

Device::Device(player_devaddr_t address, Driver *by)
    : next(nullptr), addr(address), queues(nullptr), len_queues(0), driver(by)
{
    drivername[0] = '\0';
    if (driver)
        InQueue = driver->InQueue;
}

Device::~Device()
{
}

/* The driver that uses the device through this queue; NULL: the queue belongs to no driver. */
static Driver *user_of(QueuePointer &queue)
{
    MessageQueue *q = queue.get();

    return !q ? nullptr : q->inside->reader ? q->inside->reader : q->inside->clients;
}

static bool requires_it(const Driver::Inside &in, const player_devaddr_t &addr)
{
    for (const auto &a : in.required)
        if (player::same(player::theirs(a), addr))
            return true;
    return false;
}

int Device::Subscribe(QueuePointer &sub_queue)
{
    Driver *user = user_of(sub_queue);

    if (!user || !requires_it(*user->inside, addr))
        return -1;
    user->inside->sources.push_back(addr);
    return 0;
}

int Device::Unsubscribe(QueuePointer &sub_queue)
{
    Driver *user = user_of(sub_queue);

    if (!user)
        return -1;
    auto &sources = user->inside->sources;

    for (auto s = sources.begin(); s != sources.end(); ++s) {
        if (!player::same(*s, addr))
            continue;
        sources.erase(s);
        return 0;
    }
    return -1;
}

void Device::PutMsg(QueuePointer &resp_queue, uint8_t type, uint8_t subtype, void *src, size_t,
                    double *timestamp)
{
    player_msghdr_t h;

    memset(&h, 0, sizeof(h));
    h.type = type;
    h.subtype = subtype;
    h.timestamp = timestamp ? *timestamp : player::now();
    PutMsg(resp_queue, &h, src);
}

/* A driver's message to itself stays in the process; so does one to a queue of no driver. */
void Device::PutMsg(QueuePointer &resp_queue, player_msghdr_t *hdr, void *src, bool copy)
{
    Driver *user = user_of(resp_queue);

    hdr->addr = addr;
    if (driver && (!user || user == driver)) {
        Message m(*hdr, src, resp_queue, copy);

        InQueue->Push(m);
        return;
    }
    if (!user || !user->inside->ach)
        PLAYER_WARN1("a message to %s has no sender", interf_to_str(addr.interf));
    else if (!user->inside->Put(*hdr, src, resp_queue->inside->clients))
        PLAYER_WARN4("message %d:%d to %s is lost: %s", hdr->type, hdr->subtype,
                     interf_to_str(addr.interf), ach_errstr());
    if (!copy)
        playerxdr_free_message(src, addr.interf, hdr->type, hdr->subtype);
}

Message *Device::Request(QueuePointer &resp_queue, uint8_t type, uint8_t subtype, void *src, size_t,
                         double *timestamp, bool threaded)
{
    return TimedRequest(resp_queue, type, subtype, src, 0, timestamp, threaded);
}

Message *Device::TimedRequest(QueuePointer &resp_queue, uint8_t type, uint8_t subtype, void *src,
                              double timeout, double *, bool)
{
    Driver *user = user_of(resp_queue);

    if (!user || !user->inside->ach || type != PLAYER_MSGTYPE_REQ)
        return nullptr;
    player::Current scope(user);

    return user->inside->Ask(addr, subtype, src, timeout);
}
