//! Requests that are answered later: the points at their ends run when they are answered.

use std::sync::Arc;
use std::thread;

use taut::codegen::{Decode, Encode, Interface, Servant, ServerRequest};
use taut::{
    CollocationStrategy, Orb, OrbBuilder, ServantIdentity, SystemException, SystemExceptionKind,
};

use super::{FAILURE, Log, Noting};
use crate::common::eventually;

const LATER: Interface = Interface::new("IDL:test/Later:1.0", &[], &[]);

/// A servant whose requests another thread answers.
struct Later(Arc<Log>);

impl Servant for Later {
    fn interface(&self) -> &'static Interface {
        &LATER
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut ServerRequest<'_>) -> taut::Result<()> {
        let operation = request.operation().to_vec();
        request.arguments(|_| Ok(()))?;
        let deferred = request.defer()?;
        let log = Arc::clone(&*self.0);
        log.lock().push("servant defers".to_owned());
        let answer = move || {
            log.lock().push("answer".to_owned());
            match &operation[..] {
                b"fails" => deferred.system_exception(FAILURE),
                b"drops" => drop(deferred),
                _ => deferred.reply(|out| 7_i32.encode(out)),
            }
        };
        match request.operation() {
            // Before the up-call has ended.
            b"early" => thread::spawn(answer).join().unwrap(),
            _ => drop(thread::spawn(answer)),
        }
        Ok(())
    }
}

fn points(operation: &str, receive: &str, send: &str, status: &str) -> Vec<String> {
    vec![
        format!("A.send_request {operation}"),
        format!("X.receive_request_service_contexts {operation}"),
        format!("X.receive_request {operation}"),
        "servant defers".to_owned(),
        "answer".to_owned(),
        format!("X.{send} {operation} {status}"),
        format!("A.{receive} {operation} {status}"),
    ]
}

#[test]
fn the_points_at_the_end_run_when_a_request_is_answered() {
    for collocation in [CollocationStrategy::Off, CollocationStrategy::ThroughPoa] {
        let log = Log::default();
        let orb = Orb::builder()
            .listen("127.0.0.1:0")
            .unwrap()
            .settings(|settings| settings.client.collocation = collocation);
        let orb = interceptors(orb, &log).build().unwrap();
        let poa = orb.root_poa().unwrap();
        poa.manager().activate().unwrap();
        let id = poa
            .activate_object(Later(Arc::new(Arc::clone(&log))))
            .unwrap();
        let object = poa.id_to_reference(&id).unwrap();
        for operation in ["later", "early"] {
            let reply = object.invoke(operation, |_| Ok(())).unwrap();
            assert_eq!(reply.results(i32::decode), Ok(7));
            let noted = std::mem::take(&mut *log.lock());
            let expected = points(operation, "receive_reply", "send_reply", "Successful");
            assert_eq!(noted, expected);
        }
        let failed: SystemException = object.invoke("fails", |_| Ok(())).unwrap_err();
        assert_eq!(failed, FAILURE);
        let noted = std::mem::take(&mut *log.lock());
        let status = "SystemException";
        assert_eq!(
            noted,
            points("fails", "receive_exception", "send_exception", status)
        );
        let dropped = object.invoke("drops", |_| Ok(())).unwrap_err();
        assert_eq!(dropped.kind, SystemExceptionKind::Unknown);
        assert_eq!(dropped.minor, taut::minor::RESPONDER_DROPPED);
        let noted = std::mem::take(&mut *log.lock());
        assert_eq!(
            noted,
            points("drops", "receive_exception", "send_exception", status)
        );
        // To a oneway no reply is sent; its end is seen all the same.
        object.invoke_oneway("later", |_| Ok(())).unwrap();
        eventually("the oneway has ended", || {
            log.lock()
                .contains(&"X.send_reply later Successful".to_owned())
        });
        orb.shutdown(true).unwrap();
    }
}

fn interceptors(builder: OrbBuilder, log: &Log) -> OrbBuilder {
    builder
        .client_interceptor(Noting::new("A", log))
        .server_interceptor(Noting::new("X", log))
}
