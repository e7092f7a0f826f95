/* SPDX-License-Identifier: BSD-3-Clause */
#include "damage.h"

#include <inttypes.h>

void mcap_damage_add(struct mcap_damage *d, const char *what, uint64_t offset, const char *why)
{
    d->count++;
    mcap_fault_say(&d->first, MCAP_BAD, "the %s at byte %" PRIu64 " is bad: %s", what, offset, why);
}

enum mcap_result mcap_damage_say(const struct mcap_damage *d, struct mcap_fault *f)
{
    f->text[0] = '\0';
    if (d->undefined)
        return mcap_fault_say(f, MCAP_BAD,
                              "%" PRIu64 " chunks or records are bad. The first: %.120s. The "
                              "channels of messages in %" PRIu64 " chunks are not known any more; "
                              "repairing the file recovers them",
                              d->count, d->first.text, d->undefined);
    if (d->count == 1)
        return mcap_fault_say(f, MCAP_BAD, "%.180s. All else was read", d->first.text);
    return mcap_fault_say(f, MCAP_BAD,
                          "%" PRIu64 " chunks or records are bad. The first: %.150s. "
                          "All else was read",
                          d->count, d->first.text);
}
