/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.h - the configuration file of a robot
 *
 * A file is a list of fields and sections; ach-robot.cfg(5) describes the
 * language. A field is a word and a value; a section is a word and more fields
 * and sections in parentheses:
 *
 *     unit_length "cm"
 *     driver
 *     (
 *       name "sonars"
 *       provides ["sonar:0"]
 *       rate 10
 *     )
 *
 * A driver reads its section with functions that take the name of a field and
 * a default, for a field that is missing. It need not check types. A value of
 * the wrong type is recorded as an error, with its file, line and column, and
 * the default is returned; ach_section_failed tells whether that happened,
 * ach_config_errors returns the lines to print. A field that was never read causes
 * a warning, see ach_config_warnings.
 *
 * Thread safety
 *     Different configurations: anything. One configuration: one thread at a time,
 *     even for reading, because reads are recorded.
 *
 * All strings and sections belong to the configuration and last until
 * ach_config_destroy, except where it says otherwise.
 */
#ifndef ACH_CONFIG_H
#define ACH_CONFIG_H

#include <ach/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The contents of a file, and of the files that it includes. */
typedef struct ach_config ach_config_t;

/* A section of it, with fields and sections inside. */
typedef struct ach_section ach_section_t;

/* Limits of the reader; more is an error. */
#define ACH_CONFIG_FILE_MAX (1u << 20)  /* bytes of one file */
#define ACH_CONFIG_TOTAL_MAX (8u << 20) /* bytes of all files, counted at each include */
#define ACH_CONFIG_DEPTH_MAX 64         /* nesting of sections */
#define ACH_CONFIG_INCLUDE_MAX 16       /* nesting of included files */
#define ACH_CONFIG_FIELDS_MAX 1000      /* fields of one section */
#define ACH_CONFIG_TEMPLATES_MAX 1000   /* templates, made by define */
#define ACH_CONFIG_ITEMS_MAX 1000000    /* fields, values and sections altogether */
#define ACH_CONFIG_ERRORS_MAX 20        /* errors after which the reader gives up */

/**
 * ach_config_load - read a file, and those that it includes
 * @path: the file
 * @config: the configuration
 *
 * Reading goes on after an error, so that one run finds most of them.
 *
 * Allocates: yes. Blocks: yes, for the file system. Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK, and the caller destroys @config; otherwise @config is
 * untouched and ach_config_errors(NULL) says what is wrong: ACH_EINVAL: the file
 * has errors; ACH_ENOENT, ACH_EACCES or ACH_FAILED_SYSCALL: the file could not be
 * opened or read, or there is no memory; ACH_OVERFLOW: the file is too large.
 *
 * Since: 3.0
 */
enum ach_status ach_config_load(const char *path, ach_config_t **config);

/**
 * ach_config_parse - read a configuration from memory
 * @text: the text; it need not end in NUL and is not used after the call
 * @size: its length in bytes
 * @name: the file name for messages; relative paths start at its directory, if it
 *   has one, otherwise at the working directory
 * @config: the configuration
 *
 * Allocates: yes. Blocks: only for included files. Real-time: no. Signal handler: no.
 *
 * Returns: as ach_config_load.
 *
 * Since: 3.0
 */
enum ach_status ach_config_parse(const char *text, size_t size, const char *name,
                                 ach_config_t **config);

/**
 * ach_config_destroy - free a configuration with all its sections and strings
 * @config: the configuration, or NULL
 *
 * Allocates: no. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Since: 3.0
 */
void ach_config_destroy(ach_config_t *config);

/**
 * ach_config_errors - the errors of a configuration
 * @config: a configuration: the errors found when its fields were read; NULL: the
 *   errors of this thread's last load or parse that failed
 *
 * One line for each error, with file, line and column, what was found and what
 * was expected:
 *
 *     robot.cfg:7:9: port: found the number 5, expected a string
 *
 * Allocates: no. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the lines, each with its newline; empty if there are no errors. The text
 * lasts until another field of the configuration is read, or the thread's next
 * load or parse.
 *
 * Since: 3.0
 */
const char *ach_config_errors(const ach_config_t *config);

/**
 * ach_config_warnings - fields and sections that were not read, and duplicate fields
 * @config: the configuration
 *
 * To be printed after all drivers have read their sections. It has fields and
 * sections that were never read, most often because they are misspelt, and fields
 * that occur twice in a section, where the last one is used. The lines have the form
 * of those of ach_config_errors.
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the lines; empty if there are none. The text lasts until the next
 * call.
 *
 * Since: 3.0
 */
