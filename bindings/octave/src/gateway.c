/* SPDX-License-Identifier: BSD-3-Clause */
/* gateway.c - find and run a command */
#include "gateway.h"

#include <string.h>

static const struct oct_command *command_find(const char *name)
{
    static const struct oct_command *const tables[] = {oct_channel_commands, oct_device_commands};

    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
        for (const struct oct_command *o = tables[t]; o->name; o++)
            if (strcmp(o->name, name) == 0)
                return o;
    oct_throw(ACH_EINVAL, "ach_mex: there is no command '%s'", name);
}

static void command_run(const char *name, const struct oct_call *c)
{
    const struct oct_command *command = command_find(name);

    if (c->count < command->least)
        oct_throw(ACH_EINVAL, "%s: expected at least %d arguments, found %d", name, command->least,
                  c->count);
    command->run(c);
}

static void gateway_begin(void)
{
    static bool begun;

    oct_release();
    ach_errstr_set(ACH_OK, "%s", ""); /* so that an error never has the text of an older one */
    if (begun)
        return;
    begun = true;
    mexLock(); /* 'clear all' must not unload the table of handles */
    mexAtExit(oct_handles_close);
}

void oct_gateway(int nlhs, mxArray **plhs, int nrhs, const mxArray **prhs)
{
    struct oct_call c = {nlhs, plhs, nrhs - 1, prhs + 1};
    const struct oct_job_kind *job;
    const char *name;

    gateway_begin();
    if (nrhs < 1)
        oct_throw(ACH_EINVAL, "ach_mex: call the functions ach_*, not this one");
    name = oct_text(prhs[0], "a command");
    job = oct_job_named(name);
    if (job)
        oct_job_slice(job, &c);
    else
        command_run(name, &c);
    oct_release();
}
