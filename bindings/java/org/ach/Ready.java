// SPDX-License-Identifier: BSD-3-Clause
// Made by bindings/java/generate from the headers: do not edit.
package org.ach;

/** What makes the descriptor of a channel readable. */
public enum Ready {
    /** the handle has no descriptor */
    NONE(0, "the handle has no descriptor"),
    /** an io_uring of the handle */
    IO_URING(1, "an io_uring of the handle"),
    /** a helper thread of the handle */
    THREAD(2, "a helper thread of the handle"),
    /** the kernel module */
    KERNEL(3, "the kernel module");


    private final int code;
    private final String text;

    Ready(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** The number that C uses. */
    public int code() {
        return code;
    }

    /** What it means. */
    public String text() {
        return text;
    }

    /** The one that has this number in C. */
    public static Ready of(int code) {
        for (Ready v : values()) {
            if (v.code == code) {
                return v;
            }
        }
        throw new IllegalArgumentException("no Ready has the number " + code);
    }
}
