//! The footprint of an ORB (E9 of the TAO papers): a client and a server of the same small
//! IDL, in each shape of Taut and with omniORB.

mod build;
mod page;
mod process;
mod weigh;

use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::command::ChoreError;
use crate::workspace::Workspace;
use process::Resident;
use weigh::{Component, Weight};

/// Where the page is written.
const PAGE: &str = "docs/footprint.md";

/// A program and what it takes.
#[derive(Debug, Serialize)]
struct Record {
    /// `taut` with its shape, or `omniorb` and how it is linked.
    system: String,
    /// `client`, `server`, or `nothing`.
    program: &'static str,
    #[serde(flatten)]
    weight: Weight,
    #[serde(flatten)]
    resident: Option<Resident>,
    /// Where the octets of the symbols belong; not for omniORB.
    components: Vec<Component>,
}

/// Builds the programs, weighs them, runs them, and prints what was found. Writes the
/// page if it is to, and the records.
pub(crate) fn run(workspace: &Workspace, writes: bool) -> Result<(), ChoreError> {
    let mut records = Vec::new();
    for pair in build::all(workspace)? {
        let resident = pair
            .server
            .as_ref()
            .map(|server| process::run(server, &pair.client, pair.is_omniorb));
        let (server_resident, client_resident) = match resident.transpose()? {
            Some((server, client)) => (Some(server), Some(client)),
            None => (None, None),
        };
        let mut add = |program, path: &Path, resident| -> Result<(), ChoreError> {
            records.push(Record {
                system: pair.system.clone(),
                program,
                weight: Weight::of(path, &workspace.build_directory("footprint"))?,
                resident,
                components: match pair.is_omniorb {
                    true => Vec::new(),
                    false => weigh::components(path)?,
                },
            });
            Ok(())
        };
        match &pair.server {
            Some(server) => {
                add("client", &pair.client, client_resident)?;
                add("server", server, server_resident)?;
            }
            None => add("nothing", &pair.client, None)?,
        }
    }
    let tables = page::tables(&records);
    println!("\n{tables}");
    write(
        &workspace.build_directory("footprint.json"),
        &page::json(&records),
    )?;
    if writes {
        write(&workspace.path(PAGE), &page::page(&tables))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), ChoreError> {
    fs::write(path, text).map_err(|source| ChoreError::File {
        path: path.to_path_buf(),
        source,
    })
}
