/* SPDX-License-Identifier: BSD-3-Clause */
/* ach sim - run controllers in a simulated world, on its clock */
#include <ach/drivers.h>
#include <devices/devices.h>
#include <sim.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

struct sim_options {
    const char *file;
    const char *trace, *ledger;
    int model; /* an enum sim_cost, or SIM_MODEL_OF_FILE */
    double duration, speed;
    bool quiet, paused, no_correction, no_realtime;
};

static bool parse_number(const char *option, const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    if (end != text && *end == 0 && *value >= 0 && *value <= 1e9)
        return true;
    return bad_value(option, text, "a number, not negative");
}

static bool parse_model(const char *text, int *model)
{
    static const char *const names[] = {"measured", "declared", "free"};

    for (*model = 0; *model < 3; ++*model)
        if (strcmp(text, names[*model]) == 0)
            return true;
    return bad_value("--model", text, "measured, declared or free");
}

static bool sim_parse(struct sim_options *o, int argc, char **argv)
{
    static const struct option options[] = {
        {"duration", required_argument, NULL, 'd'},
        {"speed", required_argument, NULL, 'S'},
        {"model", required_argument, NULL, 'M'},
        {"callback", no_argument, NULL, 'c'},
        {"trace", required_argument, NULL, 't'},
        {"ledger", required_argument, NULL, 'l'},
        {"pause", no_argument, NULL, 'p'},
        {"no-correction", no_argument, NULL, 'C'},
        {"no-realtime", no_argument, NULL, 'R'},
        {"quiet", no_argument, NULL, 'q'},
        {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "d:S:M:q", options, NULL)) != -1) {
        switch (c) {
        case 'd':
            if (!parse_number("--duration", optarg, &o->duration))
                return false;
            break;
        case 'S':
            if (!parse_number("--speed", optarg, &o->speed))
                return false;
            break;
        case 'M':
            if (!parse_model(optarg, &o->model))
                return false;
            break;
        case 'c':
            o->model = SIM_COST_FREE;
            break;
        case 't':
            o->trace = optarg;
            break;
        case 'l':
            o->ledger = optarg;
            break;
        case 'p':
            o->paused = true;
            break;
        case 'C':
            o->no_correction = true;
            break;
        case 'R':
            o->no_realtime = true;
            break;
        case 'q':
            o->quiet = true;
            break;
        default:
            usage_hint();
            return false;
        }
    }
    if (argc - optind != 1) {
        usage("give one world file");
        return false;
    }
    o->file = argv[optind];
    return true;
}

static void sim_log_line(void *context, enum ach_log level, const char *line)
{
    (void)context;
    (void)level;
    complain("%s", line);
}

/* Options override the file. */
static void adjust(struct sim_plan *p, const struct sim_options *o)
{
    if (o->duration >= 0)
        p->duration = o->duration > 0 ? (int64_t)(o->duration * 1e9) : SIM_NEVER;
    if (o->speed >= 0)
        p->speed = o->speed;
    if (o->trace)
        p->trace = o->trace;
    if (o->ledger)
        p->ledger = o->ledger;
    p->paused = o->paused;
    p->correction = p->correction && !o->no_correction;
    p->realtime = p->realtime && !o->no_realtime;
}

/* Print the errors of the config file, or else ach_errstr(). */
static void tell(const ach_config_t *config)
{
    if (*ach_config_errors(config))
        complain_lines(ach_config_errors(config));
    else
        fail_errstr();
}

/* Create the world, and the robot that serves its devices. */
static bool sim_build(struct sim_sim *s, ach_config_t *config)
{
    ach_robot_attr_t attr = {.size = sizeof(attr),
                             .robot = s->plan->robot,
                             .simulated = 1,
                             .level = ACH_LOG_WARNING,
                             .log = sim_log_line};
    ach_section_t *options = ach_section_next(ach_config_root(config), "channel", NULL);

    if (simd_world_create(config, s->plan->seed, &s->world) != ACH_OK ||
        ach_robot_create(&attr, &s->robot) != ACH_OK || ach_drivers_add(s->robot) != ACH_OK ||
        simd_sim_add_drivers(s->robot) != ACH_OK) {
        tell(config);
        return false;
    }
    if (ach_robot_load_config(s->robot, config) != ACH_OK)
        return false;
    if (ach_robot_start(s->robot) != ACH_OK ||
        ach_channels_serve(s->robot, options, &s->channels) != ACH_OK) {
        tell(config);
        return false;
    }
    complain_lines(ach_config_warnings(config));
    return true;
}

