//! Whether calls bind their reference anew, or connect again.

use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use taut::policy::{Policy, PriorityRange, RebindMode, RebindPolicy, RequestPriorityPolicy};
use taut::{
    ConnectionSharing, Cookie, IdAssignmentPolicy, LifespanPolicy, ObjectId, ObjectRef, Orb, Poa,
    Reference, RequestProcessingPolicy, Servant, ServantLocator, ServantManager,
    ServantManagerError, ServantRetentionPolicy, SystemException, SystemExceptionKind, minor,
};

use super::{LEVELS, Level, PATIENCE, Witness, with};
use crate::common::mode::Mode;
use crate::common::{Echo, EchoRef, EchoSkeleton, Misbehaviour, Server, orb_and_client};

fn rebind(mode: RebindMode) -> Policy {
    RebindPolicy(mode).into()
}

fn is_forbidden(exception: &SystemException, minor: u32) {
    assert_eq!(exception.kind, SystemExceptionKind::Rebind, "{exception}");
    assert_eq!(exception.minor, minor, "{exception}");
    let text = exception.to_string();
    assert!(text.contains("validate_connection"), "{text}");
}

/// A server at a port at which servers follow each other, with a reference that outlives them.
fn life_at(port: u16) -> (Orb, EchoRef) {
    let builder = Orb::builder().listen(&format!("127.0.0.1:{port}")).unwrap();
    let orb = builder.settings(|settings| {
        Mode::tcp().adjust(settings);
        settings.server.id = "rebinding".to_owned();
    });
    let orb = orb.build().unwrap();
    let root = orb.root_poa().unwrap();
    let policies = [
        LifespanPolicy::Persistent.into(),
        IdAssignmentPolicy::UserId.into(),
    ];
    let poa = root
        .create_poa("lives", Some(root.manager()), &policies)
        .unwrap();
    let servant = EchoSkeleton(Arc::new(Witness::default()));
    let echo = poa.activate_with_id(&"echo".into(), servant).unwrap();
    root.manager().activate().unwrap();
    (orb, echo)
}

#[test]
fn a_connection_that_has_ended_is_not_replaced_where_that_is_forbidden() {
    for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
        for level in LEVELS {
            let port = test_tools::free_port().unwrap();
            let (first, echo) = life_at(port);
            let url = echo.as_object().to_string();
            let (orb, echo) = orb_and_client(&url, |settings| {
                settings.client.connection_sharing = sharing;
            });
            let ping = |mode| {
                let set = [(level, rebind(mode))];
                with(&set, &orb, &echo, |echo| echo.ping())
            };
            // The first call may connect.
            ping(RebindMode::NoReconnect).unwrap();
            ping(RebindMode::NoReconnect).unwrap();
            first.shutdown(true).unwrap();
            let (second, _) = life_at(port);
            for _ in 0..2 {
                let exception = ping(RebindMode::NoReconnect).unwrap_err();
                is_forbidden(&exception, minor::RECONNECT_FORBIDDEN);
            }
            // A program that asks for a connection gets one.
            let set = [(level, rebind(RebindMode::NoReconnect))];
            with(&set, &orb, &echo, |echo| {
                assert!(echo.as_object().validate_connection().unwrap().is_valid);
                echo.ping().unwrap();
            });
            second.shutdown(true).unwrap();
            let (third, _) = life_at(port);
            ping(RebindMode::NoRebind).unwrap();
            third.shutdown(true).unwrap();
            let (fourth, _) = life_at(port);
            ping(RebindMode::Transparent).unwrap();
            fourth.shutdown(true).unwrap();
        }
    }
}

#[test]
fn a_second_connection_beside_one_that_is_in_use_replaces_none() {
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |_| ());
    echo.ping().unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.misbehave(Misbehaviour::Blocks));
        server.entered.recv_timeout(PATIENCE).unwrap();
        let set = [(Level::Thread, rebind(RebindMode::NoReconnect))];
        with(&set, &orb, &echo, |echo| echo.ping()).unwrap();
        server.release.send(()).unwrap();
        call.join().unwrap().unwrap();
    });
}

/// A servant manager that gives a servant, or sends callers elsewhere.
#[derive(Clone)]
struct Mover {
    servant: Arc<EchoSkeleton<Witness>>,
    to: Arc<Mutex<Option<ObjectRef>>>,
}

impl ServantLocator for Mover {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError> {
        match &*self.to.lock() {
            Some(to) => Err(ServantManagerError::ForwardRequest(to.clone())),
            None => Ok((Arc::clone(&self.servant) as Arc<dyn Servant>, None)),
        }
    }
}

impl Mover {
    /// Makes a POA whose references tell these priorities, and an object that can be moved.
    fn start(server: &Server, name: &str, min: i16, max: i16) -> (Self, EchoRef) {
        let told = Policy::from(RequestPriorityPolicy(PriorityRange { min, max }));
        let policies = [
            ServantRetentionPolicy::NonRetain.into(),
            RequestProcessingPolicy::UseServantManager.into(),
        ];
        let manager = Some(server.poa.manager());
        let poa = server
            .poa
            .create_poa_telling(name, manager, &policies, &[told])
            .unwrap();
        let mover = Self {
            servant: Arc::new(EchoSkeleton(Arc::new(Witness::default()))),
            to: Arc::default(),
        };
        poa.set_servant_manager(ServantManager::locator(mover.clone()))
            .unwrap();
        let object = poa.create_reference("IDL:test/Echo:1.0").unwrap();
        (mover, object.unchecked_narrow())
    }

    fn send_to(&self, to: Option<&EchoRef>) {
        *self.to.lock() = to.map(|to| to.as_object().clone());
    }
}

#[test]
fn a_forward_is_followed_where_no_policy_changes_and_refused_where_one_does() {
    let server = Server::start();
    let (mover, moved) = Mover::start(&server, "moved", 1, 5);
    let (_, same) = Mover::start(&server, "same", 1, 5);
    let (_, other) = Mover::start(&server, "other", 2, 5);
    for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
        for level in LEVELS {
            for (mode, to, is_followed) in [
                (RebindMode::Transparent, &other, true),
                (RebindMode::NoRebind, &same, true),
                (RebindMode::NoRebind, &other, false),
                (RebindMode::NoReconnect, &same, false),
            ] {
                let url = moved.as_object().to_string();
                let (orb, echo) = orb_and_client(&url, |settings| {
                    settings.client.connection_sharing = sharing;
                });
                let set = [(level, rebind(mode))];
                let ping = || with(&set, &orb, &echo, |echo| echo.ping());
                ping().unwrap();
                mover.send_to(Some(to));
                let moved = ping();
                if is_followed {
                    moved.unwrap();
                } else {
                    is_forbidden(&moved.unwrap_err(), minor::REBIND_FORBIDDEN);
                    let validate = |echo: &EchoRef| echo.as_object().validate_connection();
                    assert!(with(&set, &orb, &echo, validate).unwrap().is_valid);
                    ping().unwrap();
                }
                mover.send_to(None);
            }
        }
    }
}

#[test]
fn a_reference_that_is_not_bound_yet_may_be_forwarded() {
    let server = Server::start();
    server.orb.bind_object_key("Moved", server.echo.as_object());
    for mode in [RebindMode::NoRebind, RebindMode::NoReconnect] {
        for level in LEVELS {
            let (orb, echo) = orb_and_client(&server.url("Moved"), |_| ());
            let set = [(level, rebind(mode))];
            let ping = || with(&set, &orb, &echo, |echo| echo.ping());
            ping().unwrap();
            ping().unwrap();
        }
    }
}
