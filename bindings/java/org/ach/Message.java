// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * A message of a device.
 *
 * @param name      such as "SCAN"
 * @param timestamp seconds since 1970, or since the simulation began
 * @param fields    as {@link Fields} describes; empty if it has no body
 */
public record Message(String name, double timestamp, Map<String, Object> fields) {
    /** The fields as a record. */
    public <R extends Record> R as(Class<R> type) {
        return Fields.toRecord(fields, type);
    }

    static Message of(byte[] bytes) {
        ByteBuffer from = Fields.reader(bytes);
        return new Message(Fields.readString(from), from.getDouble(), Fields.readStruct(from));
    }
}
