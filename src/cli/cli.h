/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cli.h - shared by the verbs of the ach command
 *
 * A verb is a struct in a file of its own; verbs.c lists them all. Its run
 * function gets "ach VERB" as argv[0], parses its options, does the work and
 * returns an exit status. It writes results to standard output, which main
 * flushes and checks, and error messages to standard error.
 */
#ifndef CLI_H
#define CLI_H

#include <ach.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

enum exit_status {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_DIFFERS = 3, /* mk --exact: the channel exists with other attributes */
};

struct verb {
    const char *name;
    const char *aliases[3];
    const char *group;   /* its heading in the overview; NULL: same as the verb before it */
    const char *summary; /* NULL: not listed */
    const char *help;    /* NULL: the verb handles --help itself */
    int (*run)(int argc, char **argv);
};

/* All verbs, terminated by NULL. */
extern const struct verb *const verbs[];

/* Find a verb by its name or an alias; NULL if there is none. */
const struct verb *verb_find(const char *name);

/* "; did you mean 'echo'?", or "". See suggest.h. */
const char *suggest_verb(const char *name);

/* Is the word an option that asks for help? */
bool is_help(const char *word);

/* Run a verb; argv[0] need not be set. */
int verb_run(const struct verb *v, int argc, char **argv);

/* Run a command line of Ach 2: options first, and flags in place of verbs. */
int ach2_flags(int argc, char **argv);

/* Print "ach VERB: sentence" to standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for each line of a text. */
void complain_lines(const char *lines);

/* Print a usage error and a pointer to --help. Returns EXIT_USAGE. */
int usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* After getopt_long has complained: print a suggestion and a pointer to --help. */
int usage_hint(void);

/*
 * Complain about an option's argument, right after a function of parse.h rejected it (uses errno).
 * Always returns false.
 */
bool bad_value(const char *option, const char *value, const char *wanted);

/*
 * Handle option letter c of a verb that repeats: -i in *interval, -c in *count (NULL: the verb has
 * no -c), '?' of getopt_long. Other letters are ignored. False after complaining.
 */
bool parse_repeat(int c, double *interval, uint64_t *count);

/* Print ach_errstr(), and return EXIT_FAILED. */
int fail_errstr(void);

/* Print the text of a status of ach_get, ach_put or the like; return EXIT_FAILED. */
int fail_status(const char *channel, enum ach_status status);

/* The only operand, a channel's name; NULL after complaining. */
const char *one_channel(int argc, char **argv);

/* Parse -k and -u, for verbs that have no other options; false after complaining. */
bool parse_place(int argc, char **argv, enum ach_map *map);

/* The channels that are opened from now on wait so, as if it came from the environment. */
void wait_by(const char *how);

/* After ACH_ENOENT: print that the channel, or the directory of channels, does not exist. */
void complain_absent(const char *name);

/* Open a channel, complaining if that fails. */
bool open_channel(ach_channel_t *chan, const char *name, bool readonly);
bool open_channel_in(ach_channel_t *chan, const char *name, bool readonly, enum ach_map map);

/* For calls that take only a name: is the channel in the place that -k or -u demands? */
bool place_exists(const char *name, enum ach_map map);

/* survey_look; false after complaining. */
struct survey;
bool look_at_all(struct survey *s);

/* ach_channel_info; false after complaining. */
bool channel_info(ach_channel_t *chan, const char *name, ach_info_t *info);

/* The verbs. */
extern const struct verb verb_mk, verb_rm, verb_chmod, verb_file, verb_dump;
extern const struct verb verb_search, verb_adv, verb_hide;
extern const struct verb verb_ls, verb_info, verb_put, verb_get, verb_echo, verb_plot, verb_record,
    verb_view;
extern const struct verb verb_serve, verb_dev, verb_sim, verb_pub, verb_type, verb_gen;
extern const struct verb verb_keys, verb_hz, verb_bw, verb_watch, verb_log, verb_replay, verb_relay,
    verb_bench, verb_doctor, verb_help;

#endif
