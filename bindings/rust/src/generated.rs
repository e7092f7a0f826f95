// SPDX-License-Identifier: BSD-3-Clause
// Made by generate from bindings/api/api.json. Do not edit.

//! Statuses, constants and structs of the C headers, as they are on 64-bit machines.
#![allow(dead_code)]
use std::mem::{align_of, size_of};
use std::os::raw::{c_char, c_int, c_void};
use std::sync::atomic::AtomicI32;

/// Why an operation failed: the statuses of ach.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// The message is larger than the buffer, or than the channel.
    Overflow = 1,
    /// Not a channel name: letters, digits, . _ - and no leading dot.
    InvalidName = 2,
    /// The file is not a channel, or was cut short.
    BadShmFile = 3,
    /// The system refused; errno and ach_errstr say why.
    FailedSyscall = 4,
    /// Nothing new, or held by another handle or writer.
    Eagain = 5,
    /// A message was delivered, and others before it were missed.
    MissedFrame = 6,
    /// The time ran out.
    Timeout = 7,
    /// There is such a channel already.
    Eexist = 8,
    /// There is no such channel.
    Enoent = 9,
    /// The handle is not open.
    Closed = 10,
    /// A fault in Ach itself.
    Bug = 11,
    /// A bad argument.
    Einval = 12,
    /// The channel's memory is damaged, or the channel was replaced.
    Corrupt = 13,
    /// A channel of another layout: of another version or machine.
    BadHeader = 14,
    /// Not permitted.
    Eacces = 15,
    /// ach_cancel was called on this handle.
    Canceled = 16,
    /// A bad address.
    Efault = 17,
    /// A signal handler ran (only with ACH_O_INTERRUPT).
    Eintr = 18,
    /// This kind of channel, or this system, cannot do that.
    Enotsup = 19,
    /// The channel's messages have another type than expected.
    BadType = 20,
}

impl Status {
    /// The status of a number of ach.h. A number that is not known is a `Bug`.
    pub(crate) fn from_raw(number: c_int) -> Status {
        match number {
            1 => Status::Overflow,
            2 => Status::InvalidName,
            3 => Status::BadShmFile,
            4 => Status::FailedSyscall,
            5 => Status::Eagain,
            6 => Status::MissedFrame,
            7 => Status::Timeout,
            8 => Status::Eexist,
            9 => Status::Enoent,
            10 => Status::Closed,
            11 => Status::Bug,
            12 => Status::Einval,
            13 => Status::Corrupt,
            14 => Status::BadHeader,
            15 => Status::Eacces,
            16 => Status::Canceled,
            17 => Status::Efault,
            18 => Status::Eintr,
            19 => Status::Enotsup,
            20 => Status::BadType,
            _ => Status::Bug,
        }
    }

    /// Its name in ach.h.
    pub fn name(self) -> &'static str {
        match self {
            Status::Overflow => "ACH_OVERFLOW",
            Status::InvalidName => "ACH_INVALID_NAME",
            Status::BadShmFile => "ACH_BAD_SHM_FILE",
            Status::FailedSyscall => "ACH_FAILED_SYSCALL",
            Status::Eagain => "ACH_EAGAIN",
            Status::MissedFrame => "ACH_MISSED_FRAME",
            Status::Timeout => "ACH_TIMEOUT",
            Status::Eexist => "ACH_EEXIST",
            Status::Enoent => "ACH_ENOENT",
            Status::Closed => "ACH_CLOSED",
            Status::Bug => "ACH_BUG",
            Status::Einval => "ACH_EINVAL",
            Status::Corrupt => "ACH_CORRUPT",
            Status::BadHeader => "ACH_BAD_HEADER",
            Status::Eacces => "ACH_EACCES",
            Status::Canceled => "ACH_CANCELED",
            Status::Efault => "ACH_EFAULT",
            Status::Eintr => "ACH_EINTR",
            Status::Enotsup => "ACH_ENOTSUP",
            Status::BadType => "ACH_BAD_TYPE",
        }
    }

    /// What it means.
    pub fn text(self) -> &'static str {
        match self {
            Status::Overflow => "the message is larger than the buffer, or than the channel",
            Status::InvalidName => "not a channel name: letters, digits, . _ - and no leading dot",
            Status::BadShmFile => "the file is not a channel, or was cut short",
            Status::FailedSyscall => "the system refused; errno and ach_errstr say why",
            Status::Eagain => "nothing new, or held by another handle or writer",
            Status::MissedFrame => "a message was delivered, and others before it were missed",
            Status::Timeout => "the time ran out",
            Status::Eexist => "there is such a channel already",
            Status::Enoent => "there is no such channel",
            Status::Closed => "the handle is not open",
            Status::Bug => "a fault in Ach itself",
            Status::Einval => "a bad argument",
            Status::Corrupt => "the channel's memory is damaged, or the channel was replaced",
            Status::BadHeader => "a channel of another layout: of another version or machine",
            Status::Eacces => "not permitted",
            Status::Canceled => "ach_cancel was called on this handle",
            Status::Efault => "a bad address",
            Status::Eintr => "a signal handler ran (only with ACH_O_INTERRUPT)",
            Status::Enotsup => "this kind of channel, or this system, cannot do that",
            Status::BadType => "the channel's messages have another type than expected",
        }
    }
}

