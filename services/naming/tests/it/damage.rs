//! Files that are no files of names, and disks that fail.

use std::fs;
use std::path::Path;

use redb::{Database, TableDefinition};
use taut_naming::store::FileStore;

#[track_caller]
fn refused(path: &Path, part: &str) {
    let before = fs::read(path).ok();
    let error = FileStore::open(path).unwrap_err().to_string();
    assert!(error.contains(part), "{error}");
    assert!(error.contains(&path.display().to_string()), "{error}");
    assert_eq!(fs::read(path).ok(), before, "the file was changed");
}

#[test]
fn garbage_is_refused_and_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names");
    for garbage in [&b"IOR:0000"[..], &[0x5a; 100_000], b"\n"] {
        fs::write(&path, garbage).unwrap();
        refused(&path, "it is no file of names");
    }
}

#[test]
fn a_damaged_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names");
    drop(FileStore::open(&path).unwrap());
    let mut octets = fs::read(&path).unwrap();
    // The beginning of the file says where everything else is.
    octets[10..200].fill(0xff);
    fs::write(&path, octets).unwrap();
    refused(&path, "cannot be opened");
}

#[test]
fn a_database_of_another_program_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names");
    let database = Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    let table: TableDefinition<'_, u64, u64> = TableDefinition::new("theirs");
    transaction.open_table(table).unwrap().insert(1, 2).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let error = FileStore::open(&path).unwrap_err().to_string();
    assert!(error.contains("a database of another program"), "{error}");
}

#[test]
fn another_format_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names");
    drop(FileStore::open(&path).unwrap());
    let database = Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    let facts: TableDefinition<'_, &str, u64> = TableDefinition::new("taut naming");
    transaction
        .open_table(facts)
        .unwrap()
        .insert("format", 2)
        .unwrap();
    transaction.commit().unwrap();
    drop(database);
    let error = FileStore::open(&path).unwrap_err().to_string();
    assert!(error.contains("its format is 2"), "{error}");
    assert!(error.contains("reads format 1"), "{error}");
}

#[test]
fn a_file_serves_one_service() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names");
    let _first = FileStore::open(&path).unwrap();
    refused(&path, "another process has it");
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let directory = tempfile::tempdir().unwrap();
    refused(&directory.path().join("no/names"), "No such file");
}