const char *ach_config_warnings(ach_config_t *config);

/**
 * ach_config_print - write a configuration as a file without includes and templates
 * @config: the configuration
 * @out: where to
 *
 * The output can be read again and means the same, except that relative paths are
 * then relative to the new file.
 *
 * Allocates: no. Blocks: yes, for @out. Real-time: no. Signal handler: no.
 *
 * Since: 3.0
 */
void ach_config_print(const ach_config_t *config, FILE *out);

/**
 * ach_config_root - the root section: all fields and sections of the top level
 * @config: the configuration
 *
 * The field plugin of this section has all plugins of the file, in order: read
 * it with ach_section_tuple_string.
 *
 * Allocates: no. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: a section without a name.
 *
 * Since: 3.0
 */
ach_section_t *ach_config_root(ach_config_t *config);

/**
 * ach_section_next - iterate over the sections inside a section
 * @section: the section
 * @name: only sections of this name, or NULL for all
 * @previous: what the last call returned; NULL to begin
 *
 * In the order of the file. ach_config_warnings reports sections that this never
 * returned.
 *
 *     ach_section_t *s = NULL;
 *
 *     while ((s = ach_section_next(ach_config_root(config), "driver", s)))
 *         make_driver(s);
 *
 * Allocates: no. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the next section, NULL if there is none.
 *
 * Since: 3.0
 */
ach_section_t *ach_section_next(ach_section_t *section, const char *name, ach_section_t *previous);

/**
 * ach_section_name - the word before the parentheses
 * @section: the section
 *
 * For a section made from a template it is the word that the template stands for.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: no.
 *
 * Returns: the word; empty for the root.
 *
 * Since: 3.0
 */
const char *ach_section_name(const ach_section_t *section);

/**
 * ach_section_file - the file in which a section begins
 * @section: the section
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: no.
 *
 * Returns: the file's name, as in error messages.
 *
 * Since: 3.0
 */
const char *ach_section_file(const ach_section_t *section);

/**
 * ach_section_line - the line in which a section begins
 * @section: the section
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: no.
 *
 * Returns: the line, counted from 1.
 *
 * Since: 3.0
 */
int ach_section_line(const ach_section_t *section);

/**
 * ach_section_has - is there such a field?
 * @section: the section
 * @name: the field
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: true if the file has it. This does not count as reading the field.
 *
 * Since: 3.0
 */
bool ach_section_has(ach_section_t *section, const char *name);

/**
 * ach_section_string - read a string
 * @section: the section
 * @name: the field
 * @fallback: what to return if there is no such field; may be NULL
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the string, or @fallback.
 *
 * Since: 3.0
 */
const char *ach_section_string(ach_section_t *section, const char *name, const char *fallback);

/**
 * ach_section_path - read the name of a file
 * @section: the section
 * @name: the field
 * @fallback: what to return, unchanged, if there is no such field; may be NULL
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the path, or @fallback. A relative path in the file is resolved against
 * the directory of that file.
 *
 * Since: 3.0
 */
const char *ach_section_path(ach_section_t *section, const char *name, const char *fallback);

/**
 * ach_section_int - read a whole number
 * @section: the section
 * @name: the field
 * @fallback: what to return if there is no such field
 *
 * 1000, 0x3e8 and 1e3 are the same. A number with a fraction, or too large for an
 * int, is an error.
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the number, or @fallback.
 *
 * Since: 3.0
 */
int ach_section_int(ach_section_t *section, const char *name, int fallback);

/**
 * ach_section_double - read a number
 * @section: the section
 * @name: the field
 * @fallback: what to return if there is no such field
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the number, or @fallback.
 *
 * Since: 3.0
 */
double ach_section_double(ach_section_t *section, const char *name, double fallback);

/**
 * ach_section_bool - read a truth value
 * @section: the section
 * @name: the field
 * @fallback: what to return if there is no such field
 *
 * The words are true, yes, false and no; also the numbers 1 and 0.
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the truth value, or @fallback.
 *
 * Since: 3.0
 */
bool ach_section_bool(ach_section_t *section, const char *name, bool fallback);

/**
 * ach_section_length - read a length
 * @section: the section
 * @name: the field
 * @fallback: what to return if there is no such field, in metres
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the length in metres, whatever unit_length is.
 *
 * Since: 3.0
 */
double ach_section_length(ach_section_t *section, const char *name, double fallback);

