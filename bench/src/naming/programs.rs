//! The hidden commands of `naming`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use clap::{Subcommand, value_parser};
use taut::{ObjectRef, Orb};
use taut_naming::service::{KEY, NamingService, ServiceSettings};
use taut_naming::store::{
    Bound, Change, ContextId, Done, FileStore, Key, MemoryStore, Store, StoreLimits,
};

use super::load::{self, OBJECT};
use super::tree::{Names, Shape};
use crate::error::BenchError;
use crate::protocol;

/// A hidden command.
#[derive(Subcommand)]
pub(crate) enum Program {
    /// Is a naming service; prints its URL as the first line.
    #[command(name = "naming-server", hide = true)]
    Server {
        /// The file of names; without one they are in memory.
        #[arg(long)]
        store: Option<PathBuf>,
        /// The port; a free one if there is none.
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// The names that it has at the beginning, if the store has none.
        #[arg(long, default_value_t = 0)]
        bindings: u32,
        /// Where they are.
        #[arg(long, default_value_t = Shape::Flat)]
        shape: Shape,
    },
    /// Calls a naming service as standard input says.
    #[command(name = "naming-load", hide = true)]
    Load {
        /// The root context.
        url: String,
        /// Where names are.
        shape: Shape,
        /// How many there are.
        #[arg(value_parser = value_parser!(u32).range(1..))]
        bindings: u32,
    },
}

impl Program {
    /// Runs it.
    ///
    /// # Errors
    ///
    /// [`BenchError::Orb`] when the service cannot be started; those of the load.
    pub(crate) fn run(self) -> Result<(), BenchError> {
        match self {
            Self::Server {
                store,
                port,
                bindings,
                shape,
            } => serve(store.as_deref(), port, Names::new(shape, bindings)),
            Self::Load {
                url,
                shape,
                bindings,
            } => load::run(&url, Names::new(shape, bindings)),
        }
    }
}

fn serve(file: Option<&Path>, port: u16, names: Names) -> Result<(), BenchError> {
    let orb = Orb::builder()
        .listen(&format!("127.0.0.1:{port}"))
        .and_then(taut::OrbBuilder::build)
        .map_err(BenchError::orb)?;
    let store: Arc<dyn Store> = match file {
        Some(file) => Arc::new(FileStore::open(file).map_err(BenchError::orb)?),
        None => Arc::new(MemoryStore::new()),
    };
    if names.bindings > 0 {
        fill(&orb, &*store, names)?;
    }
    NamingService::start(&orb, store, ServiceSettings::default()).map_err(BenchError::orb)?;
    println!("{}", orb.corbaloc(KEY).unwrap_or_default());
    protocol::wait_for_end_of_input(io::stdin().lock())
        .map_err(BenchError::system("standard input"))?;
    orb.shutdown(true).map_err(BenchError::orb)
}

/// The changes that share a write of the store at most.
const AT_ONCE: usize = 256;

/// Gives a store its names without any client.
fn fill(orb: &Orb, store: &dyn Store, names: Names) -> Result<(), BenchError> {
    let object = orb.string_to_object(OBJECT).map_err(BenchError::orb)?;
    let object = Bound::Object(octets(&object));
    for depth in 1..=names.depth() {
        let is_last = depth == names.depth();
        let all: Vec<u32> = match is_last {
            true => (0..names.bindings).collect(),
            false => names.contexts(depth).collect(),
        };
        let next = std::sync::atomic::AtomicUsize::new(0);
        let carry_out = || -> Result<(), BenchError> {
            loop {
                let place = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(&index) = all.get(place) else {
                    return Ok(());
                };
                let name = names.name(index);
                let path = Key::path(name.get(..depth).unwrap_or_default());
                let start = ContextId::ROOT;
                let change = match is_last {
                    true => Change::Bind {
                        start,
                        path,
                        bound: object.clone(),
                        replaces: true,
                        lease: None,
                    },
                    false => Change::BindNewContext { start, path },
                };
                let done = store
                    .change(change, StoreLimits::NONE)
                    .map_err(BenchError::orb)?;
                if !matches!(done, Ok(Done::Plain | Done::Created(_))) {
                    return Err(BenchError::orb(format!("a name is refused: {done:?}")));
                }
            }
        };
        thread::scope(|scope| {
            let running: Vec<_> = (0..AT_ONCE.min(all.len()))
                .map(|_| scope.spawn(carry_out))
                .collect();
            running.into_iter().try_for_each(|thread| {
                let ended = thread.join();
                ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        })?;
    }
    Ok(())
}

/// The octets of a reference, as the service keeps them: those that a stringified one has in
/// hexadecimal.
fn octets(object: &ObjectRef) -> Vec<u8> {
    let text = object.to_string();
    let digits = text.trim_start_matches("IOR:").as_bytes();
    let digit = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default() as u8;
    let pairs = digits.chunks_exact(2);
    pairs
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}
