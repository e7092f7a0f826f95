/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * async.c - ach_mex with two more commands: async starts a job in a thread, join ends it
 *
 * Octave has no threads of its own. The parser and the results of a job are those of ach_mex.
 */
#include "gateway.h"

#include <pthread.h>
#include <string.h>

#define RUNNINGS_MAX 16

struct running {
    char name[32]; /* "": none runs */
    pthread_t thread;
    struct oct_job job;
};

static struct running runnings[RUNNINGS_MAX];

static struct running *running_find(const char *name)
{
    for (struct running *r = runnings; r < runnings + RUNNINGS_MAX; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    oct_throw(ACH_EINVAL, "no such thread, or too many: %s", name);
}

static void *running_main(void *argument)
{
    struct running *r = argument;

    oct_job_run(&r->job, r->job.timeout);
    return NULL;
}

/* async NAME JOB ARGUMENT... */
static void run_async(const struct oct_call *c)
{
    struct oct_call rest = {.count = c->count - 2, .argument = c->argument + 2};
    struct running *r = running_find("");
    const struct oct_job_kind *kind = oct_job_named(oct_text(c->argument[1], "a job"));

    if (!kind)
        oct_throw(ACH_EINVAL, "not a job that waits");
    oct_job_parse(&r->job, kind, 2, &rest);
    if (pthread_create(&r->thread, NULL, running_main, r) != 0)
        oct_throw(ACH_FAILED_SYSCALL, "no thread");
    strncpy(r->name, oct_text(c->argument[0], "a name"), sizeof(r->name) - 1);
}

/* join NAME: the results of the job */
static void run_join(const struct oct_call *c)
{
    struct running *r = running_find(oct_text(c->argument[0], "a name"));

    pthread_join(r->thread, NULL);
    r->name[0] = 0;
    oct_job_finish(&r->job, c, 0);
}

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{
    struct oct_call c = {nlhs, plhs, nrhs - 1, prhs + 1};
    const char *name = nrhs > 1 && mxIsChar(prhs[0]) ? oct_text(prhs[0], "a command") : "";

    if (strcmp(name, "async") == 0 && nrhs > 3)
        run_async(&c);
    else if (strcmp(name, "join") == 0)
        run_join(&c);
    else
        oct_gateway(nlhs, plhs, nrhs, prhs);
}
