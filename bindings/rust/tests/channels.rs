// SPDX-License-Identifier: BSD-3-Clause
//! What the script of bindings/conformance does not reach: values, guards, threads, bad arguments.
mod common;

use ach::{Canceller, Channel, Create, Get, Limit, Open, Plain, Status, Writer};
use common::Name;
use std::io::Write;
use std::os::unix::io::AsRawFd;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::{Duration, Instant};

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pose {
    x: f64,
    y: f64,
}
// SAFETY: two doubles.
unsafe impl Plain for Pose {}

const MINUTE: Duration = Duration::from_secs(60);

fn status<T: std::fmt::Debug>(result: ach::Result<T>) -> Status {
    result.unwrap_err().status()
}

fn single_writer(test: &str) -> (Name, Channel, Channel) {
    let name = Name::create(test, Create { single_writer: true, ..Default::default() });
    let source = Open { source: true, ..Default::default() }.open(&name).unwrap();
    let reader = name.open();
    (name, source, reader)
}

#[test]
fn values() {
    let name = Name::create("values", Create::default());
    let (w, mut r) = (name.open(), name.open());
    assert_eq!(r.get_as::<Pose>(Get::next()).unwrap(), None);
    assert_eq!(r.get_as::<Pose>(Get::next().wait(Duration::from_millis(1))).unwrap(), None);
    w.put_as(&Pose { x: 1.0, y: 2.0 }).unwrap();
    w.put_as(&Pose { x: 3.0, y: 4.0 }).unwrap();
    assert_eq!(r.get_as::<Pose>(Get::next()).unwrap().unwrap().x, 1.0);
    assert_eq!(r.get_as::<Pose>(Get::newest().wait(MINUTE)).unwrap().unwrap().y, 4.0);
    assert_eq!(r.get_as::<[f64; 2]>(Get::newest().again()).unwrap(), Some([3.0, 4.0]));
    // Messages of another size are skipped.
    w.put(&[1]).unwrap();
    w.put(&[0; 100]).unwrap();
    w.put(&[0; 16]).unwrap();
    for size in [1, 100] {
        let e = r.get_as::<Pose>(Get::next()).unwrap_err();
        assert_eq!(e.status(), Status::Einval);
        assert_eq!(e.to_string(), format!("the message has {} bytes, not 16", size));
    }
    assert_eq!(r.get_as::<Pose>(Get::next()).unwrap(), Some(Pose { x: 0.0, y: 0.0 }));
    assert_eq!(status(w.put_as(&[0u8; 0])), Status::Einval);
}

#[test]
fn bytes() {
    let name = Name::create("bytes", Create { count: 4, size: 1024, ..Default::default() });
    let (w, mut r) = (name.open(), name.open());
    w.put(&[7; 3000]).unwrap();
    let e = r.get_into(&mut [0; 10], Get::next()).unwrap_err();
    assert_eq!((e.status(), e.needed()), (Status::Overflow, 3000));
    assert_eq!(r.get(Get::next().wait(MINUTE)).unwrap().unwrap(), vec![7; 3000]);
    for i in 0..6u8 {
        w.put(&[i]).unwrap();
    }
    let got: ach::Result<Vec<_>> = r.messages(Get::next()).collect();
    assert_eq!(got.unwrap(), [[2], [3], [4], [5]]);
    assert_eq!((r.missed().unwrap().total, r.seq().unwrap()), (2, 7));
    r.canceller().cancel().unwrap();
    let mut messages = r.messages(Get::next().wait(Limit::Forever));
    assert_eq!(status(messages.next().unwrap()), Status::Canceled);
    assert!(messages.next().is_none());
}

