//! Names that are given where two would be the same in Rust.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use taut_idl::source::Span;

use super::Case;
use super::claims::{Claimant, Collision};
use crate::options::GenerateOptions;

/// How often one thing is given another name before its collisions are an error.
const ATTEMPTS_MAX: u32 = 1000;

/// The Rust names that things have by themselves, by their scoped names in the IDL.
pub(super) type OwnNames = HashMap<String, OwnName>;

/// A Rust name that something has by itself.
#[derive(Debug)]
pub(super) struct OwnName {
    pub(super) name: String,
    pub(super) case: Case,
    /// The owner of the name, for people: "operation `M::I::op`".
    pub(super) description: String,
}

/// A name that is not what the IDL's name becomes, because something else has that.
#[derive(Debug, Clone)]
pub(crate) struct GivenName {
    /// The number at the name's end.
    number: u32,
    /// The name.
    pub(crate) name: String,
    /// The owner of the name, for people: "operation `M::I::op`".
    pub(crate) description: String,
    /// The owner of the name, or the definition that brings the shared name along.
    pub(super) claimant: Claimant,
    /// The first owner of the name.
    pub(super) first: Claimant,
    /// The name that both would have.
    pub(super) shared: String,
    /// Whether the code is generated elsewhere, where the same name was given.
    pub(super) is_external: bool,
}

impl GivenName {
    /// Where the IDL defines it.
    pub(crate) fn span(&self) -> Span {
        self.claimant.span
    }

    /// Where the IDL defines what had the name first.
    pub(crate) fn first_span(&self) -> Span {
        self.first.span
    }

    /// The first owner of the name.
    pub(crate) fn first_description(&self) -> &str {
        &self.first.description
    }

    /// The scoped name in the IDL.
    pub(crate) fn scoped_name(&self) -> &str {
        &self.claimant.scoped_name
    }

    /// The name that both would have.
    pub(crate) fn shared(&self) -> &str {
        &self.shared
    }
}

/// The names that have been given so far, by scoped names in the IDL.
#[derive(Debug, Default)]
pub(super) struct GivenNames(BTreeMap<String, GivenName>);

impl GivenNames {
    /// The name that was given to something.
    pub(super) fn get(&self, scoped_name: &str) -> Option<&str> {
        self.0.get(scoped_name).map(|given| given.name.as_str())
    }

    /// Those whose code is generated here, in the order of their scoped names.
    pub(super) fn into_list(self) -> Vec<GivenName> {
        let given = self.0.into_values();
        given.filter(|given| !given.is_external).collect()
    }

    /// Gives another name to one of the two of each collision: the later one in the
    /// IDL, unless its name is the user's own. Returns the collisions of which
    /// neither can have another.
    pub(super) fn settle(
        &mut self,
        collisions: Vec<Collision>,
        own_names: &OwnNames,
        options: &GenerateOptions,
    ) -> Vec<Collision> {
        let mut unsettled = Vec::new();
        let mut renamed: BTreeSet<String> = BTreeSet::new();
        for collision in collisions {
            let both = [&collision.first, &collision.second];
            // The names that one of these brings along, or holds, may not collide any more.
            let is_moot = both
                .iter()
                .any(|one| ancestors(&one.scoped_name).any(|outer| renamed.contains(outer)));
            if is_moot {
                continue;
            }
            match self.choose(&collision, own_names, options) {
                Some(is_second) => {
                    let one = both[usize::from(is_second)];
                    renamed.insert(one.scoped_name.clone());
                    self.give(&collision, is_second, own_names, options);
                }
                None => unsettled.push(collision),
            }
        }
        unsettled
    }

    /// Which of the two gets another name: whether it is the second.
    fn choose(
        &self,
        collision: &Collision,
        own_names: &OwnNames,
        options: &GenerateOptions,
    ) -> Option<bool> {
        let Collision { first, second, .. } = collision;
        let may_change = |one: &Claimant| {
            let is_elsewhere = !collision.is_external && is_external(options, &one.scoped_name);
            let attempts = self.0.get(&one.scoped_name).map_or(0, |given| given.number);
            own_names.contains_key(&one.scoped_name)
                && !options.renames.contains_key(&one.scoped_name)
                && !is_elsewhere
                && attempts < ATTEMPTS_MAX
        };
        let has_given = |one: &Claimant| self.0.contains_key(&one.scoped_name);
        let is_second_later =
            first.span.file != second.span.file || first.span.start <= second.span.start;
        // One that was given a name which is taken, too, gets the next.
        let prefers_second = match (has_given(first), has_given(second)) {
            (true, false) => false,
            (false, true) => true,
            _ => is_second_later,
        };
        let (preferred, other) = match prefers_second {
            true => (second, first),
            false => (first, second),
        };
        if may_change(preferred) {
            Some(prefers_second)
        } else if may_change(other) && first.scoped_name != second.scoped_name {
            Some(!prefers_second)
        } else {
            None
        }
    }

    fn give(
        &mut self,
        collision: &Collision,
        is_second: bool,
        own_names: &OwnNames,
        options: &GenerateOptions,
    ) {
        let (one, other) = match is_second {
            true => (&collision.second, &collision.first),
            false => (&collision.first, &collision.second),
        };
        let Some(own) = own_names.get(&one.scoped_name) else {
            return;
        };
        let given = self
            .0
            .entry(one.scoped_name.clone())
            .or_insert_with(|| GivenName {
                number: 1,
                name: String::new(),
                description: own.description.clone(),
                claimant: one.clone(),
                first: other.clone(),
                shared: collision.name.clone(),
                is_external: is_external(options, &one.scoped_name),
            });
        given.number += 1;
        given.name = match own.case {
            Case::UpperCamel => format!("{}{}", own.name, given.number),
            Case::Snake | Case::Screaming => format!("{}_{}", own.name, given.number),
        };
    }
}

/// The scoped names of what something is in, from the outside, and its own.
fn ancestors(scoped_name: &str) -> impl Iterator<Item = &str> {
    let inner = scoped_name.match_indices("::").map(|(at, _)| at);
    inner
        .chain([scoped_name.len()])
        .map(|end| &scoped_name[..end])
}

/// Whether the code of something is generated elsewhere.
pub(super) fn is_external(options: &GenerateOptions, scoped_name: &str) -> bool {
    ancestors(scoped_name).any(|outer| options.extern_modules.contains_key(outer))
}
