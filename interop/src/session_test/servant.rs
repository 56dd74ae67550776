//! The servants of `Session` and `Listener` as `session_test.idl` describes them.

use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use taut::{CompletionStatus, Orb, Poa, SystemException, SystemExceptionKind};

use super::{
    Listener, ListenerRef, ListenerSkeleton, Octets, Session, SessionRef, SessionSkeleton,
};
use crate::HarnessError;

/// The answer of a servant that was called without what it needs.
const REFUSED: SystemException =
    SystemException::new(SystemExceptionKind::BadParam, 0, CompletionStatus::No);

/// The servant of `Session`.
#[derive(Debug)]
pub struct SessionServant {
    name: String,
    told: Arc<AtomicU32>,
}

impl SessionServant {
    /// The servant of a server with this name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            told: Arc::default(),
        }
    }
}

/// Makes an ORB serve a `Session` of this name, and gives the reference to it.
///
/// # Errors
///
/// [`HarnessError::Orb`] when the ORB cannot be a server.
pub fn serve_session(orb: &Orb, name: &str) -> Result<SessionRef, HarnessError> {
    let skeleton = SessionSkeleton::new(SessionServant::new(name));
    active_root_poa(orb)?
        .activate(skeleton)
        .map_err(HarnessError::orb)
}

impl Session for SessionServant {
    fn tell(&self, l: Option<&ListenerRef>, n: i32) -> taut::Result<i32> {
        Ok(1 + l.ok_or(REFUSED)?.hear(n)?)
    }

    fn tell_much(&self, l: Option<&ListenerRef>, length: u32) -> taut::Result<bool> {
        // The remainder is less than 256.
        let data: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
        Ok(l.ok_or(REFUSED)?.echo(&data)? == data)
    }

    fn tell_later(&self, l: Option<&ListenerRef>, times: u32) -> taut::Result<()> {
        let (listener, told) = (l.ok_or(REFUSED)?.clone(), Arc::clone(&self.told));
        thread::spawn(move || {
            for _ in 0..times {
                match listener.hear(0) {
                    Ok(_) => _ = told.fetch_add(1, Ordering::SeqCst),
                    // The count tells callers that ask.
                    Err(exception) => eprintln!("tell_later: {exception}"),
                }
            }
        });
        Ok(())
    }

    fn told(&self) -> taut::Result<u32> {
        Ok(self.told.load(Ordering::SeqCst))
    }

    fn name(&self) -> taut::Result<String> {
        Ok(self.name.clone())
    }

    fn moved(&self) -> taut::Result<Option<SessionRef>> {
        // Taut forwards from plain keys instead.
        Ok(None)
    }

    fn r#move(&self, _: Option<&SessionRef>) -> taut::Result<()> {
        Err(REFUSED)
    }

    fn work(&self, file: &str, pause_ms: u32) -> taut::Result<()> {
        let file = File::options().create(true).append(true).open(file);
        // In one piece: the server may be killed as soon as a part of the line is there.
        file.and_then(|mut file| file.write_all(format!("{}\n", self.name).as_bytes()))
            .map_err(|_| REFUSED)?;
        thread::sleep(Duration::from_millis(pause_ms.into()));
        Ok(())
    }
}

/// The servant of `Listener`, which calls the session whose calls it hears.
#[derive(Debug)]
pub struct ListenerServant {
    session: SessionRef,
    own: OnceLock<ListenerRef>,
    heard: AtomicU32,
}

impl ListenerServant {
    /// How often `hear` has been called.
    pub fn heard(&self) -> u32 {
        self.heard.load(Ordering::SeqCst)
    }
}

/// Makes an ORB serve a `Listener` to a session, and gives the reference to it.
///
/// # Errors
///
/// [`HarnessError::Orb`] when the ORB cannot be a server.
pub fn serve_listener(
    orb: &Orb,
    session: SessionRef,
) -> Result<(ListenerRef, Arc<ListenerServant>), HarnessError> {
    let servant = Arc::new(ListenerServant {
        session,
        own: OnceLock::new(),
        heard: AtomicU32::new(0),
    });
    let skeleton = ListenerSkeleton::from_arc(Arc::clone(&servant));
    let poa = active_root_poa(orb)?;
    let reference = poa.activate(skeleton).map_err(HarnessError::orb)?;
    let _ = servant.own.set(reference.clone());
    Ok((reference, servant))
}

impl Listener for ListenerServant {
    fn hear(&self, n: i32) -> taut::Result<i32> {
        self.heard.fetch_add(1, Ordering::SeqCst);
        match n {
            0 => Ok(0),
            _ => Ok(1 + self.session.tell(self.own.get(), n - 1)?),
        }
    }

    fn echo(&self, data: &[u8]) -> taut::Result<Octets> {
        Ok(data.to_vec())
    }
}

fn active_root_poa(orb: &Orb) -> Result<Poa, HarnessError> {
    let poa = orb.root_poa().map_err(HarnessError::orb)?;
    poa.manager().activate().map_err(HarnessError::orb)?;
    Ok(poa)
}