pub const ACH_O_NONBLOCK: c_int = 0;
pub const ACH_O_FIRST: c_int = 0;
pub const ACH_O_ABSTIME: c_int = 0;
pub const ACH_O_WAIT: c_int = 1;
pub const ACH_O_LAST: c_int = 2;
pub const ACH_O_COPY: c_int = 4;
pub const ACH_O_RELTIME: c_int = 8;
pub const ACH_O_LINKED: c_int = 16;
pub const ACH_O_INTERRUPT: c_int = 32;
pub const ACH_MAP_DEFAULT: c_int = 0;
pub const ACH_MAP_ANON: c_int = 1;
pub const ACH_MAP_USER: c_int = 2;
pub const ACH_MAP_KERNEL: c_int = 3;
pub const ACH_READY_NONE: c_int = 0;
pub const ACH_READY_IO_URING: c_int = 1;
pub const ACH_READY_THREAD: c_int = 2;
pub const ACH_READY_KERNEL: c_int = 3;
pub const ACH_MSG_DATA: c_int = 1;
pub const ACH_MSG_CMD: c_int = 2;
pub const ACH_MSG_REQ: c_int = 3;
pub const ACH_MSG_ACK: c_int = 4;
pub const ACH_MSG_SYNCH: c_int = 5;
pub const ACH_MSG_NACK: c_int = 6;
pub const ACH_KIND_INT8: c_int = 1;
pub const ACH_KIND_UINT8: c_int = 2;
pub const ACH_KIND_CHAR: c_int = 3;
pub const ACH_KIND_INT16: c_int = 4;
pub const ACH_KIND_UINT16: c_int = 5;
pub const ACH_KIND_INT32: c_int = 6;
pub const ACH_KIND_UINT32: c_int = 7;
pub const ACH_KIND_INT64: c_int = 8;
pub const ACH_KIND_UINT64: c_int = 9;
pub const ACH_KIND_FLOAT: c_int = 10;
pub const ACH_KIND_DOUBLE: c_int = 11;
pub const ACH_KIND_STRUCT: c_int = 12;
pub const ACH_KIND_BOOL: c_int = 13;
pub const ACH_ARRAY_NONE: c_int = 0;
pub const ACH_ARRAY_FIXED: c_int = 1;
pub const ACH_ARRAY_VARIABLE: c_int = 2;
pub const ACH_ARRAY_COUNT: c_int = 3;
pub const ACH_CHAN_NAME_MAX: i64 = 64;
pub const ACH_DEFAULT_FRAME_COUNT: i64 = 16;
pub const ACH_DEFAULT_FRAME_SIZE: i64 = 512;
pub const ACH_WAIT_MAX: i64 = 64;
pub const ACH_TYPE_NAME_MAX: i64 = 256;
pub const ACH_TYPE_SCHEMA_MAX: i64 = 1000000;
pub const ACH_BODY_MAX: i64 = 33554432;
pub const ACH_TABLE_VERSION: i64 = 1;
pub const ACH_SUBTYPE_ANY: i64 = -1;
pub const ACH_ADDRESS_MAX: i64 = 400;
pub const ACH_ROBOT_DEFAULT: i64 = 6665;
pub const ACH_RIGHT_LIST: i64 = 1;
pub const ACH_RIGHT_DATA: i64 = 2;
pub const ACH_RIGHT_COMMAND: i64 = 4;
pub const ACH_RIGHT_REQUEST: i64 = 8;
pub const ACH_RIGHT_ALL: i64 = 15;
pub const CLOCK_REALTIME: i64 = 0;
pub const CLOCK_MONOTONIC: i64 = 1;

