// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A device of a robot, local or remote.
 *
 * <pre>{@code
 * try (Device laser = Device.open("laser:0")) {
 *     Message scan = laser.get("SCAN", Duration.ofSeconds(1), Option.LAST);
 *     double[] ranges = (double[]) scan.fields().get("ranges");
 * }
 * }</pre>
 *
 * <p>It is for one thread at a time; a second one gets an IllegalStateException. Messages and
 * fields have the names that {@code ach dev messages} prints; {@link Fields} says how fields look
 * in Java.
 */
public final class Device implements AutoCloseable {
    /** How often a wait checks whether its thread was interrupted. */
    private static final long SLICE_NANOSECONDS = 100_000_000;

    private final Handle handle;
    private final AtomicBoolean busy = new AtomicBoolean();

    /**
     * A device in a list.
     *
     * @param address as {@link #open(String)} takes it
     * @param driver  the name of its driver; "" if it is not known
     * @param remote  it is on another server
     */
    public record Entry(String address, String driver, boolean remote) {
    }

    private interface Operation {
        int run(long device);
    }

    private Device(String address, String transport, Duration limit, int messages) {
        long[] device = new long[1];
        AchException.checkExplained(
                Native.deviceOpen(Text.bytes(Objects.requireNonNull(address)),
                                  Text.bytes(transport), Limit.seconds(limit), messages, device));
        handle = new Handle(this, device[0], Native::deviceClose);
    }

    /** Open a device by its address, such as "laser:0" or "robot.local:6665:laser:0". */
    public static Device open(String address) {
        return open(address, null, Duration.ZERO, 0);
    }

    /**
     * Open a device.
     *
     * @param transport "tcp", "channel" or another; null: by the address
     * @param limit     for connecting and for the driver's setup; zero: 5 seconds
     * @param messages  the length of the queue; 0: 1024
     */
    public static Device open(String address, String transport, Duration limit, int messages) {
        return new Device(address, transport, limit, messages);
    }

    /** List the devices of a robot: "robot.local:6665", "6666" or "". */
    public static List<Entry> list(String where, Duration limit) {
        byte[][][] devices = new byte[1][][];
        AchException.checkExplained(
                Native.deviceList(Text.bytes(Objects.requireNonNull(where)), null,
                                  Limit.seconds(limit), devices));
        List<Entry> list = new ArrayList<>();
        for (int i = 0; i < devices[0].length; i += 3) {
            list.add(new Entry(Text.of(devices[0][i]), Text.of(devices[0][i + 1]),
                               devices[0][i + 2].length > 0));
        }
        return list;
    }

    private int run(Operation operation) {
        if (!busy.compareAndSet(false, true)) {
            throw new IllegalStateException("another thread uses the device: open it "
                                            + "once for each");
        }
        try {
            long h = handle.begin();
            if (h == 0) {
                return Status.CLOSED.code();
            }
            try {
                return operation.run(h);
            } finally {
                handle.end();
                Reference.reachabilityFence(this); // or its handle would be closed before begin
            }
        } finally {
            busy.set(false);
        }
    }

    /** After a function that has set ach_errstr, unless the device was not open. */
    private static void check(int code) {
        if (code == Status.CLOSED.code()) {
            AchException.check(code);
        }
        AchException.checkExplained(code);
    }

    /**
     * Close the device. Commands that were sent before still reach it: this waits for at most 2
     * seconds. Doing it again has no effect.
     *
     * @throws AchException the driver may not have handled the last commands
     */
    @Override
    public void close() {
        int status = handle.close();
        if (status != Status.CLOSED.code()) {
            check(status);
        }
    }

    /**
     * Get data; null if none came within the limit.
     *
     * @param name which data, such as "SCAN"; null: any
     */
    public Message get(String name, Duration limit, Option... options)
            throws InterruptedException {
        byte[][] message = new byte[1][];
        int bits = Option.bits(options);
        long end = System.nanoTime() + Limit.nanoseconds(limit);
        for (;;) {
            long left = Math.min(end - System.nanoTime(), SLICE_NANOSECONDS);
            double seconds = Math.max(0, left) / 1e9;
            int status = run(h -> Native.deviceGet(h, Text.bytes(name), seconds, bits, message));
            if (message[0] != null) {
                return Message.of(message[0]);
            }
            if (status != Status.TIMEOUT.code() && status != Status.EAGAIN.code()) {
                check(status);
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for data");
            }
            if (seconds == 0) {
                return null;
            }
        }
    }

    /** Send a command. It does not wait until the command has arrived: see {@link #flush}. */
    public void command(String name, Map<String, ?> fields) {
        byte[] json = Fields.toJson(fields);
        check(run(h -> Native.deviceCommand(h, Text.bytes(name), json)));
    }

    /** Send a command with the fields of a record. */
    public void command(String name, Record fields) {
        command(name, Fields.of(fields));
    }

    /**
     * Send a request, and wait for the answer. An interrupt of the thread does not end the wait.
     *
     * @throws AchException.NotSupported the driver refused it
     */
    public Message request(String name, Map<String, ?> fields, Duration limit) {
        byte[] json = Fields.toJson(fields);
        byte[][] answer = new byte[1][];
        check(run(h -> Native.deviceRequest(h, Text.bytes(name), json, Limit.seconds(limit),
                                            answer)));
        return Message.of(answer[0]);
    }

    /** Wait until the driver has handled all commands. */
    public void flush(Duration limit) {
        check(run(h -> Native.deviceFlush(h, Limit.seconds(limit))));
    }

    /** Where the device is. */
    public String address() {
        return texts()[0];
    }

    /** How it is reached: "inproc", "channel", "tcp" or another. */
    public String transport() {
        return texts()[1];
    }

    private String[] texts() {
        byte[][] texts = new byte[2][];
        check(run(h -> Native.deviceTexts(h, texts)));
        return new String[] {Text.of(texts[0]), Text.of(texts[1])};
    }

    private long number(int index) {
        long[] numbers = new long[3];
        check(run(h -> Native.deviceNumbers(h, numbers)));
        return numbers[index];
    }

    /** The caller's rights: a set of {@link Constants#RIGHT_DATA} and others. */
    public int rights() {
        return (int) number(0);
    }

    /** How many messages were lost so far. */
    public long lost() {
        return number(1);
    }

    /** A descriptor for poll(2) in native code. It belongs to the device. */
    public int descriptor() {
        return (int) number(2);
    }
}
