//! The dynamic invocation interface.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use taut::{CallContext, SystemExceptionKind};
use taut_dynamic::{Mode, Request, RequestError, Signature, Value};
use taut_types::{TCKind, TypeCode};

use super::calculator::{Setting, divide, echo, note, pause};
use super::primitive;

#[test]
fn a_request_is_invoked_again_with_other_values() {
    let setting = Setting::new();
    let mut request = Request::new(&setting.object, Arc::new(divide()));
    for (dividend, divisor, result, remainder) in [(7, 2, 3, 1), (9, 2, 4, 1), (9, 4, 2, 1)] {
        request.set("dividend", Value::Long(dividend)).unwrap();
        request.set("divisor", Value::Long(divisor)).unwrap();
        request.invoke().unwrap();
        assert_eq!(*request.result(), Value::Long(result));
        assert_eq!(request.value("remainder"), Some(&Value::Long(remainder)));
    }
    assert_eq!(setting.calculator.calls.load(Ordering::SeqCst), 3);
}

#[test]
fn an_exception_has_its_members_if_the_signature_lists_it() {
    let setting = Setting::new();
    let mut listed = Request::new(&setting.object, Arc::new(divide()));
    let mut unlisted = divide();
    unlisted.exceptions.clear();
    let mut unlisted = Request::new(&setting.object, Arc::new(unlisted));
    for (request, has_members) in [(&mut listed, true), (&mut unlisted, false)] {
        request.set("dividend", Value::Long(7)).unwrap();
        request.set("divisor", Value::Long(0)).unwrap();
        let error = request.invoke().unwrap_err();
        assert_eq!(error.to_string(), "the operation raised IDL:Division:1.0");
        let RequestError::Raised(raised) = error else {
            panic!("{error}")
        };
        let members = raised.members.map(|(_, members)| members);
        let expected = has_members.then(|| Value::Members(vec![Value::Long(7)]));
        assert_eq!(members, expected);
    }
}

#[test]
fn values_of_any_type_come_back_as_they_were() {
    let setting = Setting::new();
    let node = TypeCode::create_recursive("IDL:Node:1.0").unwrap();
    let children = TypeCode::create_sequence(&node, 0).unwrap();
    let members = [("name", TypeCode::string(0)), ("children", children)];
    let node = TypeCode::create_struct("IDL:Node:1.0", "Node", &members).unwrap();
    let leaf = Value::Members(vec![Value::String("leaf".into()), Value::List(Vec::new())]);
    let root = Value::Members(vec![Value::String("root".into()), Value::List(vec![leaf])]);
    let value = Value::Any(Box::new((node, root)));
    let mut request = Request::new(&setting.object, Arc::new(echo()));
    request.set("value", value.clone()).unwrap();
    request.invoke().unwrap();
    assert_eq!(*request.result(), value);
    assert_eq!(request.value("value"), Some(&value));
}

#[test]
fn a_oneway_reaches_its_servant() {
    let setting = Setting::new();
    let mut request = Request::new(&setting.object, Arc::new(note()));
    for text in ["one", "two"] {
        request.set("text", Value::String(text.into())).unwrap();
        request.invoke().unwrap();
    }
    request.set("text", Value::String("three".into())).unwrap();
    request.send_oneway().unwrap();
    let noted: Vec<_> = (0..3).map(|_| setting.noted.recv().unwrap()).collect();
    assert_eq!(noted, ["one", "two", "three"]);
    assert_eq!(request.send_deferred(), Err(RequestError::Oneway));
}

#[test]
fn each_fault_is_told_before_anything_is_sent() {
    let setting = Setting::new();
    let mut request = Request::new(&setting.object, Arc::new(divide()));
    let error = request.set("divider", Value::Long(1)).unwrap_err();
    let expected = "the operation takes no `divider`: it takes dividend, divisor";
    assert_eq!(error.to_string(), expected);
    // Its value comes from the servant.
    assert!(request.set("remainder", Value::Long(1)).is_err());
    request.set("dividend", Value::Long(1)).unwrap();
    let error = request.invoke().unwrap_err();
    assert_eq!(error.to_string(), "`divisor` has no value");
    request.set("divisor", Value::String("two".into())).unwrap();
    let invoked = request.invoke();
    let deferred = request.send_deferred();
    for error in [invoked.unwrap_err(), deferred.unwrap_err()] {
        assert_eq!(
            error.to_string(),
            "`divisor`: expected long, found a string"
        );
    }
    for outcome in [request.poll_response().map(drop), request.get_response()] {
        assert_eq!(outcome, Err(RequestError::NotSent));
    }
    assert_eq!(setting.calculator.calls.load(Ordering::SeqCst), 0);
}

#[test]
fn what_the_server_does_not_know_is_a_system_exception() {
    let setting = Setting::new();
    let mut request = Request::new(&setting.object, Arc::new(Signature::new("explode")));
    let Err(RequestError::System(exception)) = request.invoke() else {
        panic!("it is not there")
    };
    assert_eq!(exception.kind, SystemExceptionKind::BadOperation);
    // The result is of another type than it should be.
    let wrong = divide().returning(primitive(TCKind::Any));
    let mut request = Request::new(&setting.object, Arc::new(wrong));
    request.set("dividend", Value::Long(7)).unwrap();
    request.set("divisor", Value::Long(2)).unwrap();
    let Err(RequestError::System(exception)) = request.invoke() else {
        panic!("it is no any")
    };
    assert_eq!(exception.kind, SystemExceptionKind::Marshal);
}

#[test]
fn a_request_has_policies_and_a_deadline_as_others_have() {
    let setting = Setting::new();
    let mut request = Request::new(&setting.object, Arc::new(pause()));
    let context = CallContext::new().with_timeout(Duration::from_millis(20));
    request.set_context(Arc::new(context));
    let Err(RequestError::System(exception)) = request.invoke() else {
        panic!("nobody let it go on")
    };
    assert_eq!(exception.kind, SystemExceptionKind::Timeout);
    setting.go_on.send(()).unwrap();
    let id = Signature::new("_is_a")
        .with(Mode::In, "id", TypeCode::string(0))
        .returning(primitive(TCKind::Boolean));
    let mut request = Request::new(&setting.object, Arc::new(id));
    request
        .set("id", Value::String("IDL:Machine:1.0".into()))
        .unwrap();
    request.invoke().unwrap();
    assert_eq!(*request.result(), Value::Boolean(true));
}
