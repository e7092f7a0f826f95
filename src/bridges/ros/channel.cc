// SPDX-License-Identifier: BSD-3-Clause
#include "channel.hpp"

#include <cstring>

Channel::Channel(const std::string &name)
{
    must(ach_open(&channel_, name.c_str(), nullptr));
}

Channel::~Channel()
{
    ach_close(&channel_);
}

bool Channel::gone() const
{
    ach_info_t info;

    return ach_channel_info(&channel_, &info) != ACH_OK || info.unlinked || info.replaced;
}

std::string Channel::why(ach_status_t status) const
{
    ach_info_t info;

    if (ach_channel_info(&channel_, &info) == ACH_OK && info.replaced)
        return "was replaced";
    switch (status) {
    case ACH_ENOENT:
        return "was removed";
    case ACH_OVERFLOW:
        return "cannot hold a message of this size";
    case ACH_EACCES:
        return "cannot be written by this user";
    case ACH_LOCKED:
        return "is locked by another writer";
    default:
        return std::string("cannot be used: ") + ach_result_to_string(status);
    }
}

Definition Channel::definition(const std::string &name) const
{
    const ach_channel_type_t *type = nullptr;

    if (ach_channel_type(&channel_, &type) != ACH_OK)
        throw Fatal("channel '" + name + "' has no type; see 'man ach-type'");
    const std::string schema = type->schema_encoding ? type->schema_encoding : "";

    if (strcmp(type->encoding, "cdr") != 0 || (schema != "ros2msg" && schema != "ros1msg"))
        throw Fatal("channel '" + name + "' has the encoding '" + type->encoding +
                    "' with a schema '" + schema + "'; expected cdr with ros2msg or ros1msg");
    try {
        return Definition(type->name,
                          std::string(static_cast<const char *>(type->schema), type->schema_size));
    } catch (const ach::Error &e) {
        throw Fatal("the type of channel '" + name + "': " + e.what());
    }
}
