//! The way of a name through contexts.

use super::{Bound, ContextId, Key, StoreError, View};

/// Why a component does not lead on, as in CosNaming's `NotFoundReason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Nothing is bound to it.
    MissingNode,
    /// It is bound to an object where a context is needed.
    NotContext,
    /// It is bound to a context where an object is needed.
    NotObject,
}

/// The reason for which a store does not do what it is asked for. `at` is the index of the
/// component with which the rest of the name begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is no context with the number at which the name begins.
    Gone,
    /// A component does not lead on.
    NotFound {
        /// The fault.
        why: Why,
        /// The index of the component.
        at: usize,
    },
    /// The name leads into a context of another service.
    Elsewhere {
        /// The reference of that context.
        reference: Vec<u8>,
        /// The index of the component to go on with there.
        at: usize,
    },
    /// The name leads into a context of this store that has been ended.
    Ended {
        /// The context.
        context: ContextId,
        /// The index of the component to go on with there.
        at: usize,
    },
    /// Something is bound to the name.
    AlreadyBound,
    /// The context has entries.
    NotEmpty,
    /// The root context cannot be ended.
    Root,
    /// There are as many contexts as there may be.
    TooManyContexts,
    /// There are as many bindings as there may be.
    TooManyBindings,
    /// There are as many leases as there may be.
    TooManyLeases,
    /// There is no lease with this number, or it has ended.
    NoSuchLease,
}

/// Walks from a context through all components of a path but the last.
///
/// # Errors
///
/// When the store cannot be read.
pub(super) fn parent(
    view: &dyn View,
    start: ContextId,
    path: &[Key],
) -> Result<Result<ContextId, Refusal>, StoreError> {
    let mut context = start;
    let leading = path.split_last().map_or(&[][..], |(_, leading)| leading);
    for (index, key) in leading.iter().enumerate() {
        context = match view.bound(context, key)? {
            Some(Bound::Context(next)) => next,
            Some(Bound::Elsewhere(reference)) => {
                let at = index + 1;
                return Ok(Err(Refusal::Elsewhere { reference, at }));
            }
            Some(Bound::Object(_)) => {
                let why = Why::NotContext;
                return Ok(Err(Refusal::NotFound { why, at: index }));
            }
            None => return Ok(Err(missing(view, start, context, index)?)),
        };
    }
    Ok(Ok(context))
}

/// The refusal of a component to which nothing is bound: it may be that the context is gone.
pub(super) fn missing(
    view: &dyn View,
    start: ContextId,
    context: ContextId,
    at: usize,
) -> Result<Refusal, StoreError> {
    if view.has_context(context)? {
        let why = Why::MissingNode;
        return Ok(Refusal::NotFound { why, at });
    }
    Ok(match context == start {
        true => Refusal::Gone,
        false => Refusal::Ended { context, at },
    })
}

/// Finds the thing to which a path is bound, from a context on. The path has at least one
/// component.
///
/// # Errors
///
/// When the store cannot be read.
pub fn resolve(
    view: &dyn View,
    start: ContextId,
    path: &[Key],
) -> Result<Result<Bound, Refusal>, StoreError> {
    let context = match parent(view, start, path)? {
        Ok(context) => context,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let found = match path.last() {
        Some(last) => view.bound(context, last)?,
        None => None,
    };
    match found {
        Some(bound) => Ok(Ok(bound)),
        None => Ok(Err(missing(
            view,
            start,
            context,
            path.len().saturating_sub(1),
        )?)),
    }
}
