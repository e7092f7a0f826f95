// SPDX-License-Identifier: BSD-3-Clause
//! Handles: put, get, wait, cancel.
//!
//! Of one handle, ach.h allows ach_put and ach_cancel from any thread at any time, and everything
//! else from one thread at a time. So a `Channel` can be sent to another thread but not be shared;
//! `Writer` and `Canceller` can be shared, and do only what threads may do at the same time.
use crate::create::{Heap, Map, Open, Type};
use crate::error::{check, check_explained, Error, Result};
use crate::generated::{Info, Origin, Status};
use crate::options::{with_timeout, Get, Limit};
use crate::plain::Plain;
use crate::sys;
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::marker::PhantomData;
use std::mem::{size_of, MaybeUninit};
use std::os::raw::{c_int, c_void};
use std::os::unix::io::{AsRawFd, BorrowedFd, RawFd};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

pub(crate) const MISSED_FRAME: c_int = Status::MissedFrame as c_int;
const OVERFLOW: c_int = Status::Overflow as c_int;

/// An open handle. It has a fixed address, and is closed when nobody can use it any more.
pub(crate) struct Handle {
    raw: UnsafeCell<sys::RawChannel>,
    /// On a channel for a single writer, threads take turns.
    single_writer: Option<Mutex<()>>,
    /// Freed behind the handle.
    _heap: Option<Heap>,
}

// SAFETY: a handle belongs to no thread: ach.h allows any thread to use and to close it.
unsafe impl Send for Handle {}
// SAFETY: threads that share a handle can reach put and cancel only, see Writer and Canceller.
// ach.h allows both at any time, except for puts into a channel for a single writer. There,
// single_writer excludes threads from each other. The struct is only used through a raw pointer.
unsafe impl Sync for Handle {}

impl Handle {
    /// # Safety
    /// open calls ach_open for the handle that it is given, and returns the status. The memory of
    /// a heap channel is that of heap.
    pub(crate) unsafe fn open(
        heap: Option<Heap>,
        open: impl FnOnce(*mut sys::RawChannel) -> c_int,
    ) -> Result<Handle> {
        // SAFETY: zeros are a closed handle.
        let raw: sys::RawChannel = unsafe { MaybeUninit::zeroed().assume_init() };
        let mut handle = Handle { raw: UnsafeCell::new(raw), single_writer: None, _heap: heap };
        check_explained(open(handle.raw()))?;
        // The handle may still be moved: ach.h allows copies, and this one replaces the first. If
        // writers overtake ach_channel_info, threads take turns, which is right on any channel.
        if handle.info().map_or(true, |i| i.single_writer()) {
            handle.single_writer = Some(Mutex::new(()));
        }
        Ok(handle)
    }

    pub(crate) fn raw(&self) -> *mut sys::RawChannel {
        self.raw.get()
    }

    fn info(&self) -> Result<Info> {
        let mut info = MaybeUninit::<Info>::zeroed();
        // SAFETY: the handle is open; zeros are valid in all fields that libach does not set.
        unsafe {
            check(sys::ach_channel_info(self.raw(), info.as_mut_ptr()))?;
            Ok(info.assume_init())
        }
    }

    /// Held while a thread puts into a channel for a single writer.
    pub(crate) fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        // The mutex guards no data that a panic could leave half changed.
        self.single_writer.as_ref().map(|m| m.lock().unwrap_or_else(|e| e.into_inner()))
    }

    fn put(&self, message: &[u8]) -> Result<()> {
        let _turn = self.turn();
        let data = message.as_ptr() as *const c_void;
        // SAFETY: the slice is readable, and ach_put may be called while other threads use the handle.
        check(unsafe { sys::ach_put(self.raw(), data, message.len()) })
    }

    fn put_relayed(&self, message: &[u8], origin: &Origin) -> Result<()> {
        let _turn = self.turn();
        let data = message.as_ptr() as *const c_void;
        // SAFETY: as for put.
        check(unsafe { sys::ach_put_relayed(self.raw(), data, message.len(), origin) })
    }

    fn cancel(&self) -> Result<()> {
        // SAFETY: ach_cancel may be called at any time while the struct exists.
        check(unsafe { sys::ach_cancel(self.raw(), std::ptr::null()) })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: nobody else has a reference. A handle whose ach_open failed is closed already,
        // and ach_close says so.
        unsafe { sys::ach_close(self.raw()) };
    }
}

