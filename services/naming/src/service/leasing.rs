//! Leases, as the servant of contexts has them.

use taut::ObjectRef;

use super::contexts::Contexts;
use super::faults::Fault;
use super::keeper::{Outcome, refusal_of_service};
use crate::naming_context::CannotProceed;
use crate::store::{self, Change, Done, LeaseId, Refusal};
use crate::taut_naming::leasing_context::{
    BindWithLeaseError, EndLeaseError, RebindWithLeaseError, RenewLeaseError,
};
use crate::{Lease, LeasingContext, NameComponent, NoSuchLease};

impl Contexts {
    /// Binds a name upon a lease; `None` where there is no such lease.
    fn bind_upon(
        &self,
        name: &[NameComponent],
        object: Option<&ObjectRef>,
        lease: u64,
        replaces: bool,
    ) -> Result<Option<()>, Fault> {
        let start = self.own()?;
        let bound = self.keeper.object(object)?;
        let path = self.keeper.path(name)?;
        let change = Change::Bind {
            start,
            path,
            bound,
            replaces,
            lease: Some(LeaseId(lease)),
        };
        match self.keeper.carry_out(change)? {
            Ok(_) => Ok(Some(())),
            Err(Refusal::NoSuchLease) => Ok(None),
            Err(refusal) => match self.keeper.refusal(refusal, name)? {
                Outcome::Here(never) => match never {},
                // The other service does not know the lease; the client may have one of its.
                Outcome::Elsewhere(context, at) => Err(Fault::CannotProceed(CannotProceed {
                    cxt: Some(context),
                    rest_of_name: name.get(at..).unwrap_or_default().to_vec(),
                })),
            },
        }
    }
}

/// A lease of the store's, as clients see it.
fn shown(lease: store::Lease) -> Lease {
    Lease {
        id: lease.id.0,
        seconds: lease.seconds,
    }
}

impl LeasingContext for Contexts {
    fn grant_lease(&self, seconds: u32) -> taut::Result<Lease> {
        let seconds = seconds.min(self.keeper.settings().max_lease_seconds).max(1);
        match self.keeper.carry_out(Change::GrantLease { seconds })? {
            Ok(Done::Granted(lease)) => Ok(shown(lease)),
            Ok(_) => Err(refusal_of_service(&Refusal::NoSuchLease)),
            Err(refusal) => Err(refusal_of_service(&refusal)),
        }
    }

    fn renew_lease(&self, id: u64) -> Result<Lease, RenewLeaseError> {
        let renewed = self.keeper.renew_lease(LeaseId(id))?;
        Ok(shown(renewed.ok_or(NoSuchLease)?))
    }

    fn end_lease(&self, id: u64) -> Result<(), EndLeaseError> {
        let lease = LeaseId(id);
        match self.keeper.carry_out(Change::EndLease { lease })? {
            Ok(_) => Ok(()),
            Err(Refusal::NoSuchLease) => Err(NoSuchLease.into()),
            Err(refusal) => Err(refusal_of_service(&refusal).into()),
        }
    }

    fn bind_with_lease(
        &self,
        n: &[NameComponent],
        obj: Option<&ObjectRef>,
        lease: u64,
    ) -> Result<(), BindWithLeaseError> {
        let bound = self.bind_upon(n, obj, lease, false).map_err(|fault| {
            use BindWithLeaseError as Error;
            match fault {
                Fault::NotFound(exception) => Error::NotFound(exception),
                Fault::CannotProceed(exception) => Error::CannotProceed(exception),
                Fault::InvalidName => Error::InvalidName(crate::naming_context::InvalidName),
                Fault::AlreadyBound => Error::AlreadyBound(crate::naming_context::AlreadyBound),
                Fault::System(exception) => Error::System(exception),
            }
        });
        bound?.ok_or_else(|| NoSuchLease.into())
    }

    fn rebind_with_lease(
        &self,
        n: &[NameComponent],
        obj: Option<&ObjectRef>,
        lease: u64,
    ) -> Result<(), RebindWithLeaseError> {
        let bound = self.bind_upon(n, obj, lease, true).map_err(|fault| {
            use RebindWithLeaseError as Error;
            match fault {
                Fault::NotFound(exception) => Error::NotFound(exception),
                Fault::CannotProceed(exception) => Error::CannotProceed(exception),
                Fault::InvalidName => Error::InvalidName(crate::naming_context::InvalidName),
                // A binding that takes the place of another one is never refused so.
                Fault::AlreadyBound => Error::System(refusal_of_service(&Refusal::AlreadyBound)),
                Fault::System(exception) => Error::System(exception),
            }
        });
        bound?.ok_or_else(|| NoSuchLease.into())
    }
}
