/* SPDX-License-Identifier: BSD-3-Clause */
/* bridge.cc - a driver of Player in the thread of a driver of the robot */
#include <math.h>

#include <exception>

#include "inside.h"

using player::Current;
using player::Ours;
using player::Stop;

namespace player
{
ach_address_t ours(const player_devaddr_t &a)
{
    return {a.host, a.robot, a.interf, a.index};
}

player_devaddr_t theirs(const ach_address_t &a)
{
    return {a.host, a.robot, a.interf, a.index};
}

bool same(const player_devaddr_t &a, const player_devaddr_t &b)
{
    return a.host == b.host && a.robot == b.robot && a.interf == b.interf && a.index == b.index;
}
} // namespace player

/* Requests that a driver may leave unanswered; older ones are answered with a NACK. */
#define REQUESTS_MAX 1024

/* Seconds between two calls of an Update that polls. */
#define UPDATE_PERIOD 0.01

/* Seconds to wait for an answer if the driver names no limit. */
#define ANSWER_SECONDS 10.0

/*
 * From the robot
 */

static bool wanted(const Driver::Inside &in, const player_devaddr_t &addr)
{
    for (const auto &a : in.sources)
        if (player::same(a, addr))
            return true;
    return false;
}

static player_msghdr_t header_of(const ach_header_t &h)
{
    player_msghdr_t to;

    memset(&to, 0, sizeof(to));
    to.addr = player::theirs(h.address);
    to.type = h.type;
    to.subtype = h.subtype;
    to.timestamp = h.timestamp;
    to.seq = h.sequence;
    return to;
}

static bool is_flush(const player_msghdr_t &h)
{
    return h.type == PLAYER_MSGTYPE_REQ && h.subtype == 246;
}

/* The answer to a request that was passed on for a client. */
static bool relayed(Driver::Inside &in, const ach_message_t *m)
{
    std::unique_lock<std::mutex> guard(in.lock);
    auto found = in.sent.find(ach_message_header(m)->sequence);

    if (found == in.sent.end())
        return false;
    ach_message_t *request = found->second;

    in.sent.erase(found);
    guard.unlock();
    ach_driver_relay(in.ach, request, m);
    ach_message_unref(request);
    return true;
}

static void remember(Driver::Inside &in, const player_msghdr_t &h, const ach_message_t *m)
{
    ach_message_t *oldest = nullptr;

    {
        std::lock_guard<std::mutex> guard(in.lock);

        in.requests.push_back({h.addr, h.subtype, ach_message_ref(m)});
        if (in.requests.size() > REQUESTS_MAX) {
            oldest = in.requests.front().message;
            in.requests.pop_front();
        }
    }
    ach_message_unref(oldest);
}

ach_status_t Driver::Inside::Take(const ach_message_t *m)
{
    player_msghdr_t h = header_of(*ach_message_header(m));
    size_t size;

    if (h.type == PLAYER_MSGTYPE_DATA && !wanted(*this, h.addr))
        return ACH_OK;
    if ((h.type == PLAYER_MSGTYPE_RESP_ACK || h.type == PLAYER_MSGTYPE_RESP_NACK) &&
        relayed(*this, m))
        return ACH_OK;
    void *body = player::theirs_of(m);

    ach_message_bytes(m, &size);
    if (!body && size && !is_flush(h))
        return ACH_ENOTSUP;
    Message message(h, body, clients, false);

    message.from = m;
    if (h.type == PLAYER_MSGTYPE_REQ)
        remember(*this, h, m);
    return driver->InQueue->Push(message) ? ACH_OK : ACH_OVERFLOW;
}

/*
 * To clients
 */

/* The request that an answer is for: the one in ProcessMessage, or the oldest that fits. */
ach_message_t *Driver::Inside::TakeRequest(const player_devaddr_t &addr, uint8_t subtype)
{
    std::lock_guard<std::mutex> guard(lock);
    auto found = requests.end();

    for (auto r = requests.begin(); r != requests.end(); ++r) {
        if (!player::same(r->addr, addr) || r->subtype != subtype)
            continue;
        if (found == requests.end() || r->message == handled)
            found = r;
    }
    if (found == requests.end())
        return nullptr;
    ach_message_t *m = found->message;

    requests.erase(found);
    return m;
}

