/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steps.c - what the steps of a mechanism cost, and where they lead
 *
 * usage: steps FILE COUNT
 *
 * Moves the mechanism of a config file along its grid. Prints for each step the time, what the
 * step took, both in ns, then the position of the first joint, if there is one, and the energy.
 */
#include <ach/config.h>
#include <inttypes.h>
#include <math.h>
#include <mechanism.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"

static int64_t cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void run(struct phys_mechanism *m, long count)
{
    ach_joint_state_t joint = {NAN, NAN, NAN, NAN};
    int64_t before, after;
    long i;

    for (i = 0; i < count; i++) {
        before = cpu();
        MUST_ACH(phys_mechanism_advance(m, (i + 1) * phys_mechanism_step(m)));
        after = cpu();
        if (phys_mechanism_joints(m) > 0)
            phys_mechanism_joint_get(m, 0, &joint);
        printf("%" PRId64 " %" PRId64 " %.17g %.17g\n", phys_mechanism_now(m), after - before,
               joint.position, phys_mechanism_energy(m));
    }
    MUST_SYS(fflush(stdout) == 0);
}

int main(int argc, char **argv)
{
    long count = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
    struct phys_mechanism *m = NULL;
    ach_section_t *section;
    ach_config_t *config;

    if (count < 1)
        attempt_fail("usage: steps FILE COUNT");
    if (ach_config_load(argv[1], &config) != ACH_OK)
        attempt_fail("%s", ach_config_errors(NULL));
    section = ach_section_next(ach_config_root(config), "physics", NULL);
    MUST(section != NULL);
    if (phys_mechanism_open(section, &m) != ACH_OK)
        attempt_fail("%s %s", ach_config_errors(config), ach_errstr());
    run(m, count);
    phys_mechanism_close(m);
    ach_config_destroy(config);
    return 0;
}
