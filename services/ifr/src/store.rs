//! The store of a repository: a file in which each change is when it is answered.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use redb::{
    Database, DatabaseError, ReadableDatabase, ReadableTable, StorageError, TableDefinition,
    TableHandle,
};
use taut::codegen::{Decode, Decoder, Encode, Encoder};
use taut::{ByteOrder, CharCodeSet};

use crate::contents::{Definition, Key};

/// The number of the format that is written here.
const FORMAT: u64 = 1;

/// The facts about the file, by name.
const FACTS: TableDefinition<'static, &'static str, u64> = TableDefinition::new("taut interfaces");
/// The definitions by their keys, in CDR.
const DEFINITIONS: TableDefinition<'static, u64, &'static [u8]> =
    TableDefinition::new("definitions");

const FORMAT_FACT: &str = "format";
const TREE_FACT: &str = "tree";

/// The octets of the file that are kept in memory.
const CACHE_OCTETS: usize = 8 << 20;

/// Where a repository keeps its definitions besides memory.
#[derive(Debug)]
pub struct RepositoryStore {
    tree: u64,
    file: Option<File>,
}

#[derive(Debug)]
struct File {
    path: PathBuf,
    database: Database,
}

/// The reason for which a store cannot be opened, read or written, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError(String);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StoreError {}

impl RepositoryStore {
    /// No file: definitions end with the repository, and references to them too.
    pub fn memory() -> Self {
        let file = None;
        Self {
            tree: random(),
            file,
        }
    }

    /// Opens a file of definitions, or makes it if there is none.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or made, another process has it, it is none, or it has another
    /// format. Nothing in it is changed then.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let database = open(path)?;
        let tree = tree(&database).map_err(|reason| fault(path, &reason))?;
        let path = path.to_owned();
        Ok(Self {
            tree,
            file: Some(File { path, database }),
        })
    }

    /// Tells this store from others. References to definitions name it.
    pub(crate) fn tree(&self) -> u64 {
        self.tree
    }

    /// The error for content that is not a repository's.
    pub(crate) fn damaged(&self, reason: &str) -> StoreError {
        let path = self.file.as_ref().map(|file| &*file.path);
        let reason = format!("it is damaged: {reason}; put a copy in its place");
        fault(path.unwrap_or(Path::new("")), &reason)
    }

    /// Reads all definitions.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is damaged.
    pub(crate) fn read(&self) -> Result<Vec<(Key, Definition)>, StoreError> {
        let Some(File { path, database }) = &self.file else {
            return Ok(Vec::new());
        };
        let read = || -> Result<Vec<(u64, Vec<u8>)>, redb::Error> {
            let transaction = database.begin_read()?;
            let table = transaction.open_table(DEFINITIONS)?;
            let mut all = Vec::new();
            for entry in table.iter()? {
                let (key, octets) = entry?;
                all.push((key.value(), octets.value().to_vec()));
            }
            Ok(all)
        };
        let all = read().map_err(|error| fault(path, &error.to_string()))?;
        let decoded = all.into_iter().map(|(key, octets)| {
            let input = Decoder::new(&octets, ByteOrder::Little);
            let mut input = input.with_char_code_set(CharCodeSet::Utf8);
            let definition = Definition::decode(&mut input);
            let definition = definition
                .map_err(|error| fault(path, &format!("definition {key} is damaged: {error}")))?;
            Ok((Key(key), definition))
        });
        decoded.collect()
    }

    /// Notes what has become of definitions: none for one that is no more.
    ///
    /// # Errors
    ///
    /// When the file cannot be written. It is as before then.
    pub(crate) fn write<'d>(
        &self,
        changes: impl Iterator<Item = (Key, Option<&'d Definition>)>,
    ) -> Result<(), StoreError> {
        let Some(File { path, database }) = &self.file else {
            return Ok(());
        };
        let octets = |definition: &Definition| -> Result<Vec<u8>, StoreError> {
            let mut out = Encoder::new(ByteOrder::Little);
            out.set_char_code_set(CharCodeSet::Utf8);
            let encoded = definition.encode(&mut out);
            encoded.map_err(|error| fault(path, &error.to_string()))?;
            Ok(out.as_bytes().to_vec())
        };
        let mut encoded = Vec::new();
        for (key, definition) in changes {
            encoded.push((key.0, definition.map(octets).transpose()?));
        }
        let write = || -> Result<(), redb::Error> {
            let transaction = database.begin_write()?;
            {
                let mut table = transaction.open_table(DEFINITIONS)?;
                for (key, octets) in &encoded {
                    match octets {
                        Some(octets) => table.insert(key, octets.as_slice())?,
                        None => table.remove(key)?,
                    };
                }
            }
            transaction.commit()?;
            Ok(())
        };
        write().map_err(|error| fault(path, &error.to_string()))
    }
}

