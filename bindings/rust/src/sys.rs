// SPDX-License-Identifier: BSD-3-Clause
//! The functions of Ach's C libraries; the manual of each is in its header.
#![allow(dead_code)] // each feature uses a part
pub use crate::generated::*;
use std::os::raw::{c_char, c_int, c_void};

#[cfg(not(target_pointer_width = "64"))]
compile_error!("the layouts of the structs are those of 64-bit machines");

pub type ListFun = extern "C" fn(*mut c_void, *const c_char, c_int) -> c_int;

// ach.h. Statuses and enumerations are int.
extern "C" {
    pub fn ach_attr_init(attr: *mut Attr);
    pub fn ach_attr_set_shm(attr: *mut Attr, shm: *mut c_void) -> c_int;
    pub fn ach_attr_set_map(attr: *mut Attr, map: c_int) -> c_int;
    pub fn ach_attr_set_lock_source(attr: *mut Attr, lock_source: c_int) -> c_int;
    pub fn ach_attr_set_readonly(attr: *mut Attr, readonly: c_int) -> c_int;
    pub fn ach_attr_set_type(attr: *mut Attr, type_: *const ChannelType) -> c_int;
    pub fn ach_attr_set_spin(attr: *mut Attr, nanoseconds: u64) -> c_int;
    pub fn ach_attr_set_lock_timeout(attr: *mut Attr, nanoseconds: u64) -> c_int;
    pub fn ach_create_attr_init(attr: *mut CreateAttr);
    pub fn ach_create_attr_set_clock(attr: *mut CreateAttr, clock: c_int) -> c_int;
    pub fn ach_create_attr_set_map(attr: *mut CreateAttr, map: c_int) -> c_int;
    pub fn ach_create_attr_set_truncate(attr: *mut CreateAttr, truncate: c_int) -> c_int;
    pub fn ach_create_attr_set_replace_corrupt(attr: *mut CreateAttr, replace: c_int) -> c_int;
    pub fn ach_create_attr_set_timestamps(attr: *mut CreateAttr, timestamps: c_int) -> c_int;
    pub fn ach_create_attr_set_readonly_wake(attr: *mut CreateAttr, wake: c_int) -> c_int;
    pub fn ach_create_attr_set_single_writer(attr: *mut CreateAttr, single: c_int) -> c_int;
    pub fn ach_create_attr_set_mode(attr: *mut CreateAttr, mode: u32) -> c_int;
    pub fn ach_create_attr_set_type(attr: *mut CreateAttr, type_: *const ChannelType) -> c_int;
    pub fn ach_create_attr_set_relayed(attr: *mut CreateAttr, relayed: c_int) -> c_int;
    pub fn ach_create_attr_set_anticipated(attr: *mut CreateAttr, anticipated: c_int) -> c_int;
    pub fn ach_create_attr_get_shm(attr: *mut CreateAttr, shm: *mut *mut c_void) -> c_int;
    pub fn ach_create(
        name: *const c_char,
        frame_cnt: usize,
        frame_size: usize,
        attr: *mut CreateAttr,
    ) -> c_int;
    pub fn ach_open(chan: *mut RawChannel, name: *const c_char, attr: *mut Attr) -> c_int;
    pub fn ach_close(chan: *mut RawChannel) -> c_int;
    pub fn ach_unlink(name: *const c_char) -> c_int;
    pub fn ach_chmod(chan: *mut RawChannel, mode: u32) -> c_int;
    pub fn ach_put(chan: *mut RawChannel, buf: *const c_void, len: usize) -> c_int;
    pub fn ach_put_relayed(
        chan: *mut RawChannel,
        buf: *const c_void,
        len: usize,
        origin: *const Origin,
    ) -> c_int;
    pub fn ach_get(
        chan: *mut RawChannel,
        buf: *mut c_void,
        size: usize,
        frame_size: *mut usize,
        timeout: *const Timespec,
        options: c_int,
    ) -> c_int;
    pub fn ach_flush(chan: *mut RawChannel) -> c_int;
    pub fn ach_cancel(chan: *mut RawChannel, attr: *const c_void) -> c_int;
    pub fn ach_reserve(chan: *mut RawChannel, size: usize, ptr: *mut *mut c_void) -> c_int;
    pub fn ach_commit(chan: *mut RawChannel, size: usize) -> c_int;
    pub fn ach_abort(chan: *mut RawChannel) -> c_int;
    pub fn ach_view(
        chan: *mut RawChannel,
        ptr: *mut *const c_void,
        size: *mut usize,
        timeout: *const Timespec,
        options: c_int,
    ) -> c_int;
    pub fn ach_view_check(chan: *const RawChannel) -> c_int;
    pub fn ach_wait(
        items: *mut WaitItem,
        n: usize,
        timeout: *const Timespec,
        options: c_int,
    ) -> c_int;
    pub fn ach_handle_sigbus() -> c_int;
    pub fn ach_period_init(period: *mut RawPeriod, length: i64) -> c_int;
    pub fn ach_period_wait(period: *mut RawPeriod, missed: *mut u64) -> c_int;
    pub fn ach_channel_seq(chan: *const RawChannel, seq: *mut u64) -> c_int;
    pub fn ach_channel_missed(chan: *const RawChannel, last: *mut u64, total: *mut u64) -> c_int;
    pub fn ach_channel_timestamp(chan: *const RawChannel, when: *mut Timespec) -> c_int;
    pub fn ach_channel_type(chan: *const RawChannel, type_: *mut *const ChannelType) -> c_int;
    pub fn ach_channel_type_hash(type_: *const ChannelType) -> u64;
    pub fn ach_channel_origin(chan: *const RawChannel, origin: *mut Origin) -> c_int;
    pub fn ach_channel_info(chan: *const RawChannel, info: *mut Info) -> c_int;
    pub fn ach_channel_fd(chan: *const RawChannel, file_descriptor: *mut c_int) -> c_int;
    pub fn ach_channel_map(chan: *const RawChannel, map: *mut c_int) -> c_int;
    pub fn ach_channel_clock(chan: *const RawChannel, clock: *mut c_int) -> c_int;
    pub fn ach_list(fun: ListFun, cx: *mut c_void) -> c_int;
    pub fn ach_channel_path(name: *const c_char, path: *mut c_char, size: usize) -> c_int;
    pub fn ach_errstr() -> *const c_char;
    pub fn free(memory: *mut c_void);
}

