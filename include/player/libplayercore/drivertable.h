/* SPDX-License-Identifier: BSD-3-Clause */
/* drivertable.h - the drivers of plug-ins */
#ifndef ACH_PLAYER_DRIVERTABLE_H
#define ACH_PLAYER_DRIVERTABLE_H

#include <libplayerinterface/player.h>

class Driver;
class ConfigFile;
class DriverTable;

/* Makes a driver from a section of the config file; NULL: it cannot. */
typedef Driver *(*DriverInitFn)(ConfigFile *cf, int section);

/* What a plug-in exports as player_driver_init. Returns 0. */
typedef int (*DriverPluginInitFn)(DriverTable *table);

/*
 * The export, for a source that has only a function like vfh_Register:
 *
 *     #include <libplayercore/playercore.h>
 *     void vfh_Register(DriverTable *table);
 *     PLAYER_PLUGIN(vfh_Register)
 */
#define PLAYER_PLUGIN(register_drivers)                                                            \
    extern "C" __attribute__((visibility("default"))) int player_driver_init(DriverTable *table)   \
    {                                                                                              \
        register_drivers(table);                                                                   \
        return 0;                                                                                  \
    }

class DriverEntry
{
  public:
    DriverEntry() : initfunc(0), next(0)
    {
        name[0] = '\0';
    }

    DriverInitFn initfunc;
    char name[PLAYER_MAX_DRIVER_STRING_LEN];
    DriverEntry *next;
};

class DriverTable
{
  public:
    DriverTable();
    ~DriverTable();

    /* Returns 0; -1: there is a driver of that name. */
    int AddDriver(const char *name, DriverInitFn initfunc);
    DriverEntry *GetDriverEntry(const char *name);
    int Size()
    {
        return numdrivers;
    }
    char *GetDriverName(int idx);

    /* The names in alphabetical order. The caller frees the array, not the names. */
    char **SortDrivers();

  private:
    DriverTable(const DriverTable &);
    DriverTable &operator=(const DriverTable &);

    DriverEntry *head; /* in the order of AddDriver */
    int numdrivers;
};

#endif
