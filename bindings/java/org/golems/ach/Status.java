// SPDX-License-Identifier: BSD-3-Clause
// Made by bindings/java/generate from the headers: do not edit.
package org.golems.ach;

/** The exceptions of programs for Ach 2. */
public class Status {
    private Status() {
    }

    /** An operation failed. */
    public static class AchException extends Exception {
        /** The number of the status; -1 for one that Ach 2 did not have. */
        public int status() {
            return -1;
        }
    }

    /** The status OK. */
    public static class OK extends AchException {
        @Override
        public int status() {
            return Lib.OK;
        }
    }

    /** The status OVERFLOW. */
    public static class OVERFLOW extends AchException {
        @Override
        public int status() {
            return Lib.OVERFLOW;
        }
    }

    /** The status INVALID_NAME. */
    public static class INVALID_NAME extends AchException {
        @Override
        public int status() {
            return Lib.INVALID_NAME;
        }
    }

    /** The status BAD_SHM_FILE. */
    public static class BAD_SHM_FILE extends AchException {
        @Override
        public int status() {
            return Lib.BAD_SHM_FILE;
        }
    }

    /** The status FAILED_SYSCALL. */
    public static class FAILED_SYSCALL extends AchException {
        @Override
        public int status() {
            return Lib.FAILED_SYSCALL;
        }
    }

    /** The status STALE_FRAMES. */
    public static class STALE_FRAMES extends AchException {
        @Override
        public int status() {
            return Lib.STALE_FRAMES;
        }
    }

    /** The status MISSED_FRAME. */
    public static class MISSED_FRAME extends AchException {
        @Override
        public int status() {
            return Lib.MISSED_FRAME;
        }
    }

    /** The status TIMEOUT. */
    public static class TIMEOUT extends AchException {
        @Override
        public int status() {
            return Lib.TIMEOUT;
        }
    }

    /** The status EEXIST. */
    public static class EEXIST extends AchException {
        @Override
        public int status() {
            return Lib.EEXIST;
        }
    }

    /** The status ENOENT. */
    public static class ENOENT extends AchException {
        @Override
        public int status() {
            return Lib.ENOENT;
        }
    }

    /** The status CLOSED. */
    public static class CLOSED extends AchException {
        @Override
        public int status() {
            return Lib.CLOSED;
        }
    }

    /** The status BUG. */
    public static class BUG extends AchException {
        @Override
        public int status() {
            return Lib.BUG;
        }
    }

    /** The status EINVAL. */
    public static class EINVAL extends AchException {
        @Override
        public int status() {
            return Lib.EINVAL;
        }
    }

    /** The status CORRUPT. */
    public static class CORRUPT extends AchException {
        @Override
        public int status() {
            return Lib.CORRUPT;
        }
    }

    /** The status BAD_HEADER. */
    public static class BAD_HEADER extends AchException {
        @Override
        public int status() {
            return Lib.BAD_HEADER;
        }
    }

    /** The status EACCES. */
    public static class EACCES extends AchException {
        @Override
        public int status() {
            return Lib.EACCES;
        }
    }

    /** The status CANCELED. */
    public static class CANCELED extends AchException {
        @Override
        public int status() {
            return Lib.CANCELED;
        }
    }

    /** The exception for a status. */
    public static AchException create_exception(int status) {
        return switch (status) {
            case Lib.OK -> new OK();
            case Lib.OVERFLOW -> new OVERFLOW();
            case Lib.INVALID_NAME -> new INVALID_NAME();
            case Lib.BAD_SHM_FILE -> new BAD_SHM_FILE();
            case Lib.FAILED_SYSCALL -> new FAILED_SYSCALL();
            case Lib.STALE_FRAMES -> new STALE_FRAMES();
            case Lib.MISSED_FRAME -> new MISSED_FRAME();
            case Lib.TIMEOUT -> new TIMEOUT();
            case Lib.EEXIST -> new EEXIST();
            case Lib.ENOENT -> new ENOENT();
            case Lib.CLOSED -> new CLOSED();
            case Lib.BUG -> new BUG();
            case Lib.EINVAL -> new EINVAL();
            case Lib.CORRUPT -> new CORRUPT();
            case Lib.BAD_HEADER -> new BAD_HEADER();
            case Lib.EACCES -> new EACCES();
            case Lib.CANCELED -> new CANCELED();
            default -> new AchException();
        };
    }

    /** Throw the exception for a status. */
    public static void throw_exception(int status) throws AchException {
        throw create_exception(status);
    }

    /** Throw the exception for a status that is neither OK nor in the mask. */
    public static void maybe_throw(int status, int mask) throws AchException {
        if (status != Lib.OK && (1 << status & mask) == 0) {
            throw create_exception(status);
        }
    }
}
