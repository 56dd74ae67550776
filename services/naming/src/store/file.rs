//! The store in a file, a database of redb.

use std::fmt;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;
use redb::{Database, DatabaseError, ReadableDatabase, StorageError, TableHandle};

use super::group_commit::{CHANGES_MAX, GroupCommit, Waiting};
use super::leases::Deadlines;
use super::memory::random;
use super::tables::{FACTS, FORMAT, FORMAT_FACT, Snapshot, TREE_FACT, Writable, leases};
use super::{Answer, Change, Lease, LeaseId, Store, StoreError, StoreLimits, View, apply};

/// The octets of the file that are kept in memory.
const CACHE_OCTETS: usize = 64 << 20;

/// A store in a file. A change is on disk when it is answered; changes that come at the same time
/// share a write. One process at a time has the file.
pub struct FileStore {
    path: PathBuf,
    tree: u64,
    /// None after a fault of the disk, until the file can be opened again.
    opened: RwLock<Option<Opened>>,
    commits: GroupCommit,
    deadlines: Deadlines,
}

/// A file that is open.
struct Opened {
    /// The tables of the newest state, from the first look at it until the next change: looking for
    /// the tables takes longer than for a name in them. It is let go before the database.
    newest: RwLock<Option<Arc<Snapshot>>>,
    database: Database,
}

impl Opened {
    fn new(database: Database) -> Self {
        Self {
            newest: RwLock::new(None),
            database,
        }
    }

    /// The tables of the newest state.
    fn newest(&self) -> Result<Arc<Snapshot>, Fault> {
        if let Some(newest) = &*self.newest.read() {
            return Ok(Arc::clone(newest));
        }
        // A change waits for this lock before it is answered, so that no older state stays here.
        let mut newest = self.newest.write();
        if let Some(newest) = &*newest {
            return Ok(Arc::clone(newest));
        }
        let transaction = self.database.begin_read()?;
        let found = Arc::new(Snapshot::open(&transaction)?);
        Ok(Arc::clone(newest.insert(found)))
    }

    /// Lets the newest state go, for there is a newer one, or is to be.
    fn forget_newest(&self) {
        *self.newest.write() = None;
    }
}

impl FileStore {
    /// Opens a file of names, or makes it if there is none.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or made, another process has it, it is none, or it has another
    /// format. Nothing in it is changed then.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let database = open(path)?;
        let named = |message: String| {
            StoreError::new(format!("the file of names {}: {message}", path.display()))
        };
        let tree = tree(&database).map_err(named)?;
        let deadlines = Deadlines::default();
        let kept = || -> Result<Vec<Lease>, redb::Error> { leases(&database.begin_read()?) };
        for lease in kept().map_err(|error| named(error.to_string()))? {
            deadlines.begin(lease);
        }
        Ok(Self {
            path: path.to_owned(),
            tree,
            opened: RwLock::new(Some(Opened::new(database))),
            commits: GroupCommit::default(),
            deadlines,
        })
    }

    /// Ends the leases whose time is over, with one write to the disk for many. Where the file
    /// cannot be written that is tried again later; a fault of it is one of the changes that
    /// clients ask for, and they are told.
    fn end_due(&self) {
        for due in self.deadlines.due().chunks(CHANGES_MAX) {
            let end = |lease: &LeaseId| Change::EndLease { lease: *lease };
            let ends = due.iter().map(end);
            let ends: Vec<_> = ends
                .map(|end| Arc::new(Waiting::new(end, StoreLimits::NONE)))
                .collect();
            let mut fault = None;
            for (end, outcome) in ends.iter().zip(self.commit(&ends)) {
                match outcome {
                    Ok(answer) => self.deadlines.follow(&end.change, &answer),
                    Err(error) => fault = Some(error),
                }
            }
            if let Some(error) = fault {
                tracing::error!(
                    target: "taut::naming", %error, "the names of a lease that is over stay bound"
                );
            }
        }
    }

    fn carry_out(&self, change: Change, limits: StoreLimits) -> Result<Answer, StoreError> {
        let done = change.clone();
        let answer = self
            .commits
            .run(change, limits, |batch| self.commit(batch))?;
        self.deadlines.follow(&done, &answer);
        Ok(answer)
    }

    /// Runs `run` with the file, which is opened first if it had to be closed.
    fn with<T>(&self, run: impl FnOnce(&Opened) -> Result<T, Fault>) -> Result<T, StoreError> {
        let guard = self.opened.read();
        let result = match guard.as_ref() {
            Some(opened) => run(opened),
            None => {
                drop(guard);
                return self.reopened(run);
            }
        };
        drop(guard);
        result.map_err(|fault| self.report(&fault))
    }

    fn reopened<T>(&self, run: impl FnOnce(&Opened) -> Result<T, Fault>) -> Result<T, StoreError> {
        let mut guard = self.opened.write();
        let opened = match guard.take() {
            Some(opened) => opened,
            None => Opened::new(open(&self.path)?),
        };
        let result = run(guard.insert(opened));
        drop(guard);
        result.map_err(|fault| self.report(&fault))
    }

    /// Closes the file after a fault: redb does not go on before it has been opened again.
    fn report(&self, fault: &Fault) -> StoreError {
        *self.opened.write() = None;
        let path = self.path.display();
        let error = StoreError::new(format!("the file of names {path}: {}", fault.message));
        match fault.may_be_done {
            true => error.after_commit(),
            false => error,
        }
    }

    fn commit(&self, batch: &[Arc<Waiting>]) -> Vec<Result<Answer, StoreError>> {
        let answers = self.with(|opened| {
            // The pages of a state that nobody looks at any more can be written anew.
            opened.forget_newest();
            let transaction = opened.database.begin_write()?;
            let mut answers = Vec::with_capacity(batch.len());
            {
                let mut tables = Writable::open(&transaction)?;
                for waiting in batch {
                    let answer = apply(&mut tables, &waiting.change, waiting.limits);
                    answers.push(answer.map_err(|error| Fault::new(error.to_string()))?);
                }
            }
            if answers.iter().all(Result::is_err) {
                transaction.abort()?;
            } else {
                transaction.commit().map_err(Fault::commit)?;
                opened.forget_newest();
            }
            Ok(answers)
        });
        match answers {
            Ok(answers) => answers.into_iter().map(Ok).collect(),
            Err(error) => batch.iter().map(|_| Err(error.clone())).collect(),
        }
    }
}

