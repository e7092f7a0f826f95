/* SPDX-License-Identifier: BSD-3-Clause */
/* config.cc - options of drivers, from sections of the config file */
#include "inside.h"

struct ConfigFile::Inside {
    struct Section {
        ach_section_t *section; /* NULL: what is outside of the driver's section */
        int parent;
    };
    struct Value {
        std::string name, text;
        int index;
    };

    std::vector<Section> sections;
    std::vector<Value> inserted; /* in section 0 */
    ach_config_t *config = nullptr;
    uint32_t robot = 0;

    void Add(ach_section_t *section, int parent);
    ach_section_t *Get(int number) const;
    const char *Inserted(int section, const char *name, int index) const;
};

void ConfigFile::Inside::Add(ach_section_t *section, int parent)
{
    int number = (int)sections.size();

    sections.push_back({section, parent});
    for (ach_section_t *s = nullptr; section && (s = ach_section_next(section, nullptr, s));)
        Add(s, number);
}

ach_section_t *ConfigFile::Inside::Get(int number) const
{
    return number < 0 || (size_t)number >= sections.size() ? nullptr : sections[number].section;
}

const char *ConfigFile::Inside::Inserted(int section, const char *name, int index) const
{
    for (const Value &v : inserted)
        if (section == 0 && v.name == name && v.index == index)
            return v.text.c_str();
    return nullptr;
}

/* The section of the driver under construction is number 1. */
void ConfigFile::Init(uint32_t robot)
{
    filename = nullptr;
    inside = new Inside;
    inside->robot = robot;
    inside->Add(nullptr, -1);
    if (!player::making)
        return;
    filename = strdup(ach_section_file(player::making->options));
    inside->Add(player::making->options, 0);
}

ConfigFile::ConfigFile(uint32_t, uint32_t default_robot)
{
    Init(default_robot);
}

ConfigFile::ConfigFile(const char *, uint32_t default_robot)
{
    Init(default_robot);
}

ConfigFile::ConfigFile()
{
    Init(0);
}

ConfigFile::~ConfigFile()
{
    free(filename);
    ach_config_destroy(inside->config);
    delete inside;
}

bool ConfigFile::Load(const char *path)
{
    ach_config_t *config;

    if (ach_config_load(path, &config) != ACH_OK) {
        PLAYER_ERROR2("%s: %s", path, ach_config_errors(nullptr));
        return false;
    }
    ach_config_destroy(inside->config);
    inside->config = config;
    inside->sections.clear();
    inside->Add(ach_config_root(config), -1);
    free(filename);
    filename = strdup(path);
    return true;
}

void ConfigFile::InsertFieldValue(int index, const char *name, const char *value)
{
    inside->inserted.push_back({name, value, index});
}

bool ConfigFile::WarnUnused()
{
    bool all = true;

    for (const auto &s : inside->sections) {
        const char *file, *name;
        int line;

        for (size_t i = 0; s.section && (name = ach_section_unused(s.section, i, &file, &line));
             i++) {
            PLAYER_WARN3("%s:%d: %s is not used", file, line, name);
            all = false;
        }
    }
    return all;
}

static bool is_true(const char *text)
{
    return strcmp(text, "1") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
}

bool ConfigFile::ReadBool(int section, const char *name, bool value)
{
    ach_section_t *s = inside->Get(section);
    const char *inserted = inside->Inserted(section, name, 0);

    if (inserted)
        return is_true(inserted);
    return s ? ach_section_bool(s, name, value) : value;
}

const char *ConfigFile::ReadString(int section, const char *name, const char *value)
{
    return ReadTupleString(section, name, 0, value);
}

int ConfigFile::ReadInt(int section, const char *name, int value)
{
    return ReadTupleInt(section, name, 0, value);
}

double ConfigFile::ReadFloat(int section, const char *name, double value)
{
    return ReadTupleFloat(section, name, 0, value);
}

double ConfigFile::ReadLength(int section, const char *name, double value)
{
    return ReadTupleLength(section, name, 0, value);
}

double ConfigFile::ReadAngle(int section, const char *name, double value)
{
    return ReadTupleAngle(section, name, 0, value);
}

uint32_t ConfigFile::ReadColor(int section, const char *name, uint32_t value)
{
    return ReadTupleColor(section, name, 0, value);
}

const char *ConfigFile::ReadFilename(int section, const char *name, const char *value)
{
    ach_section_t *s = inside->Get(section);
    const char *inserted = inside->Inserted(section, name, 0);

    if (inserted)
        return inserted;
    return s ? ach_section_path(s, name, value) : value;
}

int ConfigFile::GetTupleCount(int section, const char *name)
{
    ach_section_t *s = inside->Get(section);
    int n = s ? (int)ach_section_tuple_count(s, name) : 0;

    while (inside->Inserted(section, name, n))
        n++;
    return n;
}

