//! Two ORBs that talk by the transport of the page.

use super::xor::Xor;

use std::sync::Arc;

use taut::{CollocationStrategy, Interface, Orb, Servant, ServantIdentity, ServerRequest};
use taut::{SystemException, SystemExceptionKind};

static GREETER: Interface = Interface::new("IDL:demo/Greeter:1.0", &[], &[]);

/// An object with the operations that every object has. With IDL, a skeleton is generated.
struct Greeter(Arc<()>);

impl Servant for Greeter {
    fn interface(&self) -> &'static Interface {
        &GREETER
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut ServerRequest<'_>) -> Result<(), SystemException> {
        request.implicit_operation(&GREETER)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Orb::builder().protocol(Xor)?;
    let server = server.listen("xor://127.0.0.1:0")?.build()?;
    let poa = server.root_poa()?;
    poa.manager().activate()?;
    let id = poa.activate_object(Greeter(Arc::default()))?;
    let greeter = poa.id_to_reference(&id)?;
    server.bind_object_key("Greeter", &greeter);

    // Without this setting, a call within a process makes no message.
    let client = Orb::builder().protocol(Xor)?;
    let client = client.settings(|settings| settings.client.collocation = CollocationStrategy::Off);
    let client = client.build()?;
    let url = server.corbaloc("Greeter").unwrap_or_default(); // corbaloc:xor:127.0.0.1:…/Greeter
    let object = client.string_to_object(&url)?;
    assert!(object.is_a("IDL:demo/Greeter:1.0")?);
    assert!(!object.is_a("IDL:demo/Account:1.0")?);

    // An ORB without the protocol keeps the reference, but cannot call the object.
    let reference = greeter.to_string(); // IOR:…
    let other = Orb::builder().build()?;
    let kept = other.string_to_object(&reference)?;
    assert_eq!(kept.to_string(), reference);
    let refused = kept.non_existent().map_err(|error| error.kind);
    assert_eq!(refused, Err(SystemExceptionKind::Transient));
    server.shutdown(true)?;
    Ok(())
}

#[test]
fn two_orbs_talk_by_the_transport_of_the_page() {
    let run = || main().map_err(|error| error.to_string());
    let ended = taut_interop::within(std::time::Duration::from_secs(60), run);
    assert_eq!(ended.unwrap(), Ok(()));
}