impl Store for FileStore {
    fn tree(&self) -> u64 {
        self.tree
    }

    fn read(
        &self,
        query: &mut dyn FnMut(&dyn View) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.end_due();
        self.with(|opened| {
            let tables = opened.newest()?;
            query(&*tables).map_err(|error| Fault::new(error.to_string()))
        })
    }

    fn change(&self, change: Change, limits: StoreLimits) -> Result<Answer, StoreError> {
        self.end_due();
        self.carry_out(change, limits)
    }

    fn renew_lease(&self, lease: LeaseId) -> Result<Option<Lease>, StoreError> {
        Ok(self.deadlines.renew(lease))
    }
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileStore")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// Why a transaction failed.
struct Fault {
    message: String,
    may_be_done: bool,
}

impl Fault {
    fn new(message: String) -> Self {
        Self {
            message,
            may_be_done: false,
        }
    }

    fn commit(error: redb::CommitError) -> Self {
        Self {
            may_be_done: true,
            ..Self::from(error)
        }
    }
}

impl<E: Into<redb::Error>> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::new(error.into().to_string())
    }
}

fn open(path: &Path) -> Result<Database, StoreError> {
    // redb panics at some forms of damage.
    let opened = catch_unwind(AssertUnwindSafe(|| {
        Database::builder()
            .set_cache_size(CACHE_OCTETS)
            .create(path)
    }));
    let opened = opened.unwrap_or_else(|_| {
        let damaged = "its content is damaged".to_owned();
        Err(DatabaseError::Storage(StorageError::Corrupted(damaged)))
    });
    opened.map_err(|error| {
        let reason = match error {
            DatabaseError::DatabaseAlreadyOpen => {
                "another process has it; a file of names serves one naming service".to_owned()
            }
            DatabaseError::Storage(StorageError::Io(error)) if is_strange(&error) => {
                "it is no file of names; give the path of another one, or of none".to_owned()
            }
            DatabaseError::Storage(StorageError::Corrupted(error)) => format!(
                "it is damaged ({error}); put a copy in its place, or give the path of another one"
            ),
            DatabaseError::UpgradeRequired(version) => {
                format!("its format, {version} of redb, is older than this program reads")
            }
            DatabaseError::Storage(StorageError::Io(error)) => error.to_string(),
            other => other.to_string(),
        };
        StoreError::new(format!(
            "the file of names {} cannot be opened: {reason}",
            path.display()
        ))
    })
}

/// Whether a file could be read and is not one of redb's.
fn is_strange(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof
    )
}

/// The number of the tree in a file; one that has just been made gets its tables first.
fn tree(database: &Database) -> Result<u64, String> {
    let text = |error: redb::Error| error.to_string();
    let is_new = {
        let transaction = database.begin_read().map_err(|error| text(error.into()))?;
        let mut tables = transaction
            .list_tables()
            .map_err(|error| text(error.into()))?;
        match tables.next() {
            None => true,
            Some(first) => {
                let has_facts = first.name() == FACTS.name()
                    || tables.any(|table| table.name() == FACTS.name());
                if !has_facts {
                    return Err("it is a database of another program".to_owned());
                }
                false
            }
        }
    };
    if is_new {
        let tree = random();
        let found = || -> Result<(), redb::Error> {
            let transaction = database.begin_write()?;
            Writable::open(&transaction)?.found(tree)?;
            transaction.commit()?;
            Ok(())
        };
        return found().map(|()| tree).map_err(text);
    }
    let transaction = database.begin_read().map_err(|error| text(error.into()))?;
    let facts = Snapshot::open(&transaction).map_err(text)?;
    match facts.fact(FORMAT_FACT).map_err(text)? {
        Some(FORMAT) => {}
        Some(other) => {
            return Err(format!(
                "its format is {other}, and this program reads format {FORMAT}; use the program \
                 that wrote it, and carry the names over with taut name copy"
            ));
        }
        None => return Err("it does not say its format".to_owned()),
    }
    let tree = facts.fact(TREE_FACT).map_err(text)?;
    tree.ok_or_else(|| "it is damaged: the number of its tree is missing".to_owned())
}
