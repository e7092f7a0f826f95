/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ach-device-bench - how long data of a device takes to its clients over TCP
 *
 * One process has the device and the server, another all the clients, on loopback.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../attempt.h"
#include "../json_text.h"
#include "attack.h"
#include "crowd.h"
#include "robot.h"

#define PART_LIMIT_SECONDS 900u /* for processors that are slow, or not ours alone */

static const struct scenario {
    const char *name;
    double rate;
    unsigned clients, stopped;
    bool pull;
    double quantile, limit; /* what is claimed, in us */
} scenarios[] = {
    {"push_100Hz", 100, 1, 0, false, 0.5, 200},
    {"push_1000Hz", 1000, 1, 0, false, 0.5, 200},
    {"pull_100Hz", 100, 1, 0, true, 0.5, 200},
    {"pull_1000Hz", 1000, 1, 0, true, 0.5, 200},
    {"clients_1000", 100, 1000, 0, false, 0.99, 10000},
    {"clients_1000_one_stopped", 100, 1000, 1, false, 0.99, 10000},
};

/* Round trips beside an attack, us. */
#define ATTACK_LIMIT 50000.0

static void allow_descriptors(void)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
        l.rlim_cur = l.rlim_max;
        setrlimit(RLIMIT_NOFILE, &l);
    }
}

/* What is measured in one attempt. */
struct part {
    const struct scenario *s;
    double seconds;
    unsigned divide;
    FILE *json;
};

static void measure(void *arg)
{
    const struct part *part = arg;
    const struct scenario *s = part->s;
    unsigned divide = part->divide;
    FILE *json = part->json;
    struct robot robot = robot_start(s->rate);
    struct crowd_plan plan = {.port = robot.port,
                              .clients = s->clients > divide ? s->clients / divide : s->clients,
                              .stopped = s->stopped,
                              .pull = s->pull,
                              .seconds = part->seconds};
    struct crowd_result r;
    double p50, p99, most, claimed;

    crowd_run(&plan, &r);
    robot_end(&robot);
    p50 = samples_quantile(&r.latency, 0.5);
    p99 = samples_quantile(&r.latency, 0.99);
    most = samples_quantile(&r.latency, 1);
    claimed = samples_quantile(&r.latency, s->quantile);
    printf("%-26s %5u %10llu %9.0f %9.0f %9.0f %8llu  p%g < %g us: %s\n", s->name, plan.clients,
           (unsigned long long)r.received, p50, p99, most, (unsigned long long)(r.missed + r.told),
           s->quantile * 100, s->limit, claimed < s->limit && !r.missed ? "yes" : "no");
    fflush(stdout);
    if (json)
        fprintf(json,
                "{\"scenario\": \"%s\", \"clients\": %u, \"stopped\": %u, \"rate\": %g, "
                "\"received\": %llu, \"missed\": %llu, \"p50_us\": %.1f, \"p99_us\": %.1f, "
                "\"max_us\": %.1f, \"claim_us\": %g, \"claim_quantile\": %g}\n",
                s->name, plan.clients, s->stopped, s->rate, (unsigned long long)r.received,
                (unsigned long long)r.missed, p50, p99, most, s->limit, s->quantile);
    samples_finish(&r.latency);
}

static void attempt_part(void (*fun)(void *part), void *part, const char *name, FILE *json)
{
    const char *why = attempt(fun, part, PART_LIMIT_SECONDS);

    if (!why)
        return;
    printf("%-26s could not be measured: %s\n", name, why);
    if (json) {
        fputs("{", json);
        json_member(json, "scenario", name);
        fputs("\"unmeasured\": ", json);
        json_string(json, why);
        fputs("}\n", json);
    }
}

struct attack_part {
    size_t attack;
    double seconds;
    FILE *json;
};

/* What another client notices of an attack; the target is for a machine that does nothing else. */
static void measure_attack(void *arg)
{
    const struct attack_part *part = arg;
    const char *name = attack_name(part->attack);
    struct robot robot = robot_start(100);
    struct samples s = {0};
    double p50, p99, most;

    attack_run(part->attack, robot.port, part->seconds, &s);
    robot_end(&robot);
    p50 = samples_quantile(&s, 0.5);
    p99 = samples_quantile(&s, 0.99);
    most = samples_quantile(&s, 1);
    printf("%-26s %5u %10zu %9.0f %9.0f %9.0f %8s  p99 < %g us: %s\n", name, 1u, s.count, p50, p99,
           most, "", ATTACK_LIMIT, p99 < ATTACK_LIMIT ? "yes" : "no");
    fflush(stdout);
    if (part->json)
        fprintf(part->json,
                "{\"scenario\": \"%s\", \"round_trips\": %zu, \"p50_us\": %.1f, \"p99_us\": %.1f, "
                "\"max_us\": %.1f, \"claim_us\": %g, \"claim_quantile\": 0.99}\n",
                name, s.count, p50, p99, most, ATTACK_LIMIT);
    samples_finish(&s);
}

/* Named on the command line, or none is. */
static bool wanted(const char *name, char **names)
{
    char **n = names;

    while (*n && strcmp(*n, name) != 0)
        n++;
    return *n || !*names;
}

static int usage(void)
{
    fprintf(stderr,
            "usage: ach-device-bench [--seconds N] [--quick] [--json FILE] [SCENARIO ...]\n");
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"seconds", required_argument, NULL, 's'},
                                            {"quick", no_argument, NULL, 'q'},
                                            {"json", required_argument, NULL, 'j'},
                                            {0}};
    double seconds = 10;
    unsigned divide = 1;
    FILE *json = NULL;
    size_t i;
    int o;

    while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (o == 's') {
            seconds = atof(optarg);
        } else if (o == 'q') {
            seconds = 0.5;
            divide = 20;
        } else if (o != 'j' || !(json = fopen(optarg, "w"))) {
            return usage();
        }
    }
    allow_descriptors();
    printf("%-26s %5s %10s %9s %9s %9s %8s\n", "TCP on loopback", "users", "messages", "p50 us",
           "p99 us", "max us", "lost");
    fflush(stdout);
    for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        struct part part = {&scenarios[i], seconds, divide, json};

        if (wanted(scenarios[i].name, argv + optind))
            attempt_part(measure, &part, scenarios[i].name, json);
    }
    for (i = 0; attack_name(i); i++) {
        struct attack_part part = {i, seconds, json};

        if (wanted(attack_name(i), argv + optind))
            attempt_part(measure_attack, &part, attack_name(i), json);
    }
    if (json)
        fclose(json);
    return 0;
}
