// SPDX-License-Identifier: BSD-3-Clause
//! Devices: what the script of bindings/conformance does not reach. It needs a server: the
//! environment variables ACH_PROGRAM and ACH_ROBOT_CFG name the program ach and its config file.
use ach::{Device, DeviceOptions, Get, Status, Value};
use std::io::{BufRead, BufReader};
use std::os::raw::c_int;
use std::os::unix::io::AsRawFd;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const ROBOT: &str = "40078";

const SIGTERM: c_int = 15;
extern "C" {
    fn kill(pid: c_int, signal: c_int) -> c_int;
}

/// A server, ended also if the test fails. It removes its channels.
struct Server(Child);

impl Server {
    fn start() -> Option<Server> {
        let (ach, cfg) = (std::env::var_os("ACH_PROGRAM")?, std::env::var_os("ACH_ROBOT_CFG")?);
        let mut command = Command::new(ach);
        command.args(["serve", "--no-tcp", "--port", ROBOT]).arg(cfg).stdout(Stdio::piped());
        let mut server = Server(command.spawn().unwrap());
        let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().starts_with("serving")));
        Some(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SAFETY: our child, whose number is not used again before it is waited for.
        unsafe { kill(self.0.id() as c_int, SIGTERM) };
        self.0.wait().ok();
    }
}

fn status<T: std::fmt::Debug>(result: ach::Result<T>) -> Status {
    result.unwrap_err().status()
}

fn open(device: &str) -> Device {
    let options = DeviceOptions { timeout: Some(Duration::MAX), ..Default::default() };
    Device::open_with(&format!("{}:{}", ROBOT, device), &options).unwrap()
}

#[test]
fn devices() {
    let server = match Server::start() {
        Some(server) => server,
        None => return println!("not tested: ACH_PROGRAM and ACH_ROBOT_CFG are not set"),
    };
    let mut laser = open("laser:0");
    let scan = laser.get_any(Get::next().wait(Duration::MAX)).unwrap().unwrap();
    assert_eq!(scan.name, "SCAN");
    assert_eq!(scan.body.get("ranges[1]").and_then(Value::as_f64), Some(2.5));
    assert!(laser.rights().data && laser.as_raw_fd() >= 0);
    assert!(laser.address().ends_with("laser:0"), "{}", laser.address());
    assert_eq!((laser.transport(), laser.lost()), ("channel".into(), 0));
    assert!(ach::devices(ROBOT).unwrap().iter().any(|d| d.address.ends_with("laser:0")));

    // Bad arguments.
    assert_eq!(status(laser.get("NONE", Get::next())), Status::Einval);
    assert_eq!(status(laser.get("SC\0N", Get::next())), Status::Einval);
    assert_eq!(status(laser.get_any(Get::next().again())), Status::Einval);
    let mut base = open("position2d:0");
    assert_eq!(status(base.command("VEL", &Value::default().with("vel.none", 1))), Status::Einval);
    assert_eq!(status(base.command("VEL", &Value::default().with("vel", "x"))), Status::Einval);
    assert_eq!(status(base.command_body("VEL", &["vel.px"])), Status::Einval);
    let zero = base.command_body("VEL", &[]).unwrap();
    assert_eq!(zero.get("vel.px").and_then(Value::as_f64), Some(0.0));
    base.command("VEL", &zero.with("vel.px", 0.5)).unwrap();
    base.flush(Duration::MAX).unwrap();
    assert!(base.request("GET_GEOM", &Value::default(), Duration::MAX).is_ok());
    base.close().unwrap();

    // A device can be used by another thread, and ends with its server.
    let reader = std::thread::spawn(move || {
        while laser.get("SCAN", Get::next().wait(MINUTE)).map_err(|e| e.status())
            != Err(Status::Closed)
        {}
        assert_eq!(status(laser.request("GET_GEOM", &Value::default(), MINUTE)), Status::Closed);
    });
    drop(server);
    reader.join().unwrap();
}
