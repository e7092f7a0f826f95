// SPDX-License-Identifier: BSD-3-Clause
//! What the tests share.
use ach::{Channel, Create};

/// A channel of this process, removed at the end also if the test fails.
pub struct Name(String);

impl Name {
    pub fn create(test: &str, create: Create) -> Name {
        let name = format!("rust-{}-{}", test, std::process::id());
        create.create(&name).unwrap();
        Name(name)
    }

    pub fn open(&self) -> Channel {
        Channel::open(&self.0).unwrap()
    }
}

impl std::ops::Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        ach::unlink(&self.0).ok();
    }
}
