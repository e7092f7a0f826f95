// SPDX-License-Identifier: BSD-3-Clause
// waits.rs - timed waits of Rust: each takes exactly as long as it says, in the time it shows
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Condvar, Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

fn takes<F: FnOnce()>(what: &str, ms: u64, f: F) {
    let begin = Instant::now();
    f();
    let took = begin.elapsed();
    if took != Duration::from_millis(ms) {
        println!("{} took {:?}", what, took);
        std::process::exit(1);
    }
}

fn main() {
    let ms = Duration::from_millis(50);
    takes("sleep", 50, || thread::sleep(ms));
    takes("park_timeout", 50, || thread::park_timeout(ms));
    let (mutex, cond) = (Mutex::new(0), Condvar::new());
    takes("wait_timeout", 50, || {
        assert!(cond.wait_timeout(mutex.lock().unwrap(), ms).unwrap().1.timed_out());
    });
    let (tx, rx) = channel::<i32>();
    takes("recv_timeout", 50, || assert!(rx.recv_timeout(ms).is_err()));
    let sender = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        tx.send(1).unwrap();
    });
    takes("recv", 50, || assert_eq!(rx.recv().unwrap(), 1));
    sender.join().unwrap();
    let lock = Arc::new(RwLock::new(0));
    let barrier = Arc::new(Barrier::new(2));
    let (l, b) = (lock.clone(), barrier.clone());
    let holder = thread::spawn(move || {
        let _guard = l.write().unwrap();
        b.wait();
        thread::sleep(Duration::from_millis(50));
    });
    barrier.wait();
    takes("read", 50, || drop(lock.read().unwrap()));
    takes("join", 0, || holder.join().unwrap());
}
