// SPDX-License-Identifier: BSD-3-Clause
//! Devices: open, get data, command, request.
use crate::channel::{nothing, MISSED_FRAME};
use crate::error::{c_string, check_explained, text_of, Error, Result};
use crate::options::{seconds, Get, Limit};
use crate::sys;
use crate::value::{value_of, Body, Value};
use std::mem::MaybeUninit;
use std::os::raw::{c_char, c_int};
use std::os::unix::io::{AsRawFd, RawFd};
use std::time::Duration;

/// How to open a device.
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    /// "tcp", "channel" or a plug-in's; None: by the address.
    pub transport: Option<String>,
    /// To connect, and for the driver's setup; None: 5 seconds.
    pub timeout: Option<Duration>,
    /// Messages beyond it are dropped and counted; 0: 1024.
    pub queue_length: u32,
    /// Through channels: be awake when periodic data comes, for so many millionths of a processor.
    pub anticipate: u64,
}

/// What the caller may do with a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights {
    pub list: bool,
    pub data: bool,
    pub command: bool,
    pub request: bool,
}

/// A message of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its name in the interface, such as "SCAN".
    pub name: String,
    /// Seconds since 1970, or since the simulation began.
    pub timestamp: f64,
    pub body: Value,
}

/// A device of a robot, local or remote. Dropping it closes it, and waits for at most two seconds
/// until the driver has handled the commands.
///
/// ```no_run
/// use ach::{Device, Get, Value};
/// use std::time::Duration;
///
/// # fn main() -> ach::Result<()> {
/// let second = Duration::from_secs(1);
/// let mut laser = Device::open("laser:0")?;
/// if let Some(scan) = laser.get("SCAN", Get::newest().wait(second))? {
///     println!("{:?}", scan.body.get("ranges[0]"));
/// }
/// let mut base = Device::open("position2d:0")?;
/// base.command("VEL", &Value::default().with("vel.px", 0.5).with("state", 1))?;
/// let geometry = base.request("GET_GEOM", &Value::default(), second)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Device {
    raw: *mut sys::RawDevice,
}

// SAFETY: a handle belongs to no thread: device.h allows one thread at a time to use it. A raw
// pointer is not Sync, and neither is Device.
unsafe impl Send for Device {}

impl Device {
    /// Open and subscribe: "laser:0", "6666:laser:0", "robot.local:6665:laser:0".
    pub fn open(address: &str) -> Result<Device> {
        Device::open_with(address, &DeviceOptions::default())
    }

    pub fn open_with(address: &str, options: &DeviceOptions) -> Result<Device> {
        let address = c_string(address)?;
        let transport = options.transport.as_deref().map(c_string).transpose()?;
        let attr = sys::DeviceAttr {
            size: std::mem::size_of::<sys::DeviceAttr>(),
            robot: std::ptr::null_mut(),
            transport: transport.as_ref().map_or(std::ptr::null(), |t| t.as_ptr()),
            timeout: options.timeout.map_or(0.0, seconds),
            messages: options.queue_length,
            pad0: [0; 4],
            anticipate: options.anticipate,
        };
        let mut raw = std::ptr::null_mut();
        // SAFETY: the strings last until the call has returned.
        check_explained(unsafe { sys::ach_device_open(address.as_ptr(), &attr, &mut raw) })?;
        Ok(Device { raw })
    }

    /// Close it. An error means that the driver may not have handled the last commands.
    pub fn close(mut self) -> Result<()> {
        let raw = std::mem::replace(&mut self.raw, std::ptr::null_mut());
        // SAFETY: the handle is open, and is not used again: closing NULL does nothing.
        check_explained(unsafe { sys::ach_device_close(raw) })
    }