fn fault(path: &Path, reason: &str) -> StoreError {
    StoreError(format!(
        "the file of definitions {}: {reason}",
        path.display()
    ))
}

/// A number that no other store has, in all likelihood.
fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

fn open(path: &Path) -> Result<Database, StoreError> {
    // redb panics at some forms of damage.
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE_OCTETS).create(path)
    }));
    let opened = opened.unwrap_or_else(|_| {
        let damaged = "its content is damaged".to_owned();
        Err(DatabaseError::Storage(StorageError::Corrupted(damaged)))
    });
    opened.map_err(|error| {
        let reason = match error {
            DatabaseError::DatabaseAlreadyOpen => {
                "another process has it; a file serves one interface repository".to_owned()
            }
            DatabaseError::Storage(StorageError::Corrupted(error)) => format!(
                "it is damaged ({error}); put a copy in its place, or give the path of another one"
            ),
            other => other.to_string(),
        };
        fault(path, &format!("it cannot be opened: {reason}"))
    })
}

/// The number of the tree in a file; one that has just been made gets its tables first.
fn tree(database: &Database) -> Result<u64, String> {
    let known = facts(database).map_err(|error| error.to_string())?;
    match known {
        Some((Some(FORMAT), Some(tree))) => Ok(tree),
        Some((Some(FORMAT), None)) => {
            Err("it is damaged: the number of its tree is missing".to_owned())
        }
        Some((Some(other), _)) => Err(format!(
            "its format is {other}, and this program reads format {FORMAT}; use the program that \
             wrote it"
        )),
        Some((None, _)) => Err("it is a database of another program".to_owned()),
        None => found(database).map_err(|error| error.to_string()),
    }
}

/// The format and the tree that a file tells.
type Facts = (Option<u64>, Option<u64>);

/// The facts in a file; none if it has just been made.
fn facts(database: &Database) -> Result<Option<Facts>, redb::Error> {
    let transaction = database.begin_read()?;
    let mut tables = transaction.list_tables()?.peekable();
    if tables.peek().is_none() {
        return Ok(None);
    }
    if !tables.any(|table| table.name() == FACTS.name()) {
        return Ok(Some((None, None)));
    }
    let facts = transaction.open_table(FACTS)?;
    let fact = |name| -> Result<Option<u64>, redb::Error> {
        Ok(facts.get(name)?.map(|value| value.value()))
    };
    Ok(Some((fact(FORMAT_FACT)?, fact(TREE_FACT)?)))
}

/// Makes the tables of a new file.
fn found(database: &Database) -> Result<u64, redb::Error> {
    let tree = random();
    let transaction = database.begin_write()?;
    {
        let mut facts = transaction.open_table(FACTS)?;
        facts.insert(FORMAT_FACT, FORMAT)?;
        facts.insert(TREE_FACT, tree)?;
        transaction.open_table(DEFINITIONS)?;
    }
    transaction.commit()?;
    Ok(tree)
}
