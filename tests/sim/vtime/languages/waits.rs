// SPDX-License-Identifier: BSD-3-Clause
// waits.rs - timed waits of Rust: each takes the requested time, by the clocks that it reads
//
// usage: waits SLACK: milliseconds that a wait may take longer
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Condvar, Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

const MS: Duration = Duration::from_millis(50);

fn takes<F: FnOnce()>(what: &str, ms: u64, more: u64, f: F) {
    let slack: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let begin = Instant::now();
    f();
    let took = begin.elapsed();
    if took < Duration::from_millis(ms) || took > Duration::from_millis(ms + slack + more) {
        println!("{} took {:?}", what, took);
        std::process::exit(1);
    }
}

fn timeouts() {
    let (mutex, cond) = (Mutex::new(0), Condvar::new());
    let (_tx, rx) = channel::<i32>();
    takes("sleep", 50, 0, || thread::sleep(MS));
    takes("park_timeout", 50, 0, || thread::park_timeout(MS));
    takes("wait_timeout", 50, 0, || {
        assert!(cond.wait_timeout(mutex.lock().unwrap(), MS).unwrap().1.timed_out());
    });
    takes("recv_timeout", 50, 0, || assert!(rx.recv_timeout(MS).is_err()));
}

fn hold_and_read() {
    let lock = Arc::new(RwLock::new(0));
    let barrier = Arc::new(Barrier::new(2));
    let (l, b) = (lock.clone(), barrier.clone());
    let holder = thread::spawn(move || {
        let _guard = l.write().unwrap();
        b.wait();
        thread::sleep(MS);
    });
    barrier.wait();
    drop(lock.read().unwrap());
    holder.join().unwrap();
}

fn notify_and_wait() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = pair.clone();
    let waker = thread::spawn(move || {
        thread::sleep(MS);
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let mut done = pair.0.lock().unwrap();
    while !*done {
        done = pair.1.wait(done).unwrap();
    }
    drop(done);
    waker.join().unwrap();
}

fn others() {
    takes("recv", 50, 0, || {
        let (tx, rx) = channel();
        thread::spawn(move || {
            thread::sleep(MS);
            tx.send(1).unwrap();
        });
        assert_eq!(rx.recv().unwrap(), 1);
    });
    takes("read", 50, 0, hold_and_read);
    takes("wait", 50, 0, notify_and_wait);
    takes("join", 50, 0, || thread::spawn(|| thread::sleep(MS)).join().unwrap());
    takes("unpark", 50, 0, || {
        let main = thread::current();
        thread::spawn(move || {
            thread::sleep(MS);
            main.unpark();
        });
        thread::park();
    });
    takes("yield_now", 5, 1, || {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(5));
            other.store(true, Ordering::SeqCst);
        });
        while !flag.load(Ordering::SeqCst) {
            thread::yield_now();
        }
    });
}

fn main() {
    timeouts();
    others();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    assert!((1700000000..1700010000).contains(&now), "it is {}", now);
    println!("all waits were right");
}
