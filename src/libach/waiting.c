/* SPDX-License-Identifier: BSD-3-Clause */
/* waiting.c - how a handle waits: by its attributes, or by the environment */
#include "waiting.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

/* Percent, of ACH_WAIT=anticipate. */
#define BUDGET_USUAL 2.0

/* Is it this word, or the word, a colon and a number from 0 up to most? Then *number is that one. */
static bool is_way(const char *how, const char *word, double most, double *number)
{
    size_t n = strlen(word);
    char *end;

    if (strncmp(how, word, n) != 0)
        return false;
    if (how[n] == '\0')
        return true;
    if (how[n] != ':')
        return false;
    *number = strtod(how + n + 1, &end);
    return end != how + n + 1 && *end == '\0' && *number > 0 && *number <= most;
}

static bool parse(const char *how, struct achi_handle *h, uint32_t *budget)
{
    double us = -1, percent = BUDGET_USUAL;

    if (is_way(how, "spin", 1e9, &us)) {
        h->spin_ns = us < 0 ? UINT64_MAX : (uint64_t)(us * 1e3);
        return true;
    }
    if (is_way(how, "anticipate", 100, &percent)) {
        *budget = (uint32_t)(percent * (ACHI_BUDGET_ONE / 100.0) + 0.5);
        return true;
    }
    return *how == '\0' || strcmp(how, "sleep") == 0;
}

enum ach_status achi_waiting_init(struct achi_handle *h, const ach_attr_t *attr)
{
    uint32_t budget = attr->anticipate_budget;
    const char *how = secure_getenv("ACH_WAIT");

    h->spin_ns = attr->spin_ns;
    if (budget > ACHI_BUDGET_ONE)
        return achi_fail(ACH_EINVAL, "a budget is at most %u millionths", ACHI_BUDGET_ONE);
    if (how && !h->spin_ns && !budget && !parse(how, h, &budget))
        return achi_fail(
            ACH_EINVAL,
            "the way to wait (ACH_WAIT) is 'sleep', 'spin[:US]' or 'anticipate[:PERCENT]', "
            "not '%s'",
            how);
    achi_anticipate_init(&h->anticipation, budget, attr->anticipate_forced != 0);
    return ACH_OK;
}
