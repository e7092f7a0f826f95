// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The functions in C. An int that they return is a status, except where they say otherwise. Texts
 * are UTF-8; null stands for NULL. A limit is in nanoseconds: 0 does not wait, a negative one
 * waits for ever. Arrays at the end are for results.
 */
final class Native {
    private static final String LIBRARY = "achjni";

    static {
        load();
    }

    private Native() {
    }

    /** Load the library of java.library.path, or else the one in the jar. */
    private static void load() {
        try {
            System.loadLibrary(LIBRARY);
        } catch (UnsatisfiedLinkError missing) {
            String name = System.mapLibraryName(LIBRARY);
            String arch = System.getProperty("os.arch");
            try (InputStream in = Native.class.getResourceAsStream("native/" + arch + "/" + name)) {
                if (in == null) {
                    missing.addSuppressed(new UnsatisfiedLinkError(
                            "the jar has no library for the architecture " + arch));
                    throw missing;
                }
                loadCopy(in, name);
            } catch (IOException e) {
                missing.addSuppressed(e);
                throw missing;
            }
        }
    }

    /** Load a copy in a folder of our own, and remove it. */
    private static void loadCopy(InputStream in, String name) throws IOException {
        // A library of the build tree searches its libraries in $ORIGIN/../..; two levels down,
        // this is still our own folder.
        Path top = Files.createTempDirectory("ach");
        Path outer = top.resolve("lib");
        Path inner = outer.resolve("jni");
        Path copy = inner.resolve(name);
        try {
            Files.createDirectories(inner);
            Files.copy(in, copy);
            System.load(copy.toString());
        } finally {
            for (Path p : new Path[] {copy, inner, outer, top}) {
                Files.deleteIfExists(p);
            }
        }
    }

    /** The text of ach_errstr of this thread. */
    static native byte[] error();

    static native int handleSigbus();

    // Channels. A type is an array: name, encoding, encoding of the schema, schema.

    static native int create(byte[] name, long count, long size, int flags, int map, int clock,
                             int mode, byte[][] type, long[] memory);

    /** Opened: the handle; 1 if its channel has a single writer. */
    static native int open(byte[] name, int flags, int map, long memory, long spin,
                           long lockTimeout, byte[][] type, long[] opened);

    static native int close(long handle);

    static native int free(long memory);

    static native int unlink(byte[] name);

    /** The names of the channels, each followed by a 0. */
    static native int list(byte[][] names);

    static native int path(byte[] name, byte[][] path);

    static native int chmod(long handle, int mode);

    /** Of array and direct, one is null. */
    static native int put(long handle, byte[] array, ByteBuffer direct, int from, int size);

    static native int relay(long handle, byte[] message, long epoch, long seq, long stamp);

    /** Place: an address for window, the offset from there. */
    static native int reserve(long handle, long size, long[] place);

    static native int commit(long handle, long size);

    static native int abort(long handle);

    static native int get(long handle, byte[] array, ByteBuffer direct, int from, int room,
                          long limit, int options, long[] size);

    /** Place: an address for window, the offset from there, the size. */
    static native int view(long handle, long limit, int options, long[] place);

    static native int viewCheck(long handle);

    /** The memory from an address on, as far as a buffer can reach. */
    static native ByteBuffer window(long address);

    static native int flush(long handle);

    static native int cancel(long handle);

    static native int resume(long handle);

    static native int seq(long handle, long[] seq);

    static native int missed(long handle, long[] lastAndTotal);

    static native int timestamp(long handle, long[] secondsAndNanoseconds);

    static native int origin(long handle, long[] epochSeqStamp);

    static native int type(long handle, byte[][] type);

    static native long typeHash(byte[][] type);

    static native int info(long handle, long[] info);

    static native int descriptor(long handle, long[] descriptor);

    /** Poll the descriptor: readable is 1 or 0. */
    static native int poll(long handle, long limit, long[] readable);

    static native int await(long[] handles, long limit, int[] statuses);

    /** Period: its length, the next beginning. */
    static native int periodInit(long[] period);

    static native int periodWait(long[] period, long[] missed);

    // Devices. Messages are in the form that Fields reads.

    static native int deviceOpen(byte[] address, byte[] transport, double timeout, int messages,
                                 long[] device);

    static native int deviceClose(long device);

    static native int deviceGet(long device, byte[] name, double limit, int options,
                                byte[][] message);

    static native int deviceCommand(long device, byte[] name, byte[] json);

    static native int deviceRequest(long device, byte[] name, byte[] json, double limit,
                                    byte[][] answer);

    static native int deviceFlush(long device, double limit);

    /** Address and transport. */
    static native int deviceTexts(long device, byte[][] texts);

    /** Rights, lost messages, descriptor. */
    static native int deviceNumbers(long device, long[] numbers);

    /** For each device: address, driver, "1" if it is on another server. */
    static native int deviceList(byte[] where, byte[] transport, double timeout,
                                 byte[][][] devices);

    // Definitions of messages, and CDR.

    static native int definitionNew(byte[] name, byte[] text, long[] definition);

    static native int definitionFree(long definition);

    static native int cdrDecode(long definition, byte[] message, byte[][] fields);

    static native int cdrEncode(long definition, byte[] json, byte[][] message);
}
