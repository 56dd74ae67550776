//! A servant whose operations have wide characters, and references that offer other code
//! sets than its server does.

use std::sync::Arc;

use taut::codegen::{
    CdrResult, Decode, Decoder, Encode, Encoder, Interface, ServerRequest, WideString,
};
use taut::{Any, Ior, ObjectRef, Reference, ServantIdentity, SystemException, TypeCode};
use taut_giop::component::TaggedComponent;
use taut_giop::ior::profile::tag;
use taut_giop::ior::{IiopProfile, UiopProfile};

use super::{EchoRef, Server};

pub const TEXT: &str = "wide €";

/// Writes a `wstring`.
pub fn write(out: &mut Encoder) -> CdrResult<()> {
    out.write_wstring(TEXT)
}

/// Reads a `wstring`.
pub fn read(input: &mut Decoder<'_>) -> CdrResult<String> {
    input.read_wstring()
}

/// An Any that holds a `wstring`.
pub fn any() -> Any {
    Any::with_form::<WideString, str>(TypeCode::wstring(0), TEXT).unwrap()
}

/// A servant of:
///
/// ```idl
/// wstring echo (in wstring text);
/// any pass (in any value);
/// wstring tell ();
/// ```
pub struct WideServant(Arc<()>);

impl taut::Servant for WideServant {
    fn interface(&self) -> &'static Interface {
        <EchoRef as Reference>::INTERFACE
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut ServerRequest<'_>) -> taut::Result<()> {
        match request.operation() {
            b"echo" => {
                let text = request.arguments(read)?;
                request.reply(|out| out.write_wstring(&text))
            }
            b"pass" => {
                let value = request.arguments(Any::decode)?;
                request.reply(|out| value.encode(out))
            }
            b"tell" => request.reply(write),
            _ => request.implicit_operation(self.interface()),
        }
    }
}

/// Serves such an object.
pub fn serve(server: &Server) -> ObjectRef {
    let id = server.poa.activate_object(WideServant(Arc::default()));
    server.poa.id_to_reference(&id.unwrap()).unwrap()
}

/// The reference with other components.
pub fn with_components(object: &ObjectRef, change: impl Fn(&mut Vec<TaggedComponent>)) -> String {
    let mut ior: Ior = object.ior().clone();
    let profile = &mut ior.profiles[0];
    *profile = if profile.tag == tag::TAO_UIOP {
        let mut uiop = UiopProfile::parse_within(&profile.data, &taut_giop::Limits::DEFAULT);
        change(&mut uiop.as_mut().unwrap().components);
        uiop.unwrap().to_profile().unwrap()
    } else {
        let mut iiop = IiopProfile::parse(&profile.data).unwrap();
        change(&mut iiop.components);
        iiop.to_profile().unwrap()
    };
    ior.to_string()
}

/// The outcomes of the three operations.
pub fn call(object: &ObjectRef) -> [Result<(), SystemException>; 3] {
    let echoed = object.invoke("echo", write).and_then(|reply| {
        assert_eq!(reply.results(read)?, TEXT);
        Ok(())
    });
    let passed = object
        .invoke("pass", |out| any().encode(out))
        .and_then(|reply| {
            assert_eq!(reply.results(Any::decode)?, any());
            Ok(())
        });
    let told = object.invoke("tell", |_| Ok(())).and_then(|reply| {
        assert_eq!(reply.results(read)?, TEXT);
        Ok(())
    });
    [echoed, passed, told]
}
