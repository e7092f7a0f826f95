/* SPDX-License-Identifier: BSD-3-Clause */
#include "word.h"

#include <string.h>

#include <ach/interface.h>

/* msg_scalar_name returns the first name of a kind. */
static const struct msg_word words[] = {
    {"bool", MSG_SCALAR, ACH_KIND_BOOL},
    {"int8", MSG_SCALAR, ACH_KIND_INT8},
    {"uint8", MSG_SCALAR, ACH_KIND_UINT8},
    {"byte", MSG_SCALAR, ACH_KIND_UINT8},
    {"char", MSG_SCALAR, ACH_KIND_UINT8},
    {"int16", MSG_SCALAR, ACH_KIND_INT16},
    {"uint16", MSG_SCALAR, ACH_KIND_UINT16},
    {"int32", MSG_SCALAR, ACH_KIND_INT32},
    {"uint32", MSG_SCALAR, ACH_KIND_UINT32},
    {"int64", MSG_SCALAR, ACH_KIND_INT64},
    {"uint64", MSG_SCALAR, ACH_KIND_UINT64},
    {"float32", MSG_SCALAR, ACH_KIND_FLOAT},
    {"float64", MSG_SCALAR, ACH_KIND_DOUBLE},
    {"string", MSG_STRING, ACH_KIND_CHAR},
    {"wstring", MSG_WSTRING, 0},
};

const struct msg_word *msg_word_find(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].name, name) == 0)
            return &words[i];
    return NULL;
}

const char *msg_scalar_name(unsigned kind)
{
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i].meaning == MSG_SCALAR && words[i].kind == kind)
            return words[i].name;
    return "char"; /* ACH_KIND_CHAR: no word stands for it alone */
}
