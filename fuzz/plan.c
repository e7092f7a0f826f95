/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c - any bytes as a world file: what it says of a run */
#include "../src/sim/plan.h"

#include <string.h>

#include "property.h"

static void check_name(const char *name)
{
    HOLDS(*name && strlen(name) < SIM_NAME_MAX && !strchr(name, '/') && !strchr(name, '.'));
}

static void check_time(int64_t time)
{
    HOLDS(time >= 0 && time <= 3600000000000);
}

static void check_controller(const struct sim_plan_controller *c)
{
    check_name(c->name);
    HOLDS(c->command && c->command[0] && *c->command[0]);
    check_time(c->cost);
    check_time(c->period);
    check_time(c->budget);
    HOLDS(c->overrun != SIM_OVERRUN_SUSPEND || c->period > 0);
    HOLDS(c->core >= -1);
}

static void check_plan(const struct sim_plan *p)
{
    size_t i;

    check_name(p->name);
    check_time(p->slice);
    HOLDS(p->slice >= 1000 && p->duration > 0);
    HOLDS(p->speed >= 0 && p->hang >= 0 && p->n_cores <= SIM_CORES_MAX);
    HOLDS(p->n_controllers <= SIM_CONTROLLERS_MAX);
    for (i = 0; i < p->n_controllers; i++)
        check_controller(&p->controllers[i]);
}

void property_plan(const uint8_t *data, size_t size)
{
    ach_config_t *config = NULL;
    struct sim_plan plan;
    enum ach_status r;

    if (ach_config_parse((const char *)data, size, "world", &config) != ACH_OK)
        return;
    r = sim_plan_read(&plan, config, SIM_MODEL_OF_FILE);
    HOLDS(r == ACH_OK || (r == ACH_EINVAL && *ach_errstr()));
    if (r == ACH_OK)
        check_plan(&plan);
    sim_plan_finish(&plan);
    ach_config_destroy(config);
}
