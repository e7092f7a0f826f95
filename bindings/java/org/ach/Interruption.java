// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.function.IntSupplier;

/**
 * Lets Thread.interrupt end one wait in C. The runtime closes an interruptible channel when its
 * thread is interrupted; this one only wakes the thread then.
 */
final class Interruption extends AbstractInterruptibleChannel {
    private final Runnable wake;

    Interruption(Runnable wake) {
        this.wake = wake;
    }

    @Override
    protected void implCloseChannel() {
        wake.run();
    }

    /** Run a wait. Afterwards wake is not running, and will not run any more. */
    int run(IntSupplier wait) {
        begin();
        try {
            return wait.getAsInt();
        } finally {
            try {
                end(true);
            } catch (AsynchronousCloseException e) {
                // The caller decides: a message may have come before the interrupt.
            }
        }
    }

    /** Was the thread interrupted during the wait, or before? */
    boolean came() {
        return !isOpen();
    }
}
