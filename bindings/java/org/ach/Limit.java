// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** Time limits. */
public final class Limit {
    /** Wait without a limit. */
    public static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    /** Longer than this is for ever: the nanoseconds fit into a long. */
    private static final Duration LONGEST = Duration.ofDays(100 * 365);

    private Limit() {
    }

    /** As C takes it: 0 does not wait, -1 waits for ever. */
    static long of(Duration limit) {
        return limit.compareTo(LONGEST) > 0 ? -1 : nanoseconds(limit);
    }

    /** As devices take it: in seconds. */
    static double seconds(Duration limit) {
        return nanoseconds(limit) / 1e9;
    }

    /** From 0 to 100 years. */
    static long nanoseconds(Duration d) {
        if (d.isNegative()) {
            return 0;
        }
        return d.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : d.toNanos();
    }
}
