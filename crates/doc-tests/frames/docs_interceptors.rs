taut::include_idl!("demo");

use std::sync::{Arc, OnceLock};

use demo::{Shape, ShapeRef, ShapeSkeleton};
use taut::interceptors::{
    ClientRequestInfo, ClientRequestInterceptor, Encoding, InitializerError, Interruption,
    IorInfo, IorInterceptor, OrbInitInfo, OrbInitializer, ServerRequestInfo,
    ServerRequestInterceptor, SlotId, TaggedComponent,
};
use taut::{
    Any, CompletionStatus, Orb, Reference, ServiceContext, SystemException, SystemExceptionKind,
    Typed,
};

use crate::support::Outcome;

/// An id that both sides have agreed on.
const TENANT: u32 = 0x4d59_0002;

/// A servant that tells for whom it was called.
struct Disc(OnceLock<(Orb, SlotId)>);

impl Shape for Disc {
    fn name(&self) -> taut::Result<String> {
        let name = self.0.get().and_then(|(orb, slot)| tenant(orb, *slot));
        Ok(name.unwrap_or_else(|| "disc".to_owned()))
    }
}

/// The same object as a client has it.
fn serve(server: &Orb, client: &Orb, disc: Disc) -> Result<ShapeRef, Box<dyn std::error::Error>> {
    let root = server.root_poa()?;
    let shape = root.activate(ShapeSkeleton::new(disc))?;
    root.manager().activate()?;
    let object = client.string_to_object(&shape.as_object().to_string())?;
    Ok(object.unchecked_narrow())
}

#[test]
fn an_interceptor_of_each_side() -> Outcome {
    // page: const TENANT: u32 = 0x4d59_0002; // an id that both sides have agreed on
    let shape = serve(&server, &client, Disc(OnceLock::new()))?;
    assert_eq!(shape.name()?, "disc");
    let anybody = Orb::builder().build()?;
    let shape = anybody.string_to_object(&shape.as_object().to_string())?;
    let refused = shape.unchecked_narrow::<ShapeRef>().name().unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::NoPermission);
    Ok(())
}

// page: /// Registers an interceptor that leaves the tenant of a request in a slot.

/// Says for whom a request is.
struct SaysNorth;

impl ClientRequestInterceptor for SaysNorth {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let data = b"north".to_vec();
        Ok(info.add_request_service_context(ServiceContext { id: TENANT, data }, true)?)
    }
}

#[test]
fn a_servant_finds_what_an_interceptor_leaves_in_a_slot() -> Outcome {
    let slot = Arc::<OnceLock<SlotId>>::default();
    let server = Orb::builder()
        .listen("127.0.0.1:0")?
        .initializer(Tenants(Arc::clone(&slot)))
        .build()?;
    let client = Orb::builder().client_interceptor(SaysNorth).build()?;
    let slot = *slot.get().ok_or("no slot")?;
    let disc = Disc(OnceLock::from((server.clone(), slot)));
    assert_eq!(serve(&server, &client, disc)?.name()?, "north");
    server.shutdown(true)?;
    Ok(())
}

// page: /// Says in each reference in which zone its server is.

#[test]
fn references_have_the_component() -> Outcome {
    let server = Orb::builder()
        .listen("127.0.0.1:0")?
        .ior_interceptor(InZone("zone of the test"))
        .build()?;
    let shape = serve(&server, &server, Disc(OnceLock::new()))?;
    let profile = &shape.as_object().ior().profiles[0];
    let has = |text: &str| profile.data.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has("zone of the test"));
    server.shutdown(true)?;
    Ok(())
}

#[test]
fn codecs() -> Outcome {
    let orb = Orb::builder().build()?;
    // page: let codec = orb.codec_factory().create_codec(Encoding::CDR_1_2)?;
    assert_eq!(number, 7);
    Ok(())
}
