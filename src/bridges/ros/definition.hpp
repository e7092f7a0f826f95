// SPDX-License-Identifier: BSD-3-Clause
//
// definition.hpp - ach/ros1.h with an owning class and exceptions
#ifndef ROS_DEFINITION_HPP
#define ROS_DEFINITION_HPP

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include <ach/error.hpp>
#include <ach/ros1.h>

// Throw ach::Error unless the call succeeded.
inline void must(ach_status_t status)
{
    if (status != ACH_OK)
        throw ach::Error(status);
}

struct Free {
    void operator()(void *memory) const
    {
        free(memory);
    }
};
using Body = std::unique_ptr<void, Free>;

// Throws ach::Error.
class Definition
{
  public:
    Definition(const std::string &name, const std::string &text)
    {
        must(ach_definition_new(name.c_str(), text.data(), text.size(), &definition_));
    }
    Definition(const Definition &) = delete;
    Definition(Definition &&other) noexcept : definition_(std::exchange(other.definition_, nullptr))
    {
    }
    Definition &operator=(const Definition &) = delete;
    ~Definition()
    {
        ach_definition_free(definition_);
    }

    const ach_definition_t *get() const
    {
        return definition_;
    }
    const ach_type_t *type() const
    {
        return ach_definition_type(definition_);
    }
    std::string md5() const
    {
        char text[ACH_ROS1_MD5];

        must(ach_ros1_md5(definition_, text));
        return text;
    }
    // Name and text, for ROS 1 or ROS 2.
    std::pair<std::string, std::string> text(int ros) const
    {
        char *name, *text;

        must(ach_definition_text(definition_, ros, &name, &text));
        const std::unique_ptr<char, Free> both[] = {std::unique_ptr<char, Free>(name),
                                                    std::unique_ptr<char, Free>(text)};

        return {both[0].get(), both[1].get()};
    }

  private:
    ach_definition_t *definition_ = nullptr;
};

#endif
