//! Two ORBs whose objects call each other.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use taut::{Orb, Reference, Settings};

use super::mode::Mode;
use super::{Echo, EchoError, EchoRef, EndOfServer, serve};

const PATIENCE: Duration = Duration::from_secs(10);

/// A servant that calls its peer as often as the text says, and is called by it.
#[derive(Default)]
pub struct Volley {
    pub peer: Mutex<Option<EchoRef>>,
    /// The answers that came back when a oneway told it to call.
    pub noted: Mutex<Vec<Result<String, EchoError>>>,
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
        let back = self.echo(text);
        self.noted.lock().push(back);
        Ok(())
    }
}

/// An ORB whose object calls another's.
pub struct Player {
    pub orb: Orb,
    pub servant: Arc<Volley>,
    pub echo: EchoRef,
    _end: EndOfServer,
}

impl Player {
    pub fn new(mode: Mode, and: impl FnOnce(&mut Settings)) -> Self {
        Self::at(mode, mode.endpoint(), and)
    }

    pub fn at(mode: Mode, endpoint: &str, and: impl FnOnce(&mut Settings)) -> Self {
        let builder = Orb::builder().listen(endpoint).unwrap();
        let builder = builder.settings(|settings| {
            mode.adjust(settings);
            settings.client.call_timeout = Some(PATIENCE);
        });
        let orb = builder.settings(and).build().unwrap();
        let servant = Arc::new(Volley::default());
        let echo = serve(&orb, &servant);
        Self {
            _end: EndOfServer::of(&orb),
            orb,
            servant,
            echo,
        }
    }

    pub fn plays_with(&self, other: &Self) {
        let url = other.echo.as_object().to_string();
        let peer = self.orb.string_to_object(&url).unwrap();
        *self.servant.peer.lock() = Some(peer.unchecked_narrow());
    }
}

pub fn players(mode: Mode, and: impl Fn(&mut Settings)) -> (Player, Player) {
    let (one, other) = (Player::new(mode, &and), Player::new(mode, &and));
    one.plays_with(&other);
    other.plays_with(&one);
    (one, other)
}
