//! Two ORBs whose objects call each other.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use taut::{Orb, OrbBuilder, Reference};

use super::common::{self, Echo, EchoError, EchoRef, EchoSkeleton, Misbehaviour};

const PATIENCE: Duration = Duration::from_secs(10);

/// A servant that calls its peer as often as the text says, and is called by it.
#[derive(Default)]
pub struct Volley {
    pub peer: Mutex<Option<EchoRef>>,
}

impl Echo for Volley {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }

    fn echo(&self, text: &str) -> Result<String, EchoError> {
        match text.strip_prefix('>') {
            Some(shorter) => {
                let peer = self.peer.lock().clone().unwrap();
                Ok(format!("{}<", peer.echo(shorter)?))
            }
            None => Ok(text.to_owned()),
        }
    }

    fn note(&self, text: &str) -> taut::Result<()> {
        self.echo(text).map(drop).map_err(|error| match error {
            EchoError::System(exception) => exception,
            EchoError::Refused(_) => common::FAILURE,
        })
    }

    fn notes(&self) -> taut::Result<u32> {
        Ok(0)
    }

    fn myself(&self) -> taut::Result<Option<EchoRef>> {
        Ok(None)
    }

    fn misbehave(&self, _: Misbehaviour) -> taut::Result<()> {
        Ok(())
    }
}

/// An ORB whose object calls another's.
pub struct Player {
    pub orb: Orb,
    pub servant: Arc<Volley>,
    pub echo: EchoRef,
}

impl Player {
    pub fn new(adjust: impl FnOnce(OrbBuilder) -> OrbBuilder) -> Self {
        Self::at("127.0.0.1:0", adjust)
    }

    pub fn at(endpoint: &str, adjust: impl FnOnce(OrbBuilder) -> OrbBuilder) -> Self {
        let builder = Orb::builder().listen(endpoint).unwrap();
        let builder = builder.settings(common::adjust).settings(|settings| {
            settings.call_timeout = Some(PATIENCE);
        });
        let orb = adjust(builder).build().unwrap();
        let poa = orb.root_poa().unwrap();
        let servant = Arc::new(Volley::default());
        let echo = poa.activate(EchoSkeleton(Arc::clone(&servant))).unwrap();
        poa.manager().activate().unwrap();
        Self { orb, servant, echo }
    }

    pub fn plays_with(&self, other: &Self) {
        let url = other.echo.as_object().to_string();
        let peer = self.orb.string_to_object(&url).unwrap();
        *self.servant.peer.lock() = Some(peer.unchecked_narrow());
    }
}

pub fn players(adjust: impl Fn(OrbBuilder) -> OrbBuilder) -> (Player, Player) {
    let (one, other) = (Player::new(&adjust), Player::new(&adjust));
    one.plays_with(&other);
    other.plays_with(&one);
    (one, other)
}
