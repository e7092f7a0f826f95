// SPDX-License-Identifier: BSD-3-Clause
//
// device.hpp - device.h for C++, with owning classes and exceptions
//
//     ach::Device laser("laser:0");
//     ach::Message m = laser.get(ACH_LASER_DATA_SCAN, 1.0);
//     const ach_laser_data_t &scan = m.body<ach_laser_data_t>();
//
// It needs C++17. Threads as in device.h: one handle, one thread at a time.
#ifndef ACH_DEVICE_HPP
#define ACH_DEVICE_HPP

#include <ach.h>
#include <ach/device.h>
#include <ach/error.hpp>

#include <optional>
#include <string>
#include <utility>

namespace ach
{

// Throw unless the given struct is the body of this message. Another message has other fields at
// the same offsets.
inline void check_body(uint16_t interf, unsigned type, unsigned subtype, const ach_type_t *given)
{
    const ach_interface_t *interface = ach_interface_by_code(interf);
    const ach_message_def_t *def = ach_interface_message(interface, type, subtype);

    if (def && def->body == given)
        return;
    throw Error(ACH_EINVAL, !def ? std::string("no interface that is known has this message")
                            : !def->body
                                ? std::string(def->name) + " has no body, and no " + given->name
                                : std::string(def->name) + " has a " + def->body->name +
                                      ", not a " + given->name);
}

// A message, held as long as the object lives.
class Message
{
  public:
    explicit Message(ach_message_t *message) : message_(message)
    {
    }
    Message(const Message &other) : message_(ach_message_ref(other.message_))
    {
    }
    Message(Message &&other) noexcept : message_(std::exchange(other.message_, nullptr))
    {
    }
    Message &operator=(Message other) noexcept
    {
        std::swap(message_, other.message_);
        return *this;
    }
    ~Message()
    {
        ach_message_unref(message_);
    }

    const ach_header_t &header() const
    {
        return *ach_message_header(message_);
    }
    const ach_message_t *get() const
    {
        return message_;
    }

    // The body of the message, which lives as long as the message. Does not compile unless T is a
    // struct of an interface; throws Error unless it is the struct of this message.
    template <class T> const T &body() const
    {
        const ach_header_t &h = header();
        const void *body = ach_message_body(message_);

        check_body(h.address.interf, h.type, h.subtype, BodyType<T>::type());
        if (!body)
            throw Error(ACH_CORRUPT);
        return *static_cast<const T *>(body);
    }

  private:
    ach_message_t *message_;
};

// A device, open as long as the object lives.
class Device
{
  public:
    explicit Device(const std::string &address, const ach_device_attr_t *attr = nullptr)
    {
        check(ach_device_open(address.c_str(), attr, &device_));
    }
    Device(const Device &) = delete;
    Device(Device &&other) noexcept : device_(std::exchange(other.device_, nullptr))
    {
    }
    Device &operator=(Device other) noexcept
    {
        std::swap(device_, other.device_);
        return *this;
    }
    ~Device()
    {
        ach_device_close(device_);
    }

    // The next data, or with ACH_O_LAST the newest. Empty: none came within the timeout.
    std::optional<Message> poll(int subtype = ACH_SUBTYPE_ANY, double timeout = 0, int options = 0)
    {
        ach_message_t *m;
        ach_status_t status = ach_device_get(device_, subtype, timeout,
                                             options | (timeout != 0 ? ACH_O_WAIT : 0), &m);

        if (status == ACH_OK || status == ACH_MISSED_FRAME)
            return Message(m);
        if (status == ACH_STALE_FRAMES || status == ACH_TIMEOUT)
            return std::nullopt;
        throw Error(status);
    }

    // The newest data. Throws ACH_TIMEOUT if none comes within the timeout.
    Message get(int subtype = ACH_SUBTYPE_ANY, double timeout = -1)
    {
        std::optional<Message> m = poll(subtype, timeout, ACH_O_LAST);

        if (!m)
            throw Error(ACH_TIMEOUT);
        return *std::move(m);
    }

    void command(uint8_t subtype)
    {
        check(ach_device_command(device_, subtype, nullptr));
    }
    template <class T> void command(uint8_t subtype, const T &body)
    {
        check_body(interf(), ACH_MSG_CMD, subtype, BodyType<T>::type());
        check(ach_device_command(device_, subtype, &body));
    }

    // A body by its table, for programs that learn at run time what they send.
    void command(uint8_t subtype, const ach_type_t *type, const void *body)
    {
        check_body(interf(), ACH_MSG_CMD, subtype, type);
        check(ach_device_command(device_, subtype, body));
    }

    // Wait until the server has received all commands. The destructor waits too, but drops errors.
    void flush(double seconds = ACH_DEVICE_CLOSE_SECONDS)
    {
        check(ach_device_flush(device_, seconds));
    }

    // The answer. A NACK throws Error with the status ACH_ENOTSUP.
    Message request(uint8_t subtype, double timeout = 5)
    {
        return ask(subtype, nullptr, timeout);
    }
    template <class T> Message request(uint8_t subtype, const T &body, double timeout = 5)
    {
        check_body(interf(), ACH_MSG_REQ, subtype, BodyType<T>::type());
        return ask(subtype, &body, timeout);
    }

    Message request(uint8_t subtype, const ach_type_t *type, const void *body, double timeout = 5)
    {
        check_body(interf(), ACH_MSG_REQ, subtype, type);
        return ask(subtype, body, timeout);
    }

    int fd()
    {
        return ach_device_fd(device_);
    }
    ach_device_t *get_handle()
    {
        return device_;
    }

  private:
    uint16_t interf() const
    {
        return ach_device_address(device_)->interf;
    }

    static void check(ach_status_t status)
    {
        if (status != ACH_OK)
            throw Error(status);
    }

    Message ask(uint8_t subtype, const void *body, double timeout)
    {
        ach_message_t *m = nullptr;
        ach_status_t status = ach_device_request(device_, subtype, body, timeout, &m);

        if (status == ACH_OK)
            return Message(m);
        ach_message_unref(m);
        throw Error(status);
    }

    ach_device_t *device_ = nullptr;
};

} // namespace ach

#endif
