// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

/**
 * An operation failed. It is unchecked: most failures are errors of the program or its setup, and
 * a caller that expects one status catches its class.
 */
public class AchException extends RuntimeException {
    private final Status status;

    /** A failure with a status and a sentence for people. */
    public AchException(Status status, String message) {
        super(message);
        this.status = status;
    }

    /** The status of the C function. */
    public Status status() {
        return status;
    }

    /** {@link Status#EAGAIN}: held by another handle, or a view that was overwritten. */
    public static final class Busy extends AchException {
        Busy(String message) {
            super(Status.EAGAIN, message);
        }
    }

    /** {@link Status#EEXIST} */
    public static final class Exists extends AchException {
        Exists(String message) {
            super(Status.EEXIST, message);
        }
    }

    /** {@link Status#ENOENT} */
    public static final class NotFound extends AchException {
        NotFound(String message) {
            super(Status.ENOENT, message);
        }
    }

    /** {@link Status#CLOSED} */
    public static final class Closed extends AchException {
        Closed(String message) {
            super(Status.CLOSED, message);
        }
    }

    /** {@link Status#CANCELED} */
    public static final class Canceled extends AchException {
        Canceled(String message) {
            super(Status.CANCELED, message);
        }
    }

    /** {@link Status#EACCES} */
    public static final class NotPermitted extends AchException {
        NotPermitted(String message) {
            super(Status.EACCES, message);
        }
    }

    /** {@link Status#ENOTSUP} */
    public static final class NotSupported extends AchException {
        NotSupported(String message) {
            super(Status.ENOTSUP, message);
        }
    }

    /** {@link Status#BAD_TYPE} */
    public static final class BadType extends AchException {
        BadType(String message) {
            super(Status.BAD_TYPE, message);
        }
    }

    /** {@link Status#CORRUPT}: also a channel that was replaced; open it again. */
    public static final class Corrupt extends AchException {
        Corrupt(String message) {
            super(Status.CORRUPT, message);
        }
    }

    static AchException of(Status status, String message) {
        return switch (status) {
            case EAGAIN -> new Busy(message);
            case EEXIST -> new Exists(message);
            case ENOENT -> new NotFound(message);
            case CLOSED -> new Closed(message);
            case CANCELED -> new Canceled(message);
            case EACCES -> new NotPermitted(message);
            case ENOTSUP -> new NotSupported(message);
            case BAD_TYPE -> new BadType(message);
            case CORRUPT -> new Corrupt(message);
            default -> new AchException(status, message);
        };
    }

    /** After a function that may not set ach_errstr, so that its text may be about another call. */
    static void check(int code) {
        if (code != Status.OK.code() && code != Status.MISSED_FRAME.code()) {
            Status status = Status.of(code);
            throw of(status, "ACH_" + status + ": " + status.text());
        }
    }

    /** After a function that sets ach_errstr if it fails. */
    static void checkExplained(int code) {
        if (code != Status.OK.code()) {
            String text = Text.of(Native.error());
            throw of(Status.of(code), "ACH_" + Status.of(code) + ": " + text);
        }
    }
}
