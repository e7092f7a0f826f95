/* SPDX-License-Identifier: BSD-3-Clause */
/* devicetable.h - the devices that drivers of Player provide or have asked for */
#ifndef ACH_PLAYER_DEVICETABLE_H
#define ACH_PLAYER_DEVICETABLE_H

#include <libplayercore/device.h>

class DeviceTable
{
  public:
    DeviceTable();
    ~DeviceTable();

    /* NULL: the driver's option "provides" does not have it, or another driver provides it. */
    Device *AddDevice(player_devaddr_t addr, Driver *driver, bool havelock = false);

    /* NULL: not an address. The text is as in config files. */
    Device *GetDevice(player_devaddr_t addr, bool lookup_remote = true);
    Device *GetDevice(const char *address, bool lookup_remote = true);
    Device *GetFirstDevice()
    {
        return head;
    }
    Device *GetNextDevice(Device *entry)
    {
        return entry->next;
    }
    int Size()
    {
        return numdevices;
    }

    /* The driver is gone; its devices stay in the table, without a driver. */
    void Forget(Driver *driver);

  private:
    DeviceTable(const DeviceTable &);
    DeviceTable &operator=(const DeviceTable &);
    Device *Find(player_devaddr_t addr);
    Device *Insert(player_devaddr_t addr, Driver *driver);

    Device *head;
    int numdevices;
    pthread_mutex_t mutex;
};

#endif
