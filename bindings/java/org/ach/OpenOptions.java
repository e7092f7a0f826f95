// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.time.Duration;

/** How to open a channel. Each method changes one option, and returns this object. */
public final class OpenOptions {
    // The numbers of native/channel.c
    static final int READONLY = 1;
    static final int SOURCE = 2;

    int flags;
    Kind kind = Kind.DEFAULT;
    long spin;
    long lockTimeout;
    Type type;

    /** Subscribe only: read permission is enough. */
    public OpenOptions readonly() {
        flags |= READONLY;
        return this;
    }

    /** Take the source lock. */
    public OpenOptions source() {
        flags |= SOURCE;
        return this;
    }

    /** Which kind of channel to open. */
    public OpenOptions kind(Kind memory) {
        kind = memory;
        return this;
    }

    /** How long to spin before sleeping. */
    public OpenOptions spin(Duration time) {
        spin = Limit.nanoseconds(time);
        return this;
    }

    /** How long a put waits for another writer; zero: one second. */
    public OpenOptions lockTimeout(Duration time) {
        lockTimeout = Limit.nanoseconds(time);
        return this;
    }

    /** The type to expect. */
    public OpenOptions type(Type messages) {
        type = messages;
        return this;
    }
}
