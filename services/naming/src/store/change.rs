//! The changes of a store, and the rules by which they are carried out.

use std::fmt;

use super::walk::{missing, parent};
use super::{
    Bound, ContextId, Key, Lease, LeaseId, Refusal, StoreError, StoreLimits, Transaction, Why,
};

/// A change that a client asks for. Paths begin at `start` and have at least one component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Binds a name.
    Bind {
        /// The context at which the name begins.
        start: ContextId,
        /// The name.
        path: Vec<Key>,
        /// The thing to bind it to.
        bound: Bound,
        /// Whether it may take the place of a binding of the same sort.
        replaces: bool,
        /// The lease with which the binding ends, if it is to end with one.
        lease: Option<LeaseId>,
    },
    /// Removes a binding.
    Unbind {
        /// The context at which the name begins.
        start: ContextId,
        /// The name.
        path: Vec<Key>,
    },
    /// Makes a context to which no name is bound.
    NewContext {
        /// The context that was asked for it.
        start: ContextId,
    },
    /// Makes a context and binds a name to it.
    BindNewContext {
        /// The context at which the name begins.
        start: ContextId,
        /// The name.
        path: Vec<Key>,
    },
    /// Ends an empty context.
    Destroy {
        /// The context.
        context: ContextId,
    },
    /// Makes a lease, upon which names can be bound.
    GrantLease {
        /// The seconds after which it ends unless it is renewed.
        seconds: u32,
    },
    /// Ends a lease, and removes the bindings that end with it.
    EndLease {
        /// The lease.
        lease: LeaseId,
    },
}

impl Change {
    /// Returns the name of the operation that asks for it.
    pub fn operation(&self) -> &'static str {
        match self {
            Self::Bind {
                bound, replaces, ..
            } => match (bound.is_context(), replaces) {
                (false, false) => "bind",
                (false, true) => "rebind",
                (true, false) => "bind_context",
                (true, true) => "rebind_context",
            },
            Self::Unbind { .. } => "unbind",
            Self::NewContext { .. } => "new_context",
            Self::BindNewContext { .. } => "bind_new_context",
            Self::Destroy { .. } => "destroy",
            Self::GrantLease { .. } => "grant_lease",
            Self::EndLease { .. } => "end_lease",
        }
    }
}

/// The change in a line, for a log.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, path) = match self {
            Self::Bind { start, path, .. }
            | Self::Unbind { start, path }
            | Self::BindNewContext { start, path } => (start, &path[..]),
            Self::NewContext { start } => (start, &[][..]),
            Self::Destroy { context } => (context, &[][..]),
            Self::GrantLease { seconds } => return write!(f, "grant_lease of {seconds} s"),
            // Who knows the number can renew and end the lease.
            Self::EndLease { .. } => return f.write_str("end_lease"),
        };
        write!(f, "{}", self.operation())?;
        for (index, key) in path.iter().enumerate() {
            let divider = if index == 0 { ' ' } else { '/' };
            let component = key.component();
            write!(f, "{divider}{}", component.id.escape_default())?;
            if !component.kind.is_empty() {
                write!(f, ".{}", component.kind.escape_default())?;
            }
        }
        write!(f, " in {start}")
    }
}

/// The result of a change that was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// The change has no result.
    Plain,
    /// The change has made a context.
    Created(ContextId),
    /// The change has made a lease.
    Granted(Lease),
}

/// The answer to a change: done, or refused without a trace.
pub type Answer = Result<Done, Refusal>;

/// Carries out a change in a transaction. A change that is refused has written nothing, so that
/// others of the same transaction stand.
///
/// # Errors
///
/// When the store cannot be read or written; then the transaction is to be given up.
pub fn apply(
    transaction: &mut dyn Transaction,
    change: &Change,
    limits: StoreLimits,
) -> Result<Answer, StoreError> {
    match change {
        Change::Bind {
            start,
            path,
            bound,
            replaces,
            lease,
        } => {
            if let Some(lease) = lease
                && !transaction.has_lease(*lease)?
            {
                return Ok(Err(Refusal::NoSuchLease));
            }
            let how = (*replaces, *lease);
            bind(transaction, (*start, path), bound, how, limits)
        }
        Change::Unbind { start, path } => unbind(transaction, *start, path),
        Change::NewContext { start } => new_context(transaction, *start, limits),
        Change::BindNewContext { start, path } => {
            bind_new_context(transaction, *start, path, limits)
        }
        Change::Destroy { context } => destroy(transaction, *context),
        Change::GrantLease { seconds } => {
            if transaction.lease_count()? >= limits.max_leases {
                return Ok(Err(Refusal::TooManyLeases));
            }
            Ok(Ok(Done::Granted(transaction.create_lease(*seconds)?)))
        }
        Change::EndLease { lease } => {
            if !transaction.has_lease(*lease)? {
                return Ok(Err(Refusal::NoSuchLease));
            }
            transaction.end_lease(*lease)?;
            Ok(Ok(Done::Plain))
        }
    }
}

