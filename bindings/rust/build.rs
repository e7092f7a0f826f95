// SPDX-License-Identifier: BSD-3-Clause
//! Find Ach's libraries: in the folders of ACH_LIB_DIR, separated by colons, or with pkg-config.
use std::env;
use std::process::Command;

fn wanted() -> Vec<&'static str> {
    let mut libraries = vec!["ach"];
    if env::var_os("CARGO_FEATURE_DEVICES").is_some() {
        libraries.extend(["achclient", "achdevice", "achxdr"]);
    }
    if env::var_os("CARGO_FEATURE_DEFINITIONS").is_some() {
        libraries.extend(["achmsg", "achxdr"]);
    }
    libraries
}

fn fail(why: &str) -> ! {
    eprintln!("Ach's libraries were not found: {}", why.trim_end());
    eprintln!(
        "Install Ach, or name the folder of libach.so in the environment variable ACH_LIB_DIR."
    );
    std::process::exit(1)
}

/// The words that pkg-config prints, such as -L/usr/local/lib and -lach.
fn pkg_config(libraries: &[&str]) -> Vec<String> {
    let program = env::var_os("PKG_CONFIG").unwrap_or_else(|| "pkg-config".into());
    let output = Command::new(&program)
        .args(["--libs", "--print-errors", "--errors-to-stdout"])
        .args(libraries)
        .output()
        .unwrap_or_else(|e| fail(&format!("{}: {}", program.to_string_lossy(), e)));
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        fail(&text);
    }
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    for variable in ["ACH_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"] {
        println!("cargo:rerun-if-env-changed={}", variable);
    }
    println!("cargo:rerun-if-changed=build.rs");
    let libraries = wanted();
    if let Some(folders) = env::var_os("ACH_LIB_DIR") {
        for folder in env::split_paths(&folders) {
            println!("cargo:rustc-link-search=native={}", folder.display());
        }
        for library in libraries {
            println!("cargo:rustc-link-lib={}", library);
        }
        return;
    }
    for word in pkg_config(&libraries) {
        if let Some(folder) = word.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={}", folder);
        } else if let Some(library) = word.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={}", library);
        }
    }
}
