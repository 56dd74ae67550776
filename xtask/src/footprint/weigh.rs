//! How large a program is, and what of it belongs where.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};
use serde::Serialize;

use crate::command::{self, ChoreError};

/// The octets of a program.
#[derive(Debug, Serialize)]
pub(super) struct Weight {
    /// The file of the program, stripped.
    pub(super) executable: u64,
    /// Its section `.text`.
    pub(super) text: u64,
    /// The files of the ORB's shared libraries.
    pub(super) orb_libraries: u64,
    /// The files of the shared libraries of the language: those of C++.
    pub(super) language_libraries: u64,
}

/// A crate, or a module of the crate `taut`, and its size.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Component {
    pub(super) name: String,
    pub(super) octets: u64,
}

impl Weight {
    /// Strips a copy of the program and weighs that.
    pub(super) fn of(program: &Path, directory: &Path) -> Result<Self, ChoreError> {
        let stripped = directory.join("stripped");
        command::run(Command::new("strip").arg("-o").arg(&stripped).arg(program))?;
        let data = read(&stripped)?;
        let file = parse(&stripped, &data)?;
        let text = file.section_by_name(".text").map_or(0, |text| text.size());
        let (mut orb_libraries, mut language_libraries) = (0, 0);
        for library in libraries(program)? {
            let name = library.to_string_lossy();
            let sum = match () {
                () if name.contains("libomni") => &mut orb_libraries,
                () if name.contains("libstdc++") => &mut language_libraries,
                // The libraries that every program of the system has: libc and the like.
                () => continue,
            };
            let metadata = fs::metadata(&library).map_err(|source| ChoreError::File {
                path: library.clone(),
                source,
            })?;
            *sum += metadata.len();
        }
        Ok(Self {
            executable: data.len() as u64,
            text,
            orb_libraries,
            language_libraries,
        })
    }

    /// All of it.
    pub(super) fn total(&self) -> u64 {
        self.executable + self.orb_libraries + self.language_libraries
    }
}

/// The shared libraries that a program loads.
fn libraries(program: &Path) -> Result<Vec<PathBuf>, ChoreError> {
    let output = Command::new("ldd").arg(program).output();
    let output = output.map_err(|source| ChoreError::Start {
        command: format!("ldd {}", program.display()),
        source,
    })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let paths = text.lines().filter_map(|line| {
        let (_, path) = line.split_once(" => ")?;
        Some(PathBuf::from(path.split_whitespace().next()?))
    });
    Ok(paths.collect())
}

/// Where the octets of the program's functions and constants belong, the most first.
pub(super) fn components(program: &Path) -> Result<Vec<Component>, ChoreError> {
    let data = read(program)?;
    let file = parse(program, &data)?;
    let mut octets = BTreeMap::<String, u64>::new();
    for symbol in file.symbols() {
        if !matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Data) {
            continue;
        }
        if let Ok(name) = symbol.name() {
            let name = format!("{:#}", rustc_demangle::demangle(name));
            *octets.entry(component(&name)).or_default() += symbol.size();
        }
    }
    let mut components: Vec<_> = octets
        .into_iter()
        .map(|(name, octets)| Component { name, octets })
        .filter(|component| component.octets > 0)
        .collect();
    components.sort_by_key(|component| std::cmp::Reverse(component.octets));
    Ok(components)
}

/// The crates that make the backtrace of a panic.
const BACKTRACES: [&str; 5] = [
    "addr2line",
    "gimli",
    "miniz_oxide",
    "rustc_demangle",
    "backtrace_rs",
];

/// To what a symbol belongs: what generic code was made for counts before where it
/// was written.
fn component(name: &str) -> String {
    let paths: Vec<&str> = name
        .split(|character: char| !(character.is_alphanumeric() || "_:".contains(character)))
        .filter(|path| path.contains("::"))
        .collect();
    let own = paths.iter().find(|path| path.starts_with("taut"));
    let crate_of = |path: &&str| path.split("::").next().unwrap_or_default().to_owned();
    match own {
        Some(path) if path.starts_with("taut::") => {
            let mut parts = path.split("::");
            let module = parts.nth(1).unwrap_or_default();
            format!("taut::{module}")
        }
        Some(path) if path.starts_with("taut_footprint") => "the program".to_owned(),
        Some(path) => crate_of(path),
        None if BACKTRACES.iter().any(|part| name.contains(part)) => "backtraces".to_owned(),
        None => match paths.first().map(crate_of).as_deref() {
            Some("" | "__rustc" | "alloc" | "core" | "main" | "std" | "str") | None => {
                "Rust's library".to_owned()
            }
            Some(other) => other.to_owned(),
        },
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ChoreError> {
    fs::read(path).map_err(|source| ChoreError::File {
        path: path.to_path_buf(),
        source,
    })
}

fn parse<'d>(path: &Path, data: &'d [u8]) -> Result<object::File<'d>, ChoreError> {
    object::File::parse(data).map_err(|error| ChoreError::Program {
        path: path.to_path_buf(),
        what: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_belongs_to_what_it_was_made_for() {
        for (name, expected) in [
            ("taut::poa::Poa::activate", "taut::poa"),
            (
                "core::ptr::drop_in_place::<taut::server::peer::Peer>",
                "taut::server",
            ),
            (
                "<taut_giop::url::ObjectUrl as core::str::FromStr>::from_str",
                "taut_giop",
            ),
            ("taut_footprint_client::main", "the program"),
            ("<gimli::read::Unit>::new", "backtraces"),
            ("core::fmt::write", "Rust's library"),
            ("<hashbrown::raw::RawTable<u32>>::reserve", "hashbrown"),
            ("memcpy", "Rust's library"),
            ("<&T as ::core::fmt::Debug>::fmt", "Rust's library"),
        ] {
            assert_eq!(component(name), expected, "{name}");
        }
    }
}
