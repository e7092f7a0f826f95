// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of a message, as maps or as records.
 *
 * <p>A struct is a {@code Map<String, Object>} in the order of its definition. An integer is a
 * Long, a floating-point number a Double, a string a String, a boolean a Boolean. An array of uint8
 * is a byte[], of other integers a long[], of floating-point numbers a double[], of booleans a
 * boolean[], of anything else a List. A uint64 is read as the bits of a long; to write a large one,
 * use a BigInteger. A record has components with the names of the fields.
 */
public final class Fields {
    private Fields() {
    }

    /**
     * Fields as a record. Components that are records themselves take structs; a component of a
     * primitive type or its class takes any number. Fields that the record does not have are left
     * out.
     *
     * @throws IllegalArgumentException a component is not among the fields, or of another type
     */
    public static <R extends Record> R toRecord(Map<String, Object> fields, Class<R> type) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            String name = components[i].getName();
            types[i] = components[i].getType();
            if (!fields.containsKey(name)) {
                throw new IllegalArgumentException(type.getSimpleName() + "." + name
                        + ": the fields are " + fields.keySet());
            }
            values[i] = convert(fields.get(name), types[i]);
        }
        try {
            Constructor<R> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(type + " cannot be made: " + e.getMessage(), e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Object convert(Object value, Class<?> to) {
        if (value instanceof Map && to.isRecord()) {
            return toRecord((Map<String, Object>) value, to.asSubclass(Record.class));
        }
        if (value instanceof Number n) {
            if (to == double.class || to == Double.class) {
                return n.doubleValue();
            } else if (to == float.class || to == Float.class) {
                return n.floatValue();
            } else if (to == int.class || to == Integer.class) {
                return Math.toIntExact(n.longValue());
            } else if (to == boolean.class || to == Boolean.class) {
                return n.longValue() != 0;
            }
        }
        return value;
    }

    /** The components of a record as fields. */
    public static Map<String, Object> of(Record record) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (RecordComponent c : record.getClass().getRecordComponents()) {
            try {
                c.getAccessor().setAccessible(true);
                fields.put(c.getName(), c.getAccessor().invoke(record));
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException(record.getClass() + "." + c.getName(), e);
            }
        }
        return fields;
    }

    /** As C reads them. */
    static byte[] toJson(Map<String, ?> fields) {
        StringBuilder text = new StringBuilder();
        write(text, fields);
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void write(StringBuilder to, Object value) {
        if (value instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> e : map.entrySet()) {
                to.append(separator);
                writeString(to, String.valueOf(e.getKey()));
                to.append(':');
                write(to, e.getValue());
                separator = ",";
            }
            to.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof Record record) {
            write(to, of(record));
        } else if (value instanceof List<?> list) {
            writeArray(to, list.toArray());
        } else if (value instanceof byte[] bytes) {
            long[] numbers = new long[bytes.length];
            for (int i = 0; i < bytes.length; i++) {
                numbers[i] = Byte.toUnsignedLong(bytes[i]);
            }
            writeArray(to, numbers);
        } else if (value != null && value.getClass().isArray()) {
            writeArray(to, value);
        } else if (value instanceof Number n) {
            double d = n.doubleValue();
            // A BigInteger or BigDecimal that a double cannot hold is not infinite.
            boolean infinite = Double.isInfinite(d) && (n instanceof Double || n instanceof Float);
            to.append(Double.isNaN(d) ? "null" : infinite ? d > 0 ? "1e999" : "-1e999"
                                               : n.toString());
        } else if (value instanceof Boolean || value == null) {
            to.append(value);
        } else {
            writeString(to, value.toString());
        }
    }

    private static void writeArray(StringBuilder to, Object array) {
        to.append('[');
        for (int i = 0; i < Array.getLength(array); i++) {
            to.append(i == 0 ? "" : ",");
            write(to, Array.get(array, i));
        }
        to.append(']');
    }

    private static void writeString(StringBuilder to, String text) {
        to.append('"');
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                to.append('\\').append((char) c);
            } else if (c < ' ') {
                to.append(String.format("\\u%04x", c));
            } else {
                to.append((char) c);
            }
        });
        to.append('"');
    }

    static ByteBuffer reader(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    /** A struct as native/fields.c writes it; empty if there is none. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> readStruct(ByteBuffer from) {
        return from.hasRemaining() ? (Map<String, Object>) read(from) : Map.of();
    }

    static String readString(ByteBuffer from) {
        return Text.of(readBytes(from));
    }

    private static byte[] readBytes(ByteBuffer from) {
        byte[] bytes = new byte[from.getInt()];
        from.get(bytes);
        return bytes;
    }

    private static Object read(ByteBuffer from) {
        char tag = (char) from.get();
        return switch (tag) {
            case 'z' -> from.get() != 0;
            case 'l' -> from.getLong();
            case 'd' -> from.getDouble();
            case 's' -> readString(from);
            case 'B' -> readBytes(from);
            case 'Z', 'L', 'D' -> readArray(tag, from);
            case 'V' -> readList(from);
            case 'M' -> readMap(from);
            default -> throw new IllegalStateException("a field with the tag " + tag);
        };
    }

    private static Object readArray(char tag, ByteBuffer from) {
        int count = from.getInt();
        if (tag == 'Z') {
            boolean[] a = new boolean[count];
            for (int i = 0; i < count; i++) {
                a[i] = from.get() != 0;
            }
            return a;
        }
        int end = from.position() + count * Long.BYTES;
        Object a;
        if (tag == 'L') {
            from.asLongBuffer().get((long[]) (a = new long[count]));
        } else {
            from.asDoubleBuffer().get((double[]) (a = new double[count]));
        }
        from.position(end);
        return a;
    }

    private static List<Object> readList(ByteBuffer from) {
        int count = from.getInt();
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(read(from));
        }
        return list;
    }

    private static Map<String, Object> readMap(ByteBuffer from) {
        int count = from.getInt();
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            String name = readString(from);
            map.put(name, read(from));
        }
        return map;
    }
}
