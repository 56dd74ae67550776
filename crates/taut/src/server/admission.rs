//! The way of requests through admission policies and budgets of up-calls.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};
use taut_sys::cpu;

use super::ServerRequest;
use super::peer::Peer;
use super::peer_in_service;
use crate::core::OrbCore;
use crate::counters;
use crate::deadline;
use crate::nested_calls;
use crate::priority::Priority;
use crate::quality::{
    Admission, AdmissionPolicy, ArrivedRequest, Client, Presence, ServiceQuality, Usage,
};
use crate::upcall;

/// A request that has arrived, and what it costs if an admission policy has let it in. It ends
/// when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Arrival {
    octets: usize,
    admitted: Option<Admitted>,
}

/// A request that a policy has admitted.
struct Admitted {
    policy: Arc<dyn AdmissionPolicy>,
    client: Arc<Presence>,
    begun: Instant,
    cpu_time_before: Option<Duration>,
    reply_octets: usize,
}

impl Arrival {
    /// A request, which has arrived.
    pub(crate) fn of(request: &ServerRequest<'_>) -> Self {
        Self {
            octets: request.octets_left(),
            admitted: None,
        }
    }

    /// Has a request of the client that the calling thread serves admitted, by the quality of
    /// the POA.
    ///
    /// # Errors
    ///
    /// Those of [`admit_of`](Self::admit_of).
    pub(crate) fn admit(
        &mut self,
        quality: Option<&ServiceQuality>,
        core: &OrbCore,
    ) -> Result<(), SystemException> {
        let Some(policy) = quality.and_then(|quality| quality.admission.as_ref()) else {
            return Ok(());
        };
        // Up-calls within that of a request are calls of this process.
        let served = peer_in_service::current().filter(|_| upcall::is_outermost());
        let client = served.map_or_else(
            || Arc::new(Presence::of(Client::local())),
            |served| Arc::clone(served.peer.presence()),
        );
        self.admit_of(policy, &client, core)
    }

    /// Has a request of this peer admitted, by the quality of the ORB.
    ///
    /// # Errors
    ///
    /// Those of [`admit_of`](Self::admit_of).
    pub(super) fn admit_from(
        &mut self,
        peer: &Peer,
        quality: Option<&ServiceQuality>,
        core: &OrbCore,
    ) -> Result<(), SystemException> {
        match quality.and_then(|quality| quality.admission.as_ref()) {
            None => Ok(()),
            Some(policy) => self.admit_of(policy, peer.presence(), core),
        }
    }

    /// Has a request of this client admitted by a policy, be it after a wait.
    ///
    /// # Errors
    ///
    /// NO_RESOURCES with [`minor::CLIENT_NOT_ADMITTED`], TRANSIENT with
    /// [`minor::REQUEST_NOT_ADMITTED`]; UNKNOWN if the policy panics; TIMEOUT if the deadline of
    /// the request passes while it waits; BAD_INV_ORDER if the ORB stops meanwhile.
    fn admit_of(
        &mut self,
        policy: &Arc<dyn AdmissionPolicy>,
        client: &Arc<Presence>,
        core: &OrbCore,
    ) -> Result<(), SystemException> {
        // The callers of this process stay.
        if client.client().connection() != 0 {
            client.make_known_to(policy);
        }
        let arrived = Instant::now();
        loop {
            let request = ArrivedRequest::new(self.octets, arrived.elapsed());
            let admit = || policy.admit(client.client(), &request);
            match upcall::outside("admit", client.client(), admit)? {
                Admission::Admit => break,
                Admission::Wait(time) => {
                    let left = deadline::time_left().unwrap_or(Duration::MAX);
                    if nested_calls::wait(|| core.lifecycle.stops_within(time.min(left))) {
                        core.lifecycle.check()?;
                    }
                    deadline::check_in_time()?;
                }
                Admission::RefuseClient => return Err(refused(client, true)),
                Admission::RefuseRequest => return Err(refused(client, false)),
            }
        }
        let cpu_time_before = policy.measures_cpu_time().then(cpu::thread_time);
        self.admitted = Some(Admitted {
            policy: Arc::clone(policy),
            client: Arc::clone(client),
            begun: Instant::now(),
            cpu_time_before,
            reply_octets: 0,
        });
        Ok(())
    }

    /// Runs the servant of the request within the budget that it has.
    #[inline]
    pub(crate) fn run<R>(
        quality: Option<&ServiceQuality>,
        core: &OrbCore,
        name: impl FnOnce() -> String,
        run: impl FnOnce() -> R,
    ) -> R {
        match quality.and_then(|quality| quality.upcall_budget) {
            None => run(),
            Some(budget) => {
                let lowest = core.priorities.scheduling(Priority::MIN).ok().flatten();
                budget.run(lowest, name, run)
            }
        }
    }

    /// Notes the reply that a request has so far.
    pub(crate) fn note_reply(&mut self, request: &ServerRequest<'_>) {
        if let Some(admitted) = &mut self.admitted {
            let reply = request.reply_so_far();
            admitted.reply_octets = reply.map_or(0, super::request::ReplyWriter::octets);
        }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let cpu_time = self
            .cpu_time_before
            .map(|before| cpu::thread_time().saturating_sub(before));
        let usage = Usage::new(self.reply_octets, self.begun.elapsed(), cpu_time);
        let (client, policy) = (self.client.client(), &self.policy);
        let ended = || policy.ended(client, &usage);
        // A panic has been reported, and nobody waits for an outcome.
        let _ = upcall::outside("ended", client, ended);
    }
}

impl fmt::Debug for Admitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admitted")
            .field("policy", &self.policy)
            .field("client", self.client.client())
            .finish_non_exhaustive()
    }
}

/// The exception for a request that is not admitted, or that of a client that is not.
#[cold]
fn refused(client: &Presence, whole: bool) -> SystemException {
    let peer = client.client().name();
    let (reason, kind, minor) = match whole {
        true => (
            "client",
            SystemExceptionKind::NoResources,
            minor::CLIENT_NOT_ADMITTED,
        ),
        false => (
            "request",
            SystemExceptionKind::Transient,
            minor::REQUEST_NOT_ADMITTED,
        ),
    };
    counters::server::not_admitted(reason);
    tracing::debug!(peer, reason, "a request is not admitted");
    SystemException::new(kind, minor, CompletionStatus::No)
}
