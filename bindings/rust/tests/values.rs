// SPDX-License-Identifier: BSD-3-Clause
//! Messages as values. The script of bindings/conformance covers devices.
mod common;

use ach::{Create, Definition, Device, Get, Open, Status, Type, Value};
use common::Name;

const SCHEMA: &str = "bool on\nint64 low\nuint64 high\nfloat32 f\nfloat64[2] pair\nstring text\n\
                      string[] words\nPoint[] points\n===\nMSG: demo/Point\nint8 x\n";

fn example() -> Value {
    let point = |x: i8| Value::default().with("x", x);
    Value::default()
        .with("on", true)
        .with("low", i64::MIN)
        .with("high", u64::MAX)
        .with("f", 0.5f32)
        .with("pair", vec![Value::from(-0.0), Value::from(1e300)])
        .with("text", "a \"quote\", a \\, a\ttab, an \u{e4}")
        .with("words", vec![Value::from("one"), Value::from("")])
        .with("points", vec![point(1), point(-1)])
}

#[test]
fn definitions() {
    let definition = Definition::new("demo/msg/All", SCHEMA).unwrap();
    let bytes = definition.encode(&example()).unwrap();
    let value = definition.decode(&bytes).unwrap();
    assert_eq!(value, example());
    assert_eq!(value.get("points[1].x").and_then(Value::as_i64), Some(-1));
    assert_eq!(value.get("words[0]").and_then(Value::as_str), Some("one"));
    for path in ["", "none", "points[2]", "points[x]", "points.x", "on.x", "words[0][0]", "[", "]"]
    {
        assert_eq!(value.get(path), None, "{}", path);
    }
    // NaN and infinities are numbers, too.
    let odd =
        Value::default().with("pair", vec![Value::from(f64::NAN), Value::from(f64::INFINITY)]);
    let back = definition.decode(&definition.encode(&odd).unwrap()).unwrap();
    assert!(back.get("pair[0]").and_then(Value::as_f64).unwrap().is_nan());
    assert_eq!(back.get("pair[1]").and_then(Value::as_f64), Some(f64::INFINITY));
}

#[test]
fn bad_messages() {
    let definition = Definition::new("demo/msg/All", SCHEMA).unwrap();
    let bytes = definition.encode(&example()).unwrap();
    for size in 0..bytes.len() - 1 {
        assert_eq!(definition.decode(&bytes[..size]).unwrap_err().status(), Status::Corrupt);
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0xff;
        definition.decode(&changed).ok();
    }
    let too_many = Value::default().with("pair", vec![Value::from(1); 3]);
    for bad in [Value::default().with("none", 1), Value::default().with("on", "x"), too_many] {
        let e = definition.encode(&bad).unwrap_err();
        assert_eq!(e.status(), Status::Einval);
        assert!(!e.to_string().is_empty());
    }
    assert_eq!(Definition::new("x", "no such thing").unwrap_err().status(), Status::Einval);
}

#[test]
fn types() {
    let message_type = Type {
        name: "demo/msg/All".into(),
        encoding: "cdr".into(),
        schema_encoding: "ros2msg".into(),
        schema: SCHEMA.into(),
    };
    let create = Create { message_type: Some(message_type.clone()), ..Default::default() };
    let name = Name::create("types", create);
    Open { message_type: Some(message_type.clone()), ..Default::default() }.open(&name).unwrap();
    let mut c = name.open();
    assert_eq!(c.message_type().unwrap().as_ref(), Some(&message_type));
    let definition = Definition::of(&message_type).unwrap();
    c.put(&definition.encode(&example()).unwrap()).unwrap();
    let message = c.get(Get::next()).unwrap().unwrap();
    assert_eq!(definition.decode(&message).unwrap(), example());

    let other = Type { schema: b"float64 z".to_vec(), ..message_type };
    let refused = Open { message_type: Some(other.clone()), ..Default::default() }.open(&name);
    assert_eq!(refused.unwrap_err().status(), Status::BadType);
    assert_ne!(other.hash(), c.message_type().unwrap().unwrap().hash());
    let json = Type { encoding: "json".into(), ..other };
    assert_eq!(Definition::of(&json).unwrap_err().status(), Status::Einval);
}

#[test]
fn addresses() {
    for address in ["", "laser", "laser:x", "no-such-interface:0", "laser:0\0"] {
        assert_eq!(Device::open(address).unwrap_err().status(), Status::Einval, "{}", address);
    }
}
