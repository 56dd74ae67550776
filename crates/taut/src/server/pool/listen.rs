//! Where the lanes of thread pools listen, as an argument says (TAO's
//! `-ORBLaneListenEndpoints pool:lane endpoint`).

use crate::server::ListenEndpoint;

/// Where some lanes listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LaneListen {
    /// None: every pool.
    pool: Option<u32>,
    /// None: every lane.
    lane: Option<usize>,
    endpoints: Vec<ListenEndpoint>,
}

impl LaneListen {
    /// Reads the lanes: `pool:lane`, of which each may be `*`, which listen at these endpoints.
    ///
    /// # Errors
    ///
    /// The form that is to be written instead.
    pub(crate) fn new(lanes: &str, endpoints: Vec<ListenEndpoint>) -> Result<Self, &'static str> {
        let fault = "write POOL:LANE ENDPOINT, such as 1:0 iiop://:2809; pools are numbered from 1, \
                     lanes from 0, and * stands for all of them";
        let (pool, lane) = lanes.split_once(':').ok_or(fault)?;
        let number = |text: &str| match text {
            "*" => Ok(None),
            digits => digits.parse::<u32>().map(Some).map_err(|_| fault),
        };
        let lane = number(lane)?.map(|lane| usize::try_from(lane).unwrap_or(usize::MAX));
        Ok(Self {
            pool: number(pool)?,
            lane,
            endpoints,
        })
    }

    /// Whether it is for this lane.
    pub(super) fn is_for(&self, pool: u32, lane: usize) -> bool {
        self.pool.is_none_or(|one| one == pool) && self.lane.is_none_or(|one| one == lane)
    }

    /// Where to listen.
    pub(crate) fn endpoints(&self) -> &[ListenEndpoint] {
        &self.endpoints
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_named_by_numbers_or_all_at_once() {
        for (text, is_for) in [
            ("1:0", [true, false, false]),
            ("1:*", [true, true, false]),
            ("*:0", [true, false, true]),
            ("*:*", [true; 3]),
        ] {
            let listen = LaneListen::new(text, Vec::new()).unwrap();
            let lanes = [(1, 0), (1, 1), (2, 0)];
            assert_eq!(
                lanes.map(|(pool, lane)| listen.is_for(pool, lane)),
                is_for,
                "{text}"
            );
        }
        for text in ["", "1", "1:", ":0", "a:0", "1:-1"] {
            assert!(LaneListen::new(text, Vec::new()).is_err(), "{text}");
        }
    }
}
