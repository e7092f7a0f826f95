// SPDX-License-Identifier: BSD-3-Clause
// Made by bindings/java/generate from the headers: do not edit.
package org.ach;

/** Which memory holds a channel. */
public enum Kind {
    /** ach_create: ACH_MAP_USER; ach_open: ACH_MAP_KERNEL, else ACH_MAP_USER */
    DEFAULT(0, "ach_create: ACH_MAP_USER; ach_open: ACH_MAP_KERNEL, else ACH_MAP_USER"),
    /** the heap of this process */
    ANON(1, "the heap of this process"),
    /** shared memory */
    USER(2, "shared memory"),
    /** the kernel module */
    KERNEL(3, "the kernel module");


    private final int code;
    private final String text;

    Kind(int code, String text) {
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
    public static Kind of(int code) {
        for (Kind v : values()) {
            if (v.code == code) {
                return v;
            }
        }
        throw new IllegalArgumentException("no Kind has the number " + code);
    }
}
