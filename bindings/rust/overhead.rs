// SPDX-License-Identifier: BSD-3-Clause
//! What bindings/overhead/overhead.c does, with the crate ach.
use ach::{Channel, Get};
use std::time::Instant;

fn measure(
    name: &str,
    counts: &[u32],
    mut operation: impl FnMut() -> ach::Result<()>,
) -> ach::Result<()> {
    print!("{}:", name);
    for _ in 0..counts[0] {
        let begin = Instant::now();
        for _ in 0..counts[1] {
            operation()?;
        }
        print!(" {:.1}", begin.elapsed().as_nanos() as f64 / f64::from(counts[1]));
    }
    println!();
    Ok(())
}

fn main() -> ach::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let counts: Vec<u32> = arguments[2..].iter().map(|a| a.parse().unwrap()).collect();
    let mut channel = Channel::open(&arguments[1])?;
    let newest = Get::newest().again();
    let mut message = [0; 64];

    measure("put", &counts, || channel.put(&message))?;
    measure("get", &counts, || channel.get(newest).map(drop))?;
    measure("get into", &counts, || channel.get_into(&mut message, newest).map(drop))?;
    measure("view", &counts, || channel.view(newest, |v| v.get(0)).map(drop))
}