/// An open channel, with a read position of its own. Dropping it closes it.
///
/// A `Channel` is used by one thread at a time. Other threads can put through a [`Writer`], and
/// end its waits with a [`Canceller`].
///
/// ```
/// # fn main() -> ach::Result<()> {
/// # ach::Create::default().create("motor")?;
/// let mut motor = ach::Channel::open("motor")?;
/// motor.put(b"stop")?;
/// assert_eq!(motor.get(ach::Get::newest())?.unwrap(), b"stop");
/// # ach::unlink("motor")
/// # }
/// ```
///
/// It cannot be shared by threads:
/// ```compile_fail
/// fn shared<T: Sync>() {}
/// shared::<ach::Channel>();
/// ```
/// What is read in place cannot be kept:
/// ```compile_fail
/// # let mut c = ach::Channel::open("motor").unwrap();
/// let v = c.view(ach::Get::next(), |v| v).unwrap();
/// ```
/// It cannot be used while a message is being written in place:
/// ```compile_fail
/// # let mut c = ach::Channel::open("motor").unwrap();
/// let room = c.reserve(8).unwrap();
/// c.flush().unwrap();
/// room.commit().unwrap();
/// ```
pub struct Channel {
    handle: Arc<Handle>,
    /// Not Sync, as a Cell: functions other than put and cancel are for one thread at a time.
    one_thread: PhantomData<Cell<()>>,
}

/// What [`Channel::get_into`] got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Got {
    /// The size of the message.
    pub size: usize,
    /// Messages before it were overwritten or skipped: [`Channel::missed`] counts them.
    pub missed: bool,
}

/// Messages that were overwritten or skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Right before the message got last.
    pub last: u64,
    /// Through this handle.
    pub total: u64,
}

impl Channel {
    /// Open a channel with the default options; see [`Open`] for others.
    pub fn open(name: &str) -> Result<Channel> {
        Open::default().open(name)
    }

    pub(crate) fn new(handle: Handle) -> Channel {
        Channel { handle: Arc::new(handle), one_thread: PhantomData }
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    pub(crate) fn raw(&self) -> *mut sys::RawChannel {
        self.handle.raw()
    }

    /// For other threads, to put through this handle.
    pub fn writer(&self) -> Writer {
        Writer { handle: self.handle.clone() }
    }

    /// For other threads, to end a wait of this handle.
    pub fn canceller(&self) -> Canceller {
        Canceller { handle: Arc::downgrade(&self.handle) }
    }

    /// Put a message of at least one byte.
    pub fn put(&self, message: &[u8]) -> Result<()> {
        self.handle.put(message)
    }

    /// Put one T.
    pub fn put_as<T: Plain>(&self, message: &T) -> Result<()> {
        self.handle.put(message.bytes())
    }

    /// Put a message that was first put into another channel.
    pub fn put_relayed(&self, message: &[u8], origin: &Origin) -> Result<()> {
        self.handle.put_relayed(message, origin)
    }

    /// As ach_get, into room for size bytes. Returns the status and the size of the message.
    ///
    /// # Safety
    /// room has that size.
    unsafe fn get_raw(&mut self, room: *mut u8, size: usize, get: Get) -> (c_int, usize) {
        let mut needed = 0;
        let status = with_timeout(get.limit(), |timeout| {
            // SAFETY: libach writes at most size bytes into the room.
            unsafe { sys::ach_get(self.raw(), room.cast(), size, &mut needed, timeout, get.bits()) }
        });
        (status, needed)
    }

    /// Copy a message into a buffer. Allocates nothing.
    ///
    /// Errors are, among others, `Eagain`: there is nothing new; `Timeout`; `Overflow`: the buffer
    /// is too small, and [`Error::needed`] is the size of the message, which can still be got.
    pub fn get_into(&mut self, buffer: &mut [u8], get: Get) -> Result<Got> {
        // SAFETY: the size is that of the buffer.
        match unsafe { self.get_raw(buffer.as_mut_ptr(), buffer.len(), get) } {
            (status @ (0 | MISSED_FRAME), size) => Ok(Got { size, missed: status != 0 }),
            (OVERFLOW, needed) => Err(Error::overflow(OVERFLOW, needed)),
            (status, _) => Err(Error::plain(status)),
        }
    }

    /// Get a message. None: there is nothing new, or the time ran out.
    pub fn get(&mut self, get: Get) -> Result<Option<Vec<u8>>> {
        let get = get.fixed();
        let mut message = vec![0; sys::ACH_DEFAULT_FRAME_SIZE as usize];
        loop {
            match self.get_into(&mut message, get) {
                Ok(got) => {
                    message.truncate(got.size);
                    return Ok(Some(message));
                }
                Err(e) if e.status() == Status::Overflow => message.resize(e.needed(), 0),
                Err(e) => return nothing(e),
            }
        }
    }

    /// Get one T. None: there is nothing new, or the time ran out. A message of another size than
    /// T is an error (`Einval`), and is skipped.
    pub fn get_as<T: Plain>(&mut self, get: Get) -> Result<Option<T>> {
        let mut message = MaybeUninit::<T>::zeroed();
        // SAFETY: the size is that of T.
        let (status, size) =
            unsafe { self.get_raw(message.as_mut_ptr().cast(), size_of::<T>(), get) };
        match status {
            0 | MISSED_FRAME if size == size_of::<T>() => {
                // SAFETY: all bytes of a T were written, and any bytes are a T.
                Ok(Some(unsafe { message.assume_init() }))
            }
            0 | MISSED_FRAME => Err(wrong_size::<T>(size)),
            OVERFLOW => {
                self.view(get.at_once(), |_| ()).ok();
                Err(wrong_size::<T>(size))
            }
            _ => nothing(Error::plain(status)),
        }
    }

    /// Messages until there is nothing new, or until one does not come in time:
    /// `for message in channel.messages(Get::next().wait(Limit::Forever))`. It ends after an error.
    pub fn messages(&mut self, get: Get) -> Messages<'_> {
        Messages { channel: self, get, ended: false }
    }

