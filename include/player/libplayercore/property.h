/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * property.h - values of a driver that clients read and set
 *
 * A client changes them in ProcessMessages, so the driver needs no lock.
 */
#ifndef ACH_PLAYER_PROPERTY_H
#define ACH_PLAYER_PROPERTY_H

#include <stddef.h>

class ConfigFile;
class Driver;

class Property
{
  public:
    Property(void);
    Property(const char *newKey, bool readOnly);
    virtual ~Property(void);

    virtual const char *GetKey(void) const
    {
        return key;
    }
    virtual void SetKey(const char *newKey);

    /* The message is the struct of the request, such as player_intprop_req_t. */
    virtual void GetValueToMessage(void *data) const = 0;
    virtual void SetValueFromMessage(const void *data) = 0;
    virtual bool KeyIsEqual(const char *rhs);
    virtual bool ReadConfig(ConfigFile *cf, int section) = 0;

  protected:
    char *key;
    bool readonly; /* for clients */

  private:
    Property(const Property &);
    Property &operator=(const Property &);
};

class BoolProperty : public Property
{
  public:
    BoolProperty(const char *newKey, bool newValue, bool readOnly);
    /* Also registers it with the driver. */
    BoolProperty(const char *newKey, bool newValue, bool readOnly, Driver *driver, ConfigFile *cf,
                 int section);

    bool GetValue(void) const
    {
        return value;
    }
    void SetValue(bool newValue)
    {
        value = newValue;
    }
    void GetValueToMessage(void *data) const;
    void SetValueFromMessage(const void *data);
    virtual bool ReadConfig(ConfigFile *cf, int section);
    operator bool(void)
    {
        return value;
    }
    const BoolProperty &operator=(const BoolProperty &rhs);
    bool operator=(bool rhs)
    {
        return value = rhs;
    }

  private:
    bool value;
};

class IntProperty : public Property
{
  public:
    IntProperty(const char *newKey, int newValue, bool readOnly);
    IntProperty(const char *newKey, int newValue, bool readOnly, Driver *driver, ConfigFile *cf,
                int section);

    int GetValue(void) const
    {
        return value;
    }
    void SetValue(int newValue)
    {
        value = newValue;
    }
    void GetValueToMessage(void *data) const;
    void SetValueFromMessage(const void *data);
    virtual bool ReadConfig(ConfigFile *cf, int section);
    operator int(void)
    {
        return value;
    }
    const IntProperty &operator=(const IntProperty &rhs);
    int operator=(int rhs)
    {
        return value = rhs;
    }

  private:
    int value;
};

class DoubleProperty : public Property
{
  public:
    DoubleProperty(const char *newKey, double newValue, bool readOnly);
    DoubleProperty(const char *newKey, double newValue, bool readOnly, Driver *driver,
                   ConfigFile *cf, int section);

    double GetValue(void) const
    {
        return value;
    }
    void SetValue(double newValue)
    {
        value = newValue;
    }
    void GetValueToMessage(void *data) const;
    void SetValueFromMessage(const void *data);
    virtual bool ReadConfig(ConfigFile *cf, int section);
    operator double(void)
    {
        return value;
    }
    const DoubleProperty &operator=(const DoubleProperty &rhs);
    double operator=(double rhs)
    {
        return value = rhs;
    }

  private:
    double value;
};

class StringProperty : public Property
{
  public:
    StringProperty(const char *newKey, const char *newValue, bool readOnly);
    StringProperty(const char *newKey, const char *newValue, bool readOnly, Driver *driver,
                   ConfigFile *cf, int section);
    ~StringProperty(void);

    const char *GetValue(void) const
    {
        return value;
    }
    void SetValue(const char *newValue);
    void GetValueToMessage(void *data) const; /* the caller frees the value */
    void SetValueFromMessage(const void *data);
    virtual bool ReadConfig(ConfigFile *cf, int section);
    operator const char *(void)
    {
        return value;
    }
    const StringProperty &operator=(const StringProperty &rhs);
    const char *operator=(const char *rhs);

  private:
    char *value;
};

/* The properties of a driver, which must outlive it. */
class PropertyBag
{
  public:
    PropertyBag(void);
    ~PropertyBag(void);

    /* False: there is a property with that key. */
    bool AddProperty(const char *key, Property *property);
    Property *GetProperty(const char *key);

  private:
    PropertyBag(const PropertyBag &);
    PropertyBag &operator=(const PropertyBag &);

    struct Node;
    Node *first;
};

#endif
