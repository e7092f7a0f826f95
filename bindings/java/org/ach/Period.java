// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.time.Duration;

/** A steady rate: the period of a control loop. Under {@code ach sim} it is simulated time. */
public final class Period {
    private final long[] period = {0, 0};

    /** Begin a loop with a steady rate. */
    public Period(Duration length) {
        period[0] = Limit.nanoseconds(length);
        AchException.check(Native.periodInit(period));
    }

    /**
     * Sleep until the next period begins. An interrupt of the thread does not end it.
     *
     * @return the periods that were missed, because the program worked for longer
     */
    public long await() {
        long[] missed = new long[1];
        AchException.check(Native.periodWait(period, missed));
        return missed[0];
    }
}
