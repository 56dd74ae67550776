//! The bindings of calls whose connections differ from those that others share.

use std::sync::Arc;

use smallvec::SmallVec;
use taut_sync::primitives::AtomicArc;

use super::{Binding, Ordering, OtherRoutes, Rare, Route};
use crate::connection::EndpointKey;
use crate::core::OrbCore;
use crate::object::Bound;
use crate::priority::SharedMutex;
use crate::transport::ConnectionOptions;

/// How many bindings beside the shared one are kept. A further one takes the place of the
/// oldest, whose connections stay, and are found again by their keys.
const KEPT: usize = 16;

/// Held while a binding is added, to whichever reference.
static CHANGE: SharedMutex<()> = SharedMutex::new(());

/// The properties of the connections of a call, where they are not those that all have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Separation {
    /// The options whatever the protocol.
    pub(crate) options: ConnectionOptions,
    /// Those of protocols, by the tags of their profiles.
    pub(crate) by_protocol: SmallVec<[(u32, ConnectionOptions); 2]>,
}

impl Separation {
    /// Whether the connections are those that all share.
    pub(crate) fn is_none(&self) -> bool {
        self.options.is_empty() && self.by_protocol.is_empty()
    }

    /// The key of the endpoint of such calls by a route.
    fn key(&self, core: &OrbCore, route: &Route) -> EndpointKey {
        let address = route.endpoint.address();
        let protocol = core.protocols.of(address);
        let tag = protocol.map(|protocol| protocol.profile_tag());
        let is_of_it = |(of, _): &&(u32, ConnectionOptions)| Some(*of) == tag;
        let of_protocol = self.by_protocol.iter().find(is_of_it);
        let options = match of_protocol {
            Some((_, farther)) => self.options.or(farther),
            None => self.options,
        };
        EndpointKey::shared(address.clone()).with_options(&options)
    }
}

/// Bindings to the same place, with other connections. They are looked up without a lock, for
/// threads of several priorities do so.
#[derive(Debug, Default)]
pub(super) struct Separated(AtomicArc<Vec<(Separation, Arc<Binding>)>>);

impl Bound<'_> {
    /// The binding to the same place for calls with such connections.
    pub(crate) fn separated(self, core: &OrbCore, separation: &Separation) -> Self {
        if separation.is_none() {
            return self;
        }
        let found = self.find_separated(separation);
        Self::Forward(found.unwrap_or_else(|| self.add_separated(core, separation)))
    }
}

impl Binding {
    fn find_separated(&self, separation: &Separation) -> Option<Arc<Self>> {
        let known = self.separated.0.load()?;
        let mut known = known.iter();
        let (_, binding) = known.find(|(of, _)| of == separation)?;
        Some(Arc::clone(binding))
    }

    #[cold]
    fn add_separated(&self, core: &OrbCore, separation: &Separation) -> Arc<Self> {
        let _change = CHANGE.lock();
        if let Some(binding) = self.find_separated(separation) {
            return binding;
        }
        let route = |route: &Route| {
            let key = separation.key(core, route);
            route.to(core, key)
        };
        let told = self.ways().map(|ways| ways.told().clone());
        let binding = Arc::new(Self {
            local: self.local.clone(),
            rare: Rare::telling(self.ior(), told.unwrap_or_default()),
            other_routes: OtherRoutes::of(self.other_routes().iter().map(route)),
            first_route: route(&self.first_route),
            preferred: self.preferred.load(Ordering::Relaxed).into(),
            addressing: self.addressing.load(Ordering::Acquire).into(),
            separated: Separated::default(),
            forwarded: self.forwarded,
            wait_strategy: self.wait_strategy,
        });
        let known = self.separated.0.load_full();
        let mut all = known.map_or_else(Vec::new, |known| Vec::clone(&known));
        if all.len() >= KEPT {
            all.remove(0);
        }
        all.push((separation.clone(), Arc::clone(&binding)));
        self.separated.0.store(Some(Arc::new(all)));
        binding
    }
}
