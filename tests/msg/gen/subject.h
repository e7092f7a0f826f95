/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * subject.h - one generated message under test
 *
 * codec.py writes a table of them, with functions that give the struct of ach gen and that of
 * Cyclone DDS the same random values.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <ach/cdr.h>

struct dds_topic_descriptor;

struct subject {
    const ach_channel_type_t *(*type)(void);
    size_t size, other_size; /* of the structs */
    void (*fill)(void *ours, void *other);
    enum ach_status (*encode)(const void *m, void *buffer, size_t room, size_t *size);
    enum ach_status (*decode)(void *m, const void *bytes, size_t n, ach_cdr_memory_t *memory);
    const struct dds_topic_descriptor *topic; /* Cyclone's; NULL: it is not there */
    size_t fixed; /* the struct's bytes are the message; 0: they are not */
};

extern const struct subject subjects[];
extern const size_t subject_count;

/* Memory until the next message. */
void *subject_memory(size_t n);

uint64_t subject_random(void);
void subject_bytes(void *to, size_t n);
uint32_t subject_count_to(uint32_t limit);
uint8_t subject_bool(void);

/* A random text without NUL, of up to limit bytes; ours points to the other one. */
char *subject_text(ach_cdr_string_t *ours, uint32_t limit);

#endif
