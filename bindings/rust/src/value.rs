// SPDX-License-Identifier: BSD-3-Clause
//! Messages as trees of values, by the tables of ach/interface.h.
use crate::error::{c_string, check_explained, text_of, Error, Result};
use crate::sys;
use crate::sys::{BodyType, Field};
use std::fmt;
use std::os::raw::{c_int, c_void};

/// A message, or a part of one. `Display` writes JSON.
///
/// ```
/// # use ach::Value;
/// let speed = Value::default().with("vel.px", 0.5).with("state", 1);
/// assert_eq!(speed.get("vel.px").and_then(Value::as_f64), Some(0.5));
/// assert_eq!(speed.to_string(), r#"{"vel":{"px":0.5},"state":1}"#);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    /// Any integer of up to 64 bits.
    Int(i128),
    Float(f64),
    /// Bytes that are not UTF-8 became U+FFFD.
    Text(String),
    List(Vec<Value>),
    /// Fields in the order of the definition.
    Record(Vec<(String, Value)>),
}

/// A record without fields: an empty body, or one whose fields are all 0.
impl Default for Value {
    fn default() -> Value {
        Value::Record(Vec::new())
    }
}

macro_rules! from_integer {
    ($($t:ty)*) => {$(
        impl From<$t> for Value {
            fn from(n: $t) -> Value {
                Value::Int(n.into())
            }
        }
    )*};
}
from_integer!(u8 u16 u32 u64 i8 i16 i32 i64);

macro_rules! from_other {
    ($($t:ty => $variant:ident)*) => {$(
        impl From<$t> for Value {
            fn from(v: $t) -> Value {
                Value::$variant(v.into())
            }
        }
    )*};
}
from_other!(bool => Bool f32 => Float f64 => Float &str => Text String => Text Vec<Value> => List);

impl Value {
    /// A part of the message by its path: `pos.px`, `ranges[2]`.
    pub fn get(&self, path: &str) -> Option<&Value> {
        let mut at = self;
        for word in path.split(['.', '[']) {
            at = match (at, word.strip_suffix(']')) {
                (Value::List(list), Some(index)) => list.get(index.parse::<usize>().ok()?)?,
                (Value::Record(fields), None) => &fields.iter().find(|(name, _)| name == word)?.1,
                _ => return None,
            };
        }
        Some(at)
    }

    /// The message with one field changed or added, by the path of its name: `pos.px`.
    pub fn with(mut self, path: &str, value: impl Into<Value>) -> Value {
        self.set(path, value.into());
        self
    }

    fn set(&mut self, path: &str, value: Value) {
        let (name, rest) = path.split_once('.').map_or((path, None), |(n, r)| (n, Some(r)));
        if !matches!(self, Value::Record(_)) {
            *self = Value::default();
        }
        if let Value::Record(fields) = self {
            let at = fields.iter().position(|(n, _)| n == name).unwrap_or_else(|| {
                fields.push((name.into(), Value::default()));
                fields.len() - 1
            });
            match rest {
                Some(rest) => fields[at].1.set(rest, value),
                None => fields[at].1 = value,
            }
        }
    }

    /// A number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Float(x) => Some(*x),
            Value::Int(n) => Some(*n as f64),
            _ => None,
        }
    }

    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(n) => i64::try_from(*n).ok(),
            Value::Bool(b) => Some((*b).into()),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(t) => Some(t),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(l) => Some(l),
            _ => None,
        }
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{}", c)?,
            c if u32::from(c) < 0x20 => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{}", c)?,
        }
    }
    f.write_str("\"")
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{}", b),
            Value::Int(n) => write!(f, "{}", n),
            // As ach_body_json writes them, and ach_body_from_json reads them.
            Value::Float(x) if x.is_nan() => f.write_str("null"),
            Value::Float(x) if x.is_infinite() => {
                f.write_str(if *x > 0.0 { "1e999" } else { "-1e999" })
            }
            Value::Float(x) => write!(f, "{:?}", x),
            Value::Text(t) => write_text(f, t),
            Value::List(list) => {
                for (i, v) in list.iter().enumerate() {
                    write!(f, "{}{}", if i == 0 { "[" } else { "," }, v)?;
                }
                f.write_str(if list.is_empty() { "[]" } else { "]" })
            }
            Value::Record(fields) => {
                f.write_str("{")?;
                for (i, (name, v)) in fields.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { "," })?;
                    write_text(f, name)?;
                    write!(f, ":{}", v)?;
                }
                f.write_str("}")
            }
        }
    }
}

/// The size of a kind in memory.
///
/// # Safety
/// f is a field of a table.
unsafe fn element_size(f: &Field) -> usize {
    match c_int::from(f.kind) {
        sys::ACH_KIND_INT8 | sys::ACH_KIND_UINT8 | sys::ACH_KIND_CHAR | sys::ACH_KIND_BOOL => 1,
        sys::ACH_KIND_INT16 | sys::ACH_KIND_UINT16 => 2,
        sys::ACH_KIND_INT32 | sys::ACH_KIND_UINT32 | sys::ACH_KIND_FLOAT => 4,
        // SAFETY: a field of this kind has a type.
        sys::ACH_KIND_STRUCT => unsafe { (*f.type_).body_size as usize },
        _ => 8,
    }
}

