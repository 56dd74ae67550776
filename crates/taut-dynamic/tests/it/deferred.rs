//! Deferred synchronous calls, and many at once.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use taut_dynamic::{Request, RequestError, RequestSet, Value};

use super::calculator::{Setting, divide, note, pause};

fn division(setting: &Setting, dividend: i32, divisor: i32) -> Request {
    let mut request = Request::new(&setting.object, Arc::new(divide()));
    request.set("dividend", Value::Long(dividend)).unwrap();
    request.set("divisor", Value::Long(divisor)).unwrap();
    request
}

#[test]
fn a_request_goes_on_while_its_caller_does_something_else() {
    let setting = Setting::new();
    let mut request = Request::new(&setting.object, Arc::new(pause()));
    request.send_deferred().unwrap();
    // It is carried out though nobody polls.
    while setting.calculator.calls.load(Ordering::SeqCst) == 0 {
        thread::yield_now();
    }
    assert_eq!(request.poll_response(), Ok(false));
    assert_eq!(request.invoke(), Err(RequestError::InProgress));
    assert_eq!(request.send_deferred(), Err(RequestError::InProgress));
    setting.go_on.send(()).unwrap();
    while request.poll_response() == Ok(false) {
        thread::yield_now();
    }
    request.get_response().unwrap();
    assert_eq!(request.get_response(), Err(RequestError::NotSent));
    // Once more.
    setting.go_on.send(()).unwrap();
    request.send_deferred().unwrap();
    request.get_response().unwrap();
}

#[test]
fn results_and_exceptions_come_with_the_response() {
    let setting = Setting::new();
    let mut request = division(&setting, 7, 2);
    request.send_deferred().unwrap();
    request.get_response().unwrap();
    assert_eq!(*request.result(), Value::Long(3));
    request.set("divisor", Value::Long(0)).unwrap();
    request.send_deferred().unwrap();
    assert!(matches!(
        request.get_response(),
        Err(RequestError::Raised(_))
    ));
    let mut request = division(&setting, 9, 2);
    ready(request.invoke_async()).unwrap();
    assert_eq!(*request.result(), Value::Long(4));
}

/// Polls a future until it is ready.
fn ready<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(ended) = future.as_mut().poll(&mut context) {
            return ended;
        }
        thread::yield_now();
    }
}

#[test]
fn many_requests_end_in_any_order() {
    let setting = Setting::new();
    let requests = (1..=100).map(|divisor| division(&setting, 1_000, divisor % 10));
    let mut set = RequestSet::send_deferred(requests).unwrap();
    assert_eq!(set.len(), 100);
    let (mut results, mut raised) = (0, 0);
    while let Some((request, outcome)) = set.get_next_response() {
        match outcome {
            Ok(()) => {
                let Some(Value::Long(divisor)) = request.value("divisor") else {
                    panic!("{request:?}")
                };
                assert_eq!(*request.result(), Value::Long(1_000 / divisor));
                results += 1;
            }
            Err(RequestError::Raised(_)) => raised += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!((results, raised), (90, 10));
    assert!(set.is_empty() && !set.poll_next_response());
}

#[test]
fn a_fault_names_the_request_that_has_it() {
    let setting = Setting::new();
    let unset = Request::new(&setting.object, Arc::new(divide()));
    let sent = RequestSet::send_deferred([division(&setting, 1, 1), unset]);
    assert!(matches!(sent, Err((1, RequestError::Unset { .. }))));
    let mut requests = [Request::new(&setting.object, Arc::new(note()))];
    let sent = RequestSet::send_oneway(&mut requests);
    assert!(matches!(sent, Err((0, RequestError::Unset { .. }))));
    requests[0]
        .set("text", Value::String("all".into()))
        .unwrap();
    RequestSet::send_oneway(&mut requests).unwrap();
    assert_eq!(setting.noted.recv().unwrap(), "all");
}
