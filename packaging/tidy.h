/* SPDX-License-Identifier: BSD-3-Clause */
/* tidy.h - what the analyzer cannot know: ach_errstr_set returns the status that it is given */
#include <ach.h>

#ifndef ach_errstr_set /* under another name it is nobody's business */
#define ach_errstr_set(status, ...) ((ach_errstr_set)((status), __VA_ARGS__), (status))
#endif