/* Errors without a line number are printed with the name of the file. */
static bool plan(struct sim_plan *p, ach_config_t *config, const struct sim_options *o)
{
    ach_status_t status = sim_plan_read(p, config, o->model);

    if (status == ACH_OK) {
        adjust(p, o);
        status = sim_plan_check(p);
    }
    if (*ach_config_errors(config))
        complain_lines(ach_config_errors(config));
    else if (status != ACH_OK)
        complain("%s: %s", o->file, ach_errstr());
    return status == ACH_OK;
}

static bool simulate(struct sim_sim *s, ach_config_t *config, const struct sim_options *o)
{
    bool good;

    if (!plan(s->plan, config, o))
        return false;
    if (!sim_reaper_start(s)) {
        complain("%s", s->why);
        return false;
    }
    if (!sim_build(s, config))
        return false;
    s->screen = !o->quiet && isatty(STDOUT_FILENO);
    good = sim_run(s);
    if (!good)
        complain("%s", s->why);
    if (!o->quiet && s->wall_start)
        sim_status_report(s, stdout);
    return good;
}

static int sim_verb_run(int argc, char **argv)
{
    struct sim_options o = {.model = SIM_MODEL_OF_FILE, .duration = -1, .speed = -1};
    struct sim_plan plan = {0};
    struct sim_sim s = {.plan = &plan};
    ach_config_t *config;
    bool good;

    if (!sim_parse(&o, argc, argv))
        return EXIT_USAGE;
    if (ach_config_load(o.file, &config) != ACH_OK) {
        complain_lines(ach_config_errors(NULL));
        return EXIT_FAILED;
    }
    good = simulate(&s, config, &o);
    sim_finish(&s);
    if (s.channels)
        ach_channels_end(s.channels);
    ach_robot_destroy(s.robot);
    simd_world_destroy(s.world);
    sim_plan_finish(&plan);
    ach_config_destroy(config);
    return good ? EXIT_OK : EXIT_FAILED;
}

const struct verb verb_sim = {
    .name = "sim",
    .summary = "run controllers in a simulated world",
    .help = "Usage: ach sim [OPTION ...] FILE\n\n"
            "Simulate the world of a file, and run its controllers as processes on the world's\n"
            "clock: each is charged for the CPU time that it uses, so that a controller which is\n"
            "too slow for the robot fails here too, however fast or slow the simulation is.\n"
            "The exit status is 0 if no controller failed.\n\n"
            "Options:\n"
            "  -d, --duration S     seconds of virtual time; 0: until all controllers end\n"
            "  -M, --model MODEL    how controllers are charged: measured (CPU time), declared (a\n"
            "                       fixed cost for each cycle), or free (nothing)\n"
            "      --callback       the same as --model free: as if the simulator called the\n"
            "                       controller, and stood still meanwhile; for comparison\n"
            "  -S, --speed X        at most X seconds of virtual time in a second; 0: no limit\n"
            "      --pause          begin paused\n"
            "      --trace FILE     write which thread ran when, for Perfetto or chrome://tracing\n"
            "      --ledger FILE    write each slice and cycle, as CSV\n"
            "      --no-correction  do not feed the error of timers back\n"
            "      --no-realtime    do not ask for SCHED_FIFO\n"
            "  -q, --quiet          print errors and overruns only\n"
            "      --help           print this help\n\n"
            "While it runs, its channels are sim.NAME.status, and sim.NAME.control, which\n"
            "accepts the words pause, go, step [SECONDS], speed FACTOR and end.\n\n"
            "Examples:\n"
            "  ach sim pendulum.cfg\n"
            "  ach sim --speed 1 --trace run.json pendulum.cfg\n"
            "  echo pause | ach put sim.pendulum.control\n",
    .run = sim_verb_run,
};
