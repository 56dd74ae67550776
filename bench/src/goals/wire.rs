//! How many octets each kind of call has on the wire.

use taut::{Orb, OrbBuilder};

use super::compiled::caller::Caller;
use super::compiled::target;
use super::kind::Kind;
use crate::error::BenchError;
use crate::protocol::Calls as _;
use crate::raw::MessageSizes;
use crate::raw_flood::{self, Flood};
use crate::relay::{Octets, Relay};
use crate::taut::LOOPBACK;
use taut::Reference;

/// The octets that raw sockets exchange in place of a sample.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Traffic {
    /// A request and its reply.
    Call(MessageSizes),
    /// Many messages, a request and its reply.
    Flood(Flood),
}

impl Traffic {
    /// The octets that go there, and those that come back.
    pub(crate) fn octets(self) -> Octets {
        let octets = |there: u32, back: u32| Octets {
            there: there.into(),
            back: back.into(),
        };
        match self {
            Self::Call(sizes) => octets(sizes.request_octets, sizes.reply_octets),
            Self::Flood(flood) => Octets {
                there: u64::from(flood.messages) * u64::from(flood.message_octets)
                    + u64::from(flood.request_octets),
                back: flood.reply_octets.into(),
            },
        }
    }
}

/// How large the messages of each kind of call are between two ORBs with these arguments,
/// once a connection is open.
///
/// # Errors
///
/// Those of the ORBs; [`BenchError::Nothing`] for a kind that is more than one call.
pub(crate) fn message_sizes(
    kinds: &[Kind],
    orb_arguments: &str,
) -> Result<Vec<MessageSizes>, BenchError> {
    let mut probe = Probe::start_with(orb_arguments)?;
    let sizes = kinds.iter().map(|&kind| match probe.traffic(kind)? {
        Traffic::Call(sizes) => Ok(sizes),
        Traffic::Flood(_) => Err(BenchError::Nothing),
    });
    let sizes = sizes.collect();
    probe.end()?;
    sizes
}

/// Makes calls between two ORBs of this process, and sees what passes between them.
pub(crate) struct Probe {
    server: Orb,
    client: Orb,
    relay: Relay,
    caller: Caller,
}

impl Probe {
    /// # Errors
    ///
    /// [`BenchError::Orb`] and [`BenchError::System`] when they cannot be set up.
    pub(crate) fn start() -> Result<Self, BenchError> {
        Self::start_with("")
    }

    /// Two ORBs with these arguments.
    fn start_with(orb_arguments: &str) -> Result<Self, BenchError> {
        let builder = || {
            let words = orb_arguments.split_whitespace().map(str::to_owned);
            Orb::builder().arguments(&mut words.collect())
        };
        let server = builder().map_err(BenchError::orb)?;
        let (server, reference) = target::activate_with(server, LOOPBACK)?;
        let relay = Relay::start(&server.object_to_string(reference.as_object()))?;
        let client = builder().and_then(OrbBuilder::build);
        let client = client.map_err(BenchError::orb)?;
        let object = client.string_to_object(&relay.reference);
        let object = object.map_err(BenchError::orb)?;
        let target = object.narrow().map_err(BenchError::orb)?;
        Ok(Self {
            server,
            client,
            relay,
            caller: Caller::new(target),
        })
    }

    /// Returns the octets that a sample of a kind exchanges once a connection is open.
    ///
    /// # Errors
    ///
    /// [`BenchError::Call`].
    pub(crate) fn traffic(&mut self, kind: Kind) -> Result<Traffic, BenchError> {
        let Kind::Flood {
            element,
            octets,
            messages,
        } = kind.one_by_one()
        else {
            let Octets { there, back } = self.octets(kind)?;
            return Ok(Traffic::Call(MessageSizes {
                request_octets: narrow(there)?,
                reply_octets: narrow(back)?,
            }));
        };
        let end = self.octets(Kind::Void)?;
        let one = self.octets(Kind::Flood {
            element,
            octets,
            messages: 1,
        })?;
        Ok(Traffic::Flood(Flood {
            messages,
            message_octets: narrow(one.there - end.there)?,
            request_octets: narrow(end.there)?,
            reply_octets: narrow(end.back)?,
            queue_octets: raw_flood::BUFFER,
        }))
    }

    fn octets(&mut self, kind: Kind) -> Result<Octets, BenchError> {
        // This connects if it is the first, and waits for what was sent before.
        self.caller.select(&Kind::Void.to_string())?;
        self.caller.select(&kind.to_string())?;
        if let Kind::Flood { .. } = kind {
            // Selecting it has sent a message that nobody waited for.
            self.caller.call()?;
        }
        self.relay.take();
        self.caller.call()?;
        Ok(self.relay.take())
    }

    /// Ends both ORBs.
    ///
    /// # Errors
    ///
    /// [`BenchError::Orb`].
    pub(crate) fn end(self) -> Result<(), BenchError> {
        let ended = self.client.shutdown(true);
        ended
            .and_then(|()| self.server.shutdown(true))
            .map_err(BenchError::orb)
    }
}

fn narrow(octets: u64) -> Result<u32, BenchError> {
    u32::try_from(octets).map_err(BenchError::call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::kind::{Cube, Element};

    #[test]
    fn gioplite_saves_what_it_says() {
        let kinds = [
            Kind::Void,
            Kind::Cube(Cube::Octet),
            Kind::Cube(Cube::Longs(1_024)),
        ];
        let [giop, lite] = ["", "-ORBgioplite"].map(|it| message_sizes(&kinds, it).unwrap());
        let saved = (giop.iter().zip(&lite)).map(|(giop, lite)| {
            let request = giop.request_octets - lite.request_octets;
            (request, giop.reply_octets - lite.reply_octets)
        });
        let saved: Vec<_> = saved.collect();
        // Nothing is to be aligned where no body follows.
        assert!(
            (16..20).contains(&saved[0].0) && saved[0].1 == 8,
            "{saved:?}"
        );
        for (request, reply) in &saved[1..] {
            assert_eq!((*request, *reply), (16, 8), "{saved:?}");
        }
    }

    #[test]
    fn messages_are_as_large_as_giop_makes_them() {
        let mut probe = Probe::start().unwrap();
        let mut octets = |kind| probe.traffic(kind).unwrap().octets();
        let void = octets(Kind::Void);
        // A reply of GIOP 1.2 without contexts and without a result.
        assert_eq!(void.back, 24);
        let echo = Kind::Echo {
            element: Element::Long,
            octets: 1 << 20,
        };
        let echoed = octets(echo);
        // Header, padding to eight octets, the length, and the numbers.
        assert_eq!(echoed.back, 24 + 4 + (1 << 20));
        assert!(echoed.there > echoed.back && echoed.there < echoed.back + 100);
        let flood = |messages| Kind::Flood {
            element: Element::Octet,
            octets: 1 << 10,
            messages,
        };
        let (one, ten) = (octets(flood(1)), octets(flood(10)));
        assert_eq!(one.back, 24);
        assert_eq!(ten.there - void.there, 10 * (one.there - void.there));
        assert!(one.there - void.there > 1 << 10);
        probe.end().unwrap();
    }
}
