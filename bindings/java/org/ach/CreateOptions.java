// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

/** How to create a channel. Each method changes one option, and returns this object. */
public final class CreateOptions {
    // The numbers of native/channel.c
    static final int TRUNCATE = 1;
    static final int REPLACE_CORRUPT = 2;
    static final int TIMESTAMPS = 4;
    static final int READONLY_WAKE = 8;
    static final int SINGLE_WRITER = 16;
    static final int RELAYED = 32;
    static final int ANTICIPATED = 64;

    long count;
    long size;
    int flags;
    Kind kind = Kind.DEFAULT;
    int clock = -1;
    int mode = -1;
    Type type;

    /** How many messages to keep at most; 0: 16. */
    public CreateOptions count(long messages) {
        count = notNegative(messages);
        return this;
    }

    /** The nominal size of a message in bytes; 0: 512. */
    public CreateOptions size(long bytes) {
        size = notNegative(bytes);
        return this;
    }

    /** Replace an existing channel. */
    public CreateOptions truncate() {
        flags |= TRUNCATE;
        return this;
    }

    /** Replace a damaged channel. */
    public CreateOptions replaceCorrupt() {
        flags |= REPLACE_CORRUPT;
        return this;
    }

    /** Stamp each message when it is put. */
    public CreateOptions timestamps() {
        flags |= TIMESTAMPS;
        return this;
    }

    /** Let read-only subscribers sleep. */
    public CreateOptions readonlyWake() {
        flags |= READONLY_WAKE;
        return this;
    }

    /** Only the handle with the source lock may put, and it puts in place. */
    public CreateOptions singleWriter() {
        flags |= SINGLE_WRITER;
        return this;
    }

    /** Let messages have an origin. */
    public CreateOptions relayed() {
        flags |= RELAYED;
        return this;
    }

    /** Let receivers that anticipate spare puts the system call. */
    public CreateOptions anticipated() {
        flags |= ANTICIPATED;
        return this;
    }

    /** Which memory holds the channel. For the heap, see {@link HeapMemory}. */
    public CreateOptions kind(Kind memory) {
        kind = memory;
        return this;
    }

    /** The clock, such as {@link Constants#CLOCK_REALTIME}. */
    public CreateOptions clock(int id) {
        clock = (int) notNegative(id);
        return this;
    }

    /** Permissions, such as 0640. */
    public CreateOptions mode(int permissions) {
        if ((permissions & ~0777) != 0) {
            throw new IllegalArgumentException("permissions are bits of 0777, not 0"
                                               + Integer.toOctalString(permissions));
        }
        mode = permissions;
        return this;
    }

    /** What the messages are. */
    public CreateOptions type(Type messages) {
        type = messages;
        return this;
    }

    private static long notNegative(long number) {
        if (number < 0) {
            throw new IllegalArgumentException(number + " is negative");
        }
        return number;
    }
}