#[test]
fn limits() {
    let name = Name::create("limits", Create::default());
    let mut c = name.open();
    let past = Instant::now();
    assert_eq!(c.get(Get::next().wait(past)).unwrap(), None);
    assert_eq!(status(c.get_into(&mut [], Get::next().wait(Duration::ZERO))), Status::Timeout);
    for limit in [Limit::For(Duration::MAX), Limit::Until(past + MINUTE), Limit::Forever] {
        c.put(b"x").unwrap();
        assert_eq!(ach::wait(&[&c], limit).unwrap(), [Ok(true)]);
        assert_eq!(c.get(Get::next().wait(limit)).unwrap().unwrap(), b"x");
    }
    assert_eq!(status(ach::wait(&[&c], past)), Status::Timeout);
    // Waits of the longest duration can be canceled.
    let canceller = c.canceller();
    let waiter = std::thread::spawn(move || {
        let get = Get::next().wait(Duration::MAX);
        assert_eq!(status(c.get(get)), Status::Canceled);
        c.resume();
        assert_eq!(status(c.get_into(&mut [0; 8], get)), Status::Canceled);
        c.resume();
        assert_eq!(status(ach::wait(&[&c], Duration::MAX)), Status::Canceled);
    });
    while canceller.cancel().is_ok() {
        std::thread::sleep(Duration::from_millis(1));
    }
    waiter.join().unwrap();
    assert_eq!(status(ach::Period::new(Duration::ZERO).map(drop)), Status::Einval);
}

#[test]
fn bad_arguments() {
    assert_eq!(status(Channel::open("a\0b")), Status::Einval);
    let e = Channel::open("no-such-channel").unwrap_err();
    assert_eq!(e.status(), Status::Enoent);
    assert!(e.to_string().contains("no-such-channel"), "{}", e);
    assert_eq!(status(Channel::open("a/b")), Status::InvalidName);
    let anon = Create { map: ach::Map::Anon, ..Default::default() };
    assert_eq!(status(anon.create("x")), Status::Einval);
    assert_eq!(
        status(Create { mode: Some(0o10000), ..Default::default() }.create("x")),
        Status::Einval
    );
    let huge = Create { count: usize::MAX, size: usize::MAX, ..Default::default() };
    assert_eq!(status(huge.create("x")), Status::Einval);
    let no_encoding = ach::Type { name: "n".into(), ..Default::default() };
    let typed = Create { message_type: Some(no_encoding), ..Default::default() };
    assert_eq!(status(typed.create("x")), Status::Einval);
    let name = Name::create("bad", Create::default());
    let mut c = name.open();
    assert_eq!(status(c.put(&[])), Status::Einval);
    assert_eq!(status(c.reserve(0)), Status::Einval);
    assert_eq!(status(c.reserve(usize::MAX)), Status::Overflow);
    assert_eq!(status(c.view_check()), Status::Einval);
    assert_eq!(status(c.timestamp()), Status::Enotsup);
    for too_many in [&[][..], &[&c; 65]] {
        assert_eq!(status(ach::wait(too_many, Duration::ZERO)), Status::Einval);
    }
    c.put(b"x").unwrap();
    let twice = ach::wait(&[&c, &c], MINUTE).unwrap();
    assert!(twice.iter().all(|r| *r == Ok(true)));
}

#[test]
fn views() {
    let (_name, source, mut r) = single_writer("views");
    assert_eq!(r.view(Get::next(), |_| ()).unwrap(), None);
    source.put(&[1, 2, 3, 4, 5, 6, 7, 8, 9]).unwrap();
    r.view(Get::next(), |v| {
        assert_eq!((v.len(), v.is_empty(), v.missed()), (9, false, false));
        assert_eq!((v.get(8), v.get(9)), (Some(9), None));
        assert_eq!(v.read::<u16>(1), Some(u16::from_ne_bytes([2, 3])));
        assert_eq!((v.read::<u64>(2), v.read::<u8>(usize::MAX)), (None, None));
        assert!(v.copy_to(7, &mut [0; 2]) && !v.copy_to(8, &mut [0; 2]));
        assert_eq!(v.to_vec(), v.bytes().collect::<Vec<_>>());
        // SAFETY: this thread is the only writer.
        assert_eq!(unsafe { v.as_slice() }, v.to_vec());
    })
    .unwrap()
    .unwrap();
    // A writer overtakes the reader: what was read is not returned.
    source.put(b"next").unwrap();
    let overtaken = r.view(Get::next(), |v| {
        (0..40).for_each(|_| source.put(&[0; 100]).unwrap());
        v.to_vec()
    });
    assert_eq!(status(overtaken), Status::Eagain);
    // A panic leaves the channel usable.
    let panicked = catch_unwind(AssertUnwindSafe(|| r.view(Get::newest(), |_| panic!("expected"))));
    assert!(panicked.is_err());
    source.put(b"x").unwrap();
    assert_eq!(r.get(Get::newest()).unwrap().unwrap(), b"x");
}

