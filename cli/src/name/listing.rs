//! The entries of a context.

use taut::SystemException;
use taut_naming::{
    Binding, BindingIterator, BindingType, NameComponent, NamingContext, NamingContextRef,
};

/// How many entries are asked for at a time.
const BATCH: u32 = 200;

/// An entry of a context.
#[derive(Debug)]
pub(super) struct Entry {
    /// Its name in the context.
    pub(super) name: Vec<NameComponent>,
    /// Whether it is bound to a context.
    pub(super) is_context: bool,
}

/// Why a context could not be listed.
#[derive(Debug)]
pub(super) enum ListingError {
    /// It has more entries than are allowed.
    TooMany,
    /// It does not answer.
    System(SystemException),
}

impl From<SystemException> for ListingError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

/// Gives all entries of a context to `visit`, some at a time, in the order of the service.
///
/// # Errors
///
/// When the context does not answer, and those of `visit`.
pub(super) fn in_batches<E: From<SystemException>>(
    context: &NamingContextRef,
    mut visit: impl FnMut(Vec<Entry>) -> Result<(), E>,
) -> Result<(), E> {
    let (first, iterator) = context.list(BATCH)?;
    let visited = visit(as_entries(first));
    let Some(iterator) = iterator else {
        return visited;
    };
    let rest = visited.and_then(|()| {
        loop {
            let (more, batch) = iterator.next_n(BATCH)?;
            // A service that promises more and gives nothing would hold us for ever.
            if batch.is_empty() {
                return Ok(());
            }
            visit(as_entries(batch))?;
            if !more {
                return Ok(());
            }
        }
    });
    // It is the service's own business if it has ended it already.
    let _ = iterator.destroy();
    rest
}

fn as_entries(bindings: Vec<Binding>) -> Vec<Entry> {
    let entries = bindings.into_iter().map(|binding| Entry {
        name: binding.binding_name,
        is_context: binding.binding_type == BindingType::Ncontext,
    });
    entries.collect()
}

/// All entries of a context, in the order of their names. `left` is how many
/// there may be, and is lowered by as many as there are.
///
/// # Errors
///
/// When the context does not answer, or has more entries.
pub(super) fn entries(
    context: &NamingContextRef,
    left: &mut usize,
) -> Result<Vec<Entry>, ListingError> {
    let mut all: Vec<Entry> = Vec::new();
    in_batches(context, |batch| {
        *left = left.checked_sub(batch.len()).ok_or(ListingError::TooMany)?;
        all.extend(batch);
        Ok::<(), ListingError>(())
    })?;
    let key = |name: &[NameComponent]| -> Vec<(String, String)> {
        let components = name.iter();
        components
            .map(|one| (one.id.clone(), one.kind.clone()))
            .collect()
    };
    all.sort_by_cached_key(|entry| key(&entry.name));
    Ok(all)
}
