/* SPDX-License-Identifier: BSD-3-Clause */
#include "names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Keywords of C and C++, and macros of their headers that are words; sorted. */
static const char *const reserved[] = {
    "EOF",       "NULL",         "alignas",      "alignof",   "and",           "and_eq",
    "asm",       "assert",       "atomic",       "auto",      "bitand",        "bitor",
    "bool",      "break",        "case",         "catch",     "char",          "char16_t",
    "char32_t",  "char8_t",      "class",        "co_await",  "co_return",     "co_yield",
    "compl",     "complex",      "concept",      "const",     "const_cast",    "consteval",
    "constexpr", "constinit",    "continue",     "decltype",  "default",       "delete",
    "do",        "double",       "dynamic_cast", "else",      "enum",          "errno",
    "explicit",  "export",       "extern",       "false",     "float",         "for",
    "friend",    "goto",         "if",           "imaginary", "inline",        "int",
    "linux",     "long",         "mutable",      "namespace", "new",           "noexcept",
    "noreturn",  "not",          "not_eq",       "nullptr",   "operator",      "or",
    "or_eq",     "private",      "protected",    "public",    "register",      "reinterpret_cast",
    "requires",  "restrict",     "return",       "short",     "signed",        "sizeof",
    "st_atime",  "st_ctime",     "st_mtime",     "static",    "static_assert", "static_cast",
    "stderr",    "stdin",        "stdout",       "struct",    "switch",        "template",
    "this",      "thread_local", "throw",        "true",      "try",           "typedef",
    "typeid",    "typename",     "typeof",       "union",     "unix",          "unsigned",
    "using",     "virtual",      "void",         "volatile",  "wchar_t",       "while",
    "xor",       "xor_eq",
};

/*
 * Structs of the headers that a generated header includes, and messages whose functions would have
 * the names of others (ach_open, timer_create); sorted.
 */
static const char *const taken[] = {
    "ach",    "itimerspec", "itimerval", "sigaction", "sigcontext", "sigevent", "sigstack",
    "sigval", "timer",      "timespec",  "timeval",   "timex",      "timezone", "tm",
};

static int compare_words(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

/* As the macros INT32_MAX, SIZE_MAX, INT8_MIN and LONG_WIDTH. */
static bool is_limit(const char *name)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *last = strrchr(name, '_');

    return last && name[strspn(name, capitals)] == '\0' &&
           (strcmp(last, "_MAX") == 0 || strcmp(last, "_MIN") == 0 || strcmp(last, "_WIDTH") == 0);
}

bool gen_is_reserved(const char *name)
{
    return is_limit(name) || bsearch(name, reserved, sizeof(reserved) / sizeof(reserved[0]),
                                     sizeof(reserved[0]), compare_words);
}

bool gen_is_taken(const char *name)
{
    return bsearch(name, taken, sizeof(taken) / sizeof(taken[0]), sizeof(taken[0]),
                   compare_words) != NULL;
}

/* A capital begins a word after a small letter or digit, and before a small letter. */
static bool begins_word(const char *name, size_t i)
{
    if (i == 0 || !isupper((unsigned char)name[i]) || name[i - 1] == '_')
        return false;
    return !isupper((unsigned char)name[i - 1]) || islower((unsigned char)name[i + 1]);
}

char *gen_snake_case(const char *name)
{
    char *snake = malloc(2 * strlen(name) + 1), *to = snake;
    size_t i;

    for (i = 0; snake && name[i]; i++) {
        if (begins_word(name, i))
            *to++ = '_';
        *to++ = (char)tolower((unsigned char)name[i]);
    }
    if (snake)
        *to = '\0';
    return snake;
}
