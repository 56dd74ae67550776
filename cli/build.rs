//! Has the linker strip the optimized command, which is what `cargo install` builds.
//!
//! The workspace's release profile keeps line tables, which measurements read, and a profile
//! cannot strip one program alone.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_linux = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    let is_optimized = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if is_linux && is_optimized {
        println!("cargo::rustc-link-arg-bin=taut=-Wl,--strip-all");
    }
}
