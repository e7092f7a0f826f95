/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gateway.h - what the parts of ach_mex share
 *
 * An error leaves a command through mexErrMsgIdAndTxt, which does not return. So memory of
 * the C library is never held in a local variable alone: arrays and temporary memory are allocated
 * with mx functions, which the interpreter frees, and the rest belongs to a handle or is handed to
 * oct_hold_*.
 */
#ifndef OCT_GATEWAY_H
#define OCT_GATEWAY_H

#include <ach.h>
#include <ach/definition.h>
#include <ach/device.h>
#include <mex.h>
#include <stdbool.h>

/* A call of a command: its results, and the arguments behind its name. */
struct oct_call {
    int results;
    mxArray **result;
    int count;
    const mxArray **argument;
};

/* Run the command that the first argument names. */
void oct_gateway(int nlhs, mxArray **plhs, int nrhs, const mxArray **prhs);

/* Errors. The identifier is ach: and the name of the status. */
__attribute__((noreturn, format(printf, 2, 3))) void oct_throw(enum ach_status status,
                                                               const char *format, ...);
__attribute__((noreturn)) void oct_throw_status(enum ach_status status);
void oct_check(enum ach_status status);
const char *oct_status_name(enum ach_status status);

/* Free @body, or release @message, at the latest when the next command begins. */
void *oct_hold_body(void *body);
ach_message_t *oct_hold_message(ach_message_t *message);
void oct_release(void);

/* Arguments. Each function throws if the argument is of another kind. Memory is the interpreter's. */
char *oct_text(const mxArray *a, const char *what);
double oct_number(const mxArray *a, const char *what);
uint64_t oct_count(const mxArray *a, const char *what);
const void *oct_bytes(const mxArray *a, const char *what, size_t *size);
mode_t oct_mode(const mxArray *a);

/* Options: pairs of a name and a value. */
enum oct_option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_SECONDS, /* double, not negative; Inf is allowed */
    OPTION_COUNT,   /* uint64_t */
    OPTION_TEXT,    /* char * */
    OPTION_ARRAY    /* const mxArray * */
};

struct oct_option {
    const char *name; /* NULL behind the last */
    enum oct_option_kind kind;
    void *value; /* unchanged if the option is not given */
};

void oct_options(const struct oct_call *c, int from, const struct oct_option *options);

/* Numbers that have names, such as kinds of channels. */
struct oct_name {
    int value;
    const char *name; /* NULL behind the last */
};

extern const struct oct_name oct_maps[], oct_readies[], oct_clocks[], oct_rights[];

int oct_name_value(const struct oct_name *names, const char *name, const char *what);
const char *oct_name_of(const struct oct_name *names, int value);

/* Results. */
mxArray *oct_uint64(uint64_t n);
mxArray *oct_char(const void *bytes, size_t size);
void oct_field(mxArray *s, const char *name, mxArray *value);

/* Handles. */
enum oct_kind { OCT_CHANNEL, OCT_HEAP, OCT_DEVICE, OCT_PERIOD };

struct oct_handle {
    uint64_t id;
    enum oct_kind kind;
    ach_device_t *device;         /* OCT_DEVICE */
    ach_period_t period;          /* OCT_PERIOD */
    struct ach_header *memory;    /* OCT_HEAP */
    unsigned users;               /* OCT_HEAP: open channels in it, and 1 if it is open itself */
    ach_channel_t chan;           /* OCT_CHANNEL, as all below */
    struct oct_handle *heap;      /* NULL: not a heap channel */
    ach_definition_t *definition; /* of the messages; NULL: not parsed yet */
    uint8_t *room;                /* the open reservation, or NULL */
    size_t room_size;
    void *buffer; /* for messages */
    size_t buffer_size;
};

struct oct_handle *oct_handle_new(enum oct_kind kind);
void oct_handle_drop(struct oct_handle *h);
enum ach_status oct_handle_close(struct oct_handle *h);
void oct_handles_close(void);

/* The handle with the id in @a. Throws if it is not open or of another kind. */
struct oct_handle *oct_handle(const mxArray *a, enum oct_kind kind);
struct oct_handle *oct_handle_any(const mxArray *a);
struct oct_handle *oct_handle_of_id(uint64_t id);

/* Bodies of messages as values, by the tables of interface.h. */
mxArray *oct_body_value(const ach_type_t *type, const void *body);
void *oct_body_of(const ach_type_t *type, const mxArray *value);

/* The table for the messages of a typed channel. */
const ach_type_t *oct_message_type(struct oct_handle *h);

/* The classes that a message can be read as. */
mxClassID oct_class_named(const char *name);
mxArray *oct_message_value(struct oct_handle *h, mxClassID class, const void *bytes, size_t size);

/* Of a device: the message of that name, and the values of a message that came from it. */
const ach_message_def_t *oct_message_def(struct oct_handle *h, unsigned type, const char *name);
mxArray *oct_device_value(const ach_message_t *message);
mxArray *oct_device_header(const ach_message_t *message);

/*
 * A job is a command that waits, in three steps. Only oct_job_run blocks. It does not call the
 * interpreter, so another thread may run it.
 */
struct oct_job {
    const struct oct_job_kind *kind;
    unsigned outputs; /* how many the caller wants; with one, failures are thrown */
    struct oct_handle *handles[ACH_WAIT_MAX];
    size_t count;
    double timeout; /* seconds */
    int options;
    uint64_t limit;       /* get: the largest message */
    uint64_t first, last; /* view: which bytes, from 1 */
    mxClassID class;
    int subtype;
    /* Results. */
    enum ach_status status;
    size_t size;
    const void *view;
    ach_message_t *message;
    bool ready[ACH_WAIT_MAX];
    ach_wait_item_t items[ACH_WAIT_MAX];
};

/* The kind of a job; NULL: no job has that name. */
const struct oct_job_kind *oct_job_named(const char *name);
void oct_job_parse(struct oct_job *j, const struct oct_job_kind *kind, unsigned outputs,
                   const struct oct_call *c);
void oct_job_run(struct oct_job *j, double seconds);
/* Sets the results from @first on. */
void oct_job_finish(struct oct_job *j, const struct oct_call *c, int first);

/*
 * Run one slice of a job. The arguments are the number of slices before, the outputs that are
 * wanted, and those of the job. The first result is false if another slice must follow.
 */
void oct_job_slice(const struct oct_job_kind *kind, struct oct_call *c);

/* Tables of commands. Each ends with a command without a name. */
struct oct_command {
    const char *name;
    int least; /* arguments */
    void (*run)(const struct oct_call *c);
};

extern const struct oct_command oct_channel_commands[], oct_device_commands[];

#endif
