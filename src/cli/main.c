/* SPDX-License-Identifier: BSD-3-Clause */
/* ach - make, look at and use channels */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "cli.h"
#include "stop.h"
#include "streams.h"

static bool is_one_of(const char *arg, const char *a, const char *b, const char *c)
{
    return strcmp(arg, a) == 0 || strcmp(arg, b) == 0 || strcmp(arg, c) == 0;
}

static int dispatch(int argc, char **argv)
{
    const struct verb *v;

    if (argc < 2)
        return usage("say what to do: a verb is missing");
    if (is_one_of(argv[1], "--version", "-V", "version")) {
        puts("ach " ACH_VERSION);
        return EXIT_OK;
    }
    if (is_one_of(argv[1], "--help", "-h", "-?"))
        return verb_run(&verb_help, 1, argv);
    if (argv[1][0] == '-')
        return old_flags(argc, argv);
    v = verb_find(argv[1]);
    if (!v)
        return usage("there is no verb '%s'%s", argv[1], suggest_verb(argv[1]));
    return verb_run(v, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int status;

    streams_init();
    /* Whoever reads our output may leave; that is a write error, not a death. */
    signal(SIGPIPE, SIG_IGN);
    /* A channel whose file others cut short is an error of that channel. */
    ach_handle_sigbus();
    status = dispatch(argc, argv);
    /* A signal that asks us to stop may end a write as well. */
    if (streams_finish() || (stopped() && errno == EINTR))
        return status;
    if (errno != EPIPE)
        complain("cannot write to standard output: %s", strerror(errno));
    return EXIT_FAILED;
}
