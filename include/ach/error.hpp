// SPDX-License-Identifier: BSD-3-Clause
//
// error.hpp - the exception of ach.hpp and device.hpp
#ifndef ACH_ERROR_HPP
#define ACH_ERROR_HPP

#include <ach.h>

#include <stdexcept>
#include <string>

namespace ach
{

// What failed, and why.
class Error : public std::runtime_error
{
  public:
    explicit Error(ach_status_t status)
        : std::runtime_error(*ach_errstr() ? ach_errstr() : ach_result_to_string(status)),
          status_(status)
    {
    }
    Error(ach_status_t status, const std::string &why) : std::runtime_error(why), status_(status)
    {
    }
    ach_status_t status() const
    {
        return status_;
    }

  private:
    ach_status_t status_;
};

} // namespace ach

#endif