    /// Skip all messages that are in the channel now.
    pub fn flush(&mut self) -> Result<()> {
        // SAFETY: the handle is open, and this thread is the only one here.
        check(unsafe { sys::ach_flush(self.raw()) })
    }

    /// End the effect of a cancel.
    pub fn resume(&mut self) {
        // SAFETY: the field is atomic, and exists as long as the handle. No reference to the whole
        // struct is made, which other threads may be using.
        unsafe { (*std::ptr::addr_of!((*self.raw()).cancel)).store(0, Ordering::SeqCst) }
    }

    /// Change the permissions of the channel.
    pub fn chmod(&self, mode: u32) -> Result<()> {
        // SAFETY: the handle is open, and this thread is the only one here.
        check_explained(unsafe { sys::ach_chmod(self.raw(), mode) })
    }

    /// The sequence number of the last message got or flushed.
    pub fn seq(&self) -> Result<u64> {
        let mut seq = 0;
        // SAFETY: the handle is open, and this thread is the only one here.
        check(unsafe { sys::ach_channel_seq(self.raw(), &mut seq) })?;
        Ok(seq)
    }

    /// How many messages were missed.
    pub fn missed(&self) -> Result<Missed> {
        let mut m = Missed { last: 0, total: 0 };
        // SAFETY: the handle is open, and this thread is the only one here.
        check(unsafe { sys::ach_channel_missed(self.raw(), &mut m.last, &mut m.total) })?;
        Ok(m)
    }

    /// When the last received message was put, since the epoch of the channel's clock.
    pub fn timestamp(&self) -> Result<Duration> {
        let mut t = sys::Timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the handle is open, and this thread is the only one here.
        check(unsafe { sys::ach_channel_timestamp(self.raw(), &mut t) })?;
        // Other processes write the timestamp, so it may be any number.
        Ok(Duration::from_secs(t.tv_sec.max(0) as u64)
            .saturating_add(Duration::from_nanos(t.tv_nsec.max(0) as u64)))
    }

    /// Where the last received message was first put.
    pub fn origin(&self) -> Result<Origin> {
        let mut origin = Origin::default();
        // SAFETY: the handle is open, and this thread is the only one here.
        check(unsafe { sys::ach_channel_origin(self.raw(), &mut origin) })?;
        Ok(origin)
    }

    /// What the channel's messages are. None: the channel has no type.
    pub fn message_type(&self) -> Result<Option<Type>> {
        let mut raw = std::ptr::null();
        // SAFETY: the handle is open, and the type valid until it is closed.
        unsafe {
            match sys::ach_channel_type(self.raw(), &mut raw) {
                0 => Ok(Some(Type::from_raw(raw))),
                status if Status::from_raw(status) == Status::Enotsup => Ok(None),
                status => Err(Error::plain(status)),
            }
        }
    }

    /// Geometry and statistics.
    pub fn info(&self) -> Result<Info> {
        self.handle.info()
    }

    /// The kind of the channel.
    pub fn map(&self) -> Result<Map> {
        let mut map = 0;
        // SAFETY: the handle is open, and this thread is the only one here.
        check(unsafe { sys::ach_channel_map(self.raw(), &mut map) })?;
        Ok(Map::from_raw(map))
    }

    /// The channel's clock, such as `CLOCK_MONOTONIC`.
    pub fn clock(&self) -> Result<i32> {
        let mut clock = 0;
        // SAFETY: the handle is open, and this thread is the only one here.
        check(unsafe { sys::ach_channel_clock(self.raw(), &mut clock) })?;
        Ok(clock)
    }

    /// A descriptor for poll, see ach_channel_fd(3). It belongs to the handle: poll it, then get
    /// until there is nothing new.
    pub fn fd(&self) -> Result<BorrowedFd<'_>> {
        let mut fd = -1;
        // SAFETY: the handle is open, and the descriptor lasts as long as the handle.
        unsafe {
            check_explained(sys::ach_channel_fd(self.raw(), &mut fd))?;
            Ok(BorrowedFd::borrow_raw(fd))
        }
    }
}

