// SPDX-License-Identifier: BSD-3-Clause
//! Runs a script of operations and prints a trace, see bindings/conformance/README.md.
mod channels;
mod devices;

use ach::{Result, Status};
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;
use std::thread::JoinHandle;

/// The words of an operation; the first is its name.
pub struct Words(Vec<String>);

impl Words {
    /// The word at a position.
    pub fn at(&self, i: usize) -> &str {
        self.0.get(i).unwrap_or_else(|| bad("too few words", &self.0[0]))
    }

    pub fn from(&self, i: usize) -> Words {
        Words(self.0[i..].to_vec())
    }

    pub fn all(&self) -> &[String] {
        &self.0
    }

    pub fn flag(&self, flag: &str) -> bool {
        self.0.iter().any(|w| w == flag)
    }

    /// The value of the word KEY=VALUE.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.0.iter().find_map(|w| w.strip_prefix(key)?.strip_prefix('='))
    }

    pub fn number(&self, i: usize) -> u64 {
        number(self.at(i), 10)
    }
}

/// What an operation prints: its status, and results.
pub struct Outcome {
    status: String,
    results: String,
}

impl Outcome {
    pub fn ok() -> Outcome {
        Outcome { status: "OK".into(), results: String::new() }
    }

    pub fn failed(status: Status) -> Outcome {
        Outcome { status: status_name(status).into(), results: String::new() }
    }

    pub fn of<T>(result: Result<T>, print: impl FnOnce(Outcome, T) -> Outcome) -> Outcome {
        match result {
            Ok(value) => print(Outcome::ok(), value),
            Err(e) => Outcome::failed(e.status()),
        }
    }

    pub fn done(result: Result<()>) -> Outcome {
        Outcome::of(result, |o, ()| o)
    }

    pub fn missed(mut self, missed: bool) -> Outcome {
        if missed {
            self.status = status_name(Status::MissedFrame).into();
        }
        self
    }

    pub fn and(mut self, result: impl Display) -> Outcome {
        self.results += &format!(" {}", result);
        self
    }
}

pub fn bad(what: &str, word: &str) -> ! {
    eprintln!("{}: {}", what, word);
    std::process::exit(2)
}

pub fn number(word: &str, base: u32) -> u64 {
    u64::from_str_radix(word, base).unwrap_or_else(|_| bad("not a number", word))
}

pub fn status_name(status: Status) -> &'static str {
    status.name().trim_start_matches("ACH_")
}

/// "-", "0aff" or "ab*100".
pub fn bytes(word: &str) -> Vec<u8> {
    let (digits, times) = match word.split_once('*') {
        Some((digits, times)) => (digits, number(times, 10)),
        None if word == "-" => ("", 1),
        None => (word, 1),
    };
    let once: Vec<u8> = digits
        .as_bytes()
        .chunks(2)
        .map(|pair| number(std::str::from_utf8(pair).unwrap_or("?"), 16) as u8)
        .collect();
    once.repeat(times as usize)
}

pub fn hex(bytes: &[u8]) -> String {
    match bytes {
        [] => "-".into(),
        _ => bytes.iter().map(|b| format!("{:02x}", b)).collect(),
    }
}

type Running = HashMap<String, JoinHandle<Outcome>>;

/// Everything that a script has opened. Threads share it.
#[derive(Default)]
pub struct Script {
    pub prefix: String,
    pub channels: channels::Channels,
    pub devices: devices::Devices,
}

impl Script {
    fn run(&self, words: &Words) -> Outcome {
        self.channels
            .run(&self.prefix, words)
            .or_else(|| self.devices.run(words))
            .unwrap_or_else(|| bad("no such operation", words.at(0)))
    }
}

/// async K OPERATION..., join K, or another operation.
fn run_line(script: &Arc<Script>, running: &mut Running, words: &Words) -> Outcome {
    match words.at(0) {
        "async" => {
            let (script, operation) = (script.clone(), words.from(2));
            running.insert(words.at(1).into(), std::thread::spawn(move || script.run(&operation)));
            Outcome::ok()
        }
        "join" => match running.remove(words.at(1)).map(JoinHandle::join) {
            Some(Ok(outcome)) => outcome,
            _ => bad("no such thread, or it panicked", words.at(1)),
        },
        _ => script.run(words),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() != 3 {
        bad("usage", "conformance PREFIX SCRIPT");
    }
    let text = std::fs::read_to_string(&arguments[2])
        .unwrap_or_else(|e| bad(&arguments[2], &e.to_string()));
    let script = Arc::new(Script { prefix: arguments[1].clone(), ..Default::default() });
    let mut running = Running::new();
    for (i, line) in text.lines().enumerate() {
        let words = Words(line.split_whitespace().map(String::from).collect());
        if words.0.is_empty() || words.at(0).starts_with('#') {
            continue;
        }
        let outcome = run_line(&script, &mut running, &words);
        println!("{} {} {}{}", i + 1, words.at(0), outcome.status, outcome.results);
    }
}
