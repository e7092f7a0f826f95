// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;

/**
 * The definition of a message in the language of ROS, for messages in CDR.
 *
 * <pre>{@code
 * Definition twist = new Definition(channel.type());
 * Map<String, Object> fields = twist.decode(channel.get());
 * }</pre>
 *
 * <p>Any number of threads may use it. It is freed when it is closed, or garbage.
 */
public final class Definition implements AutoCloseable {
    private final Handle handle;

    private interface Function {
        int run(long definition, byte[] in, byte[][] out);
    }

    /** The definition of a channel's messages: encoded as cdr, with a schema of ros2msg. */
    public Definition(Type type) {
        this(type.name(), checkedSchema(type));
    }

    /** A definition from its text, with the definitions that it uses. */
    public Definition(String name, String text) {
        this(name, text.getBytes(StandardCharsets.UTF_8));
    }

    private Definition(String name, byte[] text) {
        long[] definition = new long[1];
        AchException.checkExplained(Native.definitionNew(Text.bytes(name), text, definition));
        handle = new Handle(this, definition[0], Native::definitionFree);
    }

    private static byte[] checkedSchema(Type t) {
        if (!t.encoding().equals("cdr") || !t.schemaEncoding().equals("ros2msg")) {
            throw new AchException.BadType(t.name() + " is encoded as '" + t.encoding()
                    + "' with a schema of '" + t.schemaEncoding() + "', not as cdr with ros2msg");
        }
        return t.schema();
    }

    /** Free the definition. Doing it again has no effect. */
    @Override
    public void close() {
        handle.close();
    }

    private byte[] convert(Function function, byte[] in) {
        byte[][] out = new byte[1][];
        long h = handle.begin();
        if (h == 0) {
            AchException.check(Status.CLOSED.code());
        }
        try {
            AchException.checkExplained(function.run(h, Objects.requireNonNull(in), out));
        } finally {
            handle.end();
            Reference.reachabilityFence(this); // or its handle would be closed before begin
        }
        return out[0];
    }

    /** The fields of a message; {@link Fields} says how they look in Java. */
    public Map<String, Object> decode(byte[] message) {
        return Fields.readStruct(Fields.reader(convert(Native::cdrDecode, message)));
    }

    /** A message with these fields; those that are left out are 0 or empty. */
    public byte[] encode(Map<String, ?> fields) {
        return convert(Native::cdrEncode, Fields.toJson(fields));
    }
}
