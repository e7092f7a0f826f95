/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_H
#define TESTS_H

void test_sessions(void);
void test_directories(void);
void test_keys(void);

#endif
