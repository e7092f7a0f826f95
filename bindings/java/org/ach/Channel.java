// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A handle to a channel, with a read position of its own.
 *
 * <pre>{@code
 * Channel.create("imu");
 * try (Channel imu = Channel.open("imu")) {
 *     imu.put(new byte[] {1, 2, 3});
 *     byte[] newest = imu.get(Option.LAST);
 * }
 * }</pre>
 *
 * <p>Any number of threads may call {@link #put(byte[])}, {@link #cancel} and {@link #close} at any
 * time. Everything else, and a put into a channel with a single writer, is for one thread at a
 * time; a second one gets an IllegalStateException. Methods that wait end with an
 * InterruptedException when their thread is interrupted.
 *
 * <p>The manual of each method is that of the C function it is named after, in ach.h.
 */
public final class Channel implements AutoCloseable {
    private static final int OK = Status.OK.code();
    private static final int CLOSED = Status.CLOSED.code();
    /** Run the garbage collector once for so many closed channels whose buffers may be garbage. */
    private static final int CLOSED_STEP = 32;
    private static final AtomicInteger closedWithWindows = new AtomicInteger();

    private final Handle handle;
    private final boolean source;
    private final boolean singleWriter;
    private final AtomicBoolean busy = new AtomicBoolean();
    /** Set by cancel: the flag in C is also set by an interrupt. */
    private volatile boolean canceled;
    /** Where the messages that become arrays are copied first. */
    private byte[] room = new byte[Constants.DEFAULT_FRAME_SIZE];
    /** By address: memory of the channel that buffers are slices of. */
    private final Map<Long, ByteBuffer> windows = new ConcurrentHashMap<>();

    /**
     * What a get returned.
     *
     * @param status OK, or why there is no message, or MISSED_FRAME with a message
     * @param size   of the message; with OVERFLOW, the size that is needed
     */
    public record Received(Status status, long size) {
    }

    /**
     * What a view returned.
     *
     * @param status OK, or why there is no message, or MISSED_FRAME with a message
     * @param buffer the message, read-only, in native byte order; null if there is none
     */
    public record View(Status status, ByteBuffer buffer) {
    }

    /**
     * Missed messages.
     *
     * @param last  right before the message got last
     * @param total through this handle in all
     */
    public record Missed(long last, long total) {
    }

    private interface Operation {
        int run(long handle);
    }

    private Channel(String name, HeapMemory memory, OpenOptions o) {
        long[] opened = new long[2];
        AchException.checkExplained(
                Native.open(Text.bytes(name), o.flags, o.kind.code(),
                            memory == null ? 0 : memory.address(), o.spin, o.lockTimeout,
                            Type.toBytes(o.type), opened));
        handle = new Handle(this, opened[0], h -> {
            int status = Native.close(h);
            Reference.reachabilityFence(memory); // a heap channel lasts until here
            return status;
        });
        source = (o.flags & OpenOptions.SOURCE) != 0;
        singleWriter = opened[1] != 0;
    }

    /** Create a channel. */
    public static void create(String name) {
        create(name, new CreateOptions());
    }

    /** Create a channel. Returns the address of a heap channel's memory to {@link HeapMemory}. */
    static long createAt(String name, Kind kind, CreateOptions o) {
        long[] memory = new long[1];
        AchException.checkExplained(
                Native.create(Text.bytes(name), o.count, o.size, o.flags, kind.code(), o.clock,
                              o.mode, Type.toBytes(o.type), memory));
        return memory[0];
    }

    /** Create a channel. */
    public static void create(String name, CreateOptions options) {
        if (options.kind == Kind.ANON) {
            throw new IllegalArgumentException("a heap channel is created with new HeapMemory()");
        }
        createAt(name, options.kind, options);
    }

    /** Open a channel. */
    public static Channel open(String name) {
        return open(name, new OpenOptions());
    }

    /** Open a channel. */
    public static Channel open(String name, OpenOptions options) {
        return new Channel(name, null, options);
    }

    /** Open a heap channel. */
    public static Channel open(HeapMemory memory, OpenOptions options) {
        return new Channel(null, memory, options);
    }

    /** Remove a channel's name. */
    public static void unlink(String name) {
        AchException.checkExplained(Native.unlink(Text.bytes(name)));
    }

    /** The names of all channels. */
    public static List<String> list() {
        byte[][] names = new byte[1][];
        AchException.checkExplained(Native.list(names));
        return names[0].length == 0 ? List.of() : List.of(Text.of(names[0]).split("\0"));
    }

    /** The file of a shared-memory channel, which need not exist. */
    public static Path path(String name) {
        byte[][] path = new byte[1][];
        AchException.checkExplained(Native.path(Text.bytes(name), path));
        return Path.of(Text.of(path[0]));
    }

    /**
     * Survive the truncation of a channel's file: see ach_handle_sigbus. Faults at other addresses
     * are passed on to the JVM. With -Xcheck:jni it reports that its handler was replaced.
     */
    public static void handleSigbus() {
        AchException.check(Native.handleSigbus());
    }

    /** Run an operation that any thread may run. */
    private int use(Operation operation) {
        long h = handle.begin();
        if (h == 0) {
            return CLOSED;
        }
        try {
            return operation.run(h);
        } finally {
            handle.end();
            Reference.reachabilityFence(this); // or its handle would be closed before begin
        }
    }

    /** Run an operation that one thread may run at a time. */
    private int own(Operation operation) {
        begin();
        try {
            return use(operation);
        } finally {
            busy.set(false);
        }
    }

    private void begin() {
        if (!busy.compareAndSet(false, true)) {
            throw new IllegalStateException("the channel is in use, by another thread or by the "
                                            + "caller of this one: open it once for each");
        }
    }

    /** Run a wait that an interrupt can end, after begin. */
    private int await(long limit, Operation operation) throws InterruptedException {
        boolean[] interrupted = new boolean[1];
        int status = use(h -> {
            if (limit == 0) {
                return operation.run(h);
            }
            Interruption interruption = new Interruption(() -> Native.cancel(h));
            int s = interruption.run(() -> operation.run(h));
            if (interruption.came()) {
                Native.resume(h);
                if (canceled) { // a cancel before this point may have been undone
                    Native.cancel(h);
                }
                interrupted[0] = s == Status.CANCELED.code() && !canceled;
            }
            return s;
        });
        if (status == Status.CANCELED.code() && handle.isClosed()) {
            return CLOSED;
        }
        if (interrupted[0] && Thread.interrupted()) {
            throw new InterruptedException("interrupted while waiting for a message");
        }
        return status;
    }

    /**
     * Close the handle. A wait in another thread ends with {@link Status#CLOSED}. Doing it again
     * has no effect.
     *
     * <p>If a buffer of {@link #view} or {@link #reserve} may still be in use, the memory and the
     * source lock are released when the garbage collector has found that it is not. To release the
     * lock soon, closing such a handle with the source lock runs the garbage collector.
     */
    @Override
    public void close() {
        long h = handle.begin();
        if (h == 0) {
            return;
        }
        boolean used = !windows.isEmpty();
        windows.clear();
        handle.close();
        if (busy.get()) { // an operation may wait
            Native.cancel(h);
        }
        AchException.check(handle.end());
        if (used && (source || closedWithWindows.incrementAndGet() % CLOSED_STEP == 0)) {
            System.gc();
        }
    }

    /** Change the permissions of the channel. */
    public void chmod(int mode) {
        AchException.checkExplained(own(h -> Native.chmod(h, mode)));
    }

    /** Put a message. */
    public void put(byte[] message) {
        put(message, null, 0, message.length);
    }

    /** Put the remaining bytes of a buffer, as far as its limit. */
    public void put(ByteBuffer message) {
        int size = message.remaining();
        if (message.isDirect()) {
            put(null, message, message.position(), size);
        } else if (message.hasArray()) {
            put(message.array(), null, message.arrayOffset() + message.position(), size);
        } else {
            byte[] copy = new byte[size];
            message.duplicate().get(copy);
            put(copy);
        }
        message.position(message.limit());
    }

    private void put(byte[] array, ByteBuffer direct, int from, int size) {
        Operation put = h -> Native.put(h, array, direct, from, size);
        AchException.check(singleWriter ? own(put) : use(put));
    }

    /** Put a message that was first put into another channel. */
    public void relay(byte[] message, Origin o) {
        AchException.check(own(h -> Native.relay(h, message, o.epoch(), o.seq(), o.stamp())));
    }

    /**
     * Put a message that is written in place: what the writer puts into the buffer, up to its
     * position. Nothing is put if the writer throws, or writes nothing.
     *
     * @param size   bytes at most
     * @param writer gets the buffer, in native byte order; it must not keep it
     */
    public void put(int size, Consumer<ByteBuffer> writer) {
        begin();
        try {
            ByteBuffer buffer = reserveNow(size);
            boolean returned = false;
            try {
                writer.accept(buffer);
                returned = true;
            } finally {
                if (!returned) {
                    use(Native::abort);
                }
            }
            int length = buffer.position();
            AchException.check(use(h -> length > 0 ? Native.commit(h, length) : Native.abort(h)));
        } finally {
            busy.set(false);
        }
    }

    /**
     * Reserve room for a message, to be written in place; then call {@link #commit} or
     * {@link #abort}. Do not write to the buffer afterwards: in a channel with a single writer it
     * is the message.
     */
    public ByteBuffer reserve(int size) {
        begin();
        try {
            return reserveNow(size);
        } finally {
            busy.set(false);
        }
    }

    private ByteBuffer reserveNow(int size) {
        if (size < 0) {
            throw new IllegalArgumentException("a size of " + size);
        }
        long[] place = new long[2];
        ByteBuffer[] buffer = new ByteBuffer[1];
        AchException.check(use(h -> {
            int status = Native.reserve(h, size, place);
            if (status == OK) {
                buffer[0] = window(place, size);
            }
            return status;
        }));
        return buffer[0].order(ByteOrder.nativeOrder());
    }

    /** Memory of the channel. Buffers made from the result keep the window, and so the handle. */
    private ByteBuffer window(long[] place, int size) {
        return windows.computeIfAbsent(place[0], handle::window).slice((int) place[1], size);
    }

    /** Put the message that was written in place. */
    public void commit(int size) {
        if (size < 0) {
            throw new IllegalArgumentException("a size of " + size);
        }
        AchException.check(own(h -> Native.commit(h, size)));
    }

    /** Drop a reservation. */
    public void abort() {
        AchException.check(own(Native::abort));
    }

    /** Get a message; waits until there is one. */
    public byte[] get(Option... options) throws InterruptedException {
        return get(Limit.FOREVER, options);
    }

    /** Get a message; null if none came within the limit. */
    public byte[] get(Duration limit, Option... options) throws InterruptedException {
        long nanoseconds = Limit.of(limit);
        int bits = Option.bits(options);
        long[] size = new long[1];
        begin();
        try {
            int status;
            while ((status = await(nanoseconds, h -> Native.get(h, room, null, 0, room.length,
                                                                nanoseconds, bits, size)))
                    == Status.OVERFLOW.code()) {
                room = new byte[Math.toIntExact(size[0])];
            }
            if (isNothing(status)) {
                return null;
            }
            AchException.check(status);
            return Arrays.copyOf(room, (int) size[0]);
        } finally {
            busy.set(false);
        }
    }

    /** Get a message without waiting; null if there is nothing new. */
    public byte[] poll(Option... options) {
        try {
            return get(Duration.ZERO, options);
        } catch (InterruptedException e) {
            throw new AssertionError(e); // only a wait is interrupted
        }
    }

    private static boolean isNothing(int status) {
        return status == Status.EAGAIN.code() || status == Status.TIMEOUT.code();
    }

    /**
     * Get a message into a buffer, from its position on; the position advances by the size.
     *
     * @param limit zero does not wait, {@link Limit#FOREVER} has no limit
     * @return the status, also of a failure, and the size
     */
    public Received tryGet(ByteBuffer into, Duration limit, Option... options)
            throws InterruptedException {
        if (into.isReadOnly()) {
            throw new ReadOnlyBufferException();
        }
        long nanoseconds = Limit.of(limit);
        int bits = Option.bits(options);
        long[] size = new long[1];
        byte[] array = into.isDirect() ? null : into.array();
        ByteBuffer direct = into.isDirect() ? into : null;
        int from = into.position() + (into.isDirect() ? 0 : into.arrayOffset());
        int most = into.remaining();
        begin();
        try {
            Status status = Status.of(await(
                    nanoseconds, h -> Native.get(h, array, direct, from, most, nanoseconds, bits,
                                                 size)));
            if (status == Status.OK || status == Status.MISSED_FRAME) {
                into.position(into.position() + (int) size[0]);
            }
            return new Received(status, size[0]);
        } finally {
            busy.set(false);
        }
    }

    /**
     * Read a message in place, without a copy and without waiting.
     *
     * @param reader gets the message, read-only, in native byte order; it must not keep the
     *               buffer. It must not act on what it reads before this method has returned,
     *               because writers do not wait for it. It cannot use this channel.
     * @return false if there is nothing new
     * @throws AchException.Busy a writer has overwritten the message: discard what was read
     */
    public boolean view(Consumer<ByteBuffer> reader, Option... options) {
        try {
            return view(Duration.ZERO, reader, options);
        } catch (InterruptedException e) {
            throw new AssertionError(e); // only a wait is interrupted
        }
    }

    /** As {@link #view(Consumer, Option...)}; false if no message came within the limit. */
    public boolean view(Duration limit, Consumer<ByteBuffer> reader, Option... options)
            throws InterruptedException {
        begin();
        try {
            View view = viewNow(limit, options);
            if (isNothing(view.status.code())) {
                return false;
            }
            AchException.check(view.status.code());
            reader.accept(view.buffer);
            int status = use(Native::viewCheck);
            if (status == Status.EAGAIN.code()) {
                throw new AchException.Busy("the message was overwritten while it was read");
            }
            AchException.check(status);
            return true;
        } finally {
            busy.set(false);
        }
    }

    /**
     * Read a message in place; {@link #checkView} says whether it was intact. A buffer that is kept
     * stays readable, even after {@link #close}, but its contents change.
     */
    public View tryView(Duration limit, Option... options) throws InterruptedException {
        begin();
        try {
            return viewNow(limit, options);
        } finally {
            busy.set(false);
        }
    }

    private View viewNow(Duration limit, Option... options) throws InterruptedException {
        long nanoseconds = Limit.of(limit);
        int bits = Option.bits(options);
        long[] place = new long[3];
        ByteBuffer[] buffer = new ByteBuffer[1];
        Status status = Status.of(await(nanoseconds, h -> {
            int s = Native.view(h, nanoseconds, bits, place);
            if (s == OK || s == Status.MISSED_FRAME.code()) {
                buffer[0] = window(place, (int) place[2]).asReadOnlyBuffer()
                        .order(ByteOrder.nativeOrder());
            }
            return s;
        }));
        return new View(status, buffer[0]);
    }

    /** OK: everything read through the last view is valid. EAGAIN: it was overwritten. */
    public Status checkView() {
        return Status.of(own(Native::viewCheck));
    }

    /** Skip all messages that are in the channel now. */
    public void flush() {
        AchException.check(own(Native::flush));
    }

    /** Make waiting methods of this handle fail with CANCELED, until {@link #resume}. */
    public void cancel() {
        canceled = true;
        AchException.check(use(Native::cancel));
    }

    /** End the effect of {@link #cancel}. */
    public void resume() {
        canceled = false;
        AchException.check(use(Native::resume));
    }

    /** The sequence number of the last message got or flushed. */
    public long sequence() {
        return numbers(1, Native::seq)[0];
    }

    /** How many messages were missed. */
    public Missed missed() {
        long[] v = numbers(2, Native::missed);
        return new Missed(v[0], v[1]);
    }

    /** When the last message was put, on the channel's clock. */
    public Duration timestamp() {
        long[] v = numbers(2, Native::timestamp);
        return Duration.ofSeconds(v[0], v[1]);
    }

    /** Where the last message was first put. */
    public Origin origin() {
        long[] v = numbers(3, Native::origin);
        return new Origin(v[0], v[1], v[2]);
    }

    /** Geometry and statistics. */
    public Info info() {
        return Info.of(numbers(Info.COUNT, Native::info));
    }

    /** A descriptor for poll(2) in native code. It belongs to this handle. */
    public int descriptor() {
        return (int) numbers(1, Native::descriptor)[0];
    }

    private interface Numbers {
        int get(long handle, long[] numbers);
    }

    private long[] numbers(int count, Numbers function) {
        long[] v = new long[count];
        AchException.check(own(h -> function.get(h, v)));
        return v;
    }

    /** Does the descriptor become readable within the limit? */
    public boolean isReadable(Duration limit) throws InterruptedException {
        long nanoseconds = Limit.of(limit);
        long[] readable = new long[1];
        begin();
        try {
            AchException.check(await(nanoseconds, h -> Native.poll(h, nanoseconds, readable)));
        } finally {
            busy.set(false);
        }
        if (nanoseconds != 0 && Thread.interrupted()) { // this made it readable
            throw new InterruptedException("interrupted while waiting for a message");
        }
        return readable[0] != 0;
    }

    /** What the channel's messages are. */
    public Type type() {
        byte[][] type = new byte[4][];
        AchException.check(own(h -> Native.type(h, type)));
        return Type.of(type);
    }

    /**
     * Wait until one of several channels has a new message. It gets no messages.
     *
     * @param statuses set for each channel: OK: there is a new message; EAGAIN: there is none
     */
    public static Status tryWait(Duration limit, Status[] statuses, Channel... channels)
            throws InterruptedException {
        long nanoseconds = Limit.of(limit);
        long[] handles = new long[channels.length];
        int[] codes = new int[channels.length];
        int status = waitFrom(0, handles, nanoseconds, codes, channels);
        if (status == Status.CANCELED.code()
                && Arrays.stream(channels).anyMatch(c -> c.handle.isClosed())) {
            status = CLOSED;
        }
        for (int i = 0; i < codes.length; i++) {
            statuses[i] = Status.of(codes[i]);
        }
        return Status.of(status);
    }

    /** Take the channels from number i on, then wait. */
    private static int waitFrom(int i, long[] handles, long limit, int[] codes, Channel... channels)
            throws InterruptedException {
        if (channels.length == 0 || channels.length > Constants.WAIT_MAX) {
            return Status.EINVAL.code();
        }
        Channel c = channels[i];
        c.begin();
        try {
            if (i == channels.length - 1) {
                return c.await(limit, h -> {
                    handles[i] = h;
                    return Native.await(handles, limit, codes);
                });
            }
            handles[i] = c.handle.begin();
            if (handles[i] == 0) {
                return CLOSED;
            }
            try {
                return waitFrom(i + 1, handles, limit, codes, channels);
            } finally {
                c.handle.end();
            }
        } finally {
            c.busy.set(false);
        }
    }

    /** Wait until some of the channels have a new message; empty if none had within the limit. */
    public static List<Channel> waitAny(Duration limit, Channel... channels)
            throws InterruptedException {
        Status[] statuses = new Status[channels.length];
        Status status = tryWait(limit, statuses, channels);
        List<Channel> ready = new ArrayList<>();
        if (status != Status.TIMEOUT) {
            AchException.check(status.code());
            for (int i = 0; i < channels.length; i++) {
                if (statuses[i] != Status.EAGAIN) {
                    ready.add(channels[i]);
                }
            }
        }
        return ready;
    }
}
