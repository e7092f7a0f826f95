// SPDX-License-Identifier: BSD-3-Clause
//! Handles that are dropped leave neither descriptors nor mappings. One test: others would count, too.
mod common;

use ach::{Create, Get};
use common::Name;

/// The numbers of descriptors and mappings of this process.
fn held() -> (usize, usize) {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let channels = maps.lines().filter(|line| line.contains("achshm-")).count();
    (std::fs::read_dir("/proc/self/fd").unwrap().count(), channels)
}

fn use_once(name: &Name) {
    let mut c = name.open();
    let canceller = c.canceller();
    c.writer().put(b"x").unwrap();
    c.fd().unwrap();
    c.view(Get::next(), |v| v.len()).unwrap();
    std::mem::forget(c.reserve(8).unwrap());
    let heap = Create::default().create_heap().unwrap();
    ach::Open::default().open_heap(&heap).unwrap().put(b"x").unwrap();
    assert!(name.starts_with("rust-"));
    canceller.cancel().unwrap();
}

#[test]
fn leaks() {
    let name = Name::create("leaks", Create::default());
    use_once(&name);
    let before = held();
    (0..300).for_each(|_| use_once(&name));
    assert_eq!(held(), before);
}
