//! The store as the servants see it: names in, references and exceptions out.

use std::sync::Arc;

use taut::{
    ObjectRef, Orb, PeerNetwork, RequestContext, SystemException, SystemExceptionKind, minor,
};

use super::CHANGES_TARGET;
use super::counters;
use super::faults::{Fault, context_destroyed, refused, store_failed};
use super::references::References;
use super::settings::ServiceSettings;
use super::stored_references;
use crate::naming_context::{CannotProceed, NotFound, NotFoundReason};
use crate::store::{
    Bound, Change, ContextId, Done, Key, Lease, LeaseId, Refusal, Store, StoreError, View, Why,
    resolve,
};
use crate::{NameComponent, NamingContextRef};

/// The store of a service, with what is needed to speak of it to clients.
pub(super) struct Keeper {
    orb: Orb,
    store: Arc<dyn Store>,
    references: Arc<References>,
    settings: Arc<ServiceSettings>,
}

/// The end of a name within this service.
pub(super) enum Outcome<T> {
    Here(T),
    /// The name leads on to a context of another service, from the component with this index on.
    Elsewhere(NamingContextRef, usize),
}

impl Keeper {
    pub(super) fn new(
        orb: Orb,
        store: Arc<dyn Store>,
        references: Arc<References>,
        settings: Arc<ServiceSettings>,
    ) -> Self {
        Self {
            orb,
            store,
            references,
            settings,
        }
    }

    pub(super) fn references(&self) -> &References {
        &self.references
    }

    pub(super) fn settings(&self) -> &ServiceSettings {
        &self.settings
    }

    /// Shows the store.
    ///
    /// # Errors
    ///
    /// PERSIST_STORE.
    pub(super) fn read<T>(
        &self,
        mut query: impl FnMut(&dyn View) -> Result<T, StoreError>,
    ) -> Result<T, SystemException> {
        let mut found = None;
        let read = self.store.read(&mut |view| {
            found = Some(query(view)?);
            Ok(())
        });
        read.map_err(|error| store_failed(&error))?;
        found.ok_or_else(|| store_failed(&StoreError::new("the store did not show itself")))
    }

    /// Whether there is a context.
    ///
    /// # Errors
    ///
    /// PERSIST_STORE.
    pub(super) fn has(&self, context: ContextId) -> Result<bool, SystemException> {
        self.read(|view| view.has_context(context))
    }

    /// Finds the thing to which a name is bound.
    ///
    /// # Errors
    ///
    /// Those of `resolve`.
    pub(super) fn resolve(
        &self,
        start: ContextId,
        name: &[NameComponent],
    ) -> Result<Outcome<Option<ObjectRef>>, Fault> {
        let path = self.path(name)?;
        counters::resolved();
        match self.read(|view| resolve(view, start, &path))? {
            Ok(Bound::Context(context)) => Ok(Outcome::Here(Some(self.reference(context)?))),
            Ok(Bound::Object(octets) | Bound::Elsewhere(octets)) => {
                let object = stored_references::reference(&self.orb, &octets)?;
                Ok(Outcome::Here(object))
            }
            Err(refusal) => self.refusal(refusal, name).map(absurd),
        }
    }

    /// Carries out a change of `name`, which begins at a context of this service.
    ///
    /// # Errors
    ///
    /// Those of the operation.
    pub(super) fn change(
        &self,
        name: &[NameComponent],
        change: impl FnOnce(Vec<Key>) -> Change,
    ) -> Result<Outcome<Done>, Fault> {
        let path = self.path(name)?;
        match self.carry_out(change(path))? {
            Ok(done) => Ok(Outcome::Here(done)),
            Err(refusal) => self.refusal(refusal, name).map(absurd),
        }
    }

    /// Carries out a change that is not of a name.
    ///
    /// # Errors
    ///
    /// NO_PERMISSION in a read-only service, PERSIST_STORE.
    pub(super) fn carry_out(
        &self,
        change: Change,
    ) -> Result<Result<Done, Refusal>, SystemException> {
        self.check_permission(&change)?;
        let text = tracing::enabled!(target: CHANGES_TARGET, tracing::Level::DEBUG)
            .then(|| change.to_string());
        let limits = self.settings.store_limits();
        let operation = change.operation();
        let answer = self.store.change(change, limits);
        let answer = answer.map_err(|error| store_failed(&error))?;
        if answer.is_ok() {
            counters::changed(operation);
        }
        if let (Some(change), Ok(_)) = (text, &answer) {
            let peer = peer();
            tracing::debug!(target: CHANGES_TARGET, %change, peer, "names changed");
        }
        Ok(answer)
    }

    /// Begins the time of a lease anew; `None` where there is no such lease. That changes no
    /// name, so a read-only service does it too.
    ///
    /// # Errors
    ///
    /// PERSIST_STORE, TRANSIENT.
    pub(super) fn renew_lease(&self, lease: LeaseId) -> Result<Option<Lease>, SystemException> {
        let renewed = self.store.renew_lease(lease);
        renewed.map_err(|error| store_failed(&error))
    }

    /// Looks whether the client may change names.
    ///
    /// # Errors
    ///
    /// NO_PERMISSION if it may not.
    fn check_permission(&self, change: &Change) -> Result<(), SystemException> {
        let (refusal, reason) = match &self.settings.allow_changes_from {
            _ if self.settings.is_read_only => (minor::NAMES_READ_ONLY, "is_read_only"),
            Some(networks) if !is_from(networks) => {
                (minor::CHANGES_NOT_ALLOWED, "allow_changes_from")
            }
            _ => return Ok(()),
        };
        counters::forbidden(reason);
        let peer = peer();
        tracing::warn!(target: "taut::naming", %change, peer, "a change is not permitted");
        Err(refused(SystemExceptionKind::NoPermission, refusal))
    }

