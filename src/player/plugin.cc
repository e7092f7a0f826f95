/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plugin.cc - a plug-in with drivers of Player, as a plug-in of drivers of a robot
 *
 * Each driver is known by its name, and by player-NAME for the case that the robot has another
 * driver of that name.
 */
#include <dlfcn.h>

#include <exception>

#include "inside.h"

#define PREFIX "player-"

namespace
{
/* Lasts until the process ends, as the library does. */
struct Library {
    std::deque<std::string> names;
    std::deque<ach_driver_class_t> classes;
    std::vector<const ach_driver_class_t *> list;
    ach_plugin_t plugin;
};
} // namespace

/* Call a function of the driver. An exception that it throws ends there. */
template <class F> static ach_status_t guarded(Driver *d, F call)
{
    player::Current scope(d);

    try {
        return call();
    } catch (const player::Stop &) {
        return ach_errstr_set(ACH_CANCELED, "the driver was asked to stop");
    } catch (const std::exception &e) {
        return ach_errstr_set(ACH_BUG, "the driver has thrown an exception: %s", e.what());
    }
}

static Driver *make(ach_section_t *options)
{
    const char *name = ach_section_string(options, "name", "");
    DriverEntry *e = driverTable->GetDriverEntry(name);
    ConfigFile config;

    if (!e && strncmp(name, PREFIX, strlen(PREFIX)) == 0)
        e = driverTable->GetDriverEntry(name + strlen(PREFIX));
    return e ? e->initfunc(&config, 1) : nullptr;
}

static ach_status_t plugin_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    player::Making making = {driver, options, {}, false};
    Driver *d = nullptr;

    player::making = &making;
    ach_status_t status = guarded(nullptr, [&] {
        d = make(options);
        return ACH_OK;
    });
    player::making = nullptr;
    if (d)
        d->inside->required = making.required;
    if (status == ACH_OK && (!d || d->GetError()))
        status = ach_errstr_set(ACH_EINVAL, "its constructor has failed");
    if (status == ACH_OK && d->inside->provided.empty())
        status = ach_errstr_set(ACH_EINVAL, "it provides no device");
    if (status != ACH_OK && d)
        d->inside->Retire();
    *state = d;
    return status;
}

/*
 * Player never deletes a driver, so there are destructors that do not work: that of p2os frees what
 * it has not allocated. The driver is kept, without a robot.
 */
static void plugin_destroy(ach_driver_t *, void *state)
{
    static_cast<Driver *>(state)->inside->Retire();
}

static ach_status_t plugin_setup(ach_driver_t *, void *state)
{
    Driver *d = static_cast<Driver *>(state);

    return guarded(d, [d] { return d->inside->Setup(); });
}

static void plugin_shutdown(ach_driver_t *, void *state)
{
    Driver *d = static_cast<Driver *>(state);

    guarded(d, [d] {
        d->inside->Shutdown();
        return ACH_OK;
    });
}

static ach_status_t plugin_process(ach_driver_t *, void *state, const ach_message_t *message)
{
    return static_cast<Driver *>(state)->inside->Take(message);
}

static void plugin_main(ach_driver_t *driver, void *state)
{
    Driver *d = static_cast<Driver *>(state);
    ach_status_t status = guarded(d, [d] {
        d->inside->Live();
        return ACH_OK;
    });

    if (status != ACH_OK && status != ACH_CANCELED)
        ach_driver_log(driver, ACH_LOG_ERROR, "%s", ach_errstr());
}

/* Transparent: the driver itself answers for capabilities and properties. */
static void add_class(Library &library, const std::string &name)
{
    ach_driver_class_t c = {};

    library.names.push_back(name);
    c.version = ACH_DRIVER_VERSION;
    c.flags = ACH_DRIVER_TRANSPARENT;
    c.name = library.names.back().c_str();
    c.create = plugin_create;
    c.destroy = plugin_destroy;
    c.setup = plugin_setup;
    c.shutdown = plugin_shutdown;
    c.process = plugin_process;
    c.main = plugin_main;
    library.classes.push_back(c);
    library.list.push_back(&library.classes.back());
}

static ach_status_t init(void *handle, const char *path)
{
    DriverPluginInitFn function;

    *(void **)&function = dlsym(handle, "player_driver_init");
    if (!function)
        return ach_errstr_set(ACH_BAD_HEADER, "%s has no function player_driver_init", path);
    return guarded(nullptr, [&] {
        int result = function(driverTable);

        return result == 0 ? ACH_OK
                           : ach_errstr_set(ACH_BAD_HEADER, "%s: player_driver_init returned %d",
                                            path, result);
    });
}

static const ach_plugin_t *adopt(void *handle, const char *path)
{
    static std::map<void *, Library> libraries;
    auto known = libraries.find(handle);
    int before = driverTable->Size();

    if (known != libraries.end())
        return &known->second.plugin;
    if (init(handle, path) != ACH_OK)
        return nullptr;
    Library &library = libraries[handle];

    for (int i = before; i < driverTable->Size(); i++) {
        add_class(library, driverTable->GetDriverName(i));
        add_class(library, std::string(PREFIX) + driverTable->GetDriverName(i));
    }
    library.plugin = {ACH_DRIVER_VERSION, (uint32_t)library.list.size(), library.list.data()};
    return &library.plugin;
}

/* Robots of one process may be built in several threads. */
extern "C" __attribute__((visibility("default"))) const ach_plugin_t *
ach_plugin_adopt(void *library, const char *path)
{
    static std::mutex lock;
    std::lock_guard<std::mutex> guard(lock);

    return adopt(library, path);
}
