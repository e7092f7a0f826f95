/* SPDX-License-Identifier: BSD-3-Clause */
/* conformance.h - a script of operations: what its parts share */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <ach.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The words of an operation; the first is its name. */
#define WORDS_MAX 32
struct words {
    size_t count;
    char *word[WORDS_MAX + 1]; /* NULL behind the last */
};

/* The bytes that a word stands for, to be freed. */
struct bytes {
    uint8_t *data;
    size_t size;
};

struct ach_message;
struct ach_message_def;

/* An operation. It prints its results, each with a space in front. */
struct operation {
    const char *name;
    size_t words; /* at least, with its name */
    enum ach_status (*run)(const struct words *w, FILE *results);
};

/* How long to wait for a device. */
#define DEVICE_SECONDS 10.0

/* Both end with an operation without a name. */
extern const struct operation channel_operations[], device_operations[];

/* Print a message about the line that is run, and exit. */
__attribute__((noreturn)) void script_bad(const char *what, const char *word);

struct bytes bytes_of(const char *word);
uint64_t number_of(const char *word, int base);
void bytes_print(FILE *to, const void *data, size_t size);

/* Is the flag among the words from @from on? The value of the word KEY=VALUE there, or NULL. */
bool words_flag(const struct words *w, size_t from, const char *flag);
const char *words_value(const struct words *w, size_t from, const char *key);

/* The name of a channel: $imu with the prefix of this run. Lasts as long as the process. */
const char *channel_name(const char *word);

/* "OK" for ACH_OK. */
const char *status_name(enum ach_status status);

/* An address of a device with $where replaced, to be freed. */
char *address_of(const char *word);

/* Print each field of a message's body: path=value. */
void device_message_print(FILE *to, const struct ach_message *message);

/* A message of a device's interface. */
const struct ach_message_def *message_def_of(unsigned interf, unsigned type, const char *name);

/* The body that the words behind a message's name give, to be freed; NULL: it has none. */
enum ach_status body_of(const struct words *w, const struct ach_message_def *def, void **body);

/* The operation that the words name. */
const struct operation *operation_find(const struct words *w);

#ifdef __cplusplus
}
#endif

#endif
