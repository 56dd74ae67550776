//! The endpoints of a thread pool's lanes, as references tell them.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::transport::Address;

/// The endpoints of a thread pool's lanes, which the references of the POAs tell that are bound to
/// the pool.
#[derive(Debug)]
pub(crate) struct PoolEndpoints {
    pool: u32,
    addresses: Box<[Address]>,
    /// The priority of the lane of each address; empty: the pool has no lanes.
    priorities: Box<[i16]>,
    /// How many POAs are bound to the pool; [`CLOSED`] once it ends.
    poas: AtomicUsize,
}

/// The number of POAs of a pool that has ended.
const CLOSED: usize = usize::MAX;

impl PoolEndpoints {
    /// The endpoints of a pool that may have lanes; each address has the priority of its lane.
    pub(crate) fn new(pool: u32, has_lanes: bool, endpoints: Vec<(Address, i16)>) -> Self {
        let (addresses, priorities): (Vec<_>, Vec<_>) = endpoints.into_iter().unzip();
        Self {
            pool,
            addresses: addresses.into(),
            priorities: match has_lanes {
                true => priorities.into(),
                false => Box::default(),
            },
            poas: AtomicUsize::new(0),
        }
    }

    /// The number of the pool.
    pub(crate) fn pool(&self) -> u32 {
        self.pool
    }

    /// The addresses of all lanes.
    pub(crate) fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// The addresses, each with the priority of its lane; none if there are no lanes.
    pub(crate) fn with_priorities(&self) -> impl Iterator<Item = (&Address, i16)> {
        let priorities = self.priorities.iter().copied();
        self.addresses.iter().zip(priorities)
    }

    /// Notes that a POA is bound to the pool. False when the pool has ended.
    pub(crate) fn bind(&self) -> bool {
        let more = |poas: usize| (poas != CLOSED).then(|| poas + 1);
        self.update(more).is_ok()
    }

    /// Notes that a POA is bound no more.
    pub(crate) fn unbind(&self) {
        let _ = self.update(|poas| (poas != CLOSED).then(|| poas - 1));
    }

    /// Notes that the pool ends.
    ///
    /// # Errors
    ///
    /// How many POAs are bound to it; it does not end then.
    pub(crate) fn close(&self) -> Result<(), usize> {
        self.update(|poas| (poas == 0).then_some(CLOSED)).map(drop)
    }

    fn update(&self, change: impl FnMut(usize) -> Option<usize>) -> Result<usize, usize> {
        self.poas
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_ends_only_without_poas_and_then_takes_none() {
        let endpoints = PoolEndpoints::new(1, true, vec![(Address::new("h", 1), 7)]);
        assert!(endpoints.bind() && endpoints.bind());
        assert_eq!(endpoints.close(), Err(2));
        endpoints.unbind();
        assert_eq!(endpoints.close(), Err(1));
        endpoints.unbind();
        assert_eq!(endpoints.close(), Ok(()));
        assert!(!endpoints.bind());
        endpoints.unbind();
        assert!(!endpoints.bind());
    }

    #[test]
    fn only_lanes_have_priorities() {
        let address = Address::new("h", 1);
        let endpoints = |has_lanes| PoolEndpoints::new(1, has_lanes, vec![(address.clone(), 7)]);
        let with_lanes = endpoints(true);
        assert!(with_lanes.with_priorities().eq([(&address, 7)]));
        let without = endpoints(false);
        assert_eq!(without.with_priorities().count(), 0);
        assert_eq!(without.addresses(), std::slice::from_ref(&address));
    }
}
