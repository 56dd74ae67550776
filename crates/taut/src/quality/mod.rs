//! The quality of service of a server: who is admitted, how much each client may have, and how
//! long a servant may take.
//!
//! A [`ServiceQuality`] belongs to a POA ([`Poa::set_quality`](crate::Poa::set_quality)), or to
//! all that an ORB serves ([`OrbBuilder::quality`](crate::OrbBuilder::quality)). A server without
//! one pays nothing.
//!
//! For clients there is word of [flow control](FlowObserver).
//!
//! | part | what it says |
//! |---|---|
//! | [`FullQuality`] | a few clients are served as well as can be, and further ones are refused |
//! | [`EvenShares`] | all clients are served, and share what there is evenly |
//! | [`ClientBudgets`] | each client has a budget of requests, octets or CPU time |
//! | an [`AdmissionPolicy`] of the application | anything else |
//! | [`UpcallBudget`] | how long a servant may take for one request |
//! | [`CollocationAccess`] | which callers of the same process run the servant in their own threads |
//!
//! ```
//! use std::time::Duration;
//!
//! use taut::Orb;
//! use taut::quality::{EvenShares, Excess, Rates, ServiceQuality, UpcallBudget};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let orb = Orb::builder().listen("127.0.0.1:0")?.build()?;
//! let quotes = orb.root_poa()?.create_poa("quotes", None, &[])?;
//! // 10,000 requests a second for all clients together; who has had its part waits.
//! let all = EvenShares::new(Rates::new().requests_per_second(10_000))
//!     .excess(Excess::Wait(Duration::from_millis(100)));
//! let brief = UpcallBudget::elapsed(Duration::from_millis(5));
//! quotes.set_quality(ServiceQuality::new().admission(all).upcall_budget(brief))?;
//! # Ok(())
//! # }
//! ```

mod client;
mod client_budgets;
mod collocation;
mod even_shares;
mod flow;
mod full_quality;
mod meters;
mod token_bucket;
mod upcall_budget;
mod watch;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use client::Presence;
pub use client::{Client, ClientScope};
pub use client_budgets::ClientBudgets;
pub use collocation::CollocationAccess;
pub use even_shares::EvenShares;
pub use flow::{FlowControl, FlowEvent, FlowObserver, FlowState};
pub use full_quality::FullQuality;
pub use meters::{Excess, Rates};
pub use upcall_budget::UpcallBudget;
pub(crate) use upcall_budget::is_over_budget;

/// The quality of service that a server, or one of its POAs, grants its clients.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ServiceQuality {
    pub(crate) admission: Option<Arc<dyn AdmissionPolicy>>,
    pub(crate) upcall_budget: Option<UpcallBudget>,
    pub(crate) collocation: CollocationAccess,
}

impl ServiceQuality {
    /// All is granted.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests are admitted as this policy says.
    pub fn admission(mut self, policy: impl AdmissionPolicy) -> Self {
        self.admission = Some(Arc::new(policy));
        self
    }

    /// A servant has so much time for a request.
    pub fn upcall_budget(mut self, budget: UpcallBudget) -> Self {
        self.upcall_budget = Some(budget);
        self
    }

    /// Callers of the server's own process have this access to the objects of a POA.
    pub fn collocation(mut self, access: CollocationAccess) -> Self {
        self.collocation = access;
        self
    }

    /// Whether each request is to be looked at.
    pub(crate) fn is_apart(&self) -> bool {
        self.admission.is_some() || self.upcall_budget.is_some() || self.collocation.is_limited()
    }
}

/// The decision about requests: which are carried out, which wait, and which are refused.
///
/// It is asked in the thread that has read the request, by many threads at once, and must not
/// block.
pub trait AdmissionPolicy: Debug + Send + Sync + 'static {
    /// Decides on a request.
    fn admit(&self, client: &Client, request: &ArrivedRequest) -> Admission;

    /// A request that was admitted has ended.
    fn ended(&self, client: &Client, usage: &Usage) {
        let _ = (client, usage);
    }

    /// The connection of a client that the policy has been asked about has ended.
    fn left(&self, client: &Client) {
        let _ = client;
    }

    /// Whether the CPU time of requests is measured, which takes two system calls each.
    fn measures_cpu_time(&self) -> bool {
        false
    }
}

/// A request that an admission policy decides on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArrivedRequest {
    /// The octets of its arguments.
    pub octets: usize,
    /// How long it has waited because the policy said so.
    pub waited: Duration,
}

impl ArrivedRequest {
    /// A request whose arguments have so many octets, and that has waited so long.
    pub const fn new(octets: usize, waited: Duration) -> Self {
        Self { octets, waited }
    }
}

/// The decision about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Admission {
    /// It is carried out.
    Admit,
    /// It waits for so long, in its thread, and then the policy is asked again. If its deadline
    /// comes before, it is not carried out.
    Wait(Duration),
    /// The client is refused: its requests end with NO_RESOURCES, Taut minor 116.
    RefuseClient,
    /// The request is refused, and a later one may be admitted: TRANSIENT, Taut minor 117.
    RefuseRequest,
}

/// The cost of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Usage {
    /// The octets of the reply.
    pub reply_octets: usize,
    /// How long it took.
    pub elapsed: Duration,
    /// How long its thread ran for it, if the policy wants to know.
    pub cpu_time: Option<Duration>,
}

impl Usage {
    /// A request that took so long, and whose reply has so many octets.
    pub const fn new(reply_octets: usize, elapsed: Duration, cpu_time: Option<Duration>) -> Self {
        Self {
            reply_octets,
            elapsed,
            cpu_time,
        }
    }
}
