// SPDX-License-Identifier: BSD-3-Clause
//! Create, open, list and remove channels; the types of their messages.
use crate::channel::{Channel, Handle};
use crate::error::{c_string, check_explained, text_of, Error, Result};
use crate::sys;
use std::ffi::{CStr, CString, OsStr};
use std::mem::MaybeUninit;
use std::os::raw::{c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The kind of a channel: which memory holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Map {
    /// Create: `User`. Open: `Kernel`, else `User`.
    #[default]
    Default = sys::ACH_MAP_DEFAULT as isize,
    /// The heap of this process.
    Anon = sys::ACH_MAP_ANON as isize,
    /// Shared memory.
    User = sys::ACH_MAP_USER as isize,
    /// The kernel module.
    Kernel = sys::ACH_MAP_KERNEL as isize,
}

impl Map {
    pub(crate) fn from_raw(number: c_int) -> Map {
        match number {
            sys::ACH_MAP_ANON => Map::Anon,
            sys::ACH_MAP_USER => Map::User,
            sys::ACH_MAP_KERNEL => Map::Kernel,
            _ => Map::Default,
        }
    }
}

/// What the messages of a channel are. The encodings are those of MCAP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Type {
    /// Such as "geometry_msgs/msg/Twist".
    pub name: String,
    /// Of a message: "cdr", "protobuf", "json", ...
    pub encoding: String,
    /// Of the schema: "ros2msg", "protobuf", ...; empty: there is no schema.
    pub schema_encoding: String,
    /// Describes the message. Whoever may write to the channel may have forged it.
    pub schema: Vec<u8>,
}

/// The struct of ach.h, with the strings that it points to.
struct TypeForC<'a> {
    raw: sys::ChannelType,
    _strings: [CString; 3],
    _schema: &'a [u8],
}

impl Type {
    fn for_c(&self) -> Result<TypeForC<'_>> {
        let strings =
            [c_string(&self.name)?, c_string(&self.encoding)?, c_string(&self.schema_encoding)?];
        // SAFETY: zeros are valid for pointers, sizes and bytes, and ach.h wants unused members 0.
        let mut raw: sys::ChannelType = unsafe { MaybeUninit::zeroed().assume_init() };
        // The strings stay where they are when strings is moved: a CString owns heap memory.
        raw.name = strings[0].as_ptr();
        raw.encoding = strings[1].as_ptr();
        raw.schema_encoding = strings[2].as_ptr();
        raw.schema = self.schema.as_ptr() as *const c_void;
        raw.schema_size = self.schema.len();
        Ok(TypeForC { raw, _strings: strings, _schema: &self.schema })
    }

    /// A number that differs for different types, see ach_channel_type_hash(3).
    pub fn hash(&self) -> Result<u64> {
        let t = self.for_c()?;
        // SAFETY: t holds all that the struct points to.
        Ok(unsafe { sys::ach_channel_type_hash(&t.raw) })
    }

    /// # Safety
    /// raw is a type that ach_channel_type returned, of a handle that is open.
    pub(crate) unsafe fn from_raw(raw: *const sys::ChannelType) -> Type {
        // SAFETY: such a type is a checked copy that belongs to the handle. Its strings end with
        // NUL, and its schema has schema_size bytes.
        unsafe {
            let t = &*raw;
            let mut schema = Vec::new();
            if t.schema_size > 0 {
                let data = t.schema as *const u8;
                schema.extend_from_slice(std::slice::from_raw_parts(data, t.schema_size));
            }
            Type {
                name: text_of(t.name),
                encoding: text_of(t.encoding),
                schema_encoding: text_of(t.schema_encoding),
                schema,
            }
        }
    }
}

