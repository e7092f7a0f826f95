/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * configfile.h - the options of a driver
 *
 * Sections have numbers. The driver gets that of its own section; sections inside it have the next
 * ones. A value of the wrong type is an error of the config file, and the robot is not built.
 */
#ifndef ACH_PLAYER_CONFIGFILE_H
#define ACH_PLAYER_CONFIGFILE_H

#include <libplayerinterface/player.h>

class ConfigFile
{
  public:
    ConfigFile(uint32_t default_host, uint32_t default_robot);
    ConfigFile(const char *default_host, uint32_t default_robot);
    ConfigFile();
    ~ConfigFile();

    /* Another file. Section 0 has what is outside of all sections. */
    bool Load(const char *filename);

    /* Set a value of the section 0, as if the file had it. */
    void InsertFieldValue(int index, const char *name, const char *value);

    /* Warn of what was not read. False: there was something. */
    bool WarnUnused();

    /* A field, or the default. Lengths are in metres, angles in radians, colours 0xRRGGBB. */
    bool ReadBool(int section, const char *name, bool value);
    const char *ReadString(int section, const char *name, const char *value);
    int ReadInt(int section, const char *name, int value);
    double ReadFloat(int section, const char *name, double value);
    double ReadLength(int section, const char *name, double value);
    double ReadAngle(int section, const char *name, double value);
    uint32_t ReadColor(int section, const char *name, uint32_t value);
    const char *ReadFilename(int section, const char *name, const char *value);

    int GetTupleCount(int section, const char *name);
    const char *ReadTupleString(int section, const char *name, int index, const char *value);
    int ReadTupleInt(int section, const char *name, int index, int value);
    double ReadTupleFloat(int section, const char *name, int index, double value);
    double ReadTupleLength(int section, const char *name, int index, double value);
    double ReadTupleAngle(int section, const char *name, int index, double value);
    uint32_t ReadTupleColor(int section, const char *name, int index, uint32_t value);

    /*
     * The first address of a field that has this interface (0: any), position (-1: any) and key
     * (NULL: any). Returns 0; -1: there is none.
     */
    int ReadDeviceAddr(player_devaddr_t *addr, int section, const char *name, int code, int index,
                       const char *key);

    int GetSectionCount();
    const char *GetSectionType(int section);

    /* The number of the first section of that name; -1: none. */
    int LookupSection(const char *type);

    /* The section around it; -1: none. */
    int GetSectionParent(int section);

    char *filename;

    struct Inside;
    Inside *inside;

  private:
    ConfigFile(const ConfigFile &);
    ConfigFile &operator=(const ConfigFile &);
    void Init(uint32_t robot);
};

#endif
