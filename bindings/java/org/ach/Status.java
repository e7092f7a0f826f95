// SPDX-License-Identifier: BSD-3-Clause
// Made by bindings/java/generate from the headers: do not edit.
package org.ach;

/** The result of a function of Ach. */
public enum Status {
    /** done */
    OK(0, "done"),
    /** the message is larger than the buffer, or than the channel */
    OVERFLOW(1, "the message is larger than the buffer, or than the channel"),
    /** not a channel name: letters, digits, . _ - and no leading dot */
    INVALID_NAME(2, "not a channel name: letters, digits, . _ - and no leading dot"),
    /** the file is not a channel, or was cut short */
    BAD_SHM_FILE(3, "the file is not a channel, or was cut short"),
    /** the system refused; errno and ach_errstr say why */
    FAILED_SYSCALL(4, "the system refused; errno and ach_errstr say why"),
    /** nothing new, or held by another handle or writer */
    EAGAIN(5, "nothing new, or held by another handle or writer"),
    /** a message was delivered, and others before it were missed */
    MISSED_FRAME(6, "a message was delivered, and others before it were missed"),
    /** the time ran out */
    TIMEOUT(7, "the time ran out"),
    /** there is such a channel already */
    EEXIST(8, "there is such a channel already"),
    /** there is no such channel */
    ENOENT(9, "there is no such channel"),
    /** the handle is not open */
    CLOSED(10, "the handle is not open"),
    /** a fault in Ach itself */
    BUG(11, "a fault in Ach itself"),
    /** a bad argument */
    EINVAL(12, "a bad argument"),
    /** the channel's memory is damaged, or the channel was replaced */
    CORRUPT(13, "the channel's memory is damaged, or the channel was replaced"),
    /** a channel of another layout: of another version or machine */
    BAD_HEADER(14, "a channel of another layout: of another version or machine"),
    /** not permitted */
    EACCES(15, "not permitted"),
    /** ach_cancel was called on this handle */
    CANCELED(16, "ach_cancel was called on this handle"),
    /** a bad address */
    EFAULT(17, "a bad address"),
    /** a signal handler ran (only with ACH_O_INTERRUPT) */
    EINTR(18, "a signal handler ran (only with ACH_O_INTERRUPT)"),
    /** this kind of channel, or this system, cannot do that */
    ENOTSUP(19, "this kind of channel, or this system, cannot do that"),
    /** the channel's messages have another type than expected */
    BAD_TYPE(20, "the channel's messages have another type than expected");

    /** nothing new; the same as {@link #EAGAIN} */
    public static final Status STALE_FRAMES = EAGAIN;
    /** held by another handle or writer; the same as {@link #EAGAIN} */
    public static final Status LOCKED = EAGAIN;

    private final int code;
    private final String text;

    Status(int code, String text) {
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
    public static Status of(int code) {
        for (Status v : values()) {
            if (v.code == code) {
                return v;
            }
        }
        throw new IllegalArgumentException("no Status has the number " + code);
    }
}
