//! Predictable POAs: they have no servant on demand and no request that waits, and they can be
//! sealed, so that what they consist of does not change any more.

use std::collections::BTreeSet;
use std::fmt;

use taut_giop::{SystemExceptionKind, minor};
use taut_sync::lock::Mutex;

use super::error::own_refusal;
use super::{ObjectId, Poa, PoaError, PoaManagerState};

/// The reason for which a POA cannot be sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// The POA is not predictable ([`PredictabilityPolicy`](crate::PredictabilityPolicy)).
    Predictability {
        /// The names on the way to the POA.
        poa: String,
    },
    /// The POA's manager is not active, so that requests are refused.
    ActiveManager {
        /// The names on the way to the POA.
        poa: String,
        /// The manager's id.
        manager: String,
        /// The state that the manager is in.
        state: PoaManagerState,
    },
    /// A reference to an object has been made that is not active.
    ActiveObject {
        /// The names on the way to the POA.
        poa: String,
        /// The object's id.
        id: ObjectId,
    },
    /// The POA's policies want a default servant, and there is none.
    DefaultServant {
        /// The names on the way to the POA.
        poa: String,
    },
}

/// A POA is not sealed, for all of this is missing in it and its descendants.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SealError {
    /// All that is missing.
    pub missing: Vec<Missing>,
}

/// The references that a predictable POA has made to objects that were not active.
#[derive(Debug, Default)]
pub(super) struct Promises(Mutex<BTreeSet<ObjectId>>);

/// Held while POAs of an ORB are sealed.
#[derive(Debug, Default)]
pub(super) struct Sealing(Mutex<()>);

impl Poa {
    /// Seals this POA and its descendants, which are all predictable: from here on no object is
    /// activated or deactivated, no child is created, and no default servant is set; such an
    /// attempt ends with BAD_INV_ORDER, [`minor::ADAPTER_SEALED`]. Objects that are not found
    /// where their keys say that they lie, such as those of persistent references, are found by
    /// a perfect hash of their ids, with one comparison. [`destroy`](Self::destroy) is still
    /// possible, and managers may change their states.
    ///
    /// A further call seals what has not been sealed.
    ///
    /// # Errors
    ///
    /// [`SealError`], which tells all that is missing; then nothing is sealed.
    pub fn seal(&self) -> Result<(), SealError> {
        // One after the other: what one finds frozen, another does not thaw again.
        let _sealing = self.shared.table.sealing.0.lock();
        let mut poas = self.with_descendants();
        let frozen: Vec<_> = loop {
            // Nothing comes or goes while it is looked at.
            let frozen = poas.iter().filter(|poa| poa.freeze()).cloned().collect();
            // A child that was created before its parent was frozen may have been overlooked.
            let now = self.with_descendants();
            if now == poas {
                break frozen;
            }
            frozen.iter().for_each(Self::thaw);
            poas = now;
        };
        let mut missing = Vec::new();
        for poa in &poas {
            poa.look_for_missing(&mut missing);
        }
        if !missing.is_empty() {
            frozen.iter().for_each(Self::thaw);
            return Err(SealError { missing });
        }
        for poa in frozen {
            poa.shared.map.index_frozen();
            poa.shared.promises.0.lock().clear();
        }
        if self.shared.parent.is_none() {
            self.shared.table.index_frozen();
        }
        Ok(())
    }

    /// Whether the POA is [sealed](Self::seal).
    pub fn is_sealed(&self) -> bool {
        self.shared.map.is_frozen()
    }

    /// This POA and its descendants, in the order of their names.
    fn with_descendants(&self) -> Vec<Self> {
        let children = self.children();
        let below = children.iter().flat_map(Self::with_descendants);
        [self.clone()].into_iter().chain(below).collect()
    }

    fn freeze(&self) -> bool {
        self.freeze_family();
        self.shared.map.freeze()
    }

    fn thaw(&self) {
        self.shared.map.thaw();
        self.thaw_family();
    }

    fn look_for_missing(&self, missing: &mut Vec<Missing>) {
        let poa = || self.full_name();
        let policies = self.policies();
        if !policies.is_predictable() {
            missing.push(Missing::Predictability { poa: poa() });
        }
        let state = self.manager().state();
        if state != PoaManagerState::Active {
            missing.push(Missing::ActiveManager {
                poa: poa(),
                manager: self.manager().id().to_owned(),
                state,
            });
        }
        if policies.uses_default_servant() {
            if self.servant().is_err() {
                missing.push(Missing::DefaultServant { poa: poa() });
            }
            return;
        }
        let promises = self.shared.promises.0.lock();
        let inactive = promises
            .iter()
            .filter(|id| self.shared.map.find_id(id).is_none());
        missing.extend(inactive.map(|id| Missing::ActiveObject {
            poa: poa(),
            id: id.clone(),
        }));
    }

    /// The names on the way to the POA, for people.
    fn full_name(&self) -> String {
        match self.parent() {
            Some(parent) => format!("{}/{}", parent.full_name(), self.name()),
            None => self.name().to_owned(),
        }
    }

    /// Notes that a reference to an object is made that need not be active. One of a predictable
    /// POA has to be when it is sealed.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER if the POA is sealed and the object is not active.
    pub(super) fn promise(&self, id: &ObjectId) -> Result<(), PoaError> {
        let policies = self.policies();
        if !policies.is_predictable() || policies.uses_default_servant() {
            return Ok(());
        }
        let mut promises = self.shared.promises.0.lock();
        if self.shared.map.find_id(id).is_some() {
            return Ok(());
        }
        if self.is_sealed() {
            return Err(sealed());
        }
        promises.insert(id.clone());
        Ok(())
    }

    /// Refuses what would change a sealed POA.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER.
    pub(super) fn require_unsealed(&self) -> Result<(), PoaError> {
        match self.is_sealed() {
            true => Err(sealed()),
            false => Ok(()),
        }
    }
}

/// The POA is sealed.
#[cold]
pub(super) fn sealed() -> PoaError {
    own_refusal(SystemExceptionKind::BadInvOrder, minor::ADAPTER_SEALED).into()
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Predictability { poa } => {
                write!(f, "{poa}: it has not PredictabilityPolicy::Predictable")
            }
            Self::ActiveManager {
                poa,
                manager,
                state,
            } => write!(
                f,
                "{poa}: its manager, {manager}, is {state:?}: activate it"
            ),
            Self::ActiveObject { poa, id } => write!(
                f,
                "{poa}: there is a reference to the object {id}, which is not active: activate it"
            ),
            Self::DefaultServant { poa } => write!(f, "{poa}: it has no default servant: set one"),
        }
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed by way of
/// `Debug`.
impl fmt::Debug for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the POA is not sealed")?;
        for missing in &self.missing {
            write!(f, "; {missing}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SealError {}