/**
 * ach_section_angle - read an angle
 * @section: the section
 * @name: the field
 * @fallback: what to return if there is no such field, in radians
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the angle in radians, whatever unit_angle is.
 *
 * Since: 3.0
 */
double ach_section_angle(ach_section_t *section, const char *name, double fallback);

/**
 * ach_section_tuple_count - how many values a field has
 * @section: the section
 * @name: the field
 *
 * A value without brackets counts as one. Nested brackets are flattened: only
 * the values in them count.
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the number of values, 0 if there is no such field.
 *
 * Since: 3.0
 */
size_t ach_section_tuple_count(ach_section_t *section, const char *name);

/**
 * ach_section_tuple_string - read one of several strings
 * @section: the section
 * @name: the field
 * @index: which one, from 0
 * @fallback: the default, if there are fewer values; may be NULL
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the string, or @fallback.
 *
 * Since: 3.0
 */
const char *ach_section_tuple_string(ach_section_t *section, const char *name, size_t index,
                                     const char *fallback);

/**
 * ach_section_tuple_path - read one of several names of files
 * @section: the section
 * @name: the field
 * @index: which one, from 0
 * @fallback: the default, if there are fewer values; may be NULL
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the path as of ach_section_path, or @fallback.
 *
 * Since: 3.0
 */
const char *ach_section_tuple_path(ach_section_t *section, const char *name, size_t index,
                                   const char *fallback);

/**
 * ach_section_tuple_int - read one of several whole numbers
 * @section: the section
 * @name: the field
 * @index: which one, from 0
 * @fallback: the default, if there are fewer values
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the number, or @fallback.
 *
 * Since: 3.0
 */
int ach_section_tuple_int(ach_section_t *section, const char *name, size_t index, int fallback);

/**
 * ach_section_tuple_double - read one of several numbers
 * @section: the section
 * @name: the field
 * @index: which one, from 0
 * @fallback: the default, if there are fewer values
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the number, or @fallback.
 *
 * Since: 3.0
 */
double ach_section_tuple_double(ach_section_t *section, const char *name, size_t index,
                                double fallback);

/**
 * ach_section_tuple_bool - read one of several truth values
 * @section: the section
 * @name: the field
 * @index: which one, from 0
 * @fallback: the default, if there are fewer values
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the truth value, or @fallback.
 *
 * Since: 3.0
 */
bool ach_section_tuple_bool(ach_section_t *section, const char *name, size_t index, bool fallback);

/**
 * ach_section_tuple_length - read one of several lengths
 * @section: the section
 * @name: the field
 * @index: which one, from 0
 * @fallback: the default, if there are fewer values, in metres
 *
 * A pose [x y angle] is read as two lengths and an angle of the same field.
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the length in metres, or @fallback.
 *
 * Since: 3.0
 */
double ach_section_tuple_length(ach_section_t *section, const char *name, size_t index,
                                double fallback);

/**
 * ach_section_tuple_angle - read one of several angles
 * @section: the section
 * @name: the field
 * @index: which one, from 0
 * @fallback: the default, if there are fewer values, in radians
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the angle in radians, or @fallback.
 *
 * Since: 3.0
 */
double ach_section_tuple_angle(ach_section_t *section, const char *name, size_t index,
                               double fallback);

/**
 * ach_section_refuse - report that a value cannot be used
 * @section: the section
 * @name: the field; NULL: the section itself is wrong
 * @index: which of its values, from 0
 * @expected: what was expected, such as "a rate above 0"
 *
 * Adds an error, with file, line, column and value, to those of ach_config_errors.
 * Also for a required field that is missing.
 *
 * Allocates: yes. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Since: 3.0
 */
void ach_section_refuse(ach_section_t *section, const char *name, size_t index,
                        const char *expected);

/**
 * ach_section_failed - was a value of this section wrong?
 * @section: the section; sections inside it do not count
 *
 * Allocates: no. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: true if a value had the wrong type, or was refused.
 *
 * Since: 3.0
 */
bool ach_section_failed(const ach_section_t *section);

/**
 * ach_section_unused - the fields of a section that were not read
 * @section: the section
 * @index: which of these fields, from 0
 * @file: set to the file that has the field; may be NULL
 * @line: set to its line; may be NULL
 *
 * Allocates: no. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: the name of the field; NULL if there are fewer such fields, and then @file
 * and @line are untouched.
 *
 * Since: 3.0
 */
const char *ach_section_unused(const ach_section_t *section, size_t index, const char **file,
                               int *line);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