/// The descriptor of [`Channel::fd`], or -1 if there is none: call `fd` first to see why.
impl AsRawFd for Channel {
    fn as_raw_fd(&self) -> RawFd {
        self.fd().map_or(-1, |fd| fd.as_raw_fd())
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel").field("seq", &self.seq().ok()).finish_non_exhaustive()
    }
}

/// None instead of an error that means: no message.
pub(crate) fn nothing<T>(e: Error) -> Result<Option<T>> {
    match e.status() {
        Status::Eagain | Status::Timeout => Ok(None),
        _ => Err(e),
    }
}

fn wrong_size<T>(size: usize) -> Error {
    Error::einval(format!("the message has {} bytes, not {}", size, size_of::<T>()))
}

/// An iterator over messages, see [`Channel::messages`].
#[derive(Debug)]
pub struct Messages<'a> {
    channel: &'a mut Channel,
    get: Get,
    ended: bool,
}

impl Iterator for Messages<'_> {
    type Item = Result<Vec<u8>>;

    fn next(&mut self) -> Option<Result<Vec<u8>>> {
        if self.ended {
            return None;
        }
        let message = self.channel.get(self.get).transpose();
        self.ended = !matches!(message, Some(Ok(_)));
        message
    }
}

impl std::iter::FusedIterator for Messages<'_> {}

/// Puts through the handle of a [`Channel`], from any thread, even while another thread waits on
/// it. The handle is closed when the channel and all its writers were dropped.
#[derive(Clone)]
pub struct Writer {
    handle: Arc<Handle>,
}

impl Writer {
    pub fn put(&self, message: &[u8]) -> Result<()> {
        self.handle.put(message)
    }

    pub fn put_as<T: Plain>(&self, message: &T) -> Result<()> {
        self.handle.put(message.bytes())
    }

    pub fn put_relayed(&self, message: &[u8], origin: &Origin) -> Result<()> {
        self.handle.put_relayed(message, origin)
    }
}

/// Ends the waits of a [`Channel`], from any thread. It does not keep the channel open.
#[derive(Clone)]
pub struct Canceller {
    handle: Weak<Handle>,
}

impl Canceller {
    /// Make a waiting get return `Status::Canceled`, and all gets until [`Channel::resume`].
    /// `Status::Closed`: the channel was dropped. A signal handler may call it if the channel is not
    /// dropped meanwhile, because closing is not for signal handlers.
    pub fn cancel(&self) -> Result<()> {
        // The handle is not closed before this reference is dropped.
        match self.handle.upgrade() {
            Some(handle) => handle.cancel(),
            None => Err(Error::plain(Status::Closed as c_int)),
        }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canceller").finish_non_exhaustive()
    }
}

/// Wait until one of several channels has a new message. For each channel: true if it has one, or
/// the error of this channel. `Status::Timeout`: the time ran out.
pub fn wait(channels: &[&Channel], limit: impl Into<Limit>) -> Result<Vec<Result<bool>>> {
    let mut items: Vec<_> =
        channels.iter().map(|c| sys::WaitItem { chan: c.raw(), status: 0, pad0: [0; 4] }).collect();
    let status = with_timeout(Some(limit.into()), |timeout| {
        // SAFETY: the handles are open, and this thread is the only one that uses them.
        unsafe { sys::ach_wait(items.as_mut_ptr(), items.len(), timeout, sys::ACH_O_RELTIME) }
    });
    check(status)?;
    Ok(items
        .iter()
        .map(|i| match i.status {
            0 => Ok(true),
            status if Status::from_raw(status) == Status::Eagain => Ok(false),
            status => Err(Error::plain(status)),
        })
        .collect())
}

/// A steady rate: the period of a control loop. Under `ach sim` it runs on simulated time.
#[derive(Debug)]
pub struct Period {
    raw: sys::RawPeriod,
}

impl Period {
    pub fn new(length: Duration) -> Result<Period> {
        let mut raw = sys::RawPeriod { length: 0, next: 0 };
        let length = i64::try_from(length.as_nanos()).unwrap_or(i64::MAX);
        // SAFETY: ach_period_init initialises the struct.
        check(unsafe { sys::ach_period_init(&mut raw, length) })?;
        Ok(Period { raw })
    }

    /// Sleep until the next period begins. Returns the number of periods that were missed.
    pub fn wait(&mut self) -> Result<u64> {
        let mut missed = 0;
        // SAFETY: the struct was initialised.
        check(unsafe { sys::ach_period_wait(&mut self.raw, &mut missed) })?;
        Ok(missed)
    }
}
