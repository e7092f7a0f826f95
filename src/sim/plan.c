/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <ach.h>
#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define ALLOW_LETTERS "abcdefghijklmnopqrstuvwxyz0123456789_"

/* An option in seconds, as nanoseconds. */
static int64_t seconds(ach_section_t *s, const char *name, double fallback, double highest)
{
    double value = ach_section_double(s, name, fallback);

    if (!(value >= 0) || value > highest) {
        ach_section_refuse(s, name, 0, "seconds, not negative");
        return 0;
    }
    return llround(value * 1e9);
}

/* The index of the option's value among the words. */
static int choice(ach_section_t *s, const char *name, const char *const *words, int fallback,
                  const char *expected)
{
    const char *word = ach_section_string(s, name, NULL);
    int i;

    if (!word)
        return fallback;
    for (i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    ach_section_refuse(s, name, 0, expected);
    return fallback;
}

static enum sim_cost cost_model(ach_section_t *s, enum sim_cost fallback)
{
    static const char *const words[] = {"measured", "declared", "free", NULL};

    return (enum sim_cost)choice(s, "model", words, (int)fallback, "measured, declared or free");
}

static bool good_name(const char *name)
{
    size_t i;

    for (i = 0; name[i]; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '-' && name[i] != '_')
            return false;
    return i > 0 && i < SIM_NAME_MAX;
}

static void read_cores(struct sim_plan *p, ach_section_t *s)
{
    size_t i, n = ach_section_tuple_count(s, "cores");
    cpu_set_t set;

    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    for (i = 0; i < n && i < SIM_CORES_MAX; i++) {
        int core = ach_section_tuple_int(s, "cores", i, -1);

        if (core < 0 || core >= CPU_SETSIZE || !CPU_ISSET((size_t)core, &set))
            ach_section_refuse(s, "cores", i, "a core that this process may use");
        p->cores[p->n_cores++] = core;
    }
}

static void read_world(struct sim_plan *p, ach_section_t *s, enum sim_cost *model)
{
    const char *name = ach_section_string(s, "name", "world");
    int robot;

    if (good_name(name))
        strcpy(p->name, name);
    else
        ach_section_refuse(s, "name", 0, "up to 31 letters, digits, - and _");
    p->duration = seconds(s, "duration", 0, 1e9);
    if (p->duration == 0)
        p->duration = SIM_NEVER;
    p->slice = seconds(s, "slice", 0.001, 3600);
    if (p->slice < 1000)
        ach_section_refuse(s, "slice", 0, "a microsecond or more");
    p->correction = ach_section_bool(s, "correction", true);
    p->realtime = ach_section_bool(s, "realtime", true);
    p->speed = ach_section_double(s, "speed", 0);
    p->hang = ach_section_double(s, "hang", 10);
    p->epoch = ach_section_double(s, "epoch", 0);
    p->seed = (uint64_t)ach_section_int(s, "seed", 1);
    robot = ach_section_int(s, "robot", 0);
    if (robot < 0 || robot > 65535)
        ach_section_refuse(s, "robot", 0, "the number of a robot, up to 65535");
    p->robot = (uint32_t)robot;
    p->trace = ach_section_string(s, "trace", NULL);
    p->ledger = ach_section_string(s, "ledger", NULL);
    if (!(p->speed >= 0))
        ach_section_refuse(s, "speed", 0, "0, or a speed as a multiple of real time");
    if (!(p->hang >= 0))
        ach_section_refuse(s, "hang", 0, "seconds, not negative");
    if (!(fabs(p->epoch) < 1e11))
        ach_section_refuse(s, "epoch", 0, "seconds since 1970");
    *model = cost_model(s, SIM_COST_MEASURED);
    read_cores(p, s);
}

static char **read_command(ach_section_t *s)
{
    size_t i, n = ach_section_tuple_count(s, "command");
    char **words = calloc(n + 1, sizeof(*words));

    for (i = 0; words && i < n; i++)
        words[i] = strdup(ach_section_tuple_string(s, "command", i, ""));
    if (n == 0 || (words && words[0] && !*words[0]))
        ach_section_refuse(s, "command", 0, "a program, and its arguments");
    return words;
}

/* Calls that may see real time, joined with commas. */
static void read_allow(struct sim_plan_controller *c, ach_section_t *s)
{
    size_t i, used = 0, n = ach_section_tuple_count(s, "allow");

    for (i = 0; i < n; i++) {
        const char *word = ach_section_tuple_string(s, "allow", i, "");
        size_t size = strlen(word);

        if (size == 0 || strspn(word, ALLOW_LETTERS) != size ||
            used + size + 2 > sizeof(c->allow)) {
            ach_section_refuse(s, "allow", i, "the name of a call, as the refusal prints it");
            return;
        }
        if (i)
            c->allow[used++] = ',';
        memcpy(c->allow + used, word, size + 1);
        used += size;
    }
}

/* Must be one of the world's cores: elsewhere it could not be stopped and checked in time. */
static int read_core(const struct sim_plan *p, ach_section_t *s)
{
    int core = ach_section_int(s, "core", -1);
    size_t i = 0;

    while (i < p->n_cores && p->cores[i] != core)
        i++;
    if (ach_section_has(s, "core") && i == p->n_cores)
        ach_section_refuse(s, "core", 0, "one of the world's cores");
    return core;
}

/* usual: the world's default; all: overrides all sections, or SIM_MODEL_OF_FILE. */
struct models {
    enum sim_cost usual;
    int all;
};

static enum sim_cost controller_model(ach_section_t *s, const struct models *models)
{
    enum sim_cost own = cost_model(s, models->usual);

    return models->all == SIM_MODEL_OF_FILE ? own : (enum sim_cost)models->all;
}

static void read_controller(struct sim_plan *p, ach_section_t *s, const struct models *models)
{
    static const char *const overruns[] = {"report", "suspend", "end", NULL};
    static const char *const outsides[] = {"wall", "wait", "leave", NULL};
    struct sim_plan_controller *c = &p->controllers[p->n_controllers++];

    c->name = ach_section_string(s, "name", "");
    if (!good_name(c->name))
        ach_section_refuse(s, "name", 0, "up to 31 letters, digits, - and _");
    c->command = read_command(s);
    c->model = controller_model(s, models);
    c->cost = seconds(s, "cost", 0, 3600);
    c->period = seconds(s, "period", 0, 3600);
    c->budget = seconds(s, "budget", (double)c->period * 1e-9, 3600);
    c->core = read_core(p, s);
    c->overrun = (enum sim_overrun)choice(s, "overrun", overruns, SIM_OVERRUN_REPORT,
                                          "report, suspend or end");
    c->outside =
        (enum sim_outside)choice(s, "outside", outsides, SIM_OUTSIDE_WALL, "wall, wait or leave");
    read_allow(c, s);
    if (c->model == SIM_COST_DECLARED && !ach_section_has(s, "cost"))
        ach_section_refuse(s, "cost", 0, "the seconds that a cycle takes");
    if (c->overrun == SIM_OVERRUN_SUSPEND && c->period == 0)
        ach_section_refuse(s, "period", 0, "a period, since overruns are suspended");
    if (c->overrun == SIM_OVERRUN_SUSPEND && (c->budget == 0 || c->budget > c->period))
        ach_section_refuse(s, "budget", 0, "at most the period, since overruns are suspended");
}

static bool read_controllers(struct sim_plan *p, ach_section_t *root, const struct models *models)
{
    ach_section_t *s = NULL;
    size_t i, n = 0;

    while ((s = ach_section_next(root, "controller", s)))
        n++;
    p->controllers = calloc(n + 1, sizeof(*p->controllers));
    if (!p->controllers)
        return false;
    while (p->n_controllers < n && (s = ach_section_next(root, "controller", s))) {
        read_controller(p, s, models);
        if (p->n_controllers > SIM_CONTROLLERS_MAX)
            ach_section_refuse(s, NULL, 0, "256 controllers at most");
        for (i = 0; i + 1 < p->n_controllers; i++)
            if (strcmp(p->controllers[i].name, p->controllers[p->n_controllers - 1].name) == 0)
                ach_section_refuse(s, "name", 0, "a name that no other controller has");
    }
    return true;
}

ach_status_t sim_plan_read(struct sim_plan *p, ach_config_t *config, int model)
{
    ach_section_t *root = ach_config_root(config), *s = ach_section_next(root, "world", NULL);
    struct models models = {.all = model};
    ach_section_t *another;
    size_t i;

    memset(p, 0, sizeof(*p));
    if (!s)
        return ach_errstr_set(ACH_EINVAL, "no section \"world\"");
    another = ach_section_next(root, "world", s);
    if (another)
        ach_section_refuse(another, NULL, 0, "one section \"world\" in a file");
    read_world(p, s, &models.usual);
    if (!read_controllers(p, root, &models))
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for controllers");
    if (*ach_config_errors(config))
        return ach_errstr_set(ACH_EINVAL, "the world file is wrong");
    for (i = 0; i < p->n_controllers; i++)
        if (!p->controllers[i].command)
            return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for controllers");
    return ACH_OK;
}

ach_status_t sim_plan_check(const struct sim_plan *p)
{
    if (p->duration == SIM_NEVER && p->n_controllers == 0)
        return ach_errstr_set(ACH_EINVAL, "a world without controllers needs a duration");
    return ACH_OK;
}

void sim_plan_finish(struct sim_plan *p)
{
    size_t i, k;

    for (i = 0; i < p->n_controllers; i++) {
        for (k = 0; p->controllers[i].command && p->controllers[i].command[k]; k++)
            free(p->controllers[i].command[k]);
        free(p->controllers[i].command);
    }
    free(p->controllers);
}
