/* SPDX-License-Identifier: BSD-3-Clause */
/* queue_rules.h - which messages a queue accepts, replaces or ignores */
#ifndef ACHI_QUEUE_RULES_H
#define ACHI_QUEUE_RULES_H

#include <ach/transport.h>

struct achi_rules {
    ach_rule_t *list;
    unsigned count;
};

bool achi_rule_valid(const ach_rule_t *r);

/* ACH_OVERFLOW, ACH_FAILED_SYSCALL */
ach_status_t achi_rules_add(struct achi_rules *rules, const ach_rule_t *r);

/* What the first rule that fits says: ACH_RULE_ACCEPT, ... */
int32_t achi_rules_find(const struct achi_rules *rules, const ach_header_t *h);

#endif
