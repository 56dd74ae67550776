//! A safe that opens for those whom its server knows.

use std::error::Error;

use taut::{Orb, Reference as _};
use taut_authentication::vault::{Safe, SafeRef, SafeSkeleton};
use taut_authentication::{Authentication, Caller, Presents};

/// The servant, which asks who has called.
struct Guarded(Caller);

impl Safe for Guarded {
    fn open(&self) -> taut::Result<String> {
        Ok(self.0.name().unwrap_or_default())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let authentication = Authentication::new([("4f1c-77aa", "Ada"), ("9b02-13d5", "Grace")]);
    let caller = authentication.caller();
    let server = Orb::builder()
        .listen("127.0.0.1:0")?
        .initializer(authentication)
        .build()?;
    let poa = server.root_poa()?;
    let safe = poa.activate(SafeSkeleton::new(Guarded(caller)))?;
    poa.manager().activate()?;
    let reference = safe.as_object().to_string();

    for (who, token) in [
        ("Ada", Some("4f1c-77aa")),
        ("Grace", Some("9b02-13d5")),
        ("somebody who guesses", Some("0000-0000")),
        ("somebody without a token", None),
    ] {
        let client = match token {
            Some(token) => Orb::builder().client_interceptor(Presents::new(token)),
            None => Orb::builder(),
        };
        let client = client.build()?;
        let safe: SafeRef = client.string_to_object(&reference)?.unchecked_narrow();
        match safe.open() {
            Ok(name) => println!("{who}: opened for {name}"),
            Err(exception) => println!("{who}: {}", exception.kind),
        }
        client.shutdown(true)?;
    }
    server.shutdown(true)?;
    Ok(())
}
