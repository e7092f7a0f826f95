// SPDX-License-Identifier: BSD-3-Clause
// devices.cc - the operations of bindings/conformance on devices, with device.hpp
#include "conformance.h"

#include <ach/device.hpp>

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>

namespace
{

using Words = const struct words *;
using Body = std::unique_ptr<void, decltype(&std::free)>;

std::map<std::string, std::unique_ptr<ach::Device>> devices;

std::string address(const char *word)
{
    std::unique_ptr<char, decltype(&std::free)> text(address_of(word), &std::free);

    return text.get();
}

// Run a function with the device that the words name, for its status.
ach_status_t with_device(Words w, const std::function<void(ach::Device &)> &f)
{
    auto d = devices.find(w->word[1]);

    if (d == devices.end())
        return ACH_CLOSED;
    try {
        f(*d->second);
        return ACH_OK;
    } catch (const ach::Error &e) {
        return e.status();
    }
}

const ach_message_def_t &def_of(ach::Device &d, unsigned type, const char *name)
{
    return *message_def_of(ach_device_address(d.get_handle())->interf, type, name);
}

Body body_from(Words w, const ach_message_def_t &def)
{
    void *body = nullptr;
    ach_status_t status = body_of(w, &def, &body);

    if (status != ACH_OK)
        throw ach::Error(status);
    return {body, &std::free};
}

ach_status_t run_device(Words w, FILE *)
{
    ach_device_attr_t attr = {};

    attr.size = sizeof(attr);
    attr.timeout = DEVICE_SECONDS;
    try {
        auto d = std::make_unique<ach::Device>(address(w->word[2]), &attr);

        devices[w->word[1]] = std::move(d);
        return ACH_OK;
    } catch (const ach::Error &e) {
        return e.status();
    }
}

ach_status_t run_data(Words w, FILE *results)
{
    return with_device(w, [&](ach::Device &d) {
        std::optional<ach::Message> m =
            d.poll(def_of(d, ACH_MSG_DATA, w->word[2]).subtype, DEVICE_SECONDS);

        if (!m)
            throw ach::Error(ACH_TIMEOUT);
        device_message_print(results, m->get());
    });
}

ach_status_t run_command(Words w, FILE *)
{
    return with_device(w, [&](ach::Device &d) {
        const ach_message_def_t &def = def_of(d, ACH_MSG_CMD, w->word[2]);

        d.command(def.subtype, def.body, body_from(w, def).get());
    });
}

ach_status_t run_request(Words w, FILE *results)
{
    return with_device(w, [&](ach::Device &d) {
        const ach_message_def_t &def = def_of(d, ACH_MSG_REQ, w->word[2]);
        ach::Message answer =
            d.request(def.subtype, def.body, body_from(w, def).get(), DEVICE_SECONDS);

        device_message_print(results, answer.get());
    });
}

ach_status_t run_flush(Words w, FILE *)
{
    return with_device(w, [](ach::Device &d) { d.flush(DEVICE_SECONDS); });
}

ach_status_t run_close(Words w, FILE *)
{
    return devices.erase(w->word[1]) ? ACH_OK : ACH_CLOSED;
}

ach_status_t run_devices(Words w, FILE *results)
{
    size_t count = 0;
    ach_status_t status = ach_device_list(address(w->word[1]).c_str(), nullptr, nullptr, 0, &count);

    if (status == ACH_OK)
        std::fprintf(results, " %zu", count);
    return status;
}

} // namespace

const struct operation device_operations[] = {
    {"device", 3, run_device},   {"data", 3, run_data},          {"command", 3, run_command},
    {"request", 3, run_request}, {"device-flush", 2, run_flush}, {"device-close", 2, run_close},
    {"devices", 2, run_devices}, {nullptr, 0, nullptr}};
