//! The dynamic skeleton interface.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taut::{Interface, Orb, SystemException, SystemExceptionKind};
use taut_dynamic::{
    DynamicImplementation, DynamicRequest, DynamicServant, Mode, Request, RequestError, Signature,
    Value,
};
use taut_types::{TCKind, TypeCode};

use super::calculator::{ID, Setting};
use super::primitive;

#[test]
fn an_object_has_the_operations_that_every_object_has() {
    let setting = Setting::new();
    assert!(setting.object.is_a(ID).unwrap());
    assert!(setting.object.is_a("IDL:Machine:1.0").unwrap());
    assert!(!setting.object.is_a("IDL:Other:1.0").unwrap());
    assert!(!setting.object.non_existent().unwrap());
    assert_eq!(setting.object.repository_id().unwrap(), ID);
    // It is refused for the context that it lacks, and not as an operation of the servant's.
    let bound = setting.object.invoke("_bind_priority_band", |_| Ok(()));
    let kind = bound.unwrap_err().kind;
    assert_eq!(kind, SystemExceptionKind::BadParam);
    assert_eq!(setting.calculator.calls.load(Ordering::SeqCst), 0);
}

/// A servant that answers by the operation's name, mostly out of order.
struct Disorderly;

fn number() -> Signature {
    let long = primitive(TCKind::Long);
    Signature::new("")
        .with(Mode::In, "n", long.clone())
        .returning(long)
}

impl DynamicImplementation for Disorderly {
    fn primary_interface(&self) -> &'static Interface {
        Interface::dynamic("IDL:Disorderly:1.0", &[])
    }

    fn invoke(&self, request: &mut DynamicRequest<'_, '_>) -> Result<(), SystemException> {
        let (signature, one) = (number(), Value::Long(1));
        let failed = TypeCode::create_exception("IDL:Failed:1.0", "Failed", &[]);
        let (failed, nothing) = (failed.unwrap_or_default(), Value::Members(Vec::new()));
        match &*request.operation() {
            "reads_twice" => {
                request.arguments(&signature)?;
                request.arguments(&signature).map(drop)
            }
            "answers_before_reading" => request.set_result(&signature, &one, &[]),
            "answers_twice" => {
                request.arguments(&signature)?;
                request.set_result(&signature, &one, &[])?;
                request.set_result(&signature, &one, &[])
            }
            "raises_after_answering" => {
                request.arguments(&signature)?;
                request.set_result(&signature, &one, &[])?;
                request.set_exception(&failed, &nothing)
            }
            "raises_before_reading" => request.set_exception(&failed, &nothing),
            "raises_what_is_no_exception" => request.set_exception(&primitive(TCKind::Long), &one),
            "answers_another_type" => {
                request.arguments(&signature)?;
                request.set_result(&signature, &Value::String("one".into()), &[])
            }
            "answers_too_much" => {
                request.arguments(&signature)?;
                request.set_result(&signature, &one, std::slice::from_ref(&one))
            }
            "octets" => {
                let number: i32 = request.raw_arguments(|input| input.read())?;
                request.raw_result(|out| {
                    out.write(number + 1);
                    Ok(())
                })
            }
            "octets_of_an_exception" => request.raw_exception("IDL:Failed:1.0", |_| Ok(())),
            "nothing" => Ok(()),
            _ => Err(request.unknown_operation()),
        }
    }
}

#[test]
fn each_order_but_the_right_one_has_its_exception() {
    use SystemExceptionKind::{BadInvOrder, BadOperation, BadParam, Marshal};
    let orb = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .build()
        .unwrap();
    let poa = orb.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let id = poa
        .activate_object(DynamicServant::new(Disorderly))
        .unwrap();
    let client = Orb::builder().build().unwrap();
    let reference = poa.id_to_reference(&id).unwrap().to_string();
    let object = client.string_to_object(&reference).unwrap();
    let call = |operation: &str| {
        let failed = TypeCode::create_exception("IDL:Failed:1.0", "Failed", &[]).unwrap();
        let mut signature = number().raising(failed);
        signature.operation = operation.to_owned();
        let mut request = Request::new(&object, Arc::new(signature));
        request.set("n", Value::Long(7)).unwrap();
        request.invoke().map(|()| request.result().clone())
    };
    for (operation, kind, minor) in [
        ("reads_twice", BadInvOrder, Some(7)),
        ("answers_before_reading", BadInvOrder, Some(8)),
        ("answers_twice", BadInvOrder, Some(8)),
        ("raises_after_answering", BadInvOrder, Some(9)),
        ("raises_what_is_no_exception", BadParam, Some(21)),
        ("answers_another_type", Marshal, None),
        ("answers_too_much", Marshal, None),
        ("anything", BadOperation, Some(2)),
    ] {
        let Err(RequestError::System(exception)) = call(operation) else {
            panic!("{operation}")
        };
        assert_eq!(exception.kind, kind, "{operation}");
        if let Some(minor) = minor {
            assert_eq!(exception.minor & 0xfff, minor, "{operation}");
        }
    }
    for operation in ["raises_before_reading", "octets_of_an_exception"] {
        assert!(
            matches!(call(operation), Err(RequestError::Raised(_))),
            "{operation}"
        );
    }
    assert_eq!(call("octets"), Ok(Value::Long(8)));
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}