/// One value of a field.
///
/// # Safety
/// f is a field of a table, and at the address of such a value.
unsafe fn element(f: &Field, at: *const u8) -> Value {
    macro_rules! at {
        ($t:ty) => {
            // SAFETY: the table says that it is a value of this type.
            unsafe { at.cast::<$t>().read_unaligned() }.into()
        };
    }
    match c_int::from(f.kind) {
        sys::ACH_KIND_INT8 => at!(i8),
        sys::ACH_KIND_INT16 => at!(i16),
        sys::ACH_KIND_UINT16 => at!(u16),
        sys::ACH_KIND_INT32 => at!(i32),
        sys::ACH_KIND_UINT32 => at!(u32),
        sys::ACH_KIND_INT64 => at!(i64),
        sys::ACH_KIND_UINT64 => at!(u64),
        sys::ACH_KIND_FLOAT => at!(f32),
        sys::ACH_KIND_DOUBLE => at!(f64),
        // SAFETY: a boolean is a byte, and a field of kind struct has a type.
        sys::ACH_KIND_BOOL => Value::Bool(unsafe { *at } != 0),
        sys::ACH_KIND_STRUCT => unsafe { value_of(f.type_, at) },
        _ => at!(u8),
    }
}

/// The values of an array. An array of char is a text.
///
/// # Safety
/// f is a field of a table, and at points to count such values, or is NULL.
unsafe fn array(f: &Field, at: *const u8, count: usize) -> Value {
    let count = if at.is_null() { 0 } else { count };
    // SAFETY: count values, one behind the other.
    unsafe {
        if c_int::from(f.kind) == sys::ACH_KIND_CHAR {
            let bytes = if count == 0 { &[] } else { std::slice::from_raw_parts(at, count) };
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(count);
            return Value::Text(String::from_utf8_lossy(&bytes[..end]).into_owned());
        }
        let size = element_size(f);
        Value::List((0..count).map(|i| element(f, at.add(i * size))).collect())
    }
}

/// A struct as a value.
///
/// # Safety
/// type_ is a table of the libraries, and body the address of a valid struct of that type.
pub(crate) unsafe fn value_of(type_: *const BodyType, body: *const u8) -> Value {
    // SAFETY: the libraries make tables and structs, so offsets, counts and pointers are right.
    unsafe {
        let type_ = &*type_;
        let fields = match type_.field_count {
            0 => &[],
            n => std::slice::from_raw_parts(type_.fields, n as usize),
        };
        let mut record = Vec::with_capacity(fields.len());
        for f in fields {
            let at = body.add(f.offset as usize);
            let value = match c_int::from(f.array) {
                sys::ACH_ARRAY_COUNT => continue,
                sys::ACH_ARRAY_FIXED => array(f, at, f.limit as usize),
                sys::ACH_ARRAY_VARIABLE => {
                    let count = body.add(f.count_offset as usize).cast::<u32>().read_unaligned();
                    array(f, at.cast::<*const u8>().read_unaligned(), count as usize)
                }
                _ => element(f, at),
            };
            let name = text_of(f.name);
            if name.is_empty() {
                return value; // the struct has no other field
            }
            record.push((name, value));
        }
        Value::Record(record)
    }
}

/// A struct in memory of C.
pub(crate) struct Body {
    memory: *mut c_void,
}

impl Body {
    /// From a value; a message without a body has an empty record.
    ///
    /// # Safety
    /// type_ is NULL or a table of the libraries.
    pub(crate) unsafe fn from_value(type_: *const BodyType, value: &Value) -> Result<Body> {
        if type_.is_null() {
            return match value {
                Value::Record(fields) if fields.is_empty() => {
                    Ok(Body { memory: std::ptr::null_mut() })
                }
                _ => Err(Error::einval("this message has no body")),
            };
        }
        let text = c_string(&value.to_string())?;
        // SAFETY: a table, as the caller promises, and a string that ends with NUL.
        unsafe { Body::new(|body| sys::ach_body_from_json(type_, text.as_ptr(), body)) }
    }

    /// From words like `vel.px=0.5`.
    ///
    /// # Safety
    /// type_ is a table of the libraries.
    #[cfg(feature = "devices")]
    pub(crate) unsafe fn from_words(type_: *const BodyType, words: &[&str]) -> Result<Body> {
        let words = words.iter().map(|w| c_string(w)).collect::<Result<Vec<_>>>()?;
        let pointers: Vec<_> = words.iter().map(|w| w.as_ptr()).collect();
        // SAFETY: a table, as the caller promises, and that many strings.
        unsafe {
            Body::new(|body| {
                sys::ach_body_from_words(type_, pointers.as_ptr(), pointers.len(), body)
            })
        }
    }

    /// # Safety
    /// If make returns 0, it has set the pointer to memory that is freed with free(3).
    pub(crate) unsafe fn new(make: impl FnOnce(*mut *mut c_void) -> c_int) -> Result<Body> {
        let mut memory = std::ptr::null_mut();
        check_explained(make(&mut memory))?;
        Ok(Body { memory })
    }

    pub(crate) fn pointer(&self) -> *const c_void {
        self.memory
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        // SAFETY: memory of malloc, or NULL.
        unsafe { sys::free(self.memory) }
    }
}
