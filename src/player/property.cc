/* SPDX-License-Identifier: BSD-3-Clause */
/* property.cc - values of a driver that clients read and set */
#include "inside.h"

static char *duplicate(const char *text)
{
    return text ? strdup(text) : nullptr;
}

Property::Property(void) : key(nullptr), readonly(false)
{
}

Property::Property(const char *newKey, bool readOnly) : key(duplicate(newKey)), readonly(readOnly)
{
}

Property::~Property(void)
{
    free(key);
}

void Property::SetKey(const char *newKey)
{
    free(key);
    key = duplicate(newKey);
}

bool Property::KeyIsEqual(const char *rhs)
{
    return key && rhs && strcmp(key, rhs) == 0;
}

BoolProperty::BoolProperty(const char *newKey, bool newValue, bool readOnly)
    : Property(newKey, readOnly), value(newValue)
{
}

BoolProperty::BoolProperty(const char *newKey, bool newValue, bool readOnly, Driver *driver,
                           ConfigFile *cf, int section)
    : Property(newKey, readOnly), value(newValue)
{
    driver->RegisterProperty(newKey, this, cf, section);
}

void BoolProperty::GetValueToMessage(void *data) const
{
    static_cast<player_boolprop_req_t *>(data)->value = value;
}

void BoolProperty::SetValueFromMessage(const void *data)
{
    if (!readonly)
        value = static_cast<const player_boolprop_req_t *>(data)->value != 0;
}

bool BoolProperty::ReadConfig(ConfigFile *cf, int section)
{
    value = cf->ReadBool(section, key, value);
    return true;
}

const BoolProperty &BoolProperty::operator=(const BoolProperty &rhs)
{
    value = rhs.value;
    return *this;
}

IntProperty::IntProperty(const char *newKey, int newValue, bool readOnly)
    : Property(newKey, readOnly), value(newValue)
{
}

IntProperty::IntProperty(const char *newKey, int newValue, bool readOnly, Driver *driver,
                         ConfigFile *cf, int section)
    : Property(newKey, readOnly), value(newValue)
{
    driver->RegisterProperty(newKey, this, cf, section);
}

void IntProperty::GetValueToMessage(void *data) const
{
    static_cast<player_intprop_req_t *>(data)->value = value;
}

void IntProperty::SetValueFromMessage(const void *data)
{
    if (!readonly)
        value = static_cast<const player_intprop_req_t *>(data)->value;
}

bool IntProperty::ReadConfig(ConfigFile *cf, int section)
{
    value = cf->ReadInt(section, key, value);
    return true;
}

const IntProperty &IntProperty::operator=(const IntProperty &rhs)
{
    value = rhs.value;
    return *this;
}

DoubleProperty::DoubleProperty(const char *newKey, double newValue, bool readOnly)
    : Property(newKey, readOnly), value(newValue)
{
}

DoubleProperty::DoubleProperty(const char *newKey, double newValue, bool readOnly, Driver *driver,
                               ConfigFile *cf, int section)
    : Property(newKey, readOnly), value(newValue)
{
    driver->RegisterProperty(newKey, this, cf, section);
}

void DoubleProperty::GetValueToMessage(void *data) const
{
    static_cast<player_dblprop_req_t *>(data)->value = value;
}

void DoubleProperty::SetValueFromMessage(const void *data)
{
    if (!readonly)
        value = static_cast<const player_dblprop_req_t *>(data)->value;
}

bool DoubleProperty::ReadConfig(ConfigFile *cf, int section)
{
    value = cf->ReadFloat(section, key, value);
    return true;
}

const DoubleProperty &DoubleProperty::operator=(const DoubleProperty &rhs)
{
    value = rhs.value;
    return *this;
}

StringProperty::StringProperty(const char *newKey, const char *newValue, bool readOnly)
    : Property(newKey, readOnly), value(duplicate(newValue))
{
}

StringProperty::StringProperty(const char *newKey, const char *newValue, bool readOnly,
                               Driver *driver, ConfigFile *cf, int section)
    : Property(newKey, readOnly), value(duplicate(newValue))
{
    driver->RegisterProperty(newKey, this, cf, section);
}

StringProperty::~StringProperty(void)
{
    free(value);
}

void StringProperty::SetValue(const char *newValue)
{
    char *before = value;

    value = duplicate(newValue);
    free(before);
}

void StringProperty::GetValueToMessage(void *data) const
{
    player_strprop_req_t *to = static_cast<player_strprop_req_t *>(data);

    to->value = duplicate(value ? value : "");
    to->value_count = (uint32_t)strlen(to->value) + 1;
}

void StringProperty::SetValueFromMessage(const void *data)
{
    if (!readonly)
        SetValue(static_cast<const player_strprop_req_t *>(data)->value);
}

bool StringProperty::ReadConfig(ConfigFile *cf, int section)
{
    SetValue(cf->ReadString(section, key, value));
    return true;
}

const StringProperty &StringProperty::operator=(const StringProperty &rhs)
{
    SetValue(rhs.value);
    return *this;
}

const char *StringProperty::operator=(const char *rhs)
{
    SetValue(rhs);
    return value;
}

struct PropertyBag::Node {
    std::string key;
    Property *property;
    Node *next;
};

PropertyBag::PropertyBag(void) : first(nullptr)
{
}

PropertyBag::~PropertyBag(void)
{
    while (Node *n = first) {
        first = n->next;
        delete n;
    }
}

bool PropertyBag::AddProperty(const char *key, Property *property)
{
    if (!key || GetProperty(key))
        return false;
    first = new Node{key, property, first};
    return true;
}

Property *PropertyBag::GetProperty(const char *key)
{
    Node *n = first;

    while (n && n->key != key)
        n = n->next;
    return n ? n->property : nullptr;
}