    /// A message of the device's interface.
    fn message(&self, kind: c_int, name: &str) -> Result<&'static sys::MessageDef> {
        let c_name = c_string(name)?;
        // SAFETY: the handle is open. Tables of interfaces are never freed.
        unsafe {
            let interf = (*sys::ach_device_address(self.raw)).interf;
            let interface = sys::ach_interface_by_code(interf.into());
            sys::ach_interface_message_named(interface, kind as u32, c_name.as_ptr())
                .as_ref()
                .ok_or_else(|| Error::einval(format!("the device has no such message: {}", name)))
        }
    }

    /// Get data of that name. None: there is nothing new, or the time ran out. Data of other
    /// names is kept for later calls.
    pub fn get(&mut self, name: &str, get: Get) -> Result<Option<Message>> {
        let subtype = self.message(sys::ACH_MSG_DATA, name)?.subtype;
        self.get_subtype(subtype.into(), get)
    }

    /// Get data of any name.
    pub fn get_any(&mut self, get: Get) -> Result<Option<Message>> {
        self.get_subtype(sys::ACH_SUBTYPE_ANY as c_int, get)
    }

    fn get_subtype(&mut self, subtype: c_int, get: Get) -> Result<Option<Message>> {
        let known = sys::ACH_O_LAST | sys::ACH_O_WAIT;
        let options = get.bits() & !sys::ACH_O_RELTIME;
        if options & !known != 0 {
            return Err(Error::einval("a device has neither 'again' nor 'linked'"));
        }
        let mut m = std::ptr::null_mut();
        let timeout = get.limit().map_or(0.0, Limit::seconds);
        // SAFETY: the handle is open, and this thread is the only one that uses it.
        match unsafe { sys::ach_device_get(self.raw, subtype, timeout, options, &mut m) } {
            // SAFETY: the call has set m.
            0 | MISSED_FRAME => unsafe { take_message(m) }.map(Some),
            status => nothing(Error::explained(status)),
        }
    }

    /// Send a command. Fields that the value leaves out are 0.
    pub fn command(&mut self, name: &str, body: &Value) -> Result<()> {
        let def = self.message(sys::ACH_MSG_CMD, name)?;
        // SAFETY: the handle is open, and the body of the type that the message has.
        unsafe {
            let body = Body::from_value(def.body, body)?;
            check_explained(sys::ach_device_command(self.raw, def.subtype, body.pointer()))
        }
    }

    /// Send a request, and wait for the answer. `Status::Enotsup`: the device refused it.
    pub fn request(&mut self, name: &str, body: &Value, limit: Duration) -> Result<Message> {
        let def = self.message(sys::ACH_MSG_REQ, name)?;
        let mut answer = std::ptr::null_mut();
        // SAFETY: the handle is open, and the body of the type that the message has. The answer
        // is ours, also if it says no.
        unsafe {
            let body = Body::from_value(def.body, body)?;
            let (pointer, timeout) = (body.pointer(), seconds(limit));
            match sys::ach_device_request(self.raw, def.subtype, pointer, timeout, &mut answer) {
                0 => take_message(answer),
                status => {
                    let error = Error::explained(status);
                    sys::ach_message_unref(answer);
                    Err(error)
                }
            }
        }
    }

    /// The body of a command from words, as `ach dev cmd` reads them: `vel.px=0.5`. Without words,
    /// it has all fields of the command, which are 0.
    pub fn command_body(&self, name: &str, words: &[&str]) -> Result<Value> {
        self.body_from_words(sys::ACH_MSG_CMD, name, words)
    }

    /// The body of a request from words.
    pub fn request_body(&self, name: &str, words: &[&str]) -> Result<Value> {
        self.body_from_words(sys::ACH_MSG_REQ, name, words)
    }

    fn body_from_words(&self, kind: c_int, name: &str, words: &[&str]) -> Result<Value> {
        let type_ = self.message(kind, name)?.body;
        if type_.is_null() {
            return match words {
                [] => Ok(Value::default()),
                _ => Err(Error::einval(format!("{} has no body", name))),
            };
        }
        // SAFETY: the table of a message, and a struct of that type.
        unsafe {
            let body = Body::from_words(type_, words)?;
            Ok(value_of(type_, body.pointer().cast()))
        }
    }

    /// Wait until the driver has handled all commands.
    pub fn flush(&mut self, limit: Duration) -> Result<()> {
        // SAFETY: the handle is open, and this thread is the only one that uses it.
        check_explained(unsafe { sys::ach_device_flush(self.raw, seconds(limit)) })
    }

    /// Where the device is.
    pub fn address(&self) -> String {
        // SAFETY: the handle is open, and its address lasts as long.
        unsafe { address_text(sys::ach_device_address(self.raw)) }
    }

    /// How it is reached: "inproc", "channel", "tcp", ...
    pub fn transport(&self) -> String {
        // SAFETY: the handle is open, and the string lasts as long.
        unsafe { text_of(sys::ach_device_transport(self.raw)) }
    }

    pub fn rights(&self) -> Rights {
        // SAFETY: the handle is open.
        let rights = i64::from(unsafe { sys::ach_device_rights(self.raw) });
        Rights {
            list: rights & sys::ACH_RIGHT_LIST != 0,
            data: rights & sys::ACH_RIGHT_DATA != 0,
            command: rights & sys::ACH_RIGHT_COMMAND != 0,
            request: rights & sys::ACH_RIGHT_REQUEST != 0,
        }
    }

    /// How many messages were lost so far.
    pub fn lost(&self) -> u64 {
        // SAFETY: the handle is open.
        unsafe { sys::ach_device_lost(self.raw) }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: open, or NULL after close.
        unsafe { sys::ach_device_close(self.raw) };
    }
}