/// How to create a channel. Fields are as in `ach_create_attr_t`.
///
/// ```
/// # fn main() -> ach::Result<()> {
/// ach::Create { count: 64, size: 24, timestamps: true, ..Default::default() }.create("pose")?;
/// # ach::unlink("pose")
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Create {
    /// The most messages to keep; 0: 16.
    pub count: usize,
    /// The nominal size of a message; 0: 512.
    pub size: usize,
    pub map: Map,
    /// Replace an existing channel.
    pub truncate: bool,
    /// Replace a damaged channel.
    pub replace_corrupt: bool,
    /// Stamp each message when it is put.
    pub timestamps: bool,
    /// Let read-only subscribers sleep.
    pub readonly_wake: bool,
    /// Only the source may put. In exchange `reserve` needs no copy.
    pub single_writer: bool,
    /// Let messages have an origin.
    pub relayed: bool,
    /// Let receivers that anticipate spare puts the system call.
    pub anticipated: bool,
    /// The clock of timestamps, such as `CLOCK_REALTIME`.
    pub clock: Option<i32>,
    /// Permissions; None: 0666 less the umask.
    pub mode: Option<u32>,
    pub message_type: Option<Type>,
}

impl Create {
    /// Create a channel with a name.
    pub fn create(&self, name: &str) -> Result<()> {
        if self.map == Map::Anon {
            return Err(Error::einval("a channel on the heap is created with create_heap"));
        }
        self.run(name, self.map).map(drop)
    }

    /// Create a channel on the heap of this process, without a name.
    pub fn create_heap(&self) -> Result<Heap> {
        let memory = self.run("", Map::Anon)?;
        Ok(Heap { memory: Arc::new(HeapMemory(memory)) })
    }

    fn run(&self, name: &str, map: Map) -> Result<*mut c_void> {
        let name = c_string(name)?;
        let message_type = self.message_type.as_ref().map(Type::for_c).transpose()?;
        let mut attr = MaybeUninit::<sys::CreateAttr>::uninit();
        let a = attr.as_mut_ptr();
        let mut memory = std::ptr::null_mut();
        // SAFETY: ach_create_attr_init initialises attr. Name and type last until ach_create has
        // returned, which copies them.
        unsafe {
            sys::ach_create_attr_init(a);
            sys::ach_create_attr_set_map(a, map as c_int);
            sys::ach_create_attr_set_truncate(a, self.truncate.into());
            sys::ach_create_attr_set_replace_corrupt(a, self.replace_corrupt.into());
            sys::ach_create_attr_set_timestamps(a, self.timestamps.into());
            sys::ach_create_attr_set_readonly_wake(a, self.readonly_wake.into());
            sys::ach_create_attr_set_single_writer(a, self.single_writer.into());
            sys::ach_create_attr_set_relayed(a, self.relayed.into());
            sys::ach_create_attr_set_anticipated(a, self.anticipated.into());
            if let Some(t) = &message_type {
                sys::ach_create_attr_set_type(a, &t.raw);
            }
            if let Some(clock) = self.clock {
                sys::ach_create_attr_set_clock(a, clock);
            }
            if let Some(mode) = self.mode {
                if sys::ach_create_attr_set_mode(a, mode) != 0 {
                    return Err(Error::einval(format!("mode {:o} has bits beyond 777", mode)));
                }
            }
            check_explained(sys::ach_create(name.as_ptr(), self.count, self.size, a))?;
            if map == Map::Anon {
                sys::ach_create_attr_get_shm(a, &mut memory);
            }
        }
        Ok(memory)
    }
}

/// The memory of a channel on the heap. It is freed after the last handle was closed.
#[derive(Clone, Debug)]
pub struct Heap {
    memory: Arc<HeapMemory>,
}

#[derive(Debug)]
struct HeapMemory(*mut c_void);

// SAFETY: only libach accesses the memory, through handles, and a channel is made to be shared by
// threads. free may be called by any thread.
unsafe impl Send for HeapMemory {}
// SAFETY: see above. &HeapMemory gives only the address.
unsafe impl Sync for HeapMemory {}

impl Drop for HeapMemory {
    fn drop(&mut self) {
        // SAFETY: each handle holds the Arc until it is closed, so no handle is open. ach.h wants
        // this memory to be freed with free(3).
        unsafe { sys::free(self.0) }
    }
}

