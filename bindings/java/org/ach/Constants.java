// SPDX-License-Identifier: BSD-3-Clause
// Made by bindings/java/generate from the headers: do not edit.
package org.ach;

/** Numbers of the headers; the names are those of C without ACH_. */
public final class Constants {
    public static final int O_NONBLOCK = 0;
    public static final int O_FIRST = 0;
    public static final int O_ABSTIME = 0;
    public static final int O_WAIT = 1;
    public static final int O_LAST = 2;
    public static final int O_COPY = 4;
    public static final int O_RELTIME = 8;
    public static final int O_LINKED = 16;
    public static final int O_INTERRUPT = 32;
    public static final int MSG_DATA = 1;
    public static final int MSG_CMD = 2;
    public static final int MSG_REQ = 3;
    public static final int MSG_ACK = 4;
    public static final int MSG_SYNCH = 5;
    public static final int MSG_NACK = 6;
    public static final int CHAN_NAME_MAX = 64;
    public static final int DEFAULT_FRAME_COUNT = 16;
    public static final int DEFAULT_FRAME_SIZE = 512;
    public static final int WAIT_MAX = 64;
    public static final int TYPE_NAME_MAX = 256;
    public static final int TYPE_SCHEMA_MAX = 1000000;
    public static final int BODY_MAX = 33554432;
    public static final int TABLE_VERSION = 1;
    public static final int SUBTYPE_ANY = -1;
    public static final int ADDRESS_MAX = 400;
    public static final int ROBOT_DEFAULT = 6665;
    public static final int RIGHT_LIST = 1;
    public static final int RIGHT_DATA = 2;
    public static final int RIGHT_COMMAND = 4;
    public static final int RIGHT_REQUEST = 8;
    public static final int RIGHT_ALL = 15;
    public static final int CLOCK_REALTIME = 0;
    public static final int CLOCK_MONOTONIC = 1;

    private Constants() {
    }
}
