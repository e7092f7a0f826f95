// SPDX-License-Identifier: BSD-3-Clause
//! Which message to get, and how long to wait.
use crate::sys;
use crate::sys::Timespec;
use std::os::raw::c_int;
use std::time::{Duration, Instant};

/// How long to wait: a `Duration` from the call on, or until an `Instant`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    For(Duration),
    Until(Instant),
    Forever,
}

impl From<Duration> for Limit {
    fn from(d: Duration) -> Limit {
        Limit::For(d)
    }
}

impl From<Instant> for Limit {
    fn from(i: Instant) -> Limit {
        Limit::Until(i)
    }
}

impl Limit {
    /// The time left from now on; None: for ever.
    fn left(self) -> Option<Duration> {
        match self {
            Limit::For(d) => Some(d),
            Limit::Until(i) => Some(i.saturating_duration_since(Instant::now())),
            Limit::Forever => None,
        }
    }

    /// The same limit for a call that is made in several attempts.
    pub(crate) fn fixed(self) -> Limit {
        match self {
            // A duration that leads beyond the end of all time is for ever.
            Limit::For(d) => Instant::now().checked_add(d).map_or(Limit::Forever, Limit::Until),
            other => other,
        }
    }

    /// For ACH_O_RELTIME.
    pub(crate) fn timespec(self) -> Option<Timespec> {
        self.left().map(|d| Timespec {
            tv_sec: i64::try_from(d.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: d.subsec_nanos().into(),
        })
    }

    /// Seconds for functions of devices; negative: for ever.
    #[cfg(feature = "devices")]
    pub(crate) fn seconds(self) -> f64 {
        self.left().map_or(-1.0, seconds)
    }
}

/// Seconds for functions of devices, which compute with sums of them: at most 30 years.
#[cfg(feature = "devices")]
pub(crate) fn seconds(d: Duration) -> f64 {
    d.as_secs_f64().min(1e9)
}

/// Which message to get, and how long to wait for it.
///
/// ```
/// # use ach::Get;
/// # use std::time::Duration;
/// Get::next();                                      // the oldest unseen one; does not wait
/// Get::newest().wait(Duration::from_millis(10));    // the newest unseen one
/// Get::newest().again();                            // the newest, also if it was seen
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Get {
    options: c_int,
    limit: Option<Limit>,
}

impl Get {
    /// The oldest message that this handle has not seen.
    pub fn next() -> Get {
        Get { options: 0, limit: None }
    }

    /// The newest message, if this handle has not seen it.
    pub fn newest() -> Get {
        Get { options: sys::ACH_O_LAST, limit: None }
    }

    /// If there is nothing new, the last message again, unless the call waits.
    pub fn again(mut self) -> Get {
        self.options |= sys::ACH_O_COPY;
        self
    }

    /// If there is nothing new and the channel lost its name, the result is `Status::Enoent`.
    pub fn linked(mut self) -> Get {
        self.options |= sys::ACH_O_LINKED;
        self
    }

    /// If there is nothing new, wait: `.wait(duration)`, `.wait(instant)`, `.wait(Limit::Forever)`.
    pub fn wait(mut self, limit: impl Into<Limit>) -> Get {
        self.limit = Some(limit.into());
        self
    }

    pub(crate) fn bits(self) -> c_int {
        let wait = if self.limit.is_some() { sys::ACH_O_WAIT } else { 0 };
        self.options | wait | sys::ACH_O_RELTIME
    }

    /// The same without waiting.
    pub(crate) fn at_once(mut self) -> Get {
        self.limit = None;
        self
    }

    pub(crate) fn limit(self) -> Option<Limit> {
        self.limit
    }

    /// The same for a call that is made in several attempts.
    pub(crate) fn fixed(mut self) -> Get {
        self.limit = self.limit.map(Limit::fixed);
        self
    }
}

/// Call a function with the pointer that C expects for a timeout; NULL: for ever.
pub(crate) fn with_timeout<R>(limit: Option<Limit>, call: impl FnOnce(*const Timespec) -> R) -> R {
    let timeout = limit.and_then(Limit::timespec);
    call(timeout.as_ref().map_or(std::ptr::null(), |t| t))
}
