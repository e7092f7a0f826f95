/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * entry.h - logs as entries of a directory
 *
 * A name from a client is one entry of a directory that the config file chose. It is
 * opened below that directory's descriptor, without following links, and recorded to only if it is
 * new: a client replaces nothing. An entry counts as a log if it is a regular file that begins as
 * logs begin; only such a file makes way for a recording that the config file names.
 */
#ifndef ACHI_LOG_ENTRY_H
#define ACHI_LOG_ENTRY_H

#include <ach/config.h>
#include <ach/interface/log.h>

/* Bytes of a name, with its NUL. One is left for the ~ of a backup. */
#define ACHI_ENTRY_NAME 255u

#define ACHI_ENTRY_DIRECTORY 2048u

struct achi_entry {
    char directory[ACHI_ENTRY_DIRECTORY]; /* ends with a slash */
    char name[ACHI_ENTRY_NAME];
    char path[ACHI_ENTRY_DIRECTORY + ACHI_ENTRY_NAME]; /* both, for messages */
    bool own_directory;                                /* the option log_directory */
    bool client_names;                                 /* clients may choose the name */
    bool by_client;                                    /* a client has chosen it */
};

/*
 * By the options filename (@fallback: NULL: there must be one), log_directory and client_names,
 * which is off by default unless there is a log_directory. What is wrong is refused.
 */
void achi_entry_read(struct achi_entry *e, ach_section_t *options, const char *fallback);

/*
 * Another entry of the same directory, by a client's request. ACH_EACCES: it may not, or that is
 * no name of an entry, in printable ASCII. ach_errstr says why.
 */
ach_status_t achi_entry_rename(struct achi_entry *e, const ach_log_set_filename_t *body);

/* Open an existing log for reading. -1: ach_errstr says why. */
int achi_entry_open_log(const struct achi_entry *e);

/*
 * Make a log for appending. A log of that name is renamed, with a ~ behind its name, or ~2 and so
 * on if there is such a file already. ACH_EEXIST: what is there is not a log, or the name is a
 * client's; it stays.
 */
ach_status_t achi_entry_create_log(const struct achi_entry *e, int *fd);

#endif
