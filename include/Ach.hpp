/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ach.hpp - handles as C++ objects, with the classes of Ach 2
 *
 * Each method calls the function of the same name in ach.h and returns its status. A status that
 * is in neither mask is an error; one that is only in warn_mask is a warning. Both call a virtual
 * function: Channel does nothing there, CerrChannel prints, SyslogChannel writes to the system
 * log, and the last two end the process after an error.
 *
 *     ach::CerrChannel imu;
 *     imu.open("imu");
 *     imu.get(&sample, sizeof(sample), &size, NULL, ACH_O_WAIT | ACH_O_LAST,
 *             ACH_MASK_OK | ACH_MASK_MISSED_FRAME);
 *
 * All of it is in this header: link with -lach. C++98 is enough.
 */
#ifndef ACH_HPP
#define ACH_HPP

#include <ach.h>
#include <syslog.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <vector>

namespace ach
{

enum status_check_result { STATUS_OK, STATUS_WARN, STATUS_ERR };

inline int check_status(ach_status_t status, int allow_mask, int warn_mask)
{
    if (ach_status_match(status, static_cast<ach_mask_t>(allow_mask)))
        return STATUS_OK;
    return ach_status_match(status, static_cast<ach_mask_t>(warn_mask)) ? STATUS_WARN : STATUS_ERR;
}

class Channel
{
  public:
    ach_channel_t channel;

    Channel()
    {
        std::memset(&channel, 0, sizeof(channel));
    }

    /* Closes the channel without calling the virtual functions: a derived class is gone by now. */
    virtual ~Channel()
    {
        if (channel.shm)
            ach_close(&channel);
    }

    ach_status_t dispatch(ach_status_t status, int allow_mask, int warn_mask,
                          void (Channel::*warn)(ach_status_t), void (Channel::*error)(ach_status_t))
    {
        switch (check_status(status, allow_mask, warn_mask)) {
        case STATUS_WARN:
            (this->*warn)(status);
            break;
        case STATUS_ERR:
            (this->*error)(status);
            break;
        default:
            break;
        }
        return status;
    }

    ach_status_t open(const char *name, ach_attr_t *attr = NULL, int allow_mask = ACH_MASK_OK,
                      int warn_mask = ACH_MASK_NONE)
    {
        return dispatch(ach_open(&channel, name, attr), allow_mask, warn_mask, &Channel::warn_open,
                        &Channel::error_open);
    }

    ach_status_t close(int allow_mask = ACH_MASK_OK, int warn_mask = ACH_MASK_NONE)
    {
        return dispatch(ach_close(&channel), allow_mask, warn_mask, &Channel::warn_close,
                        &Channel::error_close);
    }

    ach_status_t put(const void *buf, size_t len, int allow_mask = ACH_MASK_OK,
                     int warn_mask = ACH_MASK_NONE)
    {
        return dispatch(ach_put(&channel, buf, len), allow_mask, warn_mask, &Channel::warn_put,
                        &Channel::error_put);
    }

    ach_status_t get(void *buf, size_t size, size_t *frame_size,
                     const struct timespec *timeout = NULL, int options = 0,
                     int allow_mask = ACH_MASK_OK, int warn_mask = ACH_MASK_NONE)
    {
        return dispatch(ach_get(&channel, buf, size, frame_size, timeout, options), allow_mask,
                        warn_mask, &Channel::warn_get, &Channel::error_get);
    }

    /*
     * Copies the message into buf at offset. If buf is too small for it, buf grows. frame_size is
     * set to 0 if there is no message.
     */
    ach_status_t get(std::vector<uint8_t> *buf, size_t offset, size_t *frame_size,
                     const struct timespec *timeout = NULL, int options = 0,
                     int allow_mask = ACH_MASK_OK, int warn_mask = ACH_MASK_NONE)
    {
        size_t size = 0;
        ach_status_t status;

        for (;;) {
            size_t room;

            if (buf->size() < offset + size)
                buf->resize(offset + size);
            room = buf->size() - offset;
            status =
                ach_get(&channel, room ? &(*buf)[offset] : NULL, room, &size, timeout, options);
            if (status != ACH_OVERFLOW)
                break;
        }
        if (frame_size)
            *frame_size = ach_status_match(status, ACH_MASK_OK | ACH_MASK_MISSED_FRAME) ? size : 0;
        return dispatch(status, allow_mask, warn_mask, &Channel::warn_get, &Channel::error_get);
    }

    ach_status_t flush(int allow_mask = ACH_MASK_OK, int warn_mask = ACH_MASK_NONE)
    {
        return dispatch(ach_flush(&channel), allow_mask, warn_mask, &Channel::warn_flush,
                        &Channel::error_flush);
    }

  protected:
    virtual void warn_open(ach_status_t)
    {
    }
    virtual void error_open(ach_status_t)
    {
    }
    virtual void warn_close(ach_status_t)
    {
    }
    virtual void error_close(ach_status_t)
    {
    }
    virtual void warn_put(ach_status_t)
    {
    }
    virtual void error_put(ach_status_t)
    {
    }
    virtual void warn_get(ach_status_t)
    {
    }
    virtual void error_get(ach_status_t)
    {
    }
    virtual void warn_flush(ach_status_t)
    {
    }
    virtual void error_flush(ach_status_t)
    {
    }
};

/* Calls warn and error with the name of the function that failed. */
class LogChannel : public Channel
{
  protected:
    virtual void warn(const char *function, ach_status_t status) = 0;
    virtual void error(const char *function, ach_status_t status) = 0;

    virtual void warn_open(ach_status_t status)
    {
        warn("ach_open", status);
    }
    virtual void error_open(ach_status_t status)
    {
        error("ach_open", status);
    }
    virtual void warn_close(ach_status_t status)
    {
        warn("ach_close", status);
    }
    virtual void error_close(ach_status_t status)
    {
        error("ach_close", status);
    }
    virtual void warn_put(ach_status_t status)
    {
        warn("ach_put", status);
    }
    virtual void error_put(ach_status_t status)
    {
        error("ach_put", status);
    }
    virtual void warn_get(ach_status_t status)
    {
        warn("ach_get", status);
    }
    virtual void error_get(ach_status_t status)
    {
        error("ach_get", status);
    }
    virtual void warn_flush(ach_status_t status)
    {
        warn("ach_flush", status);
    }
    virtual void error_flush(ach_status_t status)
    {
        error("ach_flush", status);
    }
};

/* Prints to standard error. An error ends the process. */
class CerrChannel : public LogChannel
{
    static void print(const char *kind, const char *function, ach_status_t status)
    {
        std::cerr << kind << ": " << function << " " << ach_result_to_string(status) << " ("
                  << static_cast<int>(status) << ")" << std::endl;
    }

  protected:
    virtual void warn(const char *function, ach_status_t status)
    {
        print("warning", function, status);
    }
    virtual void error(const char *function, ach_status_t status)
    {
        print("error", function, status);
        std::exit(EXIT_FAILURE);
    }
};

/* Writes to the system log. An error ends the process. */
class SyslogChannel : public LogChannel
{
  protected:
    virtual void warn(const char *function, ach_status_t status)
    {
        syslog(LOG_WARNING, "%s: %s", function, ach_result_to_string(status));
    }
    virtual void error(const char *function, ach_status_t status)
    {
        syslog(LOG_ERR, "%s: %s", function, ach_result_to_string(status));
        std::exit(EXIT_FAILURE);
    }
};

} // namespace ach

#endif