bool Driver::Inside::Answer(const player_msghdr_t &h, const void *body)
{
    ach_message_t *request = TakeRequest(h.addr, h.subtype);

    if (!request) {
        ach_errstr_set(ACH_ENOENT, "there is no such request");
        return false;
    }
    Ours b(h.addr.interf, h.type, h.subtype, body);
    ach_status_t status = ach_driver_reply(ach, request, h.type, b.get());

    ach_message_unref(request);
    return status == ACH_OK;
}

/* Drivers also publish for devices that the config file does not give them: nobody wants that. */
bool Driver::Inside::Publish(const player_msghdr_t &h, const void *body)
{
    bool own = false;

    for (const Device &d : provided)
        own = own || player::same(d.addr, h.addr);
    if (!own)
        return true;
    Ours b(h.addr.interf, h.type, h.subtype, body);
    ach_address_t a = player::ours(h.addr);

    return ach_driver_publish_at(ach, &a, h.subtype, b.get(), h.timestamp) == ACH_OK;
}

bool Driver::Inside::Send(const player_msghdr_t &h, const void *body)
{
    ach_errstr_set(ACH_EINVAL, "only data and answers are published");
    if (!ach)
        return false;
    if (h.type == PLAYER_MSGTYPE_DATA)
        return Publish(h, body);
    return (h.type == PLAYER_MSGTYPE_RESP_ACK || h.type == PLAYER_MSGTYPE_RESP_NACK) &&
           Answer(h, body);
}

/*
 * To devices
 */

static ach_status_t send_request(Driver::Inside &in, const player_msghdr_t &h, const void *body,
                                 ach_message_t *client)
{
    ach_header_t to = {};
    ach_address_t a = player::ours(h.addr);
    ach_message_t *m;

    to.address = a;
    to.type = ACH_MSG_REQ;
    to.subtype = h.subtype;
    to.timestamp = h.timestamp;
    {
        std::lock_guard<std::mutex> guard(in.lock);

        to.sequence = ++in.sequence;
        if (client)
            in.sent[to.sequence] = client;
    }
    ach_status_t status = ach_message_create(&to, body, &m);

    if (status == ACH_OK) {
        status = ach_driver_send(in.ach, &a, m);
        ach_message_unref(m);
    }
    if (status != ACH_OK && client) {
        std::lock_guard<std::mutex> guard(in.lock);

        in.sent.erase(to.sequence);
        ach_message_unref(client); /* answers with a NACK */
    }
    return status;
}

/* The request in ProcessMessage, which is another device's to answer now. */
static ach_message_t *hand_on(Driver::Inside &in)
{
    std::lock_guard<std::mutex> guard(in.lock);

    for (auto r = in.requests.begin(); r != in.requests.end(); ++r) {
        if (r->message != in.handled)
            continue;
        ach_message_t *m = r->message;

        in.requests.erase(r);
        return m;
    }
    return nullptr;
}

bool Driver::Inside::Put(const player_msghdr_t &h, const void *body, bool for_client)
{
    Ours b(h.addr.interf, h.type, h.subtype, body);
    ach_address_t a = player::ours(h.addr);
    ach_status_t status;

    if (h.type == PLAYER_MSGTYPE_CMD)
        status = ach_driver_command(ach, &a, h.subtype, b.get());
    else if (h.type == PLAYER_MSGTYPE_REQ)
        status = send_request(*this, h, b.get(), for_client ? hand_on(*this) : nullptr);
    else
        status = ach_errstr_set(ACH_EINVAL, "only commands and requests are sent to a device");
    return status == ACH_OK;
}

Message *Driver::Inside::Ask(const player_devaddr_t &device, uint8_t subtype, const void *body,
                             double timeout)
{
    Ours b(device.interf, PLAYER_MSGTYPE_REQ, subtype, body);
    ach_address_t a = player::ours(device);
    ach_message_t *answer = nullptr;
    ach_status_t status = ach_driver_request(ach, &a, subtype, b.get(),
                                             timeout > 0 ? timeout : ANSWER_SECONDS, &answer);
    Message *m = nullptr;

    if (status == ACH_OK) {
        player_msghdr_t h = header_of(*ach_message_header(answer));

        m = new Message(h, player::theirs_of(answer), driver->InQueue, false);
    } else if (status != ACH_ENOTSUP) {
        PLAYER_WARN3("request %d to %s: %s", subtype, interf_to_str(device.interf), ach_errstr());
    }
    ach_message_unref(answer);
    return m;
}

