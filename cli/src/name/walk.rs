//! A walk through naming contexts.

use std::collections::HashSet;

use taut_naming::{NameComponent, NamingContext, NamingContextRef};

use super::failure::{Refusal, attempt};
use super::listing::{Entry, ListingError, entries};
use super::liveness::{AT_ONCE, Check, Checker, State};
use super::service;
use crate::failure::Failure;

/// A binding that the walk has come to.
#[derive(Debug)]
pub(super) struct Found<'w> {
    /// Its name from the context at which the walk begins.
    pub(super) path: &'w [NameComponent],
    /// Whether it is bound to a context.
    pub(super) is_context: bool,
    /// Whether it is the last one of its context.
    pub(super) is_last: bool,
    /// Whether what it is bound to is still there, if that was asked for.
    pub(super) check: Option<&'w Check>,
    /// Why the names in the context that it is bound to do not follow.
    pub(super) remark: Option<&'w Remark>,
}

/// Why the names in a context do not follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Remark {
    /// It lies deeper than `--max-depth`.
    TooDeep,
    /// It is bound to another name as well, below which they are shown.
    ShownAbove,
    /// It could not be listed.
    Fault(String),
}

impl Remark {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::TooDeep => "not shown: --max-depth allows more",
            Self::ShownAbove => "shown above",
            Self::Fault(message) => message,
        }
    }
}

/// The names in a context within another, none for what is not walked through, or the
/// reason why they are not shown.
type Within = Result<Option<(NamingContextRef, Vec<Entry>)>, Remark>;

/// How far a walk goes.
#[derive(Debug)]
pub(super) struct Extent {
    /// Whether the contexts within the context are walked through as well.
    pub(super) is_recursive: bool,
    pub(super) max_names: usize,
    pub(super) max_depth: u16,
}

/// A walk through contexts, depth first.
pub(super) struct Walk<'w> {
    extent: &'w Extent,
    checker: Option<&'w Checker>,
    /// Receives each binding, in the order of a page.
    show: &'w mut dyn FnMut(&Found<'_>) -> Result<(), Failure>,
    names_left: usize,
    /// Contexts can be bound to several names, also to names within themselves.
    shown: HashSet<NamingContextRef>,
    path: Vec<NameComponent>,
    /// The contexts that could not be listed.
    faults: usize,
    /// The bindings to what is not alive.
    not_alive: usize,
}

impl<'w> Walk<'w> {
    pub(super) fn new(
        extent: &'w Extent,
        checker: Option<&'w Checker>,
        show: &'w mut dyn FnMut(&Found<'_>) -> Result<(), Failure>,
    ) -> Self {
        Self {
            extent,
            checker,
            show,
            names_left: extent.max_names,
            shown: HashSet::new(),
            path: Vec::new(),
            faults: 0,
            not_alive: 0,
        }
    }

    /// Walks through a context and says whether all was well.
    ///
    /// # Errors
    ///
    /// When the context cannot be listed, there are more names than are allowed, one
    /// of the contexts within could not be listed, or something is not alive.
    pub(super) fn run(mut self, context: &NamingContextRef) -> Result<(), Failure> {
        self.shown.insert(context.clone());
        let entries = entries(context, &mut self.names_left).map_err(|error| match error {
            ListingError::TooMany => self.too_many(),
            ListingError::System(exception) => {
                Failure::Message(format!("the context cannot be listed: {exception}"))
            }
        })?;
        self.context(context, &entries, 1)?;
        let several = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(one.to_owned()),
            _ => Some(format!("{count} {many}")),
        };
        let faults = several(
            self.faults,
            "a context could not be listed",
            "contexts could not be listed",
        );
        let not_alive = several(
            self.not_alive,
            "a name is bound to an object that is dead or unreachable",
            "names are bound to objects that are dead or unreachable",
        );
        match faults.into_iter().chain(not_alive).collect::<Vec<_>>() {
            complaints if complaints.is_empty() => Ok(()),
            complaints => Err(Failure::Message(complaints.join("; "))),
        }
    }

    fn too_many(&self) -> Failure {
        Failure::Message(format!(
            "there are more than {} names; --max-names allows more",
            self.extent.max_names
        ))
    }

    fn context(
        &mut self,
        context: &NamingContextRef,
        entries: &[Entry],
        depth: u16,
    ) -> Result<(), Failure> {
        let last = entries.len().saturating_sub(1);
        for (chunk, some) in entries.chunks(AT_ONCE).enumerate() {
            let checks = match self.checker {
                Some(checker) => checker.check(context, some),
                None => Vec::new(),
            };
            for (index, entry) in some.iter().enumerate() {
                let is_last = chunk * AT_ONCE + index == last;
                let length = self.path.len();
                self.path.extend(entry.name.iter().cloned());
                self.entry(context, entry, checks.get(index), is_last, depth)?;
                self.path.truncate(length);
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        parent: &NamingContextRef,
        entry: &Entry,
        check: Option<&Check>,
        is_last: bool,
        depth: u16,
    ) -> Result<(), Failure> {
        let is_alive = check.is_none_or(|check| check.state == State::Alive);
        self.not_alive += usize::from(!is_alive);
        let within = match entry.is_context && self.extent.is_recursive {
            true => self.within(parent, &entry.name, depth)?,
            false => Ok(None),
        };
        self.faults += usize::from(matches!(within, Err(Remark::Fault(_))));
        (self.show)(&Found {
            path: &self.path,
            is_context: entry.is_context,
            is_last,
            check,
            remark: within.as_ref().err(),
        })?;
        match within {
            Ok(Some((context, entries))) => self.context(&context, &entries, depth + 1),
            _ => Ok(()),
        }
    }

    /// The names in a context within another, or the reason why they are not shown.
    fn within(
        &mut self,
        parent: &NamingContextRef,
        name: &[NameComponent],
        depth: u16,
    ) -> Result<Within, Failure> {
        if depth >= self.extent.max_depth {
            return Ok(Err(Remark::TooDeep));
        }
        let context = match child(parent, name) {
            Ok(context) => context,
            Err(failure) => match failure.message() {
                Some(message) => return Ok(Err(Remark::Fault(message.to_owned()))),
                None => return Err(failure),
            },
        };
        if !self.shown.insert(context.clone()) {
            return Ok(Err(Remark::ShownAbove));
        }
        match entries(&context, &mut self.names_left) {
            Ok(entries) => Ok(Ok(Some((context, entries)))),
            Err(ListingError::TooMany) => Err(self.too_many()),
            Err(ListingError::System(exception)) => Ok(Err(Remark::Fault(exception.to_string()))),
        }
    }
}

fn child(parent: &NamingContextRef, name: &[NameComponent]) -> Result<NamingContextRef, Failure> {
    let object = attempt(name, parent.resolve(name).map_err(Refusal::from))?;
    match object {
        Some(object) => service::context(&object, "it"),
        None => Err(Failure::new("it is bound to the nil reference")),
    }
}
