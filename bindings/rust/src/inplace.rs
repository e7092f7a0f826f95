// SPDX-License-Identifier: BSD-3-Clause
//! Messages without a copy.
//!
//! Other processes may write to this memory at any time. So there are no references to it, whose
//! data Rust expects not to change: `View` and `Reservation` copy values out and in.
use crate::channel::{nothing, Channel, MISSED_FRAME};
use crate::error::{check, Error, Result};
use crate::options::{with_timeout, Get};
use crate::plain::Plain;
use crate::sys;
use std::io;
use std::marker::PhantomData;
use std::mem::{size_of, MaybeUninit};
use std::os::raw::c_void;

/// A message in the channel's memory, which writers may overwrite while it is read.
#[derive(Debug)]
pub struct View<'a> {
    data: *const u8,
    size: usize,
    missed: bool,
    channel: PhantomData<&'a Channel>,
}

impl View<'_> {
    pub fn len(&self) -> usize {
        self.size
    }

    /// Never: a message has at least one byte.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Messages before it were overwritten or skipped.
    pub fn missed(&self) -> bool {
        self.missed
    }

    /// The byte at an offset.
    pub fn get(&self, at: usize) -> Option<u8> {
        // SAFETY: the byte is mapped as long as the channel is open, which the lifetime ensures.
        (at < self.size).then(|| unsafe { self.data.add(at).read_volatile() })
    }

    pub fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        (0..self.size).filter_map(move |at| self.get(at))
    }

    /// Copy bytes from an offset on. False: there are fewer.
    pub fn copy_to(&self, at: usize, to: &mut [u8]) -> bool {
        // SAFETY: a slice has room for its bytes.
        unsafe { self.copy(at, to.as_mut_ptr(), to.len()) }
    }

    /// The T at an offset. None: it would end behind the message.
    pub fn read<T: Plain>(&self, at: usize) -> Option<T> {
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: the room is that of a T, and any bytes are a T.
        unsafe {
            self.copy(at, value.as_mut_ptr().cast(), size_of::<T>()).then(|| value.assume_init())
        }
    }

    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.size];
        self.copy_to(0, &mut bytes);
        bytes
    }

    /// # Safety
    /// There is room for size bytes.
    unsafe fn copy(&self, at: usize, to: *mut u8, size: usize) -> bool {
        let fits = at <= self.size && size <= self.size - at;
        if fits {
            // SAFETY: the bytes are mapped as long as the channel is open, and are not those of a
            // Rust object. If they change meanwhile, a mixture is copied, and the check finds out.
            unsafe { std::ptr::copy_nonoverlapping(self.data.add(at), to, size) };
        }
        fits
    }

    /// The bytes as a slice.
    ///
    /// # Safety
    /// No process writes to them while the slice is used, although writers do not wait for
    /// readers. The newest message stays intact until one more message was put and the put or
    /// reservation after that one has begun.
    pub unsafe fn as_slice(&self) -> &[u8] {
        // SAFETY: mapped as long as the channel is open, and unchanged as the caller promises.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}

impl Channel {
    /// Read a message in place: call read with it, then check that no writer has overwritten it
    /// meanwhile, and only then return what read has returned. None: there is nothing new, or the
    /// time ran out. `Status::Eagain`: it was overwritten.
    ///
    /// ```
    /// # fn main() -> ach::Result<()> {
    /// # ach::Create::default().create("image")?;
    /// let mut image = ach::Channel::open("image")?;
    /// image.put(&[1, 2, 3])?;
    /// let sum = image.view(ach::Get::newest(), |v| v.bytes().map(u32::from).sum::<u32>())?;
    /// assert_eq!(sum, Some(6));
    /// # ach::unlink("image")
    /// # }
    /// ```
    pub fn view<R>(&mut self, get: Get, read: impl FnOnce(&View<'_>) -> R) -> Result<Option<R>> {
        let (mut data, mut size) = (std::ptr::null(), 0);
        let status = with_timeout(get.limit(), |timeout| {
            // SAFETY: the handle is open, and this thread is the only one here.
            unsafe { sys::ach_view(self.raw(), &mut data, &mut size, timeout, get.bits()) }
        });
        match status {
            0 | MISSED_FRAME => {}
            _ => return nothing(Error::plain(status)),
        }
        let missed = status == MISSED_FRAME;
        let result = read(&View { data: data.cast(), size, missed, channel: PhantomData });
        self.view_check()?;
        Ok(Some(result))
    }

    /// Is the message that was viewed last still intact? `Status::Eagain`: it was overwritten.
    pub fn view_check(&self) -> Result<()> {
        // SAFETY: the handle is open, and this thread is the only one here.
        check(unsafe { sys::ach_view_check(self.raw()) })
    }

    /// Reserve room for a message, to be written in place. A channel for a single writer has it in
    /// its own memory, so that a put needs no copy.
    pub fn reserve(&mut self, size: usize) -> Result<Reservation<'_>> {
        let mut room: *mut c_void = std::ptr::null_mut();
        {
            let _turn = self.handle().turn();
            // SAFETY: the handle is open; no thread puts meanwhile if there is a single writer.
            check(unsafe { sys::ach_reserve(self.raw(), size, &mut room) })?;
        }
        Ok(Reservation { channel: self, room: room.cast(), size, len: 0 })
    }

    /// Put the message of a reservation that was kept, see [`Reservation::keep`]. After `Einval` and
    /// `Eagain` the reservation is still there.
    pub fn commit(&mut self, size: usize) -> Result<()> {
        let _turn = self.handle().turn();
        // SAFETY: as for reserve.
        check(unsafe { sys::ach_commit(self.raw(), size) })
    }

    /// Drop a reservation that was kept.
    pub fn abort(&mut self) -> Result<()> {
        let _turn = self.handle().turn();
        // SAFETY: as for reserve.
        check(unsafe { sys::ach_abort(self.raw()) })
    }
}

/// Room for a message. It is dropped unless it is committed.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # ach::Create::default().create("report")?;
/// # let mut report = ach::Channel::open("report")?;
/// use std::io::Write;
/// let mut room = report.reserve(64)?;
/// write!(room, "{} degrees", 22.5)?;
/// room.commit()?;
/// # assert_eq!(report.get(ach::Get::next())?.unwrap(), b"22.5 degrees");
/// # Ok(ach::unlink("report")?)
/// # }
/// ```
#[derive(Debug)]
pub struct Reservation<'a> {
    channel: &'a mut Channel,
    room: *mut u8,
    size: usize,
    /// The bytes that were written; those behind may be anything.
    len: usize,
}

