//! A request whose values are primitives allocates nothing when it is invoked again.

use std::sync::Arc;

use counting_allocator::in_steady_state;
use taut::{Interface, Orb, SystemException};
use taut_dynamic::{
    DynamicImplementation, DynamicRequest, DynamicServant, Mode, Request, Signature, Value,
};
use taut_types::TCKind;

use super::primitive;

struct Successor;

fn signature() -> Signature {
    let long = primitive(TCKind::Long);
    Signature::new("next")
        .with(Mode::In, "n", long.clone())
        .with(Mode::Out, "before", long.clone())
        .returning(long)
}

impl DynamicImplementation for Successor {
    fn primary_interface(&self) -> &'static Interface {
        Interface::dynamic("IDL:Successor:1.0", &[])
    }

    fn invoke(&self, request: &mut DynamicRequest<'_, '_>) -> Result<(), SystemException> {
        let n: i32 = request.raw_arguments(|input| input.read())?;
        request.raw_result(|out| {
            out.write(n + 1);
            out.write(n - 1);
            Ok(())
        })
    }
}

#[test]
fn a_reused_request_of_primitives_allocates_nothing() {
    let orb = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .build()
        .unwrap();
    let poa = orb.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let id = poa.activate_object(DynamicServant::new(Successor)).unwrap();
    let reference = poa.id_to_reference(&id).unwrap().to_string();
    let client = Orb::builder().build().unwrap();
    let object = client.string_to_object(&reference).unwrap();
    let mut request = Request::new(&object, Arc::new(signature()));
    let allocations = in_steady_state(200, || {
        request.set("n", Value::Long(7)).unwrap();
        request.invoke().unwrap();
        assert_eq!(*request.result(), Value::Long(8));
        assert_eq!(request.value("before"), Some(&Value::Long(6)));
    });
    assert_eq!(allocations, 0, "of 200 calls by the client's thread");
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}