/// A device, a message of one, a definition: private to the libraries.
#[repr(C)]
pub struct RawDevice([u8; 0]);
#[repr(C)]
pub struct RawMessage([u8; 0]);
#[repr(C)]
pub struct RawDefinition([u8; 0]);

// ach/interface.h
#[cfg(any(feature = "devices", feature = "definitions"))]
extern "C" {
    pub fn ach_body_from_json(
        type_: *const BodyType,
        text: *const c_char,
        body: *mut *mut c_void,
    ) -> c_int;
    pub fn ach_body_from_words(
        type_: *const BodyType,
        words: *const *const c_char,
        count: usize,
        body: *mut *mut c_void,
    ) -> c_int;
}

// ach/interface.h, ach/message.h and ach/device.h
#[cfg(feature = "devices")]
extern "C" {
    pub fn ach_interface_by_code(code: u32) -> *const Interface;
    pub fn ach_interface_message(
        interface: *const Interface,
        type_: u32,
        subtype: u32,
    ) -> *const MessageDef;
    pub fn ach_interface_message_named(
        interface: *const Interface,
        type_: u32,
        name: *const c_char,
    ) -> *const MessageDef;
    pub fn ach_address_text(address: *const Address, text: *mut c_char) -> *mut c_char;
    pub fn ach_message_header(message: *const RawMessage) -> *const Header;
    pub fn ach_message_check(message: *const RawMessage) -> c_int;
    pub fn ach_message_body(message: *const RawMessage) -> *const c_void;
    pub fn ach_message_unref(message: *mut RawMessage);
    pub fn ach_device_open(
        address: *const c_char,
        attr: *const DeviceAttr,
        device: *mut *mut RawDevice,
    ) -> c_int;
    pub fn ach_device_close(device: *mut RawDevice) -> c_int;
    pub fn ach_device_flush(device: *mut RawDevice, seconds: f64) -> c_int;
    pub fn ach_device_address(device: *const RawDevice) -> *const Address;
    pub fn ach_device_transport(device: *const RawDevice) -> *const c_char;
    pub fn ach_device_rights(device: *const RawDevice) -> u32;
    pub fn ach_device_get(
        device: *mut RawDevice,
        subtype: c_int,
        timeout: f64,
        options: c_int,
        message: *mut *mut RawMessage,
    ) -> c_int;
    pub fn ach_device_command(device: *mut RawDevice, subtype: u8, body: *const c_void) -> c_int;
    pub fn ach_device_request(
        device: *mut RawDevice,
        subtype: u8,
        body: *const c_void,
        timeout: f64,
        answer: *mut *mut RawMessage,
    ) -> c_int;
    pub fn ach_device_fd(device: *mut RawDevice) -> c_int;
    pub fn ach_device_lost(device: *const RawDevice) -> u64;
    pub fn ach_device_list(
        address: *const c_char,
        attr: *const DeviceAttr,
        devices: *mut RawDeviceInfo,
        room: usize,
        count: *mut usize,
    ) -> c_int;
}

// ach/definition.h
#[cfg(feature = "definitions")]
extern "C" {
    pub fn ach_definition_new(
        name: *const c_char,
        text: *const c_char,
        size: usize,
        definition: *mut *mut RawDefinition,
    ) -> c_int;
    pub fn ach_definition_type(definition: *const RawDefinition) -> *const BodyType;
    pub fn ach_definition_free(definition: *mut RawDefinition);
    pub fn ach_cdr_encoded_size(
        type_: *const BodyType,
        body: *const c_void,
        size: *mut usize,
    ) -> c_int;
    pub fn ach_cdr_encode(
        type_: *const BodyType,
        body: *const c_void,
        buffer: *mut c_void,
        room: usize,
        size: *mut usize,
    ) -> c_int;
    pub fn ach_cdr_decode_new(
        type_: *const BodyType,
        bytes: *const c_void,
        n: usize,
        body: *mut *mut c_void,
    ) -> c_int;
}
