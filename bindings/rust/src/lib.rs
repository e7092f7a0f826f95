// SPDX-License-Identifier: BSD-3-Clause
//! Shared-memory channels between the processes of a robot: newest message first, writers never
//! wait for readers. And devices, which are built on top of channels.
//!
//! ```
//! use ach::{Channel, Create, Get};
//! use std::time::Duration;
//!
//! # fn main() -> ach::Result<()> {
//! Create::default().create("temperature")?;      // once; or: ach mk temperature
//! let mut temperature = Channel::open("temperature")?;
//! temperature.put_as(&22.5f64)?;
//! if let Some(t) = temperature.get_as::<f64>(Get::newest().wait(Duration::from_millis(10)))? {
//!     println!("{} degrees", t);
//! }
//! # ach::unlink("temperature")
//! # }
//! ```
//!
//! Each method has the name of a function of `ach.h`, whose manual holds for it too: what it does,
//! whether it allocates or blocks, and whether a real-time loop may call it.
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_debug_implementations)]

mod channel;
mod create;
#[cfg(feature = "definitions")]
mod definition;
#[cfg(feature = "devices")]
mod device;
mod error;
mod generated;
mod inplace;
mod options;
mod plain;
mod sys;
#[cfg(any(feature = "devices", feature = "definitions"))]
mod value;

pub use channel::{wait, Canceller, Channel, Got, Messages, Missed, Period, Writer};
pub use create::{handle_sigbus, list, path, unlink, Create, Heap, Map, Open, Type};
#[cfg(feature = "definitions")]
pub use definition::Definition;
#[cfg(feature = "devices")]
pub use device::{devices, Device, DeviceInfo, DeviceOptions, Message, Rights};
pub use error::{Error, Result};
pub use generated::{Info, Origin, Status};
pub use inplace::{Reservation, View};
pub use options::{Get, Limit};
pub use plain::Plain;
#[cfg(any(feature = "devices", feature = "definitions"))]
pub use value::Value;

/// Clocks, for [`Create::clock`].
pub const CLOCK_REALTIME: i32 = generated::CLOCK_REALTIME as i32;
pub const CLOCK_MONOTONIC: i32 = generated::CLOCK_MONOTONIC as i32;
