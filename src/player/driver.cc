/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.cc - the base classes of drivers */
#include "inside.h"

namespace player
{
thread_local Making *making;
thread_local Driver *current;
} // namespace player

static void recursive(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

Driver::Inside::Inside(Driver *d) : driver(d), clients(false, PLAYER_MSGQUEUE_DEFAULT_MAXLEN)
{
    if (player::making) {
        ach = player::making->driver;
        options = player::making->options;
    }
    recursive(&access);
    recursive(&subscription);
    clients->inside->clients = driver;
    driver->InQueue->inside->reader = driver;
}

/* Pointers to the queues may live on: they lead nowhere. */
Driver::Inside::~Inside()
{
    for (const Request &r : requests)
        ach_message_unref(r.message);
    for (const auto &s : sent)
        ach_message_unref(s.second);
    for (QueuePointer q : {clients, driver->InQueue}) {
        std::lock_guard<std::mutex> guard(q->inside->lock);

        q->inside->clients = q->inside->reader = nullptr;
    }
    pthread_mutex_destroy(&access);
    pthread_mutex_destroy(&subscription);
}

Driver::Driver(ConfigFile *cf, int section, bool overwrite_cmds, size_t queue_maxlen, int interf)
    : entries(0), alwayson(false), InQueue(overwrite_cmds, queue_maxlen), inside(new Inside(this)),
      error(0)
{
    if (AddInterface(&device_addr, cf, section, interf) != 0)
        SetError(-1);
}

Driver::Driver(ConfigFile *, int, bool overwrite_cmds, size_t queue_maxlen)
    : entries(0), alwayson(false), InQueue(overwrite_cmds, queue_maxlen), inside(new Inside(this)),
      error(0)
{
    memset(&device_addr, 0, sizeof(device_addr));
    device_addr.interf = 0xffff;
}

Driver::~Driver()
{
    deviceTable->Forget(this);
    delete inside;
}

int Driver::AddInterface(player_devaddr_t addr)
{
    if (!deviceTable->AddDevice(addr, this))
        return -1;
    entries++;
    return 0;
}

int Driver::AddInterface(player_devaddr_t *addr, ConfigFile *cf, int section, int code,
                         const char *key)
{
    if (cf->ReadDeviceAddr(addr, section, "provides", code, -1, key) == 0)
        return AddInterface(*addr);
    PLAYER_ERROR3("its option provides names no %s%s%s", interf_to_str((uint16_t)code),
                  key ? " with the key " : "", key ? key : "");
    return -1;
}

bool Driver::HasSubscriptions()
{
    return inside->subscriptions > 0;
}

int Driver::Subscribe(player_devaddr_t)
{
    SubscriptionLock();
    int result = inside->subscriptions ? 0 : Setup();

    if (result == 0)
        inside->subscriptions++;
    SubscriptionUnlock();
    return result;
}

int Driver::Unsubscribe(player_devaddr_t)
{
    SubscriptionLock();
    int result = inside->subscriptions ? 0 : -1;

    if (inside->subscriptions == 1)
        result = Shutdown();
    if (inside->subscriptions)
        inside->subscriptions--;
    SubscriptionUnlock();
    return result;
}

int Driver::Terminate()
{
    SubscriptionLock();
    if (inside->subscriptions)
        Shutdown();
    inside->subscriptions = 0;
    SubscriptionUnlock();
    return 0;
}

void Driver::ProcessMessages(void)
{
    ProcessMessages(0);
}

void Driver::ProcessMessages(int maxmsgs)
{
    if (inside->Here())
        inside->Turn(0);
    TestCancel();
    int left = maxmsgs ? maxmsgs : (int)InQueue->GetLength();

    while (left) {
        std::unique_ptr<Message> m(InQueue->Pop());

        if (!m)
            return;
        inside->Handle(*m);
        m.reset();
        TestCancel();
        left -= left > 0;
    }
}

int Driver::ProcessMessage(QueuePointer &, player_msghdr *, void *)
{
    return -1;
}

void Driver::Update()
{
    inside->updated = true;
    ProcessMessages();
}

static player_msghdr_t header_of(const player_devaddr_t &addr, uint8_t type, uint8_t subtype,
                                 const double *timestamp)
{
    player_msghdr_t h;

    memset(&h, 0, sizeof(h));
    h.addr = addr;
    h.type = type;
    h.subtype = subtype;
    h.timestamp = timestamp ? *timestamp : player::now();
    return h;
}

void Driver::Publish(player_devaddr_t addr, QueuePointer &queue, uint8_t type, uint8_t subtype,
                     void *src, size_t, double *timestamp, bool copy)
{
    player_msghdr_t h = header_of(addr, type, subtype, timestamp);

    Publish(queue, &h, src, copy);
}

void Driver::Publish(player_devaddr_t addr, uint8_t type, uint8_t subtype, void *src, size_t,
                     double *timestamp, bool copy)
{
    player_msghdr_t h = header_of(addr, type, subtype, timestamp);

    Publish(&h, src, copy);
}

void Driver::Publish(QueuePointer &queue, player_msghdr_t *hdr, void *src, bool copy)
{
    if (!queue.get() || queue->inside->clients == this) {
        Publish(hdr, src, copy);
        return;
    }
    Message m(*hdr, src, InQueue, copy);

    if (!queue->Push(m))
        PLAYER_WARN2("message %d:%d is lost: a queue is full", hdr->type, hdr->subtype);
}

void Driver::Publish(player_msghdr_t *hdr, void *src, bool copy)
{
    player::Current scope(this);

    if (!inside->Send(*hdr, src))
        PLAYER_WARN3("message %d:%d cannot be published: %s", hdr->type, hdr->subtype,
                     ach_errstr());
    if (!copy)
        playerxdr_free_message(src, hdr->addr.interf, hdr->type, hdr->subtype);
}

bool Driver::RegisterProperty(const char *key, Property *property, ConfigFile *cf, int section)
{
    if (!inside->properties.AddProperty(key, property))
        return false;
    if (cf)
        property->ReadConfig(cf, section);
    return true;
}

bool Driver::RegisterProperty(Property *property, ConfigFile *cf, int section)
{
    return RegisterProperty(property->GetKey(), property, cf, section);
}

/* Whether the property is of the type that the request is for. */
static bool type_fits(Property *p, uint8_t subtype)
{
    switch (subtype) {
    case PLAYER_GET_INTPROP_REQ:
    case PLAYER_SET_INTPROP_REQ:
        return dynamic_cast<IntProperty *>(p);
    case PLAYER_GET_DBLPROP_REQ:
    case PLAYER_SET_DBLPROP_REQ:
        return dynamic_cast<DoubleProperty *>(p);
    case PLAYER_GET_STRPROP_REQ:
    case PLAYER_SET_STRPROP_REQ:
        return dynamic_cast<StringProperty *>(p);
    default:
        return dynamic_cast<BoolProperty *>(p);
    }
}

/* Room for the struct of any answer; all of them begin with the key. */
union PropertyRequest {
    player_boolprop_req_t b;
    player_intprop_req_t i;
    player_dblprop_req_t d;
    player_strprop_req_t s;
};

/* The answer has a value in place of the one in the request, which is still needed. */
static void answer_property(Driver *driver, QueuePointer &queue, player_msghdr *hdr,
                            const Property *p, const void *asked)
{
    bool text = hdr->subtype == PLAYER_GET_STRPROP_REQ;
    PropertyRequest answer;

    memset(&answer, 0, sizeof(answer));
    answer.i.key = static_cast<const player_intprop_req_t *>(asked)->key;
    answer.i.key_count = static_cast<const player_intprop_req_t *>(asked)->key_count;
    p->GetValueToMessage(&answer);
    driver->Publish(hdr->addr, queue, PLAYER_MSGTYPE_RESP_ACK, hdr->subtype, &answer);
    if (text)
        free(answer.s.value);
}

/* Subtypes of requests for properties: GET is even, SET is odd. */
int Driver::ProcessInternalMessages(QueuePointer &resp_queue, player_msghdr *hdr, void *data)
{
    if (hdr->type != PLAYER_MSGTYPE_REQ || hdr->subtype < PLAYER_SET_BOOLPROP_REQ ||
        hdr->subtype > PLAYER_GET_INTPROP_REQ || !data)
        return -1;
    const char *key = static_cast<player_intprop_req_t *>(data)->key;
    Property *p = key ? inside->properties.GetProperty(key) : NULL;

    if (!p || !type_fits(p, hdr->subtype))
        return -1;
    if (hdr->subtype % 2) {
        p->SetValueFromMessage(data);
        Publish(hdr->addr, resp_queue, PLAYER_MSGTYPE_RESP_ACK, hdr->subtype);
    } else {
        answer_property(this, resp_queue, hdr, p, data);
    }
    return 0;
}

bool Driver::Wait(double TimeOut)
{
    return InQueue->Wait(TimeOut);
}

int Driver::AddFileWatch(int fd, bool ReadWatch, bool WriteWatch, bool ExceptWatch)
{
    return fileWatcher->AddFileWatch(fd, InQueue, ReadWatch, WriteWatch, ExceptWatch);
}

int Driver::RemoveFileWatch(int fd, bool ReadWatch, bool WriteWatch, bool ExceptWatch)
{
    return fileWatcher->RemoveFileWatch(fd, InQueue, ReadWatch, WriteWatch, ExceptWatch);
}

void Driver::Lock(void)
{
    pthread_mutex_lock(&inside->access);
}

void Driver::Unlock(void)
{
    pthread_mutex_unlock(&inside->access);
}

void Driver::SubscriptionLock(void)
{
    pthread_mutex_lock(&inside->subscription);
}

void Driver::SubscriptionUnlock(void)
{
    pthread_mutex_unlock(&inside->subscription);
}
