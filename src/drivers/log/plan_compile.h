/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_compile.h - plans as steps with offsets */
#ifndef ACHI_LOG_PLAN_COMPILE_H
#define ACHI_LOG_PLAN_COMPILE_H

#include "number.h"
#include "plan.h"

/* An array of the struct. */
struct achi_array {
    uint32_t pointer, count; /* their offsets */
    uint32_t size, limit;    /* of an element; how many */
};

enum achi_what {
    ACHI_NUMBER,
    ACHI_COUNT,
    ACHI_LOOP,
    ACHI_IF,
    ACHI_TEXT,
    ACHI_HEX,
    ACHI_BITS,
    ACHI_TIME
};

struct achi_op {
    enum achi_what what;
    uint8_t kind;
    bool element;            /* of the array, in a loop; the offset is within it */
    bool optional;           /* 0 at the end of the line */
    uint32_t offset;         /* of the number, in the struct or in the element */
    uint32_t other;          /* of the second field that it needs */
    uint32_t bit;            /* of `valid`; 0: always */
    uint32_t inside;         /* LOOP, IF: how many steps */
    struct achi_array array; /* that is counted, or that the element is of */
    struct achi_array bytes; /* TEXT, HEX: the bytes, in the struct or in the element */
    double scale;
    struct achi_form form;
};

struct achi_ops {
    const ach_message_def_t *def;
    uint16_t interf;
    uint8_t type;
    struct achi_op *ops; /* NULL: the plan does not fit the struct */
    uint32_t count;
};

/* False: the words do not fit the struct. */
bool achi_plan_compile(const char *words, const ach_type_t *type, struct achi_ops *ops);

#endif
