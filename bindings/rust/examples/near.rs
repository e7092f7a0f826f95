// SPDX-License-Identifier: BSD-3-Clause
//! near [ADDRESS]: print the distance to the nearest obstacle of each scan of a laser.
use ach::{Device, Get, Value};
use std::time::Duration;

fn main() -> ach::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "laser:0".into());
    let mut laser = Device::open(&address)?;

    while let Some(scan) = laser.get("SCAN", Get::newest().wait(Duration::from_secs(5)))? {
        let number = |path| scan.body.get(path).and_then(Value::as_f64);
        let ranges = scan.body.get("ranges").and_then(Value::as_list).unwrap_or(&[]);
        let near = ranges.iter().filter_map(Value::as_f64).fold(f64::INFINITY, f64::min);
        println!("{:.2} m of {:.2} m", near, number("max_range").unwrap_or(f64::INFINITY));
    }
    println!("no scan for 5 seconds");
    Ok(())
}