#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub struct Timespec {
    pub tv_sec: i64,
    pub tv_nsec: i64,
}
const _: () = assert!(size_of::<Timespec>() == 16);
const _: () = assert!(align_of::<Timespec>() == 8);

#[repr(C, align(8))]
pub struct ChannelType {
    pub name: *const c_char,
    pub encoding: *const c_char,
    pub schema_encoding: *const c_char,
    pub schema: *const c_void,
    pub schema_size: usize,
    pub(crate) pad0: [u8; 88],
}
const _: () = assert!(size_of::<ChannelType>() == 128);
const _: () = assert!(align_of::<ChannelType>() == 8);

/// Where a relayed message was first put; all 0: into this channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct Origin {
    pub epoch: u64,
    pub seq: u64,
    pub stamp: u64,
}
const _: () = assert!(size_of::<Origin>() == 24);
const _: () = assert!(align_of::<Origin>() == 8);

#[repr(C, align(8))]
pub struct Attr {
    pub(crate) pad0: [u8; 64],
}
const _: () = assert!(size_of::<Attr>() == 64);
const _: () = assert!(align_of::<Attr>() == 8);

#[repr(C, align(8))]
pub struct CreateAttr {
    pub(crate) pad0: [u8; 128],
}
const _: () = assert!(size_of::<CreateAttr>() == 128);
const _: () = assert!(align_of::<CreateAttr>() == 8);

#[repr(C, align(8))]
pub struct RawChannel {
    pub shm: u64,
    pub cancel: AtomicI32,
    pub(crate) pad0: [u8; 116],
}
const _: () = assert!(size_of::<RawChannel>() == 128);
const _: () = assert!(align_of::<RawChannel>() == 8);

/// Facts about the channel and the handle, see `ach_info_t` in ach.h.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub struct Info {
    pub map: c_int,
    pub clock: c_int,
    pub frame_cnt: u64,
    pub frame_size: u64,
    pub capacity: u64,
    pub memory: u64,
    pub newest: u64,
    pub oldest: u64,
    pub recovered: u64,
    pub inode: u64,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub(crate) pad0: [u8; 4],
    pub seen: u64,
    pub received: u64,
    pub missed: u64,
    pub overtaken: u64,
    pub slept: u64,
    pub ready: c_int,
    pub source_pid: u32,
    pub epoch: u64,
    pub(crate) pad1: [u8; 112],
}
const _: () = assert!(size_of::<Info>() == 256);
const _: () = assert!(align_of::<Info>() == 8);

impl Info {
    fn bit(&self, at: usize) -> bool {
        // SAFETY: the struct was initialised as a whole, its padding too, and at is within it.
        let byte = unsafe { *(self as *const Self as *const u8).add(at / 8) };
        byte >> (at % 8) & 1 != 0
    }
    pub fn timestamps(&self) -> bool {
        self.bit(672)
    }
    pub fn single_writer(&self) -> bool {
        self.bit(673)
    }
    pub fn readonly_wake(&self) -> bool {
        self.bit(674)
    }
    pub fn unlinked(&self) -> bool {
        self.bit(675)
    }
    pub fn replaced(&self) -> bool {
        self.bit(676)
    }
    pub fn readonly(&self) -> bool {
        self.bit(677)
    }
    pub fn source(&self) -> bool {
        self.bit(678)
    }
    pub fn sourced(&self) -> bool {
        self.bit(679)
    }
    pub fn relayed(&self) -> bool {
        self.bit(1152)
    }
    pub fn typed(&self) -> bool {
        self.bit(1153)
    }
    pub fn anticipated(&self) -> bool {
        self.bit(1154)
    }
}

/// What a receiver that anticipates has learnt, see `ach_anticipation_t` in ach.h.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub struct Anticipation {
    pub budget: u32,
    pub(crate) pad0: [u8; 4],
    pub period: u64,
    pub jitter: u64,
    pub late: u64,
    pub window: u64,
    pub windows: u64,
    pub hits: u64,
    pub spent: u64,
    pub(crate) pad1: [u8; 64],
}
const _: () = assert!(size_of::<Anticipation>() == 128);
const _: () = assert!(align_of::<Anticipation>() == 8);

