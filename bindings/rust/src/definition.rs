// SPDX-License-Identifier: BSD-3-Clause
//! Definitions of messages in the language of ROS, and messages in CDR.
use crate::create::Type;
use crate::error::{c_string, check_explained, Error, Result};
use crate::sys;
use crate::value::{value_of, Body, Value};

/// A definition: what the schema encoding `ros2msg` describes.
///
/// ```
/// # use ach::{Definition, Value};
/// # fn main() -> ach::Result<()> {
/// let point = Definition::new("demo/msg/Point", "float64 x\nfloat64 y")?;
/// let bytes = point.encode(&Value::default().with("x", 1.5))?;
/// assert_eq!(point.decode(&bytes)?.to_string(), r#"{"x":1.5,"y":0.0}"#);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Definition {
    raw: *mut sys::RawDefinition,
}

// SAFETY: definition.h: any thread may call its functions; a definition does not change.
unsafe impl Send for Definition {}
// SAFETY: see above.
unsafe impl Sync for Definition {}

impl Definition {
    pub fn new(name: &str, text: &str) -> Result<Definition> {
        let name = c_string(name)?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: a string that ends with NUL, and a text of that many bytes.
        check_explained(unsafe {
            sys::ach_definition_new(name.as_ptr(), text.as_ptr().cast(), text.len(), &mut raw)
        })?;
        Ok(Definition { raw })
    }

    /// The definition of a channel's messages, if they are in CDR and the schema is `ros2msg`.
    pub fn of(message_type: &Type) -> Result<Definition> {
        let (encoding, schema) = (&message_type.encoding, &message_type.schema_encoding);
        if encoding != "cdr" || schema != "ros2msg" {
            return Err(Error::einval(format!(
                "expected encoding 'cdr' and schema 'ros2msg', found '{}' and '{}'",
                encoding, schema
            )));
        }
        let text = std::str::from_utf8(&message_type.schema).map_err(|_| {
            Error::einval(format!("the schema of {} is no text", message_type.name))
        })?;
        Definition::new(&message_type.name, text)
    }

    fn table(&self) -> *const sys::BodyType {
        // SAFETY: the definition is freed only when it is dropped.
        unsafe { sys::ach_definition_type(self.raw) }
    }

    /// A message as a value. `Status::Corrupt`: it is not such a message.
    pub fn decode(&self, message: &[u8]) -> Result<Value> {
        // SAFETY: the table, and that many bytes; then a struct of that table.
        unsafe {
            let body = Body::new(|body| {
                sys::ach_cdr_decode_new(self.table(), message.as_ptr().cast(), message.len(), body)
            })?;
            Ok(value_of(self.table(), body.pointer().cast()))
        }
    }

    /// A value as a message. Fields that it leaves out are 0.
    pub fn encode(&self, value: &Value) -> Result<Vec<u8>> {
        let mut size = 0;
        // SAFETY: a struct of the table, and room for the bytes that it will take.
        unsafe {
            let body = Body::from_value(self.table(), value)?;
            check_explained(sys::ach_cdr_encoded_size(self.table(), body.pointer(), &mut size))?;
            let mut bytes = vec![0u8; size];
            let (to, room) = (bytes.as_mut_ptr().cast(), bytes.len());
            check_explained(sys::ach_cdr_encode(
                self.table(),
                body.pointer(),
                to,
                room,
                &mut size,
            ))?;
            bytes.truncate(size);
            Ok(bytes)
        }
    }
}

impl Drop for Definition {
    fn drop(&mut self) {
        // SAFETY: nobody else has a reference.
        unsafe { sys::ach_definition_free(self.raw) }
    }
}
