// SPDX-License-Identifier: BSD-3-Clause
// Made by bindings/java/generate from the headers: do not edit.
package org.golems.ach;

/** The numbers that programs for Ach 2 use. */
public class Lib {
    public static final int OK = 0;
    public static final int OVERFLOW = 1;
    public static final int INVALID_NAME = 2;
    public static final int BAD_SHM_FILE = 3;
    public static final int FAILED_SYSCALL = 4;
    public static final int STALE_FRAMES = 5;
    public static final int MISSED_FRAME = 6;
    public static final int TIMEOUT = 7;
    public static final int EEXIST = 8;
    public static final int ENOENT = 9;
    public static final int CLOSED = 10;
    public static final int BUG = 11;
    public static final int EINVAL = 12;
    public static final int CORRUPT = 13;
    public static final int BAD_HEADER = 14;
    public static final int EACCES = 15;
    public static final int CANCELED = 16;
    public static final int MASK_OK = 1 << 0;
    public static final int MASK_OVERFLOW = 1 << 1;
    public static final int MASK_INVALID_NAME = 1 << 2;
    public static final int MASK_BAD_SHM_FILE = 1 << 3;
    public static final int MASK_FAILED_SYSCALL = 1 << 4;
    public static final int MASK_STALE_FRAMES = 1 << 5;
    public static final int MASK_MISSED_FRAME = 1 << 6;
    public static final int MASK_TIMEOUT = 1 << 7;
    public static final int MASK_EEXIST = 1 << 8;
    public static final int MASK_ENOENT = 1 << 9;
    public static final int MASK_CLOSED = 1 << 10;
    public static final int MASK_BUG = 1 << 11;
    public static final int MASK_EINVAL = 1 << 12;
    public static final int MASK_CORRUPT = 1 << 13;
    public static final int MASK_BAD_HEADER = 1 << 14;
    public static final int MASK_EACCES = 1 << 15;
    public static final int MASK_CANCELED = 1 << 16;
    public static final int O_WAIT = 1;
    public static final int O_LAST = 2;
    public static final int O_COPY = 4;

    private Lib() {
    }
}
