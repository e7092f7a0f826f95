/* SPDX-License-Identifier: BSD-3-Clause */
#include "queue_rules.h"

#include <ach.h>
#include <stdlib.h>

#define RULES_MAX 256u

bool dev_rule_valid(const ach_rule_t *r)
{
    return r->interf >= -1 && r->index >= -1 && r->type >= -1 && r->subtype >= -1 &&
           r->replace >= ACH_RULE_ACCEPT && r->replace <= ACH_RULE_IGNORE;
}

ach_status_t dev_rules_add(struct dev_rules *rules, const ach_rule_t *r)
{
    ach_rule_t *more;

    if (rules->count == RULES_MAX)
        return ach_errstr_set(ACH_OVERFLOW, "a queue accepts at most %u rules", RULES_MAX);
    more = realloc(rules->list, (rules->count + 1) * sizeof(*more));
    if (!more)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a rule");
    rules->list = more;
    rules->list[rules->count++] = *r;
    return ACH_OK;
}

static bool queue_rules_fits(int32_t wanted, int32_t is)
{
    return wanted == -1 || wanted == is;
}

int32_t dev_rules_find(const struct dev_rules *rules, const ach_header_t *h)
{
    unsigned i;

    for (i = 0; i < rules->count; i++) {
        const ach_rule_t *r = &rules->list[i];

        if (queue_rules_fits(r->interf, h->address.interf) &&
            queue_rules_fits(r->index, h->address.index) && queue_rules_fits(r->type, h->type) &&
            queue_rules_fits(r->subtype, h->subtype))
            return r->replace;
    }
    return ACH_RULE_ACCEPT;
}
