// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.nio.charset.StandardCharsets;

/**
 * What the messages of a channel are.
 *
 * @param name           such as "geometry_msgs/msg/Twist"
 * @param encoding       of a message, such as "cdr"
 * @param schemaEncoding such as "ros2msg"; "": there is no schema
 * @param schema         describes the message. It is what the channel's creator stored, so check it
 */
public record Type(String name, String encoding, String schemaEncoding, byte[] schema) {
    /** A type without a schema. */
    public Type(String name, String encoding) {
        this(name, encoding, "", new byte[0]);
    }

    /** A type with a schema that is a text. */
    public Type(String name, String encoding, String schemaEncoding, String schema) {
        this(name, encoding, schemaEncoding, schema.getBytes(StandardCharsets.UTF_8));
    }

    /** The number by which types are compared. It finds mistakes, not forgeries. */
    public long hash() {
        return Native.typeHash(toBytes(this));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Type t && hash() == t.hash();
    }

    @Override
    public int hashCode() {
        return Long.hashCode(hash());
    }

    static byte[][] toBytes(Type t) {
        return t == null ? null : new byte[][] {Text.bytes(t.name), Text.bytes(t.encoding),
                                                Text.bytes(t.schemaEncoding), t.schema};
    }

    static Type of(byte[][] bytes) {
        return new Type(Text.of(bytes[0]), Text.of(bytes[1]), Text.of(bytes[2]), bytes[3]);
    }
}
