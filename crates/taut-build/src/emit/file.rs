//! The whole file: its definitions, made by one thread or several, and the
//! modules that they stand in.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{iter, panic, thread};

use taut_idl::model::{DefinitionId, DefinitionKind, Model};

use super::{definition, inner};
use crate::docs::doc_or;
use crate::fault::GenerateError;
use crate::imports::Imports;
use crate::names::{ModulePath, Names};
use crate::print::Printed;
use crate::scope::{Scope, Stubs};

/// Unless it is told how many threads, a file has one for each so many
/// definitions: to start a thread takes about as long as to make a few.
const DEFINITIONS_PER_THREAD: usize = 16;
/// More threads than this are not started of one's own accord: the parts that
/// one thread has to do alone would outweigh them.
const THREADS_MAX: usize = 8;
/// The stack of a thread, in octets: as much as the first one usually has.
const STACK_SIZE: usize = 8 << 20;

/// The items of the whole file, made by so many threads; by as many as are of
/// use if that is not said.
///
/// # Errors
///
/// Definitions that have no mapping.
pub(crate) fn file(
    model: &Model,
    names: &Names,
    threads: Option<NonZero<usize>>,
) -> Result<Printed, Vec<GenerateError>> {
    let root = ModulePath::file();
    let stubs = Stubs::default();
    let mut plan = Plan {
        model,
        names,
        leaves: Vec::new(),
    };
    let parts = plan.parts(&root, model.roots());
    let make = |leaf: &Leaf<'_>| -> Result<_, Vec<GenerateError>> {
        let scope = Scope::new(model, names, leaf.module, &stubs);
        let printed = definition::item(&scope, leaf.id)?;
        Ok((printed, scope.imports()))
    };
    let threads = match threads {
        Some(threads) => threads.get(),
        None => threads_of_use(plan.leaves.len()),
    };
    let mut made = Vec::new();
    let mut errors: Vec<GenerateError> = Vec::new();
    for result in in_threads(threads, &plan.leaves, make) {
        match result {
            Ok(item) => made.push(item),
            Err(more) => errors.extend(more),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let scope = Scope::new(model, names, &root, &stubs);
    let (printed, _) = put_together(&scope, &parts, &mut made.into_iter());
    Ok(printed)
}

/// A definition that is no module, and the module that it is in.
struct Leaf<'a> {
    module: &'a ModulePath,
    id: DefinitionId,
}

/// An item of a module, or of the file.
enum Part {
    /// The next leaf.
    Leaf,
    Module(DefinitionId, Vec<Part>),
}

struct Plan<'a> {
    model: &'a Model,
    names: &'a Names,
    leaves: Vec<Leaf<'a>>,
}

impl<'a> Plan<'a> {
    fn parts(&mut self, module: &'a ModulePath, definitions: &[DefinitionId]) -> Vec<Part> {
        let mut parts = Vec::new();
        for &id in definitions {
            if self.names.is_omitted(id) {
                continue;
            }
            let DefinitionKind::Module(members) = &self.model.get(id).kind else {
                self.leaves.push(Leaf { module, id });
                parts.push(Part::Leaf);
                continue;
            };
            let inside = &self.names.of(id).scope;
            if inside.external.is_none() {
                parts.push(Part::Module(id, self.parts(inside, members)));
            }
        }
        parts
    }
}

/// The text of all parts, and what it imports.
fn put_together(
    scope: &Scope<'_>,
    parts: &[Part],
    made: &mut impl Iterator<Item = (Printed, Imports)>,
) -> (Printed, Imports) {
    let mut printed = Printed::default();
    let mut imports = Imports::default();
    for part in parts {
        match part {
            Part::Leaf => {
                if let Some((item, more)) = made.next() {
                    printed.push(&item);
                    imports = imports | more;
                }
            }
            Part::Module(id, parts) => {
                let definition = scope.model.get(*id);
                let scoped_name = definition.scoped_name.join("::");
                let fallback = format!("Definitions of the IDL module `{scoped_name}`.");
                let doc = doc_or(&definition.docs, &fallback);
                let (items, imports) = put_together(&scope.inside(*id), parts, made);
                printed.push(&inner::module(scope, *id, &doc, imports, &items));
            }
        }
    }
    (printed, imports)
}

fn threads_of_use(definitions: usize) -> usize {
    let most = THREADS_MAX.min(definitions / DEFINITIONS_PER_THREAD);
    // To ask the system takes time, too.
    if most < 2 {
        return 1;
    }
    thread::available_parallelism().map_or(1, |available| available.get().min(most))
}

/// Applies `make` to each of the items in so many threads, one of which is the caller's,
/// and returns the results in the order of the items.
fn in_threads<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    make: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            match items.get(index) {
                Some(item) => made.push((index, make(item))),
                None => return made,
            }
        }
    };
    let others = threads.min(items.len()).saturating_sub(1);
    let mut made = thread::scope(|scope| {
        let start = || {
            let builder = thread::Builder::new().stack_size(STACK_SIZE);
            // Where the system has no thread to give, the others do the work.
            builder.spawn_scoped(scope, work).ok()
        };
        let others: Vec<_> = iter::repeat_with(start).take(others).flatten().collect();
        let mut made = work();
        for other in others {
            match other.join() {
                Ok(more) => made.extend(more),
                Err(panicked) => panic::resume_unwind(panicked),
            }
        }
        made
    });
    made.sort_unstable_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, result)| result).collect()
}
