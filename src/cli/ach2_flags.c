/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ach2_flags.c - the command line of Ach 2
 *
 * In Ach 2, options may precede the verb, and the flags -C, -U, -D and -F name
 * both verb and channel. This file reorders such a command line, and the verb
 * parses the result. All verbs accept all options, so an option that the verb does
 * not have is dropped. -1 had no effect next to -t, so it is dropped there.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "suggest.h"

struct words {
    char **argv;
    int argc;
};

static void ach2_flags_add(struct words *w, char *word)
{
    w->argv[w->argc++] = word;
}

static char *flag_verb(int flag)
{
    static char mk[] = "mk", rm[] = "rm", dump[] = "dump", file[] = "file";

    switch (flag) {
    case 'C':
        return mk;
    case 'U':
        return rm;
    case 'D':
        return dump;
    default:
        return file;
    }
}

/* Report an option that getopt rejected. optind stays at a word until all its letters are read. */
static void bad_option(char **argv)
{
    static const struct option longs[] = {{.name = "help"}, {.name = "version"}, {0}};

    if (optopt == '-') {
        const char *meant = suggest_option(longs, argv[optind]);

        usage("there is no option '%s'%s%s", argv[optind], *meant ? "; " : "", meant);
    } else if (optopt && strchr("CUDFmnop", optopt))
        usage("the option -%c needs a value", optopt);
    else
        usage("there is no option '-%c'", optopt);
}

/* Reject a verb after a flag that stands for a verb: it would be taken for a channel's name. */
static bool second_verb(int argc, char **argv, const char *verb)
{
    int i;

    for (i = optind; i < argc; i++) {
        if (verb_find(argv[i])) {
            usage(
                "the flag stands for the verb '%s', so '%s' would be a channel: write 'ach %s' or "
                "'ach %s'",
                verb, argv[i], verb, argv[i]);
            return true;
        }
    }
    return false;
}

/* The options of Ach 2 that a verb has. */
static const char *ach2_options_of(const char *verb)
{
    const struct verb *v = verb_find(verb);

    if (v == &verb_rm)
        return "1kuv";
    if (v == &verb_chmod || v == &verb_dump || v == &verb_file)
        return "ku";
    if (v == &verb_adv || v == &verb_hide)
        return "p";
    if (v == &verb_search)
        return "";
    return "mnopt1akuv"; /* mk; newer verbs refuse what they do not have */
}

/* Drop the options that the verb does not have, with their values. */
static void drop_options(struct words *w, const char *verb)
{
    const char *has = ach2_options_of(verb);
    int i, kept = 1;

    for (i = 1; w->argv[i]; i++) { /* NULL ends the words */
        const char *word = w->argv[i];
        bool value = strchr("mnop", word[1]) != NULL;

        if (!strchr(has, word[1])) {
            i += value;
            continue;
        }
        w->argv[kept++] = w->argv[i];
        if (value)
            w->argv[kept++] = w->argv[++i];
    }
    w->argc = kept;
    while (kept < i)
        w->argv[kept++] = NULL;
}

/* Split the command line into the verb (returned) and its options and operands (in w). */
static char *reorder(int argc, char **argv, struct words *w, char (*flags)[3])
{
    static char exist_ok[] = "-1";
    bool one = false, truncate = false;
    char *verb = NULL, *name = NULL;
    int c, i = 0;

    opterr = 0;
    while ((c = getopt(argc, argv, "C:U:D:F:m:n:o:p:t1akuv")) != -1) {
        if (c == '?') {
            bad_option(argv);
            return NULL;
        }
        if (strchr("CUDF", c)) {
            if (verb) {
                usage("one of -C, -U, -D and -F at a time");
                return NULL;
            }
            verb = flag_verb(c);
            name = optarg;
            continue;
        }
        truncate |= c == 't';
        one |= c == '1';
        if (c == '1')
            continue;
        snprintf(flags[i], sizeof(flags[i]), "-%c", c);
        ach2_flags_add(w, flags[i++]);
        if (strchr("mnop", c))
            ach2_flags_add(w, optarg);
    }
    opterr = 1;
    if (one && !truncate)
        ach2_flags_add(w, exist_ok);
    if (name && second_verb(argc, argv, verb))
        return NULL;
    if (!verb && optind < argc)
        verb = argv[optind++];
    if (verb)
        drop_options(w, verb);
    if (name)
        ach2_flags_add(w, name);
    for (; optind < argc; optind++)
        ach2_flags_add(w, argv[optind]);
    if (!verb)
        usage("say what to do: a verb is missing");
    return verb;
}

static int run_reordered(int argc, char **argv, struct words *w, char (*flags)[3])
{
    char *name = reorder(argc, argv, w, flags);
    const struct verb *v = name ? verb_find(name) : NULL;

    if (v)
        return verb_run(v, w->argc, w->argv);
    return name ? usage("there is no verb '%s'%s", name, suggest_verb(name)) : EXIT_USAGE;
}

int ach2_flags(int argc, char **argv)
{
    static char ach[] = "ach";
    struct words w = {.argc = 1};
    char(*flags)[3];
    size_t i, room = 2;
    int status = EXIT_FAILED;

    argv[0] = ach;
    /* Each letter of a bundle such as -t1 becomes a word of its own. */
    for (i = 1; i < (size_t)argc; i++)
        room += strlen(argv[i]) + 1;
    flags = calloc(room, sizeof(*flags));
    w.argv = calloc(room, sizeof(*w.argv));
    if (flags && w.argv)
        status = run_reordered(argc, argv, &w, flags);
    else
        complain("out of memory");
    free(w.argv);
    free(flags);
    return status;
}
