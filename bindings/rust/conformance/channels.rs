// SPDX-License-Identifier: BSD-3-Clause
//! The operations on channels.
use crate::{bytes, hex, number, status_name, Outcome, Words};
use ach::{Canceller, Channel, Create, Get, Heap, Limit, Map, Open, Origin, Period, Status, Type};
use std::collections::HashMap;
use std::os::raw::{c_int, c_short, c_ulong};
use std::os::unix::io::AsRawFd;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// A handle. Other threads put and cancel while one of them holds the lock to wait.
struct Handle {
    channel: Mutex<Channel>,
    writer: ach::Writer,
    canceller: Canceller,
}

impl Handle {
    fn lock(&self) -> MutexGuard<'_, Channel> {
        self.channel.lock().unwrap()
    }
}

#[derive(Default)]
pub struct Channels {
    handles: Mutex<HashMap<String, Arc<Handle>>>,
    heaps: Mutex<HashMap<String, Heap>>,
}

/// $imu with the prefix of this run.
fn name_of(prefix: &str, word: &str) -> String {
    word.strip_prefix('$').map_or(word.into(), |rest| format!("{}{}", prefix, rest))
}

fn type_of(w: &Words) -> Option<Type> {
    let text = |key| w.value(key).unwrap_or("").to_string();
    w.value("type").map(|name| Type {
        name: name.into(),
        encoding: text("encoding"),
        schema_encoding: text("schema_encoding"),
        schema: w.value("schema").map_or(Vec::new(), bytes),
    })
}

fn get_of(w: &Words) -> Get {
    let mut get = if w.flag("last") { Get::newest() } else { Get::next() };
    if w.flag("copy") {
        get = get.again();
    }
    if w.flag("linked") {
        get = get.linked();
    }
    match limit_of(w) {
        limit if w.flag("wait") => get.wait(limit),
        _ => get,
    }
}

fn limit_of(w: &Words) -> Limit {
    w.value("timeout").map_or(Limit::Forever, |ms| Duration::from_millis(number(ms, 10)).into())
}

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: c_short,
    revents: c_short,
}
const POLLIN: c_short = 1;
extern "C" {
    fn poll(fds: *mut PollFd, n: c_ulong, timeout: c_int) -> c_int;
}

fn readable(fd: c_int, ms: u64) -> bool {
    let mut p = PollFd { fd, events: POLLIN, revents: 0 };
    // SAFETY: one struct.
    unsafe { poll(&mut p, 1, ms as c_int) == 1 && p.revents & POLLIN != 0 }
}

impl Channels {
    fn create(&self, name: String, w: &Words) -> ach::Result<()> {
        let create = Create {
            count: w.number(2) as usize,
            size: w.number(3) as usize,
            map: if w.flag("kernel") { Map::Kernel } else { Map::Default },
            truncate: w.flag("truncate"),
            timestamps: w.flag("timestamps"),
            readonly_wake: w.flag("readonly_wake"),
            single_writer: w.flag("single_writer"),
            relayed: w.flag("relayed"),
            anticipated: w.flag("anticipated"),
            clock: w.value("clock").map(|c| match c {
                "realtime" => ach::CLOCK_REALTIME,
                _ => ach::CLOCK_MONOTONIC,
            }),
            mode: w.value("mode").map(|m| number(m, 8) as u32),
            message_type: type_of(w),
            ..Default::default()
        };
        if !w.flag("heap") {
            return create.create(&name);
        }
        self.heaps.lock().unwrap().insert(name, create.create_heap()?);
        Ok(())
    }

    fn open(&self, name: &str, w: &Words) -> ach::Result<()> {
        let duration = |key| w.value(key).map_or(0, |n| number(n, 10));
        let open = Open {
            readonly: w.flag("readonly"),
            source: w.flag("source"),
            spin: Duration::from_nanos(duration("spin")),
            lock_timeout: Duration::from_nanos(duration("lock_timeout")),
            message_type: type_of(w),
            ..Default::default()
        };
        let channel = match self.heaps.lock().unwrap().get(name) {
            Some(heap) => open.open_heap(heap)?,
            None => open.open(name)?,
        };
        let (writer, canceller) = (channel.writer(), channel.canceller());
        let handle = Handle { channel: Mutex::new(channel), writer, canceller };
        self.handles.lock().unwrap().insert(w.at(1).into(), Arc::new(handle));
        Ok(())
    }

    fn handle(&self, name: &str) -> Option<Arc<Handle>> {
        self.handles.lock().unwrap().get(name).cloned()
    }

    /// None: it is not an operation on channels.
    pub fn run(&self, prefix: &str, w: &Words) -> Option<Outcome> {
        let name = |i| name_of(prefix, w.at(i));
        Some(match w.at(0) {
            "create" => Outcome::done(self.create(name(1), w)),
            "open" => Outcome::done(self.open(&name(2), w)),
            "close" => match self.handles.lock().unwrap().remove(w.at(1)) {
                Some(_) => Outcome::ok(),
                None => Outcome::failed(Status::Closed),
            },
            "unlink" => Outcome::done(ach::unlink(&name(1))),
            "path" => Outcome::of(ach::path(&name(1)), |o, _| o),
            "exists" => Outcome::of(ach::list(), |o, names| {
                o.and(if names.contains(&name(1)) { "yes" } else { "no" })
            }),
            "wait" => self.wait(w),
            "period" => Outcome::done(period(w)),
            _ => return self.run_with_handle(w),
        })
    }

