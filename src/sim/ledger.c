/* SPDX-License-Identifier: BSD-3-Clause */
#include "ledger.h"

#include <ach.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_ledger {
    FILE *file;
};

void sim_account_add(struct sim_account *sum, const struct sim_account *a)
{
    sum->activations += a->activations;
    sum->notes += a->notes;
    sum->slices += a->slices;
    sum->used += a->used;
    sum->granted += a->granted;
    sum->blocks += a->blocks;
    sum->blocked += a->blocked;
    sum->left += a->left;
    sum->suspended += a->suspended;
    sum->overruns += a->overruns;
    sum->worst = a->worst > sum->worst ? a->worst : sum->worst;
    sum->late = a->late > sum->late ? a->late : sum->late;
}

ach_status_t sim_ledger_open(const char *path, struct sim_ledger **ledger)
{
    struct sim_ledger *l = malloc(sizeof(*l));

    if (l)
        l->file = fopen(path, "we");
    if (!l || !l->file) {
        free(l);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "cannot write %s: %s", path, strerror(errno));
    }
    fputs("sink,what,wall_ns,time_ns,armed_ns,used_ns,granted_sum_ns,used_sum_ns\n", l->file);
    *ledger = l;
    return ACH_OK;
}

void sim_ledger_line(struct sim_ledger *l, const char *sink, const char *what, int64_t wall,
                     int64_t time, int64_t armed, int64_t used, const struct sim_account *a)
{
    if (l)
        fprintf(l->file,
                "%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
                sink, what, wall, time, armed, used, a->granted, a->used);
}

bool sim_ledger_close(struct sim_ledger *l)
{
    bool good = true;

    if (l) {
        good = fflush(l->file) == 0 && !ferror(l->file);
        good = fclose(l->file) == 0 && good;
        free(l);
    }
    return good;
}