impl Reservation<'_> {
    /// Bytes that fit.
    pub fn room(&self) -> usize {
        self.size
    }

    /// Bytes that were written: the size of the message.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Write bytes at an offset. A gap in front of them is filled with zeros. False, and nothing is
    /// written: they would end behind the room.
    pub fn write_at(&mut self, at: usize, bytes: &[u8]) -> bool {
        let fits = at <= self.size && bytes.len() <= self.size - at;
        if fits {
            self.zero_up_to(at);
            // SAFETY: within the room, which is not a Rust object and lasts until the next
            // reservation of the handle.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.room.add(at), bytes.len());
            }
            self.len = self.len.max(at + bytes.len());
        }
        fits
    }

    fn zero_up_to(&mut self, end: usize) {
        if end > self.len {
            // SAFETY: callers pass an end within the room.
            unsafe { self.room.add(self.len).write_bytes(0, end - self.len) };
            self.len = end;
        }
    }

    /// The room, aligned to 16 bytes, for code that writes by pointer; then call `set_len`.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.room
    }

    /// Set the size of the message.
    ///
    /// # Safety
    /// All bytes up to there were written, and len is at most `room()`.
    pub unsafe fn set_len(&mut self, len: usize) {
        self.len = len;
    }

    /// Put the message. If that fails, the reservation is dropped.
    pub fn commit(self) -> Result<()> {
        self.channel.commit(self.len)
    }

    /// Keep the reservation without its guard: `Channel::commit` puts it later. The rest of the
    /// room is filled with zeros.
    pub fn keep(mut self) {
        self.zero_up_to(self.size);
        std::mem::forget(self);
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        // Einval: it was committed.
        self.channel.abort().ok();
    }
}

/// Appends to the message. If the room is full, nothing more is written.
impl io::Write for Reservation<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.size - self.len);
        self.write_at(self.len, &bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
