// SPDX-License-Identifier: BSD-3-Clause
//! A 100 Hz controller in Rust: drive towards a wall, and stop half a metre before it.
use ach::{Channel, Create, Get, Limit, Period};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const RANGE: &str = "approach-range"; // distance to the wall, in metres
const SPEED: &str = "approach-speed"; // forward, in metres per second

/// A cart with a range sensor, in place of the real one.
fn cart(stop: &AtomicBool) -> ach::Result<()> {
    let range = Channel::open(RANGE)?;
    let mut speed = Channel::open(SPEED)?;
    let mut period = Period::new(Duration::from_millis(5))?;
    let mut distance = 2.0;

    while !stop.load(Ordering::Relaxed) {
        if let Some(forward) = speed.get_as::<f64>(Get::newest().again())? {
            distance -= forward * 0.005;
        }
        range.put_as(&distance)?;
        period.wait()?;
    }
    Ok(())
}

fn approach() -> ach::Result<f64> {
    let mut range = Channel::open(RANGE)?;
    let speed = Channel::open(SPEED)?;
    let mut period = Period::new(Duration::from_millis(10))?;

    loop {
        let distance: f64 = range
            .get_as(Get::newest().wait(Limit::Forever))?
            .expect("a wait without a limit ends with a message or an error");
        let error = distance - 0.5;
        if error.abs() <= 0.005 {
            speed.put_as(&0.0)?;
            return Ok(distance);
        }
        speed.put_as(&(4.0 * error))?;
        period.wait()?;
    }
}

fn main() -> ach::Result<()> {
    for name in [RANGE, SPEED] {
        Create { size: 8, truncate: true, ..Default::default() }.create(name)?;
    }
    let stop = AtomicBool::new(false);
    let distance = std::thread::scope(|s| {
        let cart = s.spawn(|| cart(&stop));
        let distance = approach();
        stop.store(true, Ordering::Relaxed);
        cart.join().expect("the cart panicked").and(distance)
    })?;
    println!("stopped at {:.2} m", distance);
    ach::unlink(RANGE)?;
    ach::unlink(SPEED)
}
