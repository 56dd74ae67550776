//! Has the linker strip the optimized command, which is what `cargo install` builds, and tells
//! whether the pages are there, whose commands a test reads: a package has none.
//!
//! The workspace's release profile keeps line tables, which measurements read, and a profile
//! cannot strip one program alone.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(has_pages)");
    if Path::new("src/pages.rs").exists() {
        println!("cargo::rustc-cfg=has_pages");
    }
    let is_linux = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    let is_optimized = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if is_linux && is_optimized {
        println!("cargo::rustc-link-arg-bin=taut=-Wl,--strip-all");
    }
}