#[test]
fn reservations() {
    let (_name, mut source, mut r) = single_writer("reservations");
    let writer = source.writer();
    let mut room = source.reserve(8).unwrap();
    assert_eq!((room.room(), room.is_empty()), (8, true));
    assert_eq!(status(writer.put(b"x")), Status::Eagain); // locked by the reservation
    assert!(room.write_at(4, &[5, 6]) && !room.write_at(7, &[0; 2]) && !room.write_at(9, &[]));
    assert!(room.write_all(&[7, 8, 9]).is_err());
    assert_eq!(room.len(), 8);
    room.commit().unwrap();
    assert_eq!(r.get(Get::next()).unwrap().unwrap(), [0, 0, 0, 0, 5, 6, 7, 8]);
    // Dropped, empty, and dropped by a panic: nothing is put, and nothing stays locked.
    drop(source.reserve(8).unwrap());
    assert_eq!(status(source.reserve(8).unwrap().commit()), Status::Einval);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _room = source.reserve(8).unwrap();
        panic!("expected");
    }));
    assert!(panicked.is_err());
    assert_eq!(r.get(Get::next()).unwrap(), None);
    writer.put(b"x").unwrap();
    // The private room of a channel for many writers is used again: the gap has old bytes.
    let heap = Create::default().create_heap().unwrap();
    let mut many = Open::default().open_heap(&heap).unwrap();
    many.reserve(8).unwrap().write_all(&[9; 8]).unwrap();
    let mut room = many.reserve(8).unwrap();
    assert!(room.write_at(4, &[5]));
    room.commit().unwrap();
    assert_eq!(many.get(Get::next()).unwrap().unwrap(), [0, 0, 0, 0, 5]);
    // Written by pointer; and forgotten, so that the next reservation replaces it.
    std::mem::forget(source.reserve(8).unwrap());
    let mut room = source.reserve(4).unwrap();
    // SAFETY: four bytes fit, and are written.
    unsafe {
        room.as_mut_ptr().write_bytes(3, 4);
        room.set_len(4);
    }
    room.commit().unwrap();
    assert_eq!(r.get(Get::newest()).unwrap().unwrap(), [3; 4]);
}

#[test]
fn threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<Writer>();
    shared::<Canceller>();
    shared::<ach::Heap>();
    sent::<Channel>();

    // Threads share the only handle that may put.
    let (_name, source, r) = single_writer("threads");
    std::thread::scope(|s| {
        for _ in 0..4 {
            let writer = source.writer();
            s.spawn(move || (0..2000u32).for_each(|i| writer.put_as(&i).unwrap()));
        }
    });
    assert_eq!(r.info().unwrap().newest, 8000);

    // A writer keeps the handle open; a canceller does not.
    let (writer, canceller) = (source.writer(), source.canceller());
    drop(source);
    writer.put(b"x").unwrap();
    canceller.cancel().unwrap();
    drop(writer);
    assert_eq!(status(canceller.cancel()), Status::Closed);
}

#[test]
fn cancel_while_dropped() {
    let name = Name::create("dropped", Create::default());
    for _ in 0..30 {
        let mut c = name.open();
        let canceller = c.canceller();
        let waiter = std::thread::spawn(move || {
            let result = c.get(Get::next().wait(Limit::Forever));
            drop(c);
            result
        });
        while canceller.cancel().is_ok() {
            std::thread::yield_now();
        }
        assert_eq!(status(waiter.join().unwrap()), Status::Canceled);
    }
}

#[test]
fn heaps() {
    let heap = Create { timestamps: true, ..Default::default() }.create_heap().unwrap();
    let (w, mut r) = (Open::default().open_heap(&heap), Open::default().open_heap(&heap).unwrap());
    drop(heap); // the handles still use its memory
    w.unwrap().put(b"x").unwrap();
    assert_eq!(r.get(Get::next()).unwrap().unwrap(), b"x");
    assert!(r.timestamp().unwrap() > Duration::ZERO);
    assert_eq!(r.as_raw_fd(), r.fd().unwrap().as_raw_fd());
}
