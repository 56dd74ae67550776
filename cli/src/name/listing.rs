//! The entries of a context.

use taut::SystemException;
use taut_naming::{
    Binding, BindingIterator, BindingIteratorRef, BindingType, NameComponent, NamingContext,
    NamingContextRef,
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
    let (first, iterator) = context.list(BATCH)?;
    let mut bindings = Vec::new();
    let added = add(&mut bindings, first, left);
    if let Some(iterator) = iterator {
        let rest = added.and_then(|()| drain(&iterator, &mut bindings, left));
        // It is the service's own business if it has ended it already.
        let _ = iterator.destroy();
        rest?;
    } else {
        added?;
    }
    let key = |name: &[NameComponent]| -> Vec<(String, String)> {
        let components = name.iter();
        components
            .map(|one| (one.id.clone(), one.kind.clone()))
            .collect()
    };
    bindings.sort_by_cached_key(|binding| key(&binding.binding_name));
    let entries = bindings.into_iter().map(|binding| Entry {
        name: binding.binding_name,
        is_context: binding.binding_type == BindingType::Ncontext,
    });
    Ok(entries.collect())
}

fn drain(
    iterator: &BindingIteratorRef,
    bindings: &mut Vec<Binding>,
    left: &mut usize,
) -> Result<(), ListingError> {
    loop {
        let (more, batch) = iterator.next_n(BATCH)?;
        // A service that promises more and gives nothing would hold us for ever.
        if batch.is_empty() {
            return Ok(());
        }
        add(bindings, batch, left)?;
        if !more {
            return Ok(());
        }
    }
}

fn add(
    bindings: &mut Vec<Binding>,
    batch: Vec<Binding>,
    left: &mut usize,
) -> Result<(), ListingError> {
    *left = left.checked_sub(batch.len()).ok_or(ListingError::TooMany)?;
    bindings.extend(batch);
    Ok(())
}
