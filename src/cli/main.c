/* SPDX-License-Identifier: BSD-3-Clause */
/* ach - create, inspect and use channels */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "cli.h"
#include "stop.h"
#include "streams.h"

static int dispatch(int argc, char **argv)
{
    const struct verb *v;

    if (argc < 2)
        return usage("say what to do: a verb is missing");
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
        strcmp(argv[1], "version") == 0) {
        puts("ach " ACH_VERSION);
        return EXIT_OK;
    }
    if (is_help(argv[1]))
        return verb_run(&verb_help, 1, argv);
    if (argv[1][0] == '-')
        return ach2_flags(argc, argv);
    v = verb_find(argv[1]);
    if (!v)
        return usage("there is no verb '%s'%s", argv[1], suggest_verb(argv[1]));
    return verb_run(v, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int status;

    streams_init();
    /* A closed output pipe is a write error (EPIPE), not the end of the process. */
    signal(SIGPIPE, SIG_IGN);
    /* A truncated channel file gives an error on that channel instead of SIGBUS. */
    ach_handle_sigbus();
    status = dispatch(argc, argv);
    /* A stop signal may have interrupted a write: no error. */
    if (streams_finish() || (stopped() && errno == EINTR))
        return status;
    if (errno != EPIPE)
        complain("cannot write to standard output: %s", strerror(errno));
    return EXIT_FAILED;
}