impl Anticipation {
    fn bit(&self, at: usize) -> bool {
        // SAFETY: the struct was initialised as a whole, its padding too, and at is within it.
        let byte = unsafe { *(self as *const Self as *const u8).add(at / 8) };
        byte >> (at % 8) & 1 != 0
    }
    pub fn on(&self) -> bool {
        self.bit(32)
    }
}

#[repr(C, align(8))]
pub struct WaitItem {
    pub chan: *mut RawChannel,
    pub status: c_int,
    pub(crate) pad0: [u8; 4],
}
const _: () = assert!(size_of::<WaitItem>() == 16);
const _: () = assert!(align_of::<WaitItem>() == 8);

#[derive(Debug)]
#[repr(C, align(8))]
pub struct RawPeriod {
    pub length: i64,
    pub next: i64,
}
const _: () = assert!(size_of::<RawPeriod>() == 16);
const _: () = assert!(align_of::<RawPeriod>() == 8);

#[derive(Clone, Copy)]
#[repr(C, align(4))]
pub struct Address {
    pub host: u32,
    pub robot: u32,
    pub interf: u16,
    pub index: u16,
}
const _: () = assert!(size_of::<Address>() == 12);
const _: () = assert!(align_of::<Address>() == 4);

#[repr(C, align(8))]
pub struct Header {
    pub address: Address,
    pub type_: u8,
    pub subtype: u8,
    pub(crate) pad0: [u8; 2],
    pub sequence: u32,
    pub(crate) pad1: [u8; 4],
    pub timestamp: f64,
}
const _: () = assert!(size_of::<Header>() == 32);
const _: () = assert!(align_of::<Header>() == 8);

#[repr(C, align(8))]
pub struct DeviceAttr {
    pub size: usize,
    pub robot: *mut c_void,
    pub transport: *const c_char,
    pub timeout: f64,
    pub messages: u32,
    pub(crate) pad0: [u8; 4],
    pub anticipate: u64,
}
const _: () = assert!(size_of::<DeviceAttr>() == 48);
const _: () = assert!(align_of::<DeviceAttr>() == 8);

#[derive(Clone, Copy)]
#[repr(C, align(4))]
pub struct RawDeviceInfo {
    pub address: Address,
    pub driver: [c_char; 64],
    pub remote: c_int,
    pub subscriptions: u32,
}
const _: () = assert!(size_of::<RawDeviceInfo>() == 84);
const _: () = assert!(align_of::<RawDeviceInfo>() == 4);

#[repr(C, align(8))]
pub struct Field {
    pub name: *const c_char,
    pub text: *const c_char,
    pub type_: *const BodyType,
    pub kind: u8,
    pub array: u8,
    pub(crate) pad0: [u8; 2],
    pub offset: u32,
    pub count_offset: u32,
    pub limit: u32,
}
const _: () = assert!(size_of::<Field>() == 40);
const _: () = assert!(align_of::<Field>() == 8);

#[repr(C, align(8))]
pub struct BodyType {
    pub name: *const c_char,
    pub text: *const c_char,
    pub fields: *const Field,
    pub(crate) pad0: [u8; 8],
    pub field_count: u32,
    pub(crate) pad1: [u8; 4],
    pub body_size: u32,
    pub body_align: u32,
    pub wire_size: u32,
    pub fixed: u8,
    pub depth: u8,
    pub(crate) pad2: [u8; 2],
}
const _: () = assert!(size_of::<BodyType>() == 56);
const _: () = assert!(align_of::<BodyType>() == 8);

#[repr(C, align(8))]
pub struct MessageDef {
    pub name: *const c_char,
    pub text: *const c_char,
    pub body: *const BodyType,
    pub type_: u8,
    pub subtype: u8,
    pub(crate) pad0: [u8; 6],
}
const _: () = assert!(size_of::<MessageDef>() == 32);
const _: () = assert!(align_of::<MessageDef>() == 8);

#[repr(C, align(8))]
pub struct Interface {
    pub(crate) pad0: [u8; 8],
    pub name: *const c_char,
    pub text: *const c_char,
    pub messages: *const MessageDef,
    pub(crate) pad1: [u8; 8],
    pub message_count: u32,
    pub(crate) pad2: [u8; 4],
    pub code: u16,
    pub(crate) pad3: [u8; 6],
}
const _: () = assert!(size_of::<Interface>() == 56);
const _: () = assert!(align_of::<Interface>() == 8);
