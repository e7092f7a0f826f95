/* SPDX-License-Identifier: BSD-3-Clause */
/* msg.h - what the tests of definitions share */
#ifndef MSG_TEST_H
#define MSG_TEST_H

#include "check.h"

#include <ach/definition.h>

/* A definition that must be valid. */
ach_definition_t *define(const char *name, const char *text);

/* One of everything: all kinds, arrays, sequences, strings, inner messages. */
extern const char everything[];

void test_definitions(void);
void test_cdr(void);
void test_ros1(void);

#endif