    fn wait(&self, w: &Words) -> Outcome {
        let names = w.all()[1..].iter().filter(|word| !word.starts_with("timeout="));
        let handles: Option<Vec<_>> = names.map(|n| self.handle(n)).collect();
        let handles = match handles {
            Some(h) => h,
            None => return Outcome::failed(Status::Closed),
        };
        let locked: Vec<_> = handles.iter().map(|h| h.lock()).collect();
        let channels: Vec<&Channel> = locked.iter().map(|l| &**l).collect();
        Outcome::of(ach::wait(&channels, limit_of(w)), |o, statuses| {
            statuses.iter().fold(o, |o, s| match s {
                Ok(true) => o.and("OK"),
                Ok(false) => o.and(status_name(Status::Eagain)),
                Err(e) => o.and(status_name(e.status())),
            })
        })
    }

    fn run_with_handle(&self, w: &Words) -> Option<Outcome> {
        let known = "chmod put relay reserve commit abort get view check flush cancel resume seq \
                     missed stamped origin type info map clock poll";
        if !known.split(' ').any(|k| k == w.at(0)) {
            return None;
        }
        let handle = match self.handle(w.at(1)) {
            Some(handle) => handle,
            None => return Some(Outcome::failed(Status::Closed)),
        };
        Some(match w.at(0) {
            "put" => Outcome::done(handle.writer.put(&bytes(w.at(2)))),
            "relay" => {
                let origin = Origin { epoch: w.number(3), seq: w.number(4), stamp: w.number(5) };
                Outcome::done(handle.writer.put_relayed(&bytes(w.at(2)), &origin))
            }
            "cancel" => Outcome::done(handle.canceller.cancel()),
            _ => run_with_channel(&mut handle.lock(), w),
        })
    }
}

fn run_with_channel(c: &mut Channel, w: &Words) -> Outcome {
    match w.at(0) {
        "chmod" => Outcome::done(c.chmod(number(w.at(2), 8) as u32)),
        "reserve" => Outcome::of(c.reserve(w.number(2) as usize), |o, mut room| {
            room.write_at(0, &bytes(w.at(3)));
            room.keep();
            o
        }),
        "commit" => Outcome::done(c.commit(w.number(2) as usize)),
        "abort" => Outcome::done(c.abort()),
        "get" => get(c, w),
        "view" => view(c, w),
        "check" => Outcome::done(c.view_check()),
        "flush" => Outcome::done(c.flush()),
        "resume" => {
            c.resume();
            Outcome::ok()
        }
        "seq" => Outcome::of(c.seq(), Outcome::and),
        "missed" => Outcome::of(c.missed(), |o, m| o.and(m.last).and(m.total)),
        "stamped" => Outcome::of(c.timestamp(), |o, _| o),
        "origin" => Outcome::of(c.origin(), |o, g| o.and(g.epoch).and(g.seq).and(g.stamp)),
        "type" => message_type(c),
        "info" => info(c),
        "map" => Outcome::of(c.map(), |o, map| {
            o.and(match map {
                Map::Anon => "anon",
                Map::Kernel => "kernel",
                _ => "user",
            })
        }),
        "clock" => Outcome::of(c.clock(), |o, clock| {
            o.and(if clock == ach::CLOCK_REALTIME { "realtime" } else { "monotonic" })
        }),
        _ => Outcome::of(c.fd().map(|fd| readable(fd.as_raw_fd(), w.number(2))), |o, yes| {
            o.and(if yes { "yes" } else { "no" })
        }),
    }
}

fn get(c: &mut Channel, w: &Words) -> Outcome {
    let mut buffer = vec![0; w.number(2) as usize];
    match c.get_into(&mut buffer, get_of(w)) {
        Ok(got) => Outcome::ok().missed(got.missed).and(got.size).and(hex(&buffer[..got.size])),
        Err(e) if e.status() == Status::Overflow => Outcome::failed(e.status()).and(e.needed()),
        Err(e) => Outcome::failed(e.status()),
    }
}

fn view(c: &mut Channel, w: &Words) -> Outcome {
    let print =
        |v: &ach::View<'_>| Outcome::ok().missed(v.missed()).and(v.len()).and(hex(&v.to_vec()));
    match c.view(get_of(w), print) {
        Ok(Some(outcome)) => outcome,
        Ok(None) => Outcome::failed(if w.flag("wait") { Status::Timeout } else { Status::Eagain }),
        Err(e) => Outcome::failed(e.status()),
    }
}

fn message_type(c: &Channel) -> Outcome {
    let or_dash = |text: &str| if text.is_empty() { "-".to_string() } else { text.to_string() };
    match c.message_type() {
        Ok(Some(t)) => Outcome::of(t.hash(), |o, hash| {
            let o = o.and(&t.name).and(&t.encoding).and(or_dash(&t.schema_encoding));
            o.and(hex(&t.schema)).and(format!("{:016x}", hash))
        }),
        Ok(None) => Outcome::failed(Status::Enotsup),
        Err(e) => Outcome::failed(e.status()),
    }
}

fn info(c: &Channel) -> Outcome {
    Outcome::of(c.info(), |o, i| {
        let numbers = [i.frame_cnt, i.frame_size, i.newest, i.oldest, i.seen, i.received, i.missed];
        let flags = [
            i.timestamps(),
            i.single_writer(),
            i.relayed(),
            i.typed(),
            i.anticipated(),
            i.readonly(),
            i.source(),
        ];
        let o = numbers.iter().fold(o, Outcome::and);
        flags.iter().fold(o, |o, flag| o.and(u8::from(*flag)))
    })
}

fn period(w: &Words) -> ach::Result<()> {
    let mut period = Period::new(Duration::from_micros(w.number(1)))?;
    for _ in 0..w.number(2) {
        period.wait()?;
    }
    Ok(())
}