const char *ConfigFile::ReadTupleString(int section, const char *name, int index, const char *value)
{
    ach_section_t *s = inside->Get(section);
    const char *inserted = inside->Inserted(section, name, index);

    if (inserted)
        return inserted;
    return s ? ach_section_tuple_string(s, name, (size_t)index, value) : value;
}

int ConfigFile::ReadTupleInt(int section, const char *name, int index, int value)
{
    ach_section_t *s = inside->Get(section);
    const char *inserted = inside->Inserted(section, name, index);

    if (inserted)
        return (int)strtol(inserted, nullptr, 0);
    return s ? ach_section_tuple_int(s, name, (size_t)index, value) : value;
}

/* The three kinds of numbers differ only in their unit. */
static double read_number(ConfigFile::Inside &in, int section, const char *name, int index,
                          double value,
                          double (*read)(ach_section_t *, const char *, size_t, double))
{
    ach_section_t *s = in.Get(section);
    const char *inserted = in.Inserted(section, name, index);

    if (inserted)
        return strtod(inserted, nullptr);
    return s ? read(s, name, (size_t)index, value) : value;
}

double ConfigFile::ReadTupleFloat(int section, const char *name, int index, double value)
{
    return read_number(*inside, section, name, index, value, ach_section_tuple_double);
}

double ConfigFile::ReadTupleLength(int section, const char *name, int index, double value)
{
    return read_number(*inside, section, name, index, value, ach_section_tuple_length);
}

double ConfigFile::ReadTupleAngle(int section, const char *name, int index, double value)
{
    return read_number(*inside, section, name, index, value, ach_section_tuple_angle);
}

/* A colour by its name in the list that X11 brings. */
static bool named_color(const char *wanted, uint32_t *color)
{
    FILE *list = fopen("/usr/share/X11/rgb.txt", "r");
    char line[256], name[128];
    unsigned r, g, b;
    bool found = false;

    while (list && !found && fgets(line, sizeof(line), list))
        found =
            sscanf(line, "%u %u %u %127[^\n]", &r, &g, &b, name) == 4 && strcmp(name, wanted) == 0;
    if (list)
        fclose(list);
    if (found)
        *color = r << 16 | g << 8 | b;
    return found;
}

uint32_t ConfigFile::ReadTupleColor(int section, const char *name, int index, uint32_t value)
{
    const char *text = ReadTupleString(section, name, index, nullptr);
    ach_section_t *s = inside->Get(section);
    uint32_t color = value;

    if (!text)
        return value;
    if (*text == '#')
        return (uint32_t)strtoul(text + 1, nullptr, 16);
    if (!named_color(text, &color) && s)
        ach_section_refuse(s, name, (size_t)index, "#RRGGBB or a colour of /usr/share/X11/rgb.txt");
    return color;
}

/* Claim all addresses of the option "requires", so that the driver is subscribed before Setup. */
static void claim_required(player::Making &making)
{
    ach_address_t a;

    if (making.requires_read)
        return;
    making.requires_read = true;
    while (ach_driver_require(making.driver, 0, nullptr, &a) == ACH_OK)
        making.required.push_back(a);
}

/* An address as messages carry it: this robot's own devices have neither host nor robot. */
static player_devaddr_t address_of(const ach_place_t &place, const char *field, size_t index,
                                   uint32_t robot)
{
    player::Making *making = player::making;
    player_devaddr_t a = {0, place.robot, place.interf, place.index};

    if (making && strcmp(field, "requires") == 0) {
        claim_required(*making);
        if (index < making->required.size())
            return player::theirs(making->required[index]);
    }
    if (making)
        robot = ach_driver_robot_number(making->driver);
    if (a.robot == robot)
        a.robot = 0;
    return a;
}

int ConfigFile::ReadDeviceAddr(player_devaddr_t *addr, int section, const char *name, int code,
                               int index, const char *key)
{
    int n = GetTupleCount(section, name);

    for (int i = 0; i < n; i++) {
        const char *text = ReadTupleString(section, name, i, nullptr);
        ach_place_t place;

        if (!text || ach_place_parse(text, &place) != ACH_OK)
            return -1;
        if ((code > 0 && place.interf != code) || (index >= 0 && i != index) ||
            (key && strcmp(key, place.key) != 0))
            continue;
        *addr = address_of(place, name, (size_t)i, inside->robot);
        return 0;
    }
    return -1;
}

int ConfigFile::GetSectionCount()
{
    return (int)inside->sections.size();
}

const char *ConfigFile::GetSectionType(int section)
{
    ach_section_t *s = inside->Get(section);

    return s ? ach_section_name(s) : "";
}

int ConfigFile::LookupSection(const char *type)
{
    for (int i = 0; i < GetSectionCount(); i++)
        if (strcmp(GetSectionType(i), type) == 0)
            return i;
    return -1;
}

int ConfigFile::GetSectionParent(int section)
{
    return section < 0 || section >= GetSectionCount() ? -1 : inside->sections[section].parent;
}
