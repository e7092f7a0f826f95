// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

/** How to get a message. Without options: the oldest one that the handle has not seen. */
public enum Option {
    /** the newest message */
    LAST(Constants.O_LAST),
    /** the last message again if there is nothing new */
    COPY(Constants.O_COPY),
    /** {@link Status#ENOENT} if there is nothing new and the channel lost its name */
    LINKED(Constants.O_LINKED);

    private final int bit;

    Option(int bit) {
        this.bit = bit;
    }

    static int bits(Option... options) {
        int bits = 0;
        for (Option o : options) {
            bits |= o.bit;
        }
        return bits;
    }
}
