/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.c - plug-ins for tests: a valid one, and invalid ones by macros */
#include <ach/driver.h>

#ifndef CLASS_VERSION
#define CLASS_VERSION ACH_DRIVER_VERSION
#endif
#ifndef PLUGIN_VERSION
#define PLUGIN_VERSION ACH_DRIVER_VERSION
#endif
#ifndef PLUGIN_SYMBOL
#define PLUGIN_SYMBOL ach_plugin
#endif
#ifndef NAME
#define NAME "plugged"
#endif

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    ach_address_t address;

    (void)options;
    (void)state;
    return ach_driver_provide_next(driver, NULL, &address);
}

static const ach_driver_class_t plugged = {
    .version = CLASS_VERSION,
    .name = NAME,
    .create = create,
};

static const ach_driver_class_t *const drivers[] = {&plugged};
__attribute__((visibility("default"))) extern const ach_plugin_t PLUGIN_SYMBOL;
const ach_plugin_t PLUGIN_SYMBOL = {PLUGIN_VERSION, 1, drivers};