/// Readable while there is a message, see ach_device_fd(3).
impl AsRawFd for Device {
    fn as_raw_fd(&self) -> RawFd {
        // SAFETY: the handle is open.
        unsafe { sys::ach_device_fd(self.raw) }
    }
}

/// The message as a value. It is released.
///
/// # Safety
/// m is a reference to a message that belongs to the caller.
unsafe fn take_message(m: *mut sys::RawMessage) -> Result<Message> {
    // SAFETY: the message lives until it is released, and so do its header and its body. A body
    // that passes the check is a struct of the type in the table.
    unsafe {
        let header = &*sys::ach_message_header(m);
        let interface = sys::ach_interface_by_code(header.address.interf.into());
        let def = sys::ach_interface_message(interface, header.type_.into(), header.subtype.into());
        let message = check_explained(sys::ach_message_check(m)).map(|()| {
            let body = sys::ach_message_body(m);
            let known = !def.is_null() && !body.is_null() && !(*def).body.is_null();
            Message {
                name: def.as_ref().map_or(String::new(), |d| text_of(d.name)),
                timestamp: header.timestamp,
                body: if known { value_of((*def).body, body.cast()) } else { Value::default() },
            }
        });
        sys::ach_message_unref(m);
        message
    }
}

/// # Safety
/// address is that of a device.
unsafe fn address_text(address: *const sys::Address) -> String {
    let mut text = [0 as c_char; sys::ACH_ADDRESS_MAX as usize];
    // SAFETY: the room is what message.h wants, and ends with NUL then.
    unsafe { text_of(sys::ach_address_text(address, text.as_mut_ptr())) }
}

/// A device that a robot has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    pub address: String,
    /// Its driver's name.
    pub driver: String,
    /// On another server.
    pub remote: bool,
    pub subscriptions: u32,
}

/// The devices of a robot: "robot.local:6665", "6666" or "".
pub fn devices(robot: &str) -> Result<Vec<DeviceInfo>> {
    let robot = c_string(robot)?;
    // SAFETY: zeros are valid for numbers and texts.
    let empty: sys::RawDeviceInfo = unsafe { MaybeUninit::zeroed().assume_init() };
    let mut infos = vec![empty; 64];
    loop {
        let mut count = 0;
        // SAFETY: there is room for that many; a string that ends with NUL; NULL for the defaults.
        check_explained(unsafe {
            let (room, to) = (infos.len(), infos.as_mut_ptr());
            sys::ach_device_list(robot.as_ptr(), std::ptr::null(), to, room, &mut count)
        })?;
        if count <= infos.len() {
            infos.truncate(count);
            break;
        }
        infos.resize(count, empty);
    }
    let info = |i: &sys::RawDeviceInfo| DeviceInfo {
        // SAFETY: addresses and names that ach_device_list has set; names end with NUL.
        address: unsafe { address_text(&i.address) },
        driver: unsafe { text_of(i.driver.as_ptr()) },
        remote: i.remote != 0,
        subscriptions: i.subscriptions,
    };
    Ok(infos.iter().map(info).collect())
}
