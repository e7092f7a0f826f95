// SPDX-License-Identifier: BSD-3-Clause
//! Errors: a status of ach.h, and a sentence.
use crate::generated::Status;
use crate::sys;
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::{c_char, c_int};

/// The result of an operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    status: Status,
    text: String,
    needed: usize,
}

impl Error {
    pub fn new(status: Status, text: impl Into<String>) -> Error {
        Error { status, text: text.into(), needed: 0 }
    }

    pub fn status(&self) -> Status {
        self.status
    }

    /// The size of the message, if a buffer was too small for it (`Status::Overflow`).
    pub fn needed(&self) -> usize {
        self.needed
    }

    pub(crate) fn einval(text: impl Into<String>) -> Error {
        Error::new(Status::Einval, text)
    }

    /// After a function that sets ach_errstr only if a system call failed: otherwise its text may
    /// be about another call. In a real-time loop this allocates nothing.
    pub(crate) fn plain(raw: c_int) -> Error {
        match Status::from_raw(raw) {
            Status::FailedSyscall => Error::explained(raw),
            status => Error::new(status, String::new()),
        }
    }

    pub(crate) fn overflow(raw: c_int, needed: usize) -> Error {
        Error { needed, ..Error::plain(raw) }
    }

    /// After a function that sets ach_errstr if it fails.
    pub(crate) fn explained(raw: c_int) -> Error {
        // SAFETY: ach_errstr returns a string that lasts until this thread's next failing call.
        Error::new(Status::from_raw(raw), unsafe { text_of(sys::ach_errstr()) })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.text.is_empty() {
            write!(f, "{}: {}", self.status.name(), self.status.text())
        } else {
            f.write_str(&self.text)
        }
    }
}

impl std::error::Error for Error {}

pub(crate) fn check(raw: c_int) -> Result<()> {
    match raw {
        0 => Ok(()),
        _ => Err(Error::plain(raw)),
    }
}

pub(crate) fn check_explained(raw: c_int) -> Result<()> {
    match raw {
        0 => Ok(()),
        _ => Err(Error::explained(raw)),
    }
}

/// A string for C.
pub(crate) fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::einval(format!("{:?} has a NUL", text)))
}

/// A string of C. Bytes that are not UTF-8 become U+FFFD.
///
/// # Safety
/// text is NULL or a string that ends with NUL.
pub(crate) unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
