//! The code of the pages: compiled, and run where it can be.
//!
//! Every block of Rust in `docs`, the README and the pages of the crates becomes a part of this
//! crate's tests, and every block of IDL is compiled to Rust that they use; `build.rs` puts
//! them together. The surroundings of a block are in `frames`, in a file that is named after the
//! page, in which a line `// page: …` stands for the block with that first line.
//!
//! A block that cannot be compiled has the language `rust,ignore` or `idl,ignore`, and a
//! comment `<!-- ignored: … -->` with the reason in front of it.
//!
//! Not here: pages that a crate includes in its documentation, whose code is tested there; console
//! commands, which the tests of the command `taut` and of the chores read
//! (`cli/src/pages.rs`, `xtask/src/pages.rs`).

#[cfg(test)]
mod blocks;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod migration;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod support;

/// The pages, each a module.
#[cfg(test)]
#[allow(
    missing_docs,
    dead_code,
    unused_imports,
    unused_variables,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "pages show parts of programs"
)]
mod page {
    include!(concat!(env!("OUT_DIR"), "/pages.rs"));
}
