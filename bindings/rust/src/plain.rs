// SPDX-License-Identifier: BSD-3-Clause
//! Messages that are copied byte by byte.
use std::mem::size_of;

/// Values whose bytes are the message.
///
/// ```
/// #[repr(C)]
/// #[derive(Clone, Copy)]
/// struct Pose {
///     x: f64,
///     y: f64,
///     heading: f64,
/// }
/// // SAFETY: three doubles, without padding.
/// unsafe impl ach::Plain for Pose {}
/// ```
///
/// # Safety
/// Any bytes of its size are a valid value: other processes may put anything. So it has no
/// references, no bool, no char and no enum. It has no padding, whose bytes are not initialised.
/// Use `#[repr(C)]`, so that its layout is the same in all programs.
pub unsafe trait Plain: Copy + 'static {
    /// The bytes of the value.
    fn bytes(&self) -> &[u8] {
        let data = self as *const Self as *const u8;
        // SAFETY: a value without padding is size_of initialised bytes.
        unsafe { std::slice::from_raw_parts(data, size_of::<Self>()) }
    }
}

macro_rules! plain {
    ($($t:ty)*) => {$(
        // SAFETY: a number: all bytes are valid, and there is no padding.
        unsafe impl Plain for $t {}
    )*};
}
plain!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64);

// SAFETY: an array has no padding between its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