/*
 * The driver's thread
 */

bool Driver::Inside::Subscribe(Device &d)
{
    int result = driver->Subscribe(clients, d.addr);

    if (result == 1)
        result = driver->Subscribe(d.addr);
    if (result == 0)
        d.subscriptions++;
    return result == 0;
}

void Driver::Inside::Unsubscribe(Device &d)
{
    d.subscriptions--;
    if (driver->Unsubscribe(clients, d.addr) == 1)
        driver->Unsubscribe(d.addr);
}

/*
 * Tell the driver of subscriptions that have come and gone. The last one goes in Shutdown, after
 * Main.
 */
void Driver::Inside::Follow()
{
    std::vector<unsigned> now;
    unsigned all = 0;

    for (const Device &d : provided) {
        ach_address_t a = player::ours(d.addr);

        now.push_back(ach_driver_subscriptions(ach, &a));
        all += now.back();
    }
    if (!all || following)
        return;
    following = true;
    for (size_t i = 0; i < provided.size(); i++)
        while (provided[i].subscriptions < now[i] && Subscribe(provided[i]))
            ;
    for (size_t i = 0; i < provided.size(); i++)
        while (provided[i].subscriptions > now[i])
            Unsubscribe(provided[i]);
    following = false;
}

/* Sleep until a message or a descriptor of the driver is there. True: a descriptor is ready. */
bool Driver::Inside::PollWatches(double timeout)
{
    std::vector<pollfd> fds{{ach_driver_fd(ach), POLLIN, 0}};

    for (const Watch &w : watches)
        fds.push_back({w.fd, w.events, 0});
    if (poll(fds.data(), fds.size(), timeout < 0 ? -1 : (int)ceil(timeout * 1000)) <= 0)
        return false;
    for (size_t i = 1; i < fds.size(); i++)
        if (fds[i].revents)
            return true;
    return false;
}

void Driver::Inside::Turn(double seconds)
{
    if (stopping)
        return;
    stopping = !ach_driver_wait_next(ach, seconds);
    if (!stopping)
        Follow();
}

bool Driver::Inside::WaitFor(double timeout)
{
    double until = timeout > 0 ? ach_driver_time(ach) + timeout : INFINITY;
    double left = until;

    Turn(0);
    while (!driver->InQueue->inside->Queued() && !stopping && left > 0) {
        left = until - ach_driver_time(ach);
        if (left <= 0)
            break;
        if (watches.empty())
            Turn(isinf(left) ? -1 : left);
        else if (PollWatches(isinf(left) ? -1 : left))
            return true;
        else
            Turn(0);
    }
    return driver->InQueue->inside->Queued();
}

void Driver::Inside::CheckStop()
{
    if (!in_main || !Here())
        return;
    Turn(0);
    if (stopping || leave_main)
        throw Stop();
}

/* A request that the driver has not answered, and will not. */
static void refuse(Driver::Inside &in, const player_msghdr_t &h)
{
    ach_message_t *m = in.TakeRequest(h.addr, h.subtype);

    if (m)
        ach_driver_reply(in.ach, m, ACH_MSG_NACK, nullptr);
    ach_message_unref(m);
}

void Driver::Inside::Handle(Message &m)
{
    player_msghdr_t h = *m.GetHeader();
    Current scope(driver);

    handled = m.from;
    if (is_flush(h)) {
        h.type = PLAYER_MSGTYPE_RESP_ACK;
        Answer(h, nullptr);
    } else if (driver->ProcessMessage(m.Queue, m.GetHeader(), m.GetPayload()) < 0 &&
               driver->ProcessInternalMessages(m.Queue, m.GetHeader(), m.GetPayload()) != 0) {
        if (ach)
            ach_driver_log(ach, h.type == PLAYER_MSGTYPE_DATA ? ACH_LOG_DEBUG : ACH_LOG_WARNING,
                           "message %u:%u of %s:%u is not supported", h.type, h.subtype,
                           interf_to_str(h.addr.interf), h.addr.index);
        if (h.type == PLAYER_MSGTYPE_REQ)
            refuse(*this, h);
    }
    handled = nullptr;
}

