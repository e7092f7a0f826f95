// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

/** A channel in the memory of this process. It lasts as long as a handle or this object. */
public final class HeapMemory {
    private final long address;

    /** Create a channel in the memory of this process. */
    public HeapMemory(CreateOptions options) {
        address = Channel.createAt(null, Kind.ANON, options);
        new Handle(this, address, Native::free); // frees it when this object is garbage
    }

    long address() {
        return address;
    }
}
