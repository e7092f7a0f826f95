/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_compile.h - plans compiled to operations with offsets */
#ifndef DRV_LOG_PLAN_COMPILE_H
#define DRV_LOG_PLAN_COMPILE_H

#include "number.h"
#include "plan.h"

/* A variable array in the struct. */
struct drv_array {
    uint32_t pointer, count; /* offsets of its pointer and count */
    uint32_t size, limit;    /* size of an element; largest number of elements */
};

enum drv_what { DRV_NUMBER, DRV_COUNT, DRV_LOOP, DRV_IF, DRV_TEXT, DRV_HEX, DRV_BITS, DRV_TIME };

struct drv_op {
    enum drv_what what;
    uint8_t kind;
    bool element;           /* in a loop: the offset is relative to the array's element */
    bool optional;          /* read as 0 if the line ends before it */
    uint32_t offset;        /* of the number, in the struct or in the element */
    uint32_t other;         /* offset of the second field, for operations that need one */
    uint32_t bit;           /* required bit of `valid`; 0: none */
    uint32_t inside;        /* LOOP, IF: number of operations in the body */
    struct drv_array array; /* COUNT: the array; in a loop: the array of the element */
    struct drv_array bytes; /* TEXT, HEX: the bytes, in the struct or in the element */
    double scale;
    struct drv_form form;
};

struct drv_ops {
    const ach_message_def_t *def;
    uint16_t interf;
    uint8_t type;
    struct drv_op *ops; /* NULL: the plan does not fit the struct */
    uint32_t count;
};

/* False: the plan does not match the struct. */
bool drv_plan_compile(const char *words, const ach_type_t *type, struct drv_ops *ops);

#endif