bool Driver::Inside::MainSetup()
{
    ThreadedDriver *t = dynamic_cast<ThreadedDriver *>(driver);

    main_ready = t && t->MainSetup() == 0;
    return main_ready;
}

/* Accepted commands are handled also after Main, as by other drivers that stop. */
void Driver::Inside::Drain()
{
    for (size_t n = driver->InQueue->GetLength(); n; n--) {
        std::unique_ptr<Message> m(driver->InQueue->Pop());

        if (m)
            Handle(*m);
    }
}

void Driver::Inside::LeaveMain()
{
    in_main = leave_main = false;
    if (stopping)
        Drain();
    if (main_ready)
        dynamic_cast<ThreadedDriver *>(driver)->MainQuit();
    main_ready = false;
}

/* False: Main has returned though it was not asked to. */
bool Driver::Inside::RunMain()
{
    bool asked = false;

    if (!main_ready && !MainSetup())
        return false;
    in_main = true;
    try {
        dynamic_cast<ThreadedDriver *>(driver)->Main();
    } catch (const Stop &) {
        asked = stopping || leave_main;
    } catch (const std::exception &e) {
        PLAYER_ERROR1("Main has thrown an exception: %s", e.what());
    }
    LeaveMain();
    return asked || stopping;
}

void Driver::Inside::Live()
{
    bool threaded = dynamic_cast<ThreadedDriver *>(driver);

    Turn(0);
    while (!stopping) {
        if (main_wanted) {
            if (!RunMain())
                return;
            continue;
        }
        updated = false;
        driver->Update();
        if (threaded)
            Turn(-1);
        else if (updated)
            Turn(driver->InQueue->inside->Queued() ? 0 : -1);
        else
            Turn(UPDATE_PERIOD);
    }
    if (!threaded)
        driver->Update();
}

/* The next run must not see what is left of this one. */
void Driver::Inside::Forget()
{
    std::list<Request> left;
    std::map<uint32_t, ach_message_t *> passed;

    while (Message *m = driver->InQueue->Pop())
        delete m;
    {
        std::lock_guard<std::mutex> guard(lock);

        left.swap(requests);
        passed.swap(sent);
    }
    for (const Request &r : left)
        ach_message_unref(r.message);
    for (const auto &s : passed)
        ach_message_unref(s.second);
}

static ach_status_t failed(Driver::Inside &in, const char *what)
{
    in.attended = false;
    return ach_errstr_set(ACH_FAILED_SYSCALL, "%s", what);
}

/* Clients may have left again meanwhile; the driver is set up all the same. */
ach_status_t Driver::Inside::Setup()
{
    thread = pthread_self();
    attended = true;
    stopping = false;
    if (provided.empty() || !Subscribe(provided[0]))
        return failed(*this, "Setup has failed");
    if (main_wanted && !MainSetup()) {
        Shutdown();
        return failed(*this, "MainSetup has failed");
    }
    return ACH_OK;
}

void Driver::Inside::Shutdown()
{
    for (Device &d : provided)
        while (d.subscriptions)
            Unsubscribe(d);
    main_wanted = false;
    attended = false;
    Forget();
}

void Driver::Inside::Retire()
{
    deviceTable->Forget(driver);
    Forget();
    ach = nullptr;
    options = nullptr;
}

bool Driver::Inside::Claim(const player_devaddr_t &addr)
{
    for (const auto &a : claimed)
        if (player::same(a, addr))
            return true;
    size_t n = options ? ach_section_tuple_count(options, "provides") : 0;

    for (size_t i = 0; i < n; i++) {
        const char *text = ach_section_tuple_string(options, "provides", i, nullptr);
        ach_place_t place;
        ach_address_t got;

        if (!text || ach_place_parse(text, &place) != ACH_OK || place.interf != addr.interf ||
            ach_driver_provide(ach, place.interf, place.key, &got) != ACH_OK)
            continue;
        claimed.push_back(player::theirs(got));
        if (player::same(claimed.back(), addr))
            return true;
    }
    return false;
}
