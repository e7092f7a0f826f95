// SPDX-License-Identifier: BSD-3-Clause
package org.golems.ach;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.ach.AchException;
import org.ach.Limit;
import org.ach.Option;

/**
 * The class of Ach 2, for programs that use it. Methods return the number of a status, or throw
 * {@link Status.AchException} unless the status is in a mask. New programs use org.ach.Channel.
 */
public class Channel {
    private org.ach.Channel channel;
    private final long frameSize;

    private interface Operation {
        void run();
    }

    /** A channel that is not open. */
    public Channel() {
        this(org.ach.Constants.DEFAULT_FRAME_SIZE);
    }

    /** A channel that is not open, with the expected size of a message. */
    public Channel(long frame_size) {
        frameSize = frame_size;
    }

    private static int statusOf(Operation operation) {
        try {
            operation.run();
            return Lib.OK;
        } catch (AchException e) {
            return e.status().code();
        }
    }

    /** Open it. */
    public int open(String channel_name) {
        return statusOf(() -> channel = org.ach.Channel.open(channel_name));
    }

    /** Close it; OK if it is not open. */
    public int close() {
        org.ach.Channel c = channel;
        channel = null;
        return c == null ? Lib.OK : statusOf(c::close);
    }

    /** Skip all messages. */
    public int flush() {
        return channel == null ? Lib.CLOSED : statusOf(channel::flush);
    }

    /** Skip all messages. */
    public void flush(int status_mask) throws Status.AchException {
        Status.maybe_throw(flush(), status_mask);
    }

    /** Put a message. */
    public int put(byte[] buf) {
        return channel == null ? Lib.CLOSED : statusOf(() -> channel.put(buf));
    }

    /** Put a message. */
    public void put(byte[] buf, int status_mask) throws Exception {
        Status.maybe_throw(put(buf), status_mask);
    }

    /** Put a text in UTF-8. */
    public int put(String str) {
        return put(str.getBytes(StandardCharsets.UTF_8));
    }

    /** Get a message. The first element of frame_size is set to its size. */
    public int get(byte[] buf, long[] frame_size, int options) {
        List<Option> set = new ArrayList<>();
        if ((options & Lib.O_LAST) != 0) {
            set.add(Option.LAST);
        }
        if ((options & Lib.O_COPY) != 0) {
            set.add(Option.COPY);
        }
        if (channel == null) {
            return Lib.CLOSED;
        }
        try {
            Duration limit = (options & Lib.O_WAIT) != 0 ? Limit.FOREVER : Duration.ZERO;
            org.ach.Channel.Received r = channel.tryGet(ByteBuffer.wrap(buf), limit,
                                                        set.toArray(new Option[0]));
            frame_size[0] = r.size();
            return r.status().code();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Lib.CANCELED;
        }
    }

    /** Get a message of any size. */
    public byte[] get(int options, int status_mask) throws Status.AchException {
        byte[] buf = new byte[(int) frameSize];
        long[] size = new long[1];
        int r;
        while ((r = get(buf, size, options)) == Lib.OVERFLOW) {
            buf = new byte[(int) size[0]];
        }
        Status.maybe_throw(r, status_mask);
        return java.util.Arrays.copyOf(buf, (int) size[0]);
    }
}
