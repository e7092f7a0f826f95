/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the command line of ach view */
#ifndef VIEW_OPTIONS_H
#define VIEW_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIEW_PORT 8765u /* where Foxglove looks for a server */
#define VIEW_WORDS_MAX 16u

/* Words of an option that may be repeated. */
struct view_words {
    const char *at[VIEW_WORDS_MAX + 1]; /* NULL ends them */
    size_t count;
};

struct view_options {
    unsigned port;
    const char *bind; /* NULL: loopback */
    bool insecure;    /* also beyond loopback */
    struct view_words hosts, origins, write;
    bool drive;
    unsigned clients;
    size_t queue;          /* bytes of data per client */
    const char *file;      /* a recording; NULL: live */
    const char *file_name; /* without its directory */
    const char *const *patterns;
    size_t npatterns;
};

/* False after complaining. */
bool view_options_parse(int argc, char **argv, struct view_options *o);

/* Does a name match one of the patterns, as the shell matches files? */
bool view_words_match(const struct view_words *words, const char *name);

#endif
