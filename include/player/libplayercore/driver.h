/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.h - the base classes of drivers */
#ifndef ACH_PLAYER_DRIVER_H
#define ACH_PLAYER_DRIVER_H

#include <libplayercommon/playercommon.h>
#include <libplayercore/message.h>
#include <libplayercore/property.h>
#include <libplayerinterface/player.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

class ConfigFile;

/*
 * Main runs in a thread that the server needs afterwards. So pthread_exit leaves Main there, and
 * pthread_testcancel does if the driver is to stop. In other threads they are themselves.
 */
extern "C" void player_test_cancel(void);
#define pthread_testcancel() player_test_cancel()
extern "C" void player_thread_exit(void *result) __attribute__((noreturn));
#define pthread_exit(result) player_thread_exit(result)

/* Answer the request whether the device has a capability, and return from ProcessMessage. */
#define HANDLE_CAPABILITY_REQUEST(device_addr, queue, hdr, data, cap_type, cap_subtype)            \
    if (Message::MatchMessage(hdr, PLAYER_MSGTYPE_REQ, PLAYER_CAPABILITIES_REQ, device_addr)) {    \
        player_capabilities_req_t &ach_asked =                                                     \
            *reinterpret_cast<player_capabilities_req_t *>(data);                                  \
        if (ach_asked.type == cap_type && ach_asked.subtype == cap_subtype) {                      \
            Publish(device_addr, queue, PLAYER_MSGTYPE_RESP_ACK, PLAYER_CAPABILITIES_REQ);         \
            return 0;                                                                              \
        }                                                                                          \
    }

/* A driver without a thread of its own: Update is called after each message. */
class Driver
{
  public:
    /* With interf: provides the device of that interface, which becomes device_addr. */
    Driver(ConfigFile *cf, int section, bool overwrite_cmds, size_t queue_maxlen, int interf);
    Driver(ConfigFile *cf, int section, bool overwrite_cmds = true,
           size_t queue_maxlen = PLAYER_MSGQUEUE_DEFAULT_MAXLEN);
    virtual ~Driver();

    /* Not 0 after the constructor: the driver cannot be used. */
    int GetError()
    {
        return error;
    }
    bool HasSubscriptions();

    /* Called for each subscription. The first calls Setup, the last Shutdown. */
    virtual int Subscribe(player_devaddr_t addr);
    virtual int Subscribe(QueuePointer &, player_devaddr_t)
    {
        return 1;
    }
    virtual int Unsubscribe(player_devaddr_t addr);
    virtual int Unsubscribe(QueuePointer &, player_devaddr_t)
    {
        return 1;
    }
    virtual int Terminate();
    virtual int Setup()
    {
        return 0;
    }
    virtual int Shutdown()
    {
        return 0;
    }

    /*
     * Pass messages to ProcessMessage: 0: those that are queued now, -1: until the queue is empty,
     * otherwise at most that many.
     */
    void ProcessMessages(int maxmsgs);
    void ProcessMessages(void);

    /* Returns 0; -1: unknown, and a request is answered with a NACK. */
    virtual int ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data);
    virtual int ProcessInternalMessages(QueuePointer &resp_queue, player_msghdr *hdr, void *data);

    /* If it is overridden and does not call this one, it is called at least every 10 ms. */
    virtual void Update();

    /*
     * Send data to all clients, or an answer to the queue that came with the request. Data to a
     * queue goes to all clients, too. Without copy, the body is freed after use.
     */
    virtual void Publish(player_devaddr_t addr, QueuePointer &queue, uint8_t type, uint8_t subtype,
                         void *src = NULL, size_t deprecated = 0, double *timestamp = NULL,
                         bool copy = true);
    virtual void Publish(player_devaddr_t addr, uint8_t type, uint8_t subtype, void *src = NULL,
                         size_t deprecated = 0, double *timestamp = NULL, bool copy = true);
    virtual void Publish(QueuePointer &queue, player_msghdr_t *hdr, void *src, bool copy = true);
    virtual void Publish(player_msghdr_t *hdr, void *src, bool copy = true);

    /* A property that clients read and set; the config file may define it. */
    virtual bool RegisterProperty(const char *key, Property *property, ConfigFile *cf, int section);
    virtual bool RegisterProperty(Property *property, ConfigFile *cf, int section);

    player_devaddr_t device_addr;
    int entries; /* devices that it provides */
    bool alwayson;
    QueuePointer InQueue;
    QueuePointer ret_queue; /* for the driver's own use */

    struct Inside;
    Inside *inside;

  protected:
    int AddInterface(player_devaddr_t addr);
    int AddInterface(player_devaddr_t *addr, ConfigFile *cf, int section, int code,
                     const char *key = NULL);
    void SetError(int code)
    {
        error = code;
    }

    /* As MessageQueue::Wait. */
    virtual bool Wait(double TimeOut = 0.0);

    /* Wait also returns when the descriptor is ready. */
    int AddFileWatch(int fd, bool ReadWatch = true, bool WriteWatch = false,
                     bool ExceptWatch = true);
    int RemoveFileWatch(int fd, bool ReadWatch = true, bool WriteWatch = false,
                        bool ExceptWatch = true);

    virtual void Lock(void);
    virtual void Unlock(void);
    virtual void SubscriptionLock(void);
    virtual void SubscriptionUnlock(void);
    virtual void TestCancel()
    {
    }

  private:
    Driver(const Driver &);
    Driver &operator=(const Driver &);

    int error;
};

/*
 * A driver with a loop of its own. Main ends at the next call of Wait, ProcessMessages, TestCancel
 * or pthread_testcancel after the last client has left; destructors of its variables run.
 */
class ThreadedDriver : public Driver
{
  public:
    ThreadedDriver(ConfigFile *cf, int section, bool overwrite_cmds, size_t queue_maxlen,
                   int interf);
    ThreadedDriver(ConfigFile *cf, int section, bool overwrite_cmds = true,
                   size_t queue_maxlen = PLAYER_MSGQUEUE_DEFAULT_MAXLEN);
    virtual ~ThreadedDriver();

    virtual int Setup();
    virtual int Shutdown();
    virtual int Terminate();

    virtual void Main(void) = 0;
    virtual int MainSetup(void)
    {
        return 0;
    }
    virtual void MainQuit(void)
    {
    }
    virtual void Update()
    {
    }

  protected:
    /* Main runs after Setup if StartThread was called by then. */
    virtual void StartThread(void);
    virtual void StopThread(void);
    bool Wait(double TimeOut = 0.0);
    void TestCancel();
};

#endif
