// SPDX-License-Identifier: BSD-3-Clause

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.ach.AchException;
import org.ach.Channel;
import org.ach.Constants;
import org.ach.CreateOptions;
import org.ach.Device;
import org.ach.HeapMemory;
import org.ach.Info;
import org.ach.Kind;
import org.ach.Limit;
import org.ach.Message;
import org.ach.OpenOptions;
import org.ach.Option;
import org.ach.Origin;
import org.ach.Period;
import org.ach.Status;
import org.ach.Type;

/** Runs a script of operations and prints a trace: see bindings/conformance/README.md. */
final class Conformance {
    private static final Duration DEVICE_LIMIT = Duration.ofSeconds(10);

    private final String prefix;
    private final Map<String, Channel> channels = new HashMap<>();
    private final Map<String, HeapMemory> heaps = new HashMap<>();
    private final Map<String, Device> devices = new HashMap<>();
    private final Map<String, CompletableFuture<String>> running = new HashMap<>();

    private Conformance(String prefix) {
        this.prefix = prefix;
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 2) {
            System.err.println("usage: Conformance PREFIX SCRIPT");
            System.exit(2);
        }
        Conformance script = new Conformance(arguments[0]);
        int number = 0;
        for (String line : Files.readAllLines(Path.of(arguments[1]))) {
            number++;
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Words w = new Words(line.split(" "));
            System.out.println(number + " " + w.at(0) + " " + script.run(w));
        }
    }

    /** The words of an operation. */
    private record Words(String... words) {
        String at(int i) {
            return words[i];
        }

        long number(int i) {
            return Long.parseLong(words[i]);
        }

        byte[] bytes(int i) {
            return bytesOf(words[i]);
        }

        boolean has(String flag) {
            return Arrays.asList(words).contains(flag);
        }

        /** The value of KEY=VALUE, or null. */
        String value(String key) {
            return Arrays.stream(words).filter(w -> w.startsWith(key + "="))
                    .map(w -> w.substring(key.length() + 1)).findFirst().orElse(null);
        }

        Words from(int i) {
            return new Words(Arrays.copyOfRange(words, i, words.length));
        }

        Type type() {
            String schema = value("schema");
            String encoding = value("schema_encoding");
            return value("type") == null ? null
                    : new Type(value("type"), value("encoding"), encoding == null ? "" : encoding,
                               schema == null ? new byte[0] : bytesOf(schema));
        }

        Duration limit() {
            String ms = value("timeout");
            return !has("wait") && !at(0).equals("wait") ? Duration.ZERO
                    : ms == null ? Limit.FOREVER : Duration.ofMillis(Long.parseLong(ms));
        }

        Option[] options() {
            List<Option> options = new ArrayList<>();
            for (Option o : Option.values()) {
                if (has(o.name().toLowerCase())) {
                    options.add(o);
                }
            }
            return options.toArray(new Option[0]);
        }
    }

    /** "-", "0aff" or "ab*100" */
    private static byte[] bytesOf(String word) {
        if (word.equals("-")) {
            return new byte[0];
        }
        String[] parts = word.split("\\*");
        return HexFormat.of().parseHex(
                parts[0].repeat(parts.length > 1 ? Integer.parseInt(parts[1]) : 1));
    }

    private static String hex(byte[] bytes) {
        return bytes.length == 0 ? "-" : HexFormat.of().formatHex(bytes);
    }

    private static String hex(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return hex(bytes);
    }

    private String name(String word) {
        return word.startsWith("$") ? prefix + word.substring(1) : word;
    }

    private static String address(String word) {
        return word.replace("$where", System.getenv("ACH_CONFORMANCE_WHERE"));
    }

    /** A handle that the script has opened. */
    private static <T> T opened(Map<String, T> handles, String name) {
        T handle = handles.get(name);
        if (handle == null) {
            throw new AchException(Status.CLOSED, name);
        }
        return handle;
    }

    /** The status of an operation, and its results. */
    private String run(Words w) {
        try {
            String results = operation(w);
            return results.isEmpty() ? "OK" : results;
        } catch (AchException e) {
            return e.status().name();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String ok(Object... results) {
        StringBuilder text = new StringBuilder("OK");
        for (Object o : results) {
            text.append(' ').append(o instanceof Boolean b ? b ? "1" : "0" : o);
        }
        return text.toString();
    }

    private static String done(Runnable action) {
        action.run();
        return "OK";
    }

    private static String yes(boolean condition) {
        return ok(condition ? "yes" : "no");
    }

    private Channel channel(Words w) {
        return opened(channels, w.at(1));
    }

    private String operation(Words w) throws InterruptedException {
        return switch (w.at(0)) {
            case "create" -> create(w);
            case "open" -> open(w);
            case "close" -> done(() -> {
                channel(w).close();
                channels.remove(w.at(1));
            });
            case "unlink" -> done(() -> Channel.unlink(name(w.at(1))));
            case "exists" -> yes(Channel.list().contains(name(w.at(1))));
            case "chmod" -> done(() -> channel(w).chmod(Integer.parseInt(w.at(2), 8)));
            case "put" -> done(() -> channel(w).put(w.bytes(2)));
            case "relay" -> done(() -> channel(w).relay(
                    w.bytes(2), new Origin(w.number(3), w.number(4), w.number(5))));
            case "reserve" -> done(() -> channel(w).reserve((int) w.number(2)).put(w.bytes(3)));
            case "commit" -> done(() -> channel(w).commit((int) w.number(2)));
            case "abort" -> done(() -> channel(w).abort());
            case "get" -> get(w);
            case "view" -> view(w);
            case "check" -> channel(w).checkView().name();
            case "flush" -> done(() -> channel(w).flush());
            case "cancel" -> done(() -> channel(w).cancel());
            case "resume" -> done(() -> channel(w).resume());
            case "seq" -> ok(channel(w).sequence());
            case "missed" -> ok(channel(w).missed().last(), channel(w).missed().total());
            case "stamped" -> done(() -> channel(w).timestamp());
            case "origin" -> {
                Origin o = channel(w).origin();
                yield ok(o.epoch(), o.seq(), o.stamp());
            }
            case "type" -> type(channel(w).type());
            case "info" -> info(channel(w).info());
            case "map" -> ok(channel(w).info().kind().name().toLowerCase());
            case "clock" -> ok(channel(w).info().clock() == Constants.CLOCK_REALTIME
                               ? "realtime" : "monotonic");
            case "path" -> done(() -> Channel.path(name(w.at(1))));
            case "poll" -> yes(channel(w).isReadable(Duration.ofMillis(w.number(2))));
            case "wait" -> await(w);
            case "period" -> done(() -> {
                Period period = new Period(Duration.ofNanos(1000 * w.number(1)));
                for (long i = 0; i < w.number(2); i++) {
                    period.await();
                }
            });
            case "async" -> done(() -> running.put(w.at(1), async(w.from(2))));
            case "join" -> running.remove(w.at(1)).join();
            default -> device(w);
        };
    }

    private CompletableFuture<String> async(Words w) {
        CompletableFuture<String> result = new CompletableFuture<>();
        new Thread(() -> {
            try {
                result.complete(run(w));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        }).start();
        return result;
    }

    private String create(Words w) {
        CreateOptions o = new CreateOptions().count(w.number(2)).size(w.number(3)).type(w.type());
        Map<String, Runnable> flags = Map.of(
                "truncate", o::truncate, "timestamps", o::timestamps,
                "readonly_wake", o::readonlyWake, "single_writer", o::singleWriter,
                "relayed", o::relayed, "anticipated", o::anticipated);
        flags.forEach((flag, set) -> {
            if (w.has(flag)) {
                set.run();
            }
        });
        if (w.value("clock") != null) {
            o.clock(w.value("clock").equals("realtime") ? Constants.CLOCK_REALTIME
                                                        : Constants.CLOCK_MONOTONIC);
        }
        if (w.value("mode") != null) {
            o.mode(Integer.parseInt(w.value("mode"), 8));
        }
        if (w.has("kernel")) {
            o.kind(Kind.KERNEL);
        }
        if (w.has("heap")) {
            heaps.put(name(w.at(1)), new HeapMemory(o));
        } else {
            Channel.create(name(w.at(1)), o);
        }
        return "OK";
    }

    private String open(Words w) {
        OpenOptions o = new OpenOptions().type(w.type());
        if (w.has("readonly")) {
            o.readonly();
        }
        if (w.has("source")) {
            o.source();
        }
        if (w.value("spin") != null) {
            o.spin(Duration.ofNanos(Long.parseLong(w.value("spin"))));
        }
        if (w.value("lock_timeout") != null) {
            o.lockTimeout(Duration.ofNanos(Long.parseLong(w.value("lock_timeout"))));
        }
        String name = name(w.at(2));
        HeapMemory heap = heaps.get(name);
        channels.remove(w.at(1));
        channels.put(w.at(1), heap == null ? Channel.open(name, o) : Channel.open(heap, o));
        return "OK";
    }

    private String get(Words w) throws InterruptedException {
        ByteBuffer buffer = ByteBuffer.allocate((int) w.number(2));
        Channel.Received r = channel(w).tryGet(buffer, w.limit(), w.options());
        return switch (r.status()) {
            case OK, MISSED_FRAME -> r.status() + " " + r.size() + " " + hex(buffer.flip());
            case OVERFLOW -> r.status() + " " + r.size();
            default -> r.status().name();
        };
    }

    private String view(Words w) throws InterruptedException {
        Channel.View v = channel(w).tryView(w.limit(), w.options());
        return v.buffer() == null ? v.status().name()
                : v.status() + " " + v.buffer().remaining() + " " + hex(v.buffer());
    }

    private static String type(Type t) {
        return ok(t.name(), t.encoding(), t.schemaEncoding().isEmpty() ? "-" : t.schemaEncoding(),
                  hex(t.schema()), String.format("%016x", t.hash()));
    }

    private static String info(Info i) {
        return ok(i.count(), i.size(), i.newest(), i.oldest(), i.seen(), i.received(), i.missed(),
                  i.timestamps(), i.singleWriter(), i.relayed(), i.typed(), i.anticipated(),
                  i.readonly(), i.source());
    }

    private String await(Words w) throws InterruptedException {
        int count = w.words().length - (w.value("timeout") == null ? 1 : 2);
        Channel[] waiting = new Channel[count];
        for (int i = 0; i < count; i++) {
            waiting[i] = opened(channels, w.at(i + 1));
        }
        Status[] statuses = new Status[count];
        Status status = Channel.tryWait(w.limit(), statuses, waiting);
        return status == Status.OK ? ok((Object[]) statuses) : status.name();
    }

    private String device(Words w) throws InterruptedException {
        return switch (w.at(0)) {
            case "device" -> done(() -> {
                devices.remove(w.at(1));
                devices.put(w.at(1), Device.open(address(w.at(2)), null, DEVICE_LIMIT, 0));
            });
            case "data" -> {
                Message m = opened(devices, w.at(1)).get(w.at(2), DEVICE_LIMIT);
                yield m == null ? "TIMEOUT" : "OK" + text("", m.fields());
            }
            case "command" -> done(() -> opened(devices, w.at(1)).command(w.at(2), fields(w)));
            case "request" -> "OK" + text("", opened(devices, w.at(1)).request(
                    w.at(2), fields(w), DEVICE_LIMIT).fields());
            case "device-flush" -> done(() -> opened(devices, w.at(1)).flush(DEVICE_LIMIT));
            case "device-close" -> done(() -> {
                opened(devices, w.at(1)).close();
                devices.remove(w.at(1));
            });
            case "devices" -> ok(Device.list(address(w.at(1)), Duration.ZERO).size());
            default -> throw new IllegalArgumentException("no such operation: " + w.at(0));
        };
    }

    /** The fields that the words behind a message's name give. */
    @SuppressWarnings("unchecked")
    private static Map<String, Object> fields(Words w) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (String word : w.from(3).words()) {
            String[] parts = word.split("=", 2);
            String[] path = parts[0].split("\\.");
            Map<String, Object> inner = fields;
            for (String step : Arrays.copyOf(path, path.length - 1)) {
                inner = (Map<String, Object>) inner.computeIfAbsent(
                        step, s -> new LinkedHashMap<String, Object>());
            }
            inner.put(path[path.length - 1], value(parts[1]));
        }
        return fields;
    }

    private static Object value(String text) {
        if (text.contains(",")) {
            return Arrays.stream(text.split(",")).map(Conformance::value).toList();
        }
        try {
            return Double.valueOf(text).longValue() == Double.parseDouble(text)
                    ? (Object) Long.valueOf(text) : (Object) Double.valueOf(text);
        } catch (NumberFormatException e) {
            return text;
        }
    }

    /** " path=value" of each field. */
    private static String text(String path, Object value) {
        StringBuilder text = new StringBuilder();
        if (value instanceof Map<?, ?> map) {
            map.forEach((name, v) -> text.append(
                    text(path.isEmpty() ? "" + name : path + "." + name, v)));
            return text.toString();
        }
        if (value instanceof List<?> || value.getClass().isArray()) {
            for (int i = 0; i < length(value); i++) {
                text.append(text(path + "[" + i + "]", element(value, i)));
            }
            return text.toString();
        }
        return " " + path + "=" + (value instanceof Double d
                ? String.format("%016x", Double.doubleToRawLongBits(d))
                : value instanceof String s ? hex(s.getBytes(StandardCharsets.UTF_8))
                : value instanceof Boolean b ? b ? "1" : "0" : value.toString());
    }

    private static int length(Object array) {
        return array instanceof List<?> l ? l.size() : java.lang.reflect.Array.getLength(array);
    }

    private static Object element(Object array, int i) {
        return array instanceof List<?> l ? l.get(i)
                : array instanceof byte[] b ? (Object) Byte.toUnsignedLong(b[i])
                : java.lang.reflect.Array.get(array, i);
    }
}
