// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongToIntFunction;

/**
 * A handle in native memory. It is released after it was closed, once no operation and no buffer
 * uses it: neither a thread in C nor a buffer that a program kept can touch memory that is gone.
 */
final class Handle {
    private static final Cleaner CLEANER = Cleaner.create();

    private final long address;
    private final LongToIntFunction release;
    private final AtomicBoolean closed = new AtomicBoolean();
    /** Operations that run, windows that are reachable, and 1 until it is closed. */
    private final AtomicInteger users = new AtomicInteger(1);

    /** A handle that is closed, at the latest, when its owner is garbage. */
    Handle(Object owner, long address, LongToIntFunction release) {
        this.address = address;
        this.release = release;
        CLEANER.register(owner, this::close);
    }

    /** Begin an operation: the address, or 0 if the handle is closed. If not 0, end must follow. */
    long begin() {
        int n;
        do {
            n = users.get();
            if (n == 0 || closed.get()) {
                return 0;
            }
        } while (!users.compareAndSet(n, n + 1));
        return address;
    }

    /** End an operation. Returns the status of the release if this was the last use. */
    int end() {
        return users.decrementAndGet() == 0 ? release.applyAsInt(address) : Status.OK.code();
    }

    /** A buffer of the handle's memory, which keeps the handle. Only between begin and end. */
    ByteBuffer window(long base) {
        ByteBuffer window = Native.window(base);
        users.incrementAndGet();
        CLEANER.register(window, this::end);
        return window;
    }

    boolean isClosed() {
        return closed.get();
    }

    /** Returns the status of the release, OK if it is deferred, CLOSED if it was closed before. */
    int close() {
        return closed.compareAndSet(false, true) ? end() : Status.CLOSED.code();
    }
}
