/* SPDX-License-Identifier: BSD-3-Clause */
/* waiting.c - how a handle waits: by its attributes, or by the environment */
#include "waiting.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

/* Of ACH_WAIT=anticipate. */
#define BUDGET_USUAL 20000u

/* What follows a word and a colon, from 0 up to most. False: it is wrong. */
static bool parse_number(const char *text, double most, double *number)
{
    char *end;

    if (*text++ != ':')
        return false;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number > 0 && *number <= most;
}

static bool begins(const char *text, const char *word)
{
    size_t n = strlen(word);

    return strncmp(text, word, n) == 0 && (text[n] == '\0' || text[n] == ':');
}

static bool parse_spin(const char *how, uint64_t *ns)
{
    double us;

    *ns = UINT64_MAX;
    if (how[4] == '\0')
        return true;
    if (!parse_number(how + 4, 1e9, &us))
        return false;
    *ns = (uint64_t)(us * 1e3);
    return true;
}

static bool parse_budget(const char *how, uint32_t *budget)
{
    double percent;

    *budget = BUDGET_USUAL;
    if (how[10] == '\0')
        return true;
    if (!parse_number(how + 10, 100, &percent))
        return false;
    *budget = (uint32_t)(percent * (ACHI_BUDGET_ONE / 100.0) + 0.5);
    return true;
}

static bool parse(const char *how, struct achi_handle *h, uint32_t *budget)
{
    if (begins(how, "spin"))
        return parse_spin(how, &h->spin_ns);
    if (begins(how, "anticipate"))
        return parse_budget(how, budget);
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
        return achi_fail(ACH_EINVAL,
                         "the way to wait (ACH_WAIT) is 'sleep', 'spin[:US]' or 'anticipate[:PERCENT]', "
                         "not '%s'",
                         how);
    achi_anticipate_init(&h->anticipation, budget, attr->anticipate_forced != 0);
    return ACH_OK;
}
