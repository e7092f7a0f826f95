// SPDX-License-Identifier: BSD-3-Clause

import java.io.BufferedReader;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.ach.AchException;
import org.ach.Channel;
import org.ach.CreateOptions;
import org.ach.Definition;
import org.ach.Device;
import org.ach.Fields;
import org.ach.HeapMemory;
import org.ach.Kind;
import org.ach.Limit;
import org.ach.Message;
import org.ach.OpenOptions;
import org.ach.Option;
import org.ach.Status;
import org.ach.Type;

/**
 * Tests of what the script for all languages does not cover: memory, threads, bad arguments. The
 * arguments are the program ach, and a robot with the devices of that script.
 */
final class Test {
    private static final String NAME = "java";
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final byte[] ONE = {1};
    private static int failed;

    private interface Body {
        void run() throws Exception;
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            failed++;
            System.out.println("failed: " + what);
            Thread.dumpStack();
        }
    }

    /** The body must throw an exception of that class. */
    private static void checkThrows(Class<? extends Exception> type, String text, Body body) {
        try {
            body.run();
            check(false, "nothing was thrown, not " + type);
        } catch (Exception e) {
            check(type.isInstance(e) && String.valueOf(e.getMessage()).contains(text),
                  e + " was thrown, not " + type + " with '" + text + "'");
        }
    }

    /** Run the garbage collector until the condition holds. */
    private static void eventually(BooleanSupplier condition, String what)
            throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            System.gc();
            Thread.sleep(10);
        }
        check(condition.getAsBoolean(), what);
    }

    /** A thread whose exception is kept. */
    private static final class Worker {
        final AtomicReference<Exception> thrown = new AtomicReference<>();
        final Thread thread;

        Worker(Body body) {
            thread = new Thread(() -> {
                try {
                    body.run();
                } catch (Exception e) {
                    thrown.set(e);
                }
            });
            thread.start();
        }

        /** What it has thrown. */
        Exception end() throws InterruptedException {
            thread.join(LIMIT.toMillis());
            check(!thread.isAlive(), "the thread ended");
            return thrown.get();
        }
    }

    /** Mappings of channels in this process. */
    private static long mappings() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(l -> l.contains("achshm-")).count();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int descriptors() {
        return Path.of("/proc/self/fd").toFile().list().length;
    }

    private static CreateOptions sized(int count, int size) {
        return new CreateOptions().count(count).size(size);
    }

    // ---- messages ----

    private static void messages() throws Exception {
        Channel.create(NAME, sized(8, 64));
        try (Channel w = Channel.open(NAME); Channel r = Channel.open(NAME)) {
            check(r.poll() == null, "an empty channel");
            check(r.get(Duration.ofMillis(1)) == null, "nothing within the limit");
            check(r.get(Duration.ofSeconds(-1)) == null, "a negative limit does not wait");
            w.put(new byte[] {1, 2, 3});
            check(Arrays.equals(r.get(), new byte[] {1, 2, 3}), "an array");
            ByteBuffer direct = ByteBuffer.allocateDirect(8).put(new byte[] {9, 1, 2, 9});
            w.put(direct.position(1).limit(3));
            check(direct.position() == 3, "a put consumes the buffer");
            check(Arrays.equals(r.get(Limit.FOREVER), new byte[] {1, 2}), "a direct buffer");
            w.put(ByteBuffer.wrap(new byte[] {9, 9, 5, 6}, 1, 3).slice());
            w.put(ByteBuffer.wrap(new byte[] {7}).asReadOnlyBuffer());
            ByteBuffer into = ByteBuffer.allocate(10).position(4).slice();
            check(r.tryGet(into, Duration.ZERO).size() == 3 && into.get(1) == 5, "into an array");
            into = ByteBuffer.allocateDirect(10).position(9);
            check(r.tryGet(into, LIMIT).status() == Status.OK && into.get(9) == 7, "into memory");
            byte[] large = new byte[512];
            Arrays.fill(large, (byte) 3);
            w.put(large);
            Channel.Received none = r.tryGet(into, Duration.ZERO);
            check(none.status() == Status.OVERFLOW && none.size() == 512, "a full buffer");
            check(Arrays.equals(r.poll(), large), "a large message");
            check(Arrays.equals(r.poll(Option.COPY), large), "a message again");
            check(Channel.waitAny(Duration.ZERO, r).isEmpty(), "wait for nothing");
            w.put(ONE);
            check(Channel.waitAny(LIMIT, r, w).contains(r), "wait for both");
        }
        Channel.unlink(NAME);
    }

    private static void badArguments() throws Exception {
        checkThrows(AchException.NotFound.class, "no-such", () -> Channel.open("no-such"));
        checkThrows(AchException.class, "a/b", () -> Channel.create("a/b"));
        checkThrows(IllegalArgumentException.class, "NUL", () -> Channel.create("a\0b"));
        checkThrows(AchException.class, "EINVAL", () -> Channel.create(null));
        checkThrows(AchException.class, "EINVAL", () -> Channel.open((String) null));
        checkThrows(AchException.class, "EINVAL", () -> Channel.unlink(null));
        checkThrows(IllegalArgumentException.class, "0777", () -> new CreateOptions().mode(010000));
        checkThrows(IllegalArgumentException.class, "negative", () -> new CreateOptions().size(-1));
        checkThrows(AchException.class, "EINVAL",
                    () -> Channel.create(NAME, new CreateOptions().type(new Type(null, null, null,
                                                                                 (byte[]) null))));
        checkThrows(AchException.class, "EINVAL",
                    () -> Channel.open(NAME, new OpenOptions().kind(Kind.ANON)));
        checkThrows(IllegalArgumentException.class, "HeapMemory",
                    () -> Channel.create(NAME, new CreateOptions().kind(Kind.ANON)));
        checkThrows(AchException.class, "EINVAL", () -> Channel.path(null));
        checkThrows(NullPointerException.class, "", () -> Device.open(null));
        checkThrows(AchException.class, "not-an-address", () -> Device.open("not-an-address"));
        check(Channel.tryWait(LIMIT, new Status[0]) == Status.EINVAL, "wait for no channel");
        Channel.create(NAME);
        checkThrows(AchException.Exists.class, NAME, () -> Channel.create(NAME));
        Channel c = Channel.open(NAME);
        checkThrows(NullPointerException.class, "", () -> c.put((byte[]) null));
        checkThrows(AchException.class, "EINVAL", () -> c.put(new byte[0]));
        checkThrows(AchException.class, "OVERFLOW", () -> c.put(new byte[1 << 20]));
        checkThrows(IllegalArgumentException.class, "-1", () -> c.reserve(-1));
        checkThrows(IllegalArgumentException.class, "-1", () -> c.commit(-1));
        checkThrows(IllegalStateException.class, "in use",
                    () -> Channel.tryWait(LIMIT, new Status[2], c, c));
        check(c.poll() == null, "usable after a refused wait");
        c.close();
        c.close();
        checkThrows(AchException.Closed.class, "", () -> c.put(ONE));
        checkThrows(AchException.Closed.class, "", () -> c.get());
        checkThrows(AchException.Closed.class, "", c::cancel);
        checkThrows(AchException.Closed.class, "", () -> c.view(b -> { }));
        checkThrows(AchException.Closed.class, "", () -> c.reserve(1));
        checkThrows(AchException.Closed.class, "", c::info);
        check(Channel.tryWait(LIMIT, new Status[1], c) == Status.CLOSED, "wait for a closed one");
        Channel.unlink(NAME);
    }

    // ---- in place ----

    private static void inPlace() throws Exception {
        Channel.create(NAME, sized(4, 64).singleWriter());
        Channel w = Channel.open(NAME, new OpenOptions().source());
        Channel r = Channel.open(NAME);
        check(!r.view(b -> check(false, "a view of nothing")), "nothing to view");
        w.put(64, b -> b.putLong(42).putInt(7));
        check(r.view(b -> {
            check(b.isDirect() && b.isReadOnly() && b.remaining() == 12, "the buffer of a view");
            check(b.order() == ByteOrder.nativeOrder() && b.getLong() == 42, "its content");
            checkThrows(IllegalStateException.class, "in use", () -> r.poll());
        }), "a view");
        checkThrows(AchException.Busy.class, "overwritten", () -> {
            w.put(ONE);
            r.view(b -> {
                for (int i = 0; i < 40; i++) {
                    w.put(ONE);
                }
            });
        });
        r.flush();
        checkThrows(ArithmeticException.class, "mine", () -> w.put(8, b -> {
            throw new ArithmeticException("mine");
        }));
        w.put(8, b -> { });
        check(r.poll() == null, "nothing was put");
        checkThrows(AchException.class, "EINVAL", w::abort);
        checkThrows(AchException.Closed.class, "", () -> {
            w.put(ONE);
            r.view(b -> r.close());
        });
        checkThrows(AchException.Closed.class, "", () -> w.put(8, b -> {
            w.close();
            b.put(0, (byte) 7);
        }));
        // The lock is released once the buffers of the closed handle are garbage.
        AtomicReference<Channel> next = new AtomicReference<>();
        eventually(() -> {
            try {
                next.set(Channel.open(NAME, new OpenOptions().source()));
                return true;
            } catch (AchException.Busy e) {
                return next.get() != null;
            }
        }, "the source lock is free");
        next.get().close();
        Channel.unlink(NAME);
    }

    /** Buffers that were kept stay readable after close, and the mapping goes with the last one. */
    private static void leakedBuffers() throws Exception {
        eventually(() -> mappings() == 0, "no channel is mapped before");
        // Sizes that malloc maps, so that an access to a freed one is a crash
        Channel.create(NAME, sized(4, 200000));
        Channel c = Channel.open(NAME);
        byte[] message = new byte[4096];
        Arrays.fill(message, (byte) 0x5a);
        c.put(message);
        ByteBuffer[] kept = new ByteBuffer[3];
        c.view(b -> kept[0] = b.slice(100, 1000));
        kept[1] = c.reserve(200000);
        kept[2] = c.reserve(600000); // a larger one, while the first may be used
        kept[1].put(0, (byte) 1);
        c.close();
        Channel.unlink(NAME);
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(20);
        }
        check(mappings() > 0, "a buffer keeps the mapping");
        for (int i = 0; i < 1000; i++) {
            check(kept[0].get(i) == 0x5a, "a kept buffer has its message");
        }
        kept[1].put(0, (byte) 1);
        kept[2].put(599999, (byte) 1);
        Arrays.fill(kept, null);
        eventually(() -> mappings() == 0, "the mapping goes with the last buffer");
    }

    // ---- threads ----

    private static void waits() throws Exception {
        Channel.create(NAME);
        Channel r = Channel.open(NAME);
        Channel w = Channel.open(NAME);

        Worker waiter = new Worker(r::get);
        waiter.thread.interrupt();
        check(waiter.end() instanceof InterruptedException, "an interrupt ends a wait");
        check(r.poll() == null, "usable after an interrupt");

        waiter = new Worker(() -> r.view(Limit.FOREVER, b -> { }));
        Thread.sleep(20);
        waiter.thread.interrupt();
        check(waiter.end() instanceof InterruptedException, "an interrupt ends a view");

        waiter = new Worker(() -> Channel.waitAny(Limit.FOREVER, w, r));
        Thread.sleep(20);
        waiter.thread.interrupt();
        check(waiter.end() instanceof InterruptedException, "an interrupt ends a wait for several");

        waiter = new Worker(() -> r.isReadable(Limit.FOREVER));
        Thread.sleep(20);
        waiter.thread.interrupt();
        check(waiter.end() instanceof InterruptedException, "an interrupt ends a poll");

        Worker second = new Worker(() -> {
            for (;;) {
                try {
                    r.get();
                } catch (IllegalStateException e) {
                    Thread.onSpinWait(); // the main thread was in poll
                }
            }
        });
        checkThrows(IllegalStateException.class, "another thread", () -> {
            for (;;) { // until the other one is in get
                r.poll();
            }
        });
        second.thread.interrupt();
        r.cancel();
        Exception e = second.end();
        check(e instanceof AchException.Canceled || e instanceof InterruptedException,
              "canceled and interrupted: " + e);
        checkThrows(AchException.Canceled.class, "", r::poll);
        r.resume();
        check(r.poll() == null, "usable after resume");

        // An interrupt does not lose a message.
        w.put(ONE);
        Thread.currentThread().interrupt();
        byte[] got = null;
        try {
            got = r.get();
        } catch (InterruptedException expected) {
            // Then the message is still there.
        }
        check((got == null) != Thread.interrupted() && (got != null || r.poll() != null),
              "a message and an interrupt");

        waiter = new Worker(r::get);
        Thread.sleep(20);
        r.close();
        check(waiter.end() instanceof AchException.Closed, "close ends a wait");
        w.close();
        Channel.unlink(NAME);
    }

    /** Puts, cancels and a close from many threads, under pressure of the garbage collector. */
    private static void misuse() throws Exception {
        Channel.create(NAME, sized(4, 64));
        AtomicBoolean stop = new AtomicBoolean();
        for (int round = 0; round < 10; round++) {
            Channel c = Channel.open(NAME);
            List<Worker> workers = new ArrayList<>();
            List<Body> bodies = List.of(
                    () -> c.put(ONE), () -> c.put(new byte[200]), () -> c.get(Duration.ofMillis(1)),
                    () -> c.view(b -> b.get(b.remaining() - 1)), c::cancel, c::resume, c::info,
                    () -> c.put(64, b -> b.putLong(1)), () -> c.isReadable(Duration.ofMillis(1)));
            for (Body body : bodies) {
                workers.add(new Worker(() -> {
                    while (!stop.get()) {
                        try {
                            body.run();
                        } catch (IllegalStateException | AchException.Busy
                                 | AchException.Canceled e) {
                            Thread.onSpinWait(); // another thread was first
                        }
                    }
                }));
            }
            for (int i = 0; i < 20; i++) {
                byte[][] garbage = new byte[64][];
                Arrays.setAll(garbage, n -> new byte[4096]);
                Thread.sleep(1);
            }
            System.gc();
            c.close();
            for (Worker worker : workers) {
                check(worker.end() instanceof AchException.Closed, "" + worker.thrown.get());
            }
        }
        Channel.unlink(NAME);
    }

    private static void leaks() throws Exception {
        Channel.create(NAME);
        eventually(() -> mappings() == 0, "no channel is mapped before");
        int before = descriptors();
        for (int i = 0; i < 400; i++) {
            try (Channel c = Channel.open(NAME)) {
                c.put(ONE);
                c.view(ByteBuffer::get);
                c.descriptor();
            }
            if (i % 4 == 0) {
                Channel.open(NAME); // left to the garbage collector
            }
            if (i % 50 == 49) {
                eventually(() -> mappings() < 400, "closed channels are released");
            }
        }
        eventually(() -> mappings() == 0, "all mappings are released");
        eventually(() -> descriptors() <= before, "all descriptors are released");
        Channel.unlink(NAME);
    }

    /** A file that another process truncates does not kill the JVM. */
    private static void truncation() throws Exception {
        Channel.handleSigbus();
        Channel.create(NAME, sized(4, 100000));
        Channel c = Channel.open(NAME);
        c.put(new byte[100000]);
        ByteBuffer view = c.tryView(Duration.ZERO).buffer();
        try (FileChannel file = FileChannel.open(Channel.path(NAME), StandardOpenOption.WRITE)) {
            file.truncate(0);
        }
        checkThrows(AchException.Corrupt.class, "", () -> c.poll(Option.COPY));
        check(view.get(99999) == 0, "a view of a truncated file reads as zeros");
        check(c.checkView() != Status.OK, "it is not valid");
        c.close();
        Channel.unlink(NAME);
    }

    private static void heapMemory() throws Exception {
        ByteBuffer[] kept = new ByteBuffer[1];
        for (int i = 0; i < 100; i++) {
            Channel c = Channel.open(new HeapMemory(sized(4, 1000)), new OpenOptions());
            System.gc(); // the channel keeps its memory
            c.put(new byte[] {42});
            c.view(b -> kept[0] = b);
            c.close();
        }
        System.gc();
        check(kept[0].get(0) == 42, "a buffer keeps the memory of a heap channel");
    }

    // ---- types ----

    record Vector(double x, double y) {
    }

    record Pose(Vector place, String frame, boolean valid, int id) {
    }

    private static void types() throws Exception {
        String schema = "geometry/Vector place\nstring frame\nbool valid\nuint32 id\nuint8[] raw\n"
                + "float32[] values\nint16[2] pair\nstring[] names\ngeometry/Vector[] path\n"
                + "================\nMSG: geometry/Vector\nfloat64 x\nfloat64 y\n";
        Type type = new Type("demo/msg/Pose", "cdr", "ros2msg", schema);
        Channel.create(NAME, sized(4, 512).type(type));
        checkThrows(AchException.BadType.class, "other",
                    () -> Channel.open(NAME, new OpenOptions().type(new Type("other", "cdr"))));
        try (Channel c = Channel.open(NAME, new OpenOptions().type(type))) {
            Definition pose = new Definition(c.type());
            check(c.type().equals(type), "the type of a channel");
            c.put(pose.encode(Map.of(
                    "place", new Vector(1, -2.5), "frame", "ma\"p\n", "valid", true,
                    "id", 0xffffffffL, "raw", new byte[] {1, (byte) 255},
                    "values", new double[] {0.5, Double.NaN},
                    "pair", new int[] {-1, 2}, "names", List.of("a", "ü"),
                    "path", List.of(Map.of("x", 3)))));
            Map<String, Object> fields = pose.decode(c.poll());
            check(fields.keySet().toString().equals("[place, frame, valid, id, raw, values, pair, "
                                                    + "names, path]"), "the order of " + fields);
            check(fields.get("place").equals(Map.of("x", 1.0, "y", -2.5)), "a struct");
            check(fields.get("id").equals(0xffffffffL), "an integer");
            check(fields.get("valid").equals(true), "a boolean");
            check(Arrays.equals((byte[]) fields.get("raw"), new byte[] {1, -1}), "bytes");
            check(Double.isNaN(((double[]) fields.get("values"))[1]), "not a number");
            check(((long[]) fields.get("pair"))[0] == -1, "integers");
            check(fields.get("names").equals(List.of("a", "ü")), "strings");
            check(fields.get("path").equals(List.of(Map.of("x", 3.0, "y", 0.0))), "structs");
            fields.put("id", 7L);
            Pose record = Fields.toRecord(fields, Pose.class);
            check(record.equals(new Pose(new Vector(1, -2.5), "ma\"p\n", true, 7)), "" + record);
            checkThrows(IllegalArgumentException.class, "Vector.x",
                        () -> Fields.toRecord(fields, Vector.class));
            checkThrows(AchException.class, "nosuch", () -> pose.encode(Map.of("nosuch", 1)));
            checkThrows(AchException.class, "id: 4294967296 does not fit uint32",
                        () -> pose.encode(Map.of("id", 1L << 32)));
            checkThrows(AchException.class, "values: 1.0E300 does not fit float",
                        () -> pose.encode(Map.of("values", new double[] {1e300})));
            checkThrows(AchException.class, "does not fit double", () -> pose.encode(
                    Map.of("place", Map.of("x", BigInteger.TEN.pow(400)))));
            checkThrows(AchException.class, "frame: a string must not contain NUL",
                        () -> pose.encode(Map.of("frame", "a\0b")));
            byte[] infinite = pose.encode(Map.of("place", new Vector(Double.NEGATIVE_INFINITY, 0)));
            check(pose.decode(infinite).get("place").equals(
                    Map.of("x", Double.NEGATIVE_INFINITY, "y", 0.0)), "an infinity");
            checkThrows(AchException.Corrupt.class, "", () -> pose.decode(ONE));
            pose.close();
            pose.close();
            checkThrows(AchException.Closed.class, "", () -> pose.decode(ONE));
        }
        checkThrows(AchException.class, "line", () -> new Definition("x", "not a definition"));
        checkThrows(AchException.BadType.class, "json",
                    () -> new Definition(new Type("x", "json")));
        Channel.unlink(NAME);
    }

    // ---- devices ----

    record Place(double px, double py, double pa) {
    }

    record Velocity(Place vel, int state) {
    }

    record Odometry(Place pos, Place vel, boolean stall) {
    }

    private static void devices(String ach, String config) throws Exception {
        String robot = "40078";
        Process server = new ProcessBuilder(ach, "serve", "--no-tcp", "--port", robot, config)
                .redirectErrorStream(true).start();
        try (BufferedReader printed = server.inputReader()) {
            String line;
            do {
                line = printed.readLine();
            } while (line != null && !line.startsWith("serving"));
            check(Device.list(robot, LIMIT).stream().anyMatch(d -> d.address().endsWith("laser:0")),
                  "the list of devices");
            useDevices(robot);
        } finally {
            server.destroy();
            check(server.waitFor(60, TimeUnit.SECONDS), "the server ended");
        }
    }

    private static void useDevices(String robot) throws Exception {
        Device base = Device.open(robot + ":position2d:0");
        Message m = base.get("STATE", LIMIT);
        check(m.as(Odometry.class).pos().equals(new Place(1.5, 0, -3)), "a record of " + m);
        check(m.as(Odometry.class).stall() && m.name().equals("STATE"), "a flag of " + m);
        check(base.transport().equals("channel") && base.lost() == 0, "facts");
        base.command("VEL", new Velocity(new Place(1, 2, 3), 1));
        base.flush(LIMIT);
        checkThrows(AchException.class, "no such message: NOSUCH",
                    () -> base.command("NOSUCH", Map.of()));
        checkThrows(AchException.class, "no such message: null",
                    () -> base.get("null", Duration.ZERO));
        checkThrows(AchException.class, "nosuch", () -> base.command("VEL", Map.of("nosuch", 1)));
        check(base.get("GEOM", Duration.ZERO) == null, "no data");
        Worker waiter = new Worker(() -> base.get("GEOM", Limit.FOREVER));
        waiter.thread.interrupt();
        check(waiter.end() instanceof InterruptedException, "an interrupt ends a wait for data");
        Worker user = new Worker(() -> base.get("GEOM", Limit.FOREVER));
        Thread.sleep(20);
        base.close();
        base.close();
        check(user.end() instanceof AchException.Closed, "close ends a wait for data");
        checkThrows(AchException.Closed.class, "", () -> base.command("VEL", Map.of()));
    }

    /** The classes of Ach 2. */
    private static void old() throws Exception {
        org.golems.ach.Channel c = new org.golems.ach.Channel();
        int missed = org.golems.ach.Lib.MASK_MISSED_FRAME;
        check(c.open("no-such") == org.golems.ach.Lib.ENOENT, "open nothing");
        check(c.put("x") == org.golems.ach.Lib.CLOSED, "put into nothing");
        Channel.create(NAME);
        check(c.open(NAME) == org.golems.ach.Lib.OK, "open");
        check(c.put("text") == org.golems.ach.Lib.OK, "put");
        check(new String(c.get(org.golems.ach.Lib.O_WAIT, missed)).equals("text"), "get");
        checkThrows(org.golems.ach.Status.STALE_FRAMES.class, "null", () -> c.get(0, missed));
        c.put(new byte[1000], 0);
        check(c.get(org.golems.ach.Lib.O_LAST, missed).length == 1000, "a large message");
        c.flush(0);
        check(c.close() == org.golems.ach.Lib.OK && c.close() == org.golems.ach.Lib.OK, "close");
        Channel.unlink(NAME);
    }

    public static void main(String[] arguments) throws Exception {
        messages();
        badArguments();
        inPlace();
        waits();
        misuse();
        leakedBuffers();
        leaks();
        heapMemory();
        types();
        old();
        truncation();
        devices(arguments[0], arguments[1]);
        System.exit(failed == 0 ? 0 : 1);
    }
}
