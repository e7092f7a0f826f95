/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h - one recording of a source, and what each format provides */
#ifndef LOGS_FILE_H
#define LOGS_FILE_H

#include "logs.h"

#define LOGS_ERROR_MAX 480

struct logs_file;

struct logs_reader {
    enum logs_format format;

    /* Begin to read; called again after a rewind, after close. False after logs_fail. */
    bool (*open)(struct logs_file *f);
    void (*close)(struct logs_file *f);

    /* The next message. False after setting the state. */
    bool (*next)(struct logs_file *f, struct logs_message *m);

    /* Continue from this time on; false: errno. NULL: only the beginning can be sought. */
    bool (*seek)(struct logs_file *f, int64_t time);

    /* The first and the last time, by an index. NULL or false: there is none. */
    bool (*times)(const struct logs_file *f, int64_t *first, int64_t *last);

    /* Are all topics known after open? NULL: no. */
    bool (*complete)(const struct logs_file *f);

    /* Are the bytes right that no message needed? False after logs_fail and complaining. NULL: there are none. */
    bool (*verify)(struct logs_file *f);

    /* NULL: it is another format. */
    struct mcap_reader *(*mcap)(const struct logs_file *f);
};

struct logs_topics;

struct logs_file {
    struct logs_topics *topics; /* of the source */
    logs_complain *complain;
    size_t index;
    const char *path;
    int fd; /* negative: closed */
    const struct logs_reader *reader;
    void *state_of_reader; /* private to it; NULL: not open */
    uint64_t messages;     /* that were read since the beginning */
    bool told;             /* how it ended was complained about */
    bool sought;           /* so `messages` does not count from the beginning */
    enum logs_state state;
    char error[LOGS_ERROR_MAX];
    bool live; /* there is a next message: */
    struct logs_message next;
    int64_t order;  /* of this message, or of the last one */
    int64_t passed; /* of the one before */
};

/* Each format. Without devices, logs_devices fails to open. */
extern const struct logs_reader logs_mcap_reader, logs_channel_reader, logs_devices_reader;

/* Which format has an open file? Its position does not change, also that of a pipe. */
const struct logs_reader *logs_kind(int fd);

/* An end of a sentence, "is ...", for a file that no format explains. */
#define LOGS_UNKNOWN                                                                               \
    "not a recording that ach knows: these are files of MCAP, logs of channels (achlog) and logs " \
    "of devices (writelog, Player)"

/* The recording cannot be read any more: a sentence without its name. Always returns false. */
bool logs_fail(struct logs_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Complain once for each recording, and read on. */
void logs_warn(struct logs_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
