/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * entry.h - logs as entries of a directory
 *
 * A file name from a client is one entry of a directory that the config file chose. It is opened
 * relative to that directory's descriptor, without following links, and recorded to only if it is
 * new: a client replaces nothing. An entry counts as a log if it is a regular file with the head of
 * a log; only a log is renamed to make room for a recording that the config file names.
 */
#ifndef DRV_LOG_ENTRY_H
#define DRV_LOG_ENTRY_H

#include <ach/config.h>
#include <ach/interface/log.h>

/* Size of a name with its NUL; leaves one byte for the ~ of a backup. */
#define DRV_ENTRY_NAME 255u

#define DRV_ENTRY_DIRECTORY 2048u

struct drv_entry {
    char directory[DRV_ENTRY_DIRECTORY]; /* ends with a slash */
    char name[DRV_ENTRY_NAME];
    char path[DRV_ENTRY_DIRECTORY + DRV_ENTRY_NAME]; /* directory and name, for messages */
    bool own_directory;                              /* the option log_directory is used */
    bool client_names;                               /* clients may choose the name */
    bool by_client;                                  /* a client has chosen it */
};

/*
 * Read the options filename (default: @fallback; required if that is NULL), log_directory and
 * client_names (default: on if there is a log_directory). @suffix: appended to the name of the
 * log_directory. Wrong options are refused.
 */
void drv_entry_read(struct drv_entry *e, ach_section_t *options, const char *fallback,
                    const char *suffix);

/*
 * Switch to another entry of the same directory, on a client's request. ACH_EACCES: clients may
 * not, or the name is not an entry in printable ASCII; see ach_errstr.
 */
ach_status_t drv_entry_rename(struct drv_entry *e, const ach_log_set_filename_t *body);

/* Open an existing log for reading. -1: ach_errstr says why. */
int drv_entry_open_log(const struct drv_entry *e);

/*
 * Create a log for appending. An existing log of that name is renamed to name~, or to name~2 and
 * so on if that exists, too. ACH_EEXIST: the existing file is not a log, or a client chose the
 * name; the file is kept.
 */
ach_status_t drv_entry_create_log(const struct drv_entry *e, int *fd);

/* Create a new file in the directory of the log. -1 with errno on errors; EEXIST: it exists. */
int drv_entry_create_beside(const struct drv_entry *e, const char *name);

#endif
