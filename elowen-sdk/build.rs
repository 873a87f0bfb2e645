//! Notes the compiler and the target, which the metadata blob names.

use std::{env, process::Command};

fn main() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = match &version {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(_) => "rustc (unknown)".to_owned(),
    };
    println!("cargo::rustc-env=ELOWEN_RUSTC={version}");
    println!("cargo::rustc-env=ELOWEN_TARGET={}", env::var("TARGET").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
}