/// How to open a channel. Fields are as in `ach_attr_t`.
#[derive(Clone, Debug, Default)]
pub struct Open {
    /// Map the channel read-only: read permission is enough.
    pub readonly: bool,
    /// Take the source lock.
    pub source: bool,
    /// Spin that long before a wait sleeps.
    pub spin: Duration,
    /// How long a put waits for another writer; 0: one second.
    pub lock_timeout: Duration,
    pub map: Map,
    /// Refuse a channel with another type, or with none: `Status::BadType`.
    pub message_type: Option<Type>,
}

fn nanoseconds(d: Duration) -> u64 {
    u64::try_from(d.as_nanos()).unwrap_or(u64::MAX)
}

impl Open {
    pub fn open(&self, name: &str) -> Result<Channel> {
        self.run(name, None)
    }

    /// Open a channel on the heap.
    pub fn open_heap(&self, heap: &Heap) -> Result<Channel> {
        self.run("", Some(heap))
    }

    fn run(&self, name: &str, heap: Option<&Heap>) -> Result<Channel> {
        let name = c_string(name)?;
        let message_type = self.message_type.as_ref().map(Type::for_c).transpose()?;
        if heap.is_none() && self.map == Map::Anon {
            return Err(Error::einval("a channel on the heap is opened with open_heap"));
        }
        let mut attr = MaybeUninit::<sys::Attr>::uninit();
        let a = attr.as_mut_ptr();
        // SAFETY: ach_attr_init initialises attr. Name, type and the memory of a heap channel last
        // until ach_open has returned; the handle keeps that memory.
        unsafe {
            sys::ach_attr_init(a);
            match heap {
                Some(h) => sys::ach_attr_set_shm(a, h.memory.0),
                None => sys::ach_attr_set_map(a, self.map as c_int),
            };
            sys::ach_attr_set_readonly(a, self.readonly.into());
            sys::ach_attr_set_lock_source(a, self.source.into());
            sys::ach_attr_set_spin(a, nanoseconds(self.spin));
            sys::ach_attr_set_lock_timeout(a, nanoseconds(self.lock_timeout));
            if let Some(t) = &message_type {
                sys::ach_attr_set_type(a, &t.raw);
            }
            Handle::open(heap.cloned(), |chan| sys::ach_open(chan, name.as_ptr(), a))
        }
        .map(Channel::new)
    }
}

/// Remove a channel's name. Open handles keep working with each other.
pub fn unlink(name: &str) -> Result<()> {
    let name = c_string(name)?;
    // SAFETY: a string that ends with NUL.
    check_explained(unsafe { sys::ach_unlink(name.as_ptr()) })
}

extern "C" fn list_add(to: *mut c_void, name: *const c_char, _map: c_int) -> c_int {
    // SAFETY: list passes the vector, and ach_list the name, both for the duration of this call.
    unsafe { (*(to as *mut Vec<String>)).push(text_of(name)) };
    0
}

/// The names of all channels, in the order of names.
pub fn list() -> Result<Vec<String>> {
    let mut names = Vec::<String>::new();
    // SAFETY: ach_list calls list_add with the vector, and not after it has returned.
    check_explained(unsafe { sys::ach_list(list_add, &mut names as *mut _ as *mut c_void) })?;
    Ok(names)
}

/// The file of a shared-memory channel, which need not exist.
pub fn path(name: &str) -> Result<PathBuf> {
    let name = c_string(name)?;
    let mut text = [0 as c_char; 4096];
    // SAFETY: the size is that of the array, and ach_channel_path writes a string that fits.
    unsafe {
        check_explained(sys::ach_channel_path(name.as_ptr(), text.as_mut_ptr(), text.len()))?;
        Ok(OsStr::from_bytes(CStr::from_ptr(text.as_ptr()).to_bytes()).into())
    }
}

/// Survive the truncation of a channel's file, see ach_handle_sigbus(3).
pub fn handle_sigbus() -> Result<()> {
    // SAFETY: no arguments; it may be called at any time.
    check_explained(unsafe { sys::ach_handle_sigbus() })
}
