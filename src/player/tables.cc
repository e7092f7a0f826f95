/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.cc - the devices and the drivers of the process */
#include <algorithm>

#include "inside.h"

DeviceTable::DeviceTable() : head(nullptr), numdevices(0)
{
    pthread_mutex_init(&mutex, nullptr);
}

DeviceTable::~DeviceTable()
{
    while (Device *d = head) {
        head = d->next;
        delete d;
    }
    pthread_mutex_destroy(&mutex);
}

Device *DeviceTable::Find(player_devaddr_t addr)
{
    Device *d = head;

    while (d && !player::same(d->addr, addr))
        d = d->next;
    return d;
}

Device *DeviceTable::Insert(player_devaddr_t addr, Driver *driver)
{
    Device *d = new Device(addr, driver), **end = &head;

    while (*end)
        end = &(*end)->next;
    *end = d;
    numdevices++;
    return d;
}

/* The device may be in the table already: a driver has asked for it, or it is one of before. */
Device *DeviceTable::AddDevice(player_devaddr_t addr, Driver *driver, bool)
{
    if (driver->inside->ach && !driver->inside->Claim(addr)) {
        PLAYER_ERROR2("the driver does not provide %s:%u", interf_to_str(addr.interf), addr.index);
        return nullptr;
    }
    driver->inside->provided.push_back({addr, 0});
    pthread_mutex_lock(&mutex);
    Device *d = Find(addr);

    if (!d)
        d = Insert(addr, driver);
    d->driver = driver;
    d->InQueue = driver->InQueue;
    pthread_mutex_unlock(&mutex);
    return d;
}

void DeviceTable::Forget(Driver *driver)
{
    pthread_mutex_lock(&mutex);
    for (Device *d = head; d; d = d->next) {
        if (d->driver != driver)
            continue;
        d->driver = nullptr;
        d->InQueue = QueuePointer();
    }
    pthread_mutex_unlock(&mutex);
}

Device *DeviceTable::GetDevice(player_devaddr_t addr, bool)
{
    if (!addr.interf || addr.interf == 0xffff)
        return nullptr;
    pthread_mutex_lock(&mutex);
    Device *d = Find(addr);

    if (!d)
        d = Insert(addr, nullptr);
    pthread_mutex_unlock(&mutex);
    return d;
}

Device *DeviceTable::GetDevice(const char *address, bool lookup_remote)
{
    ach_place_t place;

    if (ach_place_parse(address, &place) != ACH_OK)
        return nullptr;
    return GetDevice({0, 0, place.interf, place.index}, lookup_remote);
}

DriverTable::DriverTable() : head(nullptr), numdrivers(0)
{
}

DriverTable::~DriverTable()
{
    while (DriverEntry *e = head) {
        head = e->next;
        delete e;
    }
}

int DriverTable::AddDriver(const char *name, DriverInitFn initfunc)
{
    DriverEntry **end = &head;

    if (GetDriverEntry(name) || strlen(name) >= sizeof(head->name))
        return -1;
    while (*end)
        end = &(*end)->next;
    *end = new DriverEntry;
    strcpy((*end)->name, name);
    (*end)->initfunc = initfunc;
    numdrivers++;
    return 0;
}

DriverEntry *DriverTable::GetDriverEntry(const char *name)
{
    DriverEntry *e = head;

    while (e && strcmp(e->name, name) != 0)
        e = e->next;
    return e;
}

char *DriverTable::GetDriverName(int idx)
{
    DriverEntry *e = head;

    while (e && idx-- > 0)
        e = e->next;
    return e ? e->name : nullptr;
}

char **DriverTable::SortDrivers()
{
    size_t n = (size_t)numdrivers;
    char **names = static_cast<char **>(calloc(n + 1, sizeof(*names)));

    for (size_t i = 0; names && i < n; i++)
        names[i] = GetDriverName((int)i);
    if (names)
        std::sort(names, names + n, [](char *a, char *b) { return strcmp(a, b) < 0; });
    return names;
}
