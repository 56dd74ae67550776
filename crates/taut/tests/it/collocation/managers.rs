//! The states of POA managers.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use taut::{SyncScope, SystemExceptionKind};

use super::{Circle, Home, Reference, Shape, eventually, kind};

#[test]
fn a_call_waits_while_the_manager_holds_requests() {
    let home = Home::unreachable();
    home.poa.manager().hold_requests(false).unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| home.circle.radius());
        thread::sleep(Duration::from_millis(50));
        assert!(!call.is_finished());
        assert!(home.servant.thread.lock().is_none());
        home.poa.manager().activate().unwrap();
        assert_eq!(call.join().unwrap().unwrap(), 1.0);
    });
}

#[test]
fn a_call_is_refused_while_the_manager_discards_requests() {
    let home = Home::unreachable();
    home.poa.manager().discard_requests(false).unwrap();
    let exception = home.circle.radius().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::Transient);
    assert_eq!(exception.minor & 0xfff, 1);
    assert!(home.servant.thread.lock().is_none());
    home.poa.manager().activate().unwrap();
    home.circle.radius().unwrap();
}

#[test]
fn the_adapter_refuses_once_the_manager_is_inactive() {
    let home = Home::unreachable();
    home.poa.manager().deactivate(false, false).unwrap();
    let exception = home.circle.name().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::ObjAdapter);
    assert_eq!(exception.minor, taut::minor::MANAGER_INACTIVE);
    // No peer: the caller's own ORB refuses.
    let text = exception.to_string();
    let type_id = home.circle.as_object().type_id();
    assert_eq!(
        text,
        format!(
            "OBJ_ADAPTER: the POA's manager has been deactivated, for good (Taut minor 47), \
             COMPLETED_NO; calling _get_name on {type_id}"
        )
    );
}

/// A program that sends a oneway to an object of its own and lets the requests
/// through afterwards went on, when all calls were messages.
#[test]
fn a_oneway_does_not_wait_for_the_manager() {
    let home = Home::new();
    home.poa.manager().hold_requests(false).unwrap();
    home.circle.log("text").unwrap();
    assert_eq!(home.servant.logged.load(Ordering::SeqCst), 0);
    home.poa.manager().activate().unwrap();
    eventually("the oneway", || home.servant.ran_elsewhere());
}

/// One that waits for the target does.
#[test]
fn a_oneway_that_waits_for_the_target_waits_for_the_manager() {
    let home = Home::unreachable();
    home.poa.manager().hold_requests(false).unwrap();
    let circle = home.circle.with_sync_scope(SyncScope::WithTarget);
    thread::scope(|scope| {
        let call = scope.spawn(|| circle.log("text"));
        thread::sleep(Duration::from_millis(50));
        assert!(!call.is_finished());
        home.poa.manager().activate().unwrap();
        call.join().unwrap().unwrap();
    });
    assert_eq!(kind(home.circle.log("text")), None);
}
