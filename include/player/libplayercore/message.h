/* SPDX-License-Identifier: BSD-3-Clause */
/* message.h - messages, and queues of them */
#ifndef ACH_PLAYER_MESSAGE_H
#define ACH_PLAYER_MESSAGE_H

#include <libplayerinterface/player.h>
#include <pthread.h>

class Message;
class MessageQueue;
class Driver;

/* A counted reference to a queue, or to none. */
class QueuePointer
{
  public:
    QueuePointer();
    QueuePointer(bool Replace, size_t Maxlen);
    QueuePointer(const QueuePointer &from);
    ~QueuePointer();
    QueuePointer &operator=(const QueuePointer &from);
    MessageQueue *operator->()
    {
        return queue;
    }
    MessageQueue *get() const
    {
        return queue;
    }
    MessageQueue &operator*()
    {
        return *queue;
    }
    bool operator==(const QueuePointer &other) const
    {
        return queue == other.queue;
    }
    bool operator==(void *pointer) const
    {
        return (void *)queue == pointer;
    }
    bool operator!=(const QueuePointer &other) const
    {
        return queue != other.queue;
    }
    bool operator!=(void *pointer) const
    {
        return (void *)queue != pointer;
    }

  private:
    MessageQueue *queue;
};

/* A message; copies share the body. */
class Message
{
  public:
    /* Without copy, the message takes the body over and frees it. */
    Message(const struct player_msghdr &Header, void *data, bool copy = true);
    Message(const struct player_msghdr &Header, void *data, QueuePointer &queue, bool copy = true);
    Message(const Message &from);
    ~Message();

    /* A type or subtype of -1 matches any. */
    static bool MatchMessage(player_msghdr_t *hdr, int type, int subtype, player_devaddr_t addr)
    {
        return MatchMessage(hdr, type, subtype) && hdr->addr.host == addr.host &&
               hdr->addr.robot == addr.robot && hdr->addr.interf == addr.interf &&
               hdr->addr.index == addr.index;
    }
    static bool MatchMessage(player_msghdr_t *hdr, int type, int subtype)
    {
        return (type < 0 || hdr->type == (uint8_t)type) &&
               (subtype < 0 || hdr->subtype == (uint8_t)subtype);
    }

    player_msghdr_t *GetHeader()
    {
        return &header;
    }
    void *GetPayload()
    {
        return data;
    }
    unsigned int GetDataSize()
    {
        return header.size;
    }

    /* The same device, type and subtype. */
    bool Compare(Message &other);

    /* Where an answer goes. */
    QueuePointer Queue;

  private:
    friend class Driver;
    Message &operator=(const Message &);
    void Own(void *body, bool copy);

    player_msghdr_t header;
    void *data;
    unsigned *refs;                 /* to data */
    const struct ach_message *from; /* what the server has delivered, or NULL */
};

/*
 * A queue of messages. The first rule that matches a message says what becomes of it: 0: queued,
 * 1: it replaces an older one of the same device, type and subtype, 2: ignored. Without a rule,
 * data and commands replace older ones if Replace is set. Requests and answers are never dropped.
 */
class MessageQueue
{
  public:
    MessageQueue(bool Replace, size_t Maxlen);
    ~MessageQueue();
    bool Empty();
    size_t GetLength(void);

    /* False: the queue was full, and a message is lost. */
    bool Push(Message &msg);
    void PushFront(Message &msg, bool haveLock = false);
    void PushBack(Message &msg, bool haveLock = false);

    /* The oldest message that the filter lets through; NULL: none. The caller deletes it. */
    Message *Pop();

    void SetReplace(bool replace);
    void AddReplaceRule(int host, int robot, int interf, int index, int type, int subtype,
                        int replace);
    void AddReplaceRule(const player_devaddr_t &device, int type, int subtype, int replace);
    int CheckReplace(player_msghdr_t *hdr);

    /* Wait for a message: for ever if TimeOut is 0. False: none came. May return early. */
    bool Wait(double TimeOut = 0.0);
    void DataAvailable(void);

    /* -1 matches any. */
    bool Filter(Message &msg);
    void ClearFilter(void);
    void SetFilter(int host, int robot, int interf, int index, int type, int subtype);

    /* Without effect: the server knows which clients pull. */
    void SetPull(bool)
    {
    }
    void SetDataRequested(bool, bool)
    {
    }

    struct Inside;
    Inside *inside;

  private:
    MessageQueue(const MessageQueue &);
    MessageQueue &operator=(const MessageQueue &);
};

#endif
