// SPDX-License-Identifier: BSD-3-Clause
//! The operations on devices.
use crate::{bad, hex, Outcome, Words};
use ach::{Device, DeviceOptions, Get, Status, Value};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

/// How long to wait for a device.
const LIMIT: Duration = Duration::from_secs(10);

#[derive(Default)]
pub struct Devices {
    devices: Mutex<HashMap<String, Device>>,
}

fn address_of(word: &str) -> String {
    let place = || std::env::var("ACH_CONFORMANCE_WHERE");
    match word.contains("$where") {
        true => word.replace(
            "$where",
            &place().unwrap_or_else(|_| bad("ACH_CONFORMANCE_WHERE is not set", word)),
        ),
        false => word.into(),
    }
}

/// Print each field of a message: path=value.
fn print(o: Outcome, path: &str, value: &Value) -> Outcome {
    match value {
        Value::Bool(b) => o.and(format!("{}={}", path, u8::from(*b))),
        Value::Int(n) => o.and(format!("{}={}", path, n)),
        Value::Float(x) => o.and(format!("{}={:016x}", path, x.to_bits())),
        Value::Text(t) => o.and(format!("{}={}", path, hex(t.as_bytes()))),
        Value::List(list) => {
            list.iter().enumerate().fold(o, |o, (i, v)| print(o, &format!("{}[{}]", path, i), v))
        }
        Value::Record(fields) => fields.iter().fold(o, |o, (name, v)| match path {
            "" => print(o, name, v),
            _ => print(o, &format!("{}.{}", path, name), v),
        }),
    }
}

impl Devices {
    fn open(&self, w: &Words) -> ach::Result<()> {
        let options = DeviceOptions { timeout: Some(LIMIT), ..Default::default() };
        let device = Device::open_with(&address_of(w.at(2)), &options)?;
        self.devices.lock().unwrap().insert(w.at(1).into(), device);
        Ok(())
    }

    /// None: it is not an operation on devices.
    pub fn run(&self, w: &Words) -> Option<Outcome> {
        Some(match w.at(0) {
            "device" => Outcome::done(self.open(w)),
            "devices" => {
                Outcome::of(ach::devices(&address_of(w.at(1))), |o, list| o.and(list.len()))
            }
            "device-close" => match self.devices.lock().unwrap().remove(w.at(1)) {
                Some(device) => Outcome::done(device.close()),
                None => Outcome::failed(Status::Closed),
            },
            "data" | "command" | "request" | "device-flush" => {
                match self.devices.lock().unwrap().get_mut(w.at(1)) {
                    Some(device) => run_with_device(device, w),
                    None => Outcome::failed(Status::Closed),
                }
            }
            _ => return None,
        })
    }
}

fn run_with_device(d: &mut Device, w: &Words) -> Outcome {
    let words: Vec<&str> = w.all().iter().skip(3).map(String::as_str).collect();
    match w.at(0) {
        "data" => match d.get(w.at(2), Get::next().wait(LIMIT)) {
            Ok(Some(m)) => print(Outcome::ok(), "", &m.body),
            Ok(None) => Outcome::failed(Status::Timeout),
            Err(e) => Outcome::failed(e.status()),
        },
        "command" => Outcome::done(
            d.command_body(w.at(2), &words).and_then(|body| d.command(w.at(2), &body)),
        ),
        "request" => Outcome::of(
            d.request_body(w.at(2), &words).and_then(|body| d.request(w.at(2), &body, LIMIT)),
            |o, answer| print(o, "", &answer.body),
        ),
        _ => Outcome::done(d.flush(LIMIT)),
    }
}
