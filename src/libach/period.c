/* SPDX-License-Identifier: BSD-3-Clause */
/* period.c - a steady rate */
#include "period.h"

enum ach_status ach_period_init(ach_period_t *period, int64_t length)
{
    if (!period || length <= 0)
        return ACH_EINVAL;
    period->length = length;
    period->next = achi_period_now() + length;
    return ACH_OK;
}

enum ach_status ach_period_wait_spin(ach_period_t *period, uint64_t spin, uint64_t *missed)
{
    int64_t late;
    uint64_t n = 0;
    enum ach_status r;

    if (!period || period->length <= 0 || spin > (uint64_t)period->length)
        return ACH_EINVAL;
    late = achi_period_now() - period->next;
    if (late > 0) {
        n = (uint64_t)((late + period->length - 1) / period->length);
        period->next += (int64_t)n * period->length;
    }
    r = achi_period_wait_until(period->next, spin);
    period->next += period->length;
    if (missed)
        *missed = n;
    return r;
}

enum ach_status ach_period_wait(ach_period_t *period, uint64_t *missed)
{
    return ach_period_wait_spin(period, 0, missed);
}