/// The place of the last component of a path: its context, its key and its index.
type Place<'p> = (ContextId, &'p Key, usize);

fn place<'p>(
    transaction: &dyn Transaction,
    start: ContextId,
    path: &'p [Key],
) -> Result<Result<Place<'p>, Refusal>, StoreError> {
    let Some((last, leading)) = path.split_last() else {
        let why = Why::MissingNode;
        return Ok(Err(Refusal::NotFound { why, at: 0 }));
    };
    let context = parent(transaction, start, path)?;
    Ok(context.map(|context| (context, last, leading.len())))
}

fn bind(
    transaction: &mut dyn Transaction,
    (start, path): (ContextId, &[Key]),
    bound: &Bound,
    (replaces, lease): (bool, Option<LeaseId>),
    limits: StoreLimits,
) -> Result<Answer, StoreError> {
    let (context, key, at) = match place(transaction, start, path)? {
        Ok(place) => place,
        Err(refusal) => return Ok(Err(refusal)),
    };
    match transaction.bound(context, key)? {
        Some(_) if !replaces => return Ok(Err(Refusal::AlreadyBound)),
        Some(before) if before.is_context() != bound.is_context() => {
            let why = match bound.is_context() {
                true => Why::NotContext,
                false => Why::NotObject,
            };
            return Ok(Err(Refusal::NotFound { why, at }));
        }
        Some(_) => {}
        None => {
            if let Some(refusal) = no_room(transaction, start, context, at, limits)? {
                return Ok(Err(refusal));
            }
        }
    }
    transaction.bind(context, key, bound, lease)?;
    Ok(Ok(Done::Plain))
}

/// The reason for which a context can have no further entry, if there is one.
fn no_room(
    transaction: &dyn Transaction,
    start: ContextId,
    context: ContextId,
    at: usize,
    limits: StoreLimits,
) -> Result<Option<Refusal>, StoreError> {
    if !transaction.has_context(context)? {
        return missing(transaction, start, context, at).map(Some);
    }
    let is_full = transaction.totals()?.bindings >= limits.max_bindings;
    Ok(is_full.then_some(Refusal::TooManyBindings))
}

fn unbind(
    transaction: &mut dyn Transaction,
    start: ContextId,
    path: &[Key],
) -> Result<Answer, StoreError> {
    let (context, key, at) = match place(transaction, start, path)? {
        Ok(place) => place,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if transaction.bound(context, key)?.is_none() {
        return Ok(Err(missing(transaction, start, context, at)?));
    }
    transaction.unbind(context, key)?;
    Ok(Ok(Done::Plain))
}

fn new_context(
    transaction: &mut dyn Transaction,
    start: ContextId,
    limits: StoreLimits,
) -> Result<Answer, StoreError> {
    if !transaction.has_context(start)? {
        return Ok(Err(Refusal::Gone));
    }
    if transaction.totals()?.contexts >= limits.max_contexts {
        return Ok(Err(Refusal::TooManyContexts));
    }
    Ok(Ok(Done::Created(transaction.create_context()?)))
}

fn bind_new_context(
    transaction: &mut dyn Transaction,
    start: ContextId,
    path: &[Key],
    limits: StoreLimits,
) -> Result<Answer, StoreError> {
    let (context, key, at) = match place(transaction, start, path)? {
        Ok(place) => place,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if transaction.bound(context, key)?.is_some() {
        return Ok(Err(Refusal::AlreadyBound));
    }
    if let Some(refusal) = no_room(transaction, start, context, at, limits)? {
        return Ok(Err(refusal));
    }
    if transaction.totals()?.contexts >= limits.max_contexts {
        return Ok(Err(Refusal::TooManyContexts));
    }
    let created = transaction.create_context()?;
    transaction.bind(context, key, &Bound::Context(created), None)?;
    Ok(Ok(Done::Created(created)))
}

fn destroy(transaction: &mut dyn Transaction, context: ContextId) -> Result<Answer, StoreError> {
    if !transaction.has_context(context)? {
        return Ok(Err(Refusal::Gone));
    }
    if !transaction.is_empty(context)? {
        return Ok(Err(Refusal::NotEmpty));
    }
    if context == ContextId::ROOT {
        return Ok(Err(Refusal::Root));
    }
    transaction.remove_context(context)?;
    Ok(Ok(Done::Plain))
}