    /// The reference of a context of this service.
    ///
    /// # Errors
    ///
    /// Those of a POA that is being destroyed.
    pub(super) fn reference(&self, context: ContextId) -> Result<ObjectRef, SystemException> {
        Ok(self.references.of(context)?)
    }

    /// The form in which an object is kept.
    ///
    /// # Errors
    ///
    /// IMP_LIMIT for a reference that is too long.
    pub(super) fn object(&self, object: Option<&ObjectRef>) -> Result<Bound, SystemException> {
        let octets = stored_references::octets(object);
        self.check_reference(&octets)?;
        Ok(Bound::Object(octets))
    }

    /// The form in which a context is kept, of this service or another one.
    ///
    /// # Errors
    ///
    /// BAD_PARAM for nil, IMP_LIMIT for a reference that is too long.
    pub(super) fn context(
        &self,
        context: Option<&NamingContextRef>,
    ) -> Result<Bound, SystemException> {
        let context = context.ok_or_else(|| refused(SystemExceptionKind::BadParam, 0))?;
        if let Some(own) = self.references.own(context) {
            return Ok(Bound::Context(own));
        }
        let octets = stored_references::octets(Some(taut::Reference::as_object(context)));
        self.check_reference(&octets)?;
        Ok(Bound::Elsewhere(octets))
    }

    fn check_reference(&self, octets: &[u8]) -> Result<(), SystemException> {
        if octets.len() > self.settings.max_reference_octets {
            let kind = SystemExceptionKind::ImpLimit;
            return Err(refused(kind, minor::REFERENCE_LIMIT));
        }
        Ok(())
    }

    /// The keys of a name.
    ///
    /// # Errors
    ///
    /// InvalidName for an empty name, IMP_LIMIT for a long one.
    pub(super) fn path(&self, name: &[NameComponent]) -> Result<Vec<Key>, Fault> {
        if name.is_empty() {
            return Err(Fault::InvalidName);
        }
        let most = self.settings.max_component_octets;
        let is_long = |one: &NameComponent| one.id.len() + one.kind.len() > most;
        if name.len() > self.settings.max_name_components || name.iter().any(is_long) {
            return Err(name_limit().into());
        }
        Ok(Key::path(name))
    }

    /// A refusal of the store in the words of CosNaming, or the context to go on with.
    ///
    /// # Errors
    ///
    /// Those of the operation.
    pub(super) fn refusal(
        &self,
        refusal: Refusal,
        name: &[NameComponent],
    ) -> Result<Outcome<Never>, Fault> {
        let rest = |at: usize| name.get(at..).unwrap_or_default().to_vec();
        Err(match refusal {
            Refusal::Gone => context_destroyed().into(),
            Refusal::NotFound { why, at } => Fault::NotFound(NotFound {
                why: match why {
                    Why::MissingNode => NotFoundReason::MissingNode,
                    Why::NotContext => NotFoundReason::NotContext,
                    Why::NotObject => NotFoundReason::NotObject,
                },
                rest_of_name: rest(at),
            }),
            Refusal::Elsewhere { reference, at } => {
                let context = stored_references::reference(&self.orb, &reference)?;
                let context = context.ok_or_else(context_destroyed)?;
                return Ok(Outcome::Elsewhere(context.unchecked_narrow(), at));
            }
            Refusal::Ended { context, at } => Fault::CannotProceed(CannotProceed {
                cxt: Some(self.reference(context)?.unchecked_narrow()),
                rest_of_name: rest(at),
            }),
            Refusal::AlreadyBound => Fault::AlreadyBound,
            other => refusal_of_service(&other).into(),
        })
    }
}

/// Whether the request that the thread carries out comes from one of these, or from this process.
fn is_from(networks: &[PeerNetwork]) -> bool {
    match (RequestContext::source(), RequestContext::peer()) {
        (Ok(Some(source)), _) => networks.iter().any(|network| network.contains(source)),
        (Ok(None), Ok(peer)) => peer.is_none(),
        _ => false,
    }
}

/// The client whose request the thread carries out, in words.
fn peer() -> String {
    let peer = RequestContext::peer().ok().flatten();
    peer.unwrap_or_else(|| "this process".to_owned())
}

/// A result that there never is.
pub(super) enum Never {}

fn absurd<T>(outcome: Outcome<Never>) -> Outcome<T> {
    match outcome {
        Outcome::Here(never) => match never {},
        Outcome::Elsewhere(context, at) => Outcome::Elsewhere(context, at),
    }
}

/// The exception for a name that is too long.
pub(super) fn name_limit() -> SystemException {
    refused(SystemExceptionKind::ImpLimit, minor::NAME_LIMIT)
}

/// The system exception for a refusal that has to do with no name.
pub(super) fn refusal_of_service(refusal: &Refusal) -> SystemException {
    match refusal {
        Refusal::Gone => context_destroyed(),
        Refusal::Root => refused(SystemExceptionKind::NoPermission, minor::ROOT_CONTEXT),
        Refusal::TooManyContexts => refused(SystemExceptionKind::ImpLimit, minor::CONTEXT_LIMIT),
        Refusal::TooManyBindings => refused(SystemExceptionKind::ImpLimit, minor::BINDING_LIMIT),
        Refusal::TooManyLeases => refused(SystemExceptionKind::ImpLimit, minor::LEASE_LIMIT),
        // The operations that have to do with leases have an exception for it.
        Refusal::NoSuchLease
        | Refusal::NotFound { .. }
        | Refusal::Elsewhere { .. }
        | Refusal::Ended { .. }
        | Refusal::AlreadyBound
        | Refusal::NotEmpty => refused(SystemExceptionKind::Internal, 0),
    }
}
