/* SPDX-License-Identifier: BSD-3-Clause */
/* device.h - a device of this robot or of another one, for drivers that use it */
#ifndef ACH_PLAYER_DEVICE_H
#define ACH_PLAYER_DEVICE_H

#include <libplayercore/message.h>
#include <libplayerinterface/player.h>

#define LOCALHOST_ADDR 16777343

class Driver;

class Device
{
  public:
    Device(player_devaddr_t addr, Driver *driver);
    ~Device();

    /*
     * Its data is queued from now on. The server has subscribed the driver to the devices of its
     * option "requires" before Setup, so this only fails for other devices. Returns 0 or -1.
     */
    int Subscribe(QueuePointer &sub_queue);
    int Unsubscribe(QueuePointer &sub_queue);

    /* Send a command or request. The answer goes to the queue. */
    void PutMsg(QueuePointer &resp_queue, uint8_t type, uint8_t subtype, void *src,
                size_t deprecated, double *timestamp);
    void PutMsg(QueuePointer &resp_queue, player_msghdr_t *hdr, void *src, bool copy = true);

    /*
     * Send a request and wait for the answer, which the caller deletes; for ten seconds if timeout
     * is 0. NULL: a NACK, or none in time.
     */
    Message *Request(QueuePointer &resp_queue, uint8_t type, uint8_t subtype, void *src,
                     size_t deprecated, double *timestamp, bool threaded = true);
    Message *TimedRequest(QueuePointer &resp_queue, uint8_t type, uint8_t subtype, void *src,
                          double timeout = 0, double *timestamp = NULL, bool threaded = true);

    static bool MatchDeviceAddress(player_devaddr_t a, player_devaddr_t b)
    {
        return (a.host == b.host || a.host + b.host == LOCALHOST_ADDR) && a.robot == b.robot &&
               a.interf == b.interf && a.index == b.index;
    }

    Device *next;
    player_devaddr_t addr;
    char drivername[PLAYER_MAX_DRIVER_STRING_LEN]; /* empty if it is not a driver of Player */
    QueuePointer InQueue;                          /* of its driver, if that is one of Player */
    QueuePointer *queues;                          /* none: the server has the subscribers */
    size_t len_queues;
    Driver *driver; /* NULL if it is not a driver of Player */
};

#endif
