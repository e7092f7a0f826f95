/* SPDX-License-Identifier: BSD-3-Clause */
/* complain.h - what the recorder says */
#ifndef RECORD_COMPLAIN_H
#define RECORD_COMPLAIN_H

/* Print "ach record: sentence" to standard error. */
void record_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
