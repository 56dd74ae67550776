//! Objects with priorities of their own (RTPortableServer::POA): each operation with its
//! exceptions, and what references tell.

use std::fmt::Debug;

use taut::policy::{Policy as ToldPolicy, PriorityModelPolicy};
use taut::real_time::{DirectMapping, NativePriority, Priority, RealTime};
use taut::{
    IdAssignmentPolicy, IdUniquenessPolicy, Missing, ObjectId, ObjectRef, Poa, PoaError, Policy,
    PredictabilityPolicy, Reference, RequestProcessingPolicy, Servant, ServantActivator,
    ServantManager, ServantManagerError, ServantRetentionPolicy, SystemExceptionKind, minor,
};
use taut_giop::ExposedPolicy;
use taut_giop::component::tag;

use super::served::Served;
use super::{CLIENTS, SERVERS, bands, model, priority};
use crate::common::mode::Mode;
use crate::common::raw::{RawClient, Request};
use crate::common::{Echo, EchoRef};

const ID: &str = "IDL:test/Echo:1.0";
const USER_ID: Policy = Policy::IdAssignment(IdAssignmentPolicy::UserId);

/// The priority that the first profile of a reference tells, with the model before it.
fn told(object: &ObjectRef) -> (u32, i16) {
    let first = object.ior().iiop_profiles().next().unwrap().unwrap();
    let component = first.component(tag::POLICIES).unwrap();
    let all = ExposedPolicy::read_all(component, &taut_giop::Limits::DEFAULT).unwrap();
    let found = all.iter().find(|policy| policy.policy_type == 40).unwrap();
    let mut input = taut::codegen::Decoder::encapsulated(&found.value).unwrap();
    (input.read().unwrap(), input.read().unwrap())
}

/// The kind and minor code of the system exception.
fn refused<T: Debug>(outcome: Result<T, PoaError>) -> (SystemExceptionKind, u32) {
    match outcome.unwrap_err() {
        PoaError::System(exception) => (exception.kind, exception.minor),
        other => panic!("{other:?}"),
    }
}

/// Has the object carry out a request.
fn call(served: &Served, object: &ObjectRef) {
    let mut client = RawClient::connect(&served.orb);
    client.send(&Request::new(1, "ping").to(object, |_| ()));
    let reply = client.receive_reply(1);
    let (status, _) = reply.outcome();
    assert_eq!(status, taut_giop::message::ReplyStatus::NoException);
}

#[test]
fn each_operation_makes_an_object_of_that_priority() {
    let served = Served::new(Mode::tcp());
    let system = served.poa("system", model(SERVERS, 7), &[]).unwrap();
    let user = served.poa("user", model(SERVERS, 7), &[USER_ID]).unwrap();
    let id = |name: &str| ObjectId::from(name);

    let object = system
        .activate_with_priority(served.servant(), priority(20_000))
        .unwrap();
    is_of(&served, &system, object.as_object(), 20_000);
    let assigned = system
        .activate_object_with_priority(served.servant(), priority(21_000))
        .unwrap();
    is_of(
        &served,
        &system,
        &system.id_to_reference(&assigned).unwrap(),
        21_000,
    );
    let object = user
        .activate_with_id_and_priority(&id("a"), served.servant(), priority(22_000))
        .unwrap();
    is_of(&served, &user, object.as_object(), 22_000);
    user.activate_object_with_id_and_priority(&id("b"), served.servant(), priority(23_000))
        .unwrap();
    is_of(
        &served,
        &user,
        &user.id_to_reference(&id("b")).unwrap(),
        23_000,
    );

    // Objects that become active later.
    let object = system
        .create_reference_with_priority(ID, priority(24_000))
        .unwrap();
    assert_eq!(told(&object), (1, 24_000));
    let reserved = system.reference_to_id(&object).unwrap();
    system
        .activate_object_with_id(&reserved, served.servant())
        .unwrap();
    is_of(&served, &system, &object, 24_000);
    let object = user
        .create_reference_with_id_and_priority(&id("c"), ID, priority(25_000))
        .unwrap();
    assert_eq!(told(&object), (1, 25_000));
    let again = user.activate_with_id(&id("c"), served.servant()).unwrap();
    assert_eq!(told(again.as_object()), (1, 25_000));
    is_of(&served, &user, &object, 25_000);

    // Those without a priority for themselves have the POA's.
    let object = system.activate(served.servant()).unwrap();
    is_of(&served, &system, object.as_object(), 7);
    let object = user.create_reference_with_id(&id("d"), ID).unwrap();
    assert_eq!(told(&object), (1, 7));
}

/// The object runs at this priority, as all of its references tell; and then it ends.
fn is_of(served: &Served, poa: &Poa, object: &ObjectRef, number: i16) {
    assert_eq!(told(object), (1, number));
    let id = poa.reference_to_id(object).unwrap();
    assert_eq!(told(&poa.id_to_reference(&id).unwrap()), (1, number));
    call(served, object);
    assert_eq!(served.seen(), served.at(number, &[]));
    poa.deactivate_object(&id).unwrap();
}

/// An operation of RTPortableServer.
type Operation<'a> = &'a dyn Fn(&Poa, Priority) -> Result<(), PoaError>;

/// Runs a check with each operation, by its name.
fn each(served: &Served, check: impl Fn(&str, Operation<'_>)) {
    let id = ObjectId::from("id");
    check("activate_with_priority", &|poa, priority| {
        poa.activate_with_priority(served.servant(), priority)
            .map(drop)
    });
    check("activate_object_with_priority", &|poa, priority| {
        poa.activate_object_with_priority(served.servant(), priority)
            .map(drop)
    });
    check("activate_with_id_and_priority", &|poa, priority| {
        poa.activate_with_id_and_priority(&id, served.servant(), priority)
            .map(drop)
    });
    check("activate_object_with_id_and_priority", &|poa, priority| {
        poa.activate_object_with_id_and_priority(&id, served.servant(), priority)
    });
    check("create_reference_with_priority", &|poa, priority| {
        poa.create_reference_with_priority(ID, priority).map(drop)
    });
    check("create_reference_with_id_and_priority", &|poa, priority| {
        poa.create_reference_with_id_and_priority(&id, ID, priority)
            .map(drop)
    });
}

#[test]
fn each_operation_needs_a_model_in_which_the_server_declares_priorities() {
    let served = Served::new(Mode::tcp());
    let root = &served.root;
    let of_clients = served
        .poa("of clients", model(CLIENTS, 7), &[USER_ID])
        .unwrap();
    let of_nobody = root.create_poa("of nobody", None, &[USER_ID]).unwrap();
    each(&served, |name, operation| {
        for poa in [&of_clients, &of_nobody, root] {
            assert_eq!(
                operation(poa, priority(5)),
                Err(PoaError::WrongPolicy),
                "{name}"
            );
        }
    });
}

#[test]
fn each_operation_needs_the_policies_that_it_needs_without_a_priority() {
    let served = Served::new(Mode::tcp());
    let user = served.poa("user", model(SERVERS, 7), &[USER_ID]).unwrap();
    let system = served.poa("system", model(SERVERS, 7), &[]).unwrap();
    let on_demand = [
        USER_ID,
        ServantRetentionPolicy::NonRetain.into(),
        RequestProcessingPolicy::UseDefaultServant.into(),
        IdUniquenessPolicy::MultipleId.into(),
    ];
    let on_demand = served
        .poa("on demand", model(SERVERS, 7), &on_demand)
        .unwrap();
    each(&served, |name, operation| {
        let of_own_id = !name.contains("with_id");
        let activates = name.starts_with("activate");
        // The POA does not assign ids.
        let expected = match of_own_id {
            true => Err(PoaError::WrongPolicy),
            false => Ok(()),
        };
        assert_eq!(operation(&user, priority(5)), expected, "{name}");
        if activates && !of_own_id {
            let again = operation(&user, priority(5));
            assert_eq!(again, Err(PoaError::ObjectAlreadyActive), "{name}");
            user.deactivate_object(&"id".into()).unwrap();
        }
        // The POA keeps no servants.
        let expected = match activates || of_own_id {
            true => Err(PoaError::WrongPolicy),
            false => Ok(()),
        };
        assert_eq!(operation(&on_demand, priority(5)), expected, "{name}");
        // An id that the POA would have had to assign.
        if !of_own_id {
            let foreign = (SystemExceptionKind::BadParam, minor::omg(14));
            assert_eq!(refused(operation(&system, priority(5))), foreign, "{name}");
        } else if activates {
            operation(&system, priority(5)).unwrap();
            let again = operation(&system, priority(5));
            assert_eq!(again, Err(PoaError::ServantAlreadyActive), "{name}");
            let id = system.servant_to_id(served.servant()).unwrap();
            system.deactivate_object(&id).unwrap();
        }
    });
}

#[test]
fn a_priority_without_a_native_one_or_outside_of_all_bands_is_refused() {
    let direct = DirectMapping {
        lowest: NativePriority(1),
        highest: NativePriority(50),
    };
    let builder = Mode::tcp().listening_builder();
    let served = Served::of(builder.real_time(RealTime::new().mapping(direct)));
    let bands = bands(&[(1, 10), (20, 60)]);
    let (root, manager) = (&served.root, Some(served.root.manager()));
    let create = |name, of_poa: PriorityModelPolicy, policies: &[Policy]| {
        let told: [ToldPolicy; 2] = [of_poa.into(), bands.clone()];
        root.create_poa_telling(name, manager, policies, &told)
    };
    let in_no_band = (
        SystemExceptionKind::BadParam,
        minor::OBJECT_PRIORITY_IN_NO_BAND,
    );
    let unmappable = (SystemExceptionKind::DataConversion, minor::omg(2));
    let system = create("system", model(SERVERS, 7), &[]).unwrap();
    let user = create("user", model(SERVERS, 7), &[USER_ID]).unwrap();
    each(&served, |name, operation| {
        let poa = match name.contains("with_id") {
            true => &user,
            false => &system,
        };
        assert_eq!(refused(operation(poa, priority(15))), in_no_band, "{name}");
        assert_eq!(refused(operation(poa, priority(55))), unmappable, "{name}");
    });
    // So is it for the POA itself.
    assert_eq!(refused(create("none", model(SERVERS, 15), &[])), in_no_band);
    assert_eq!(refused(create("none", model(CLIENTS, 55), &[])), unmappable);
    assert_eq!(
        refused(served.poa("none", model(SERVERS, 51), &[])),
        unmappable
    );
    assert_eq!(
        root.find_poa("none", false),
        Err(PoaError::AdapterNonExistent)
    );
}

#[test]
fn an_object_does_not_change_its_priority() {
    let served = Served::new(Mode::tcp());
    let poa = served.poa("user", model(SERVERS, 7), &[USER_ID]).unwrap();
    let reassigned = (SystemExceptionKind::BadInvOrder, minor::omg(18));
    let id = ObjectId::from("id");
    let refer = |number| poa.create_reference_with_id_and_priority(&id, ID, priority(number));
    refer(5).unwrap();
    refer(5).unwrap();
    assert_eq!(refused(refer(6)), reassigned);
    let activate = |number| {
        let servant = served.servant();
        poa.activate_object_with_id_and_priority(&id, servant, priority(number))
    };
    assert_eq!(refused(activate(6)), reassigned);
    activate(5).unwrap();
    assert_eq!(refused(refer(6)), reassigned);
    poa.deactivate_object(&id).unwrap();

    // One that is active without a priority for itself has the POA's.
    let id = ObjectId::from("other");
    poa.activate_object_with_id(&id, served.servant()).unwrap();
    let refer = |number| poa.create_reference_with_id_and_priority(&id, ID, priority(number));
    assert_eq!(refused(refer(6)), reassigned);
    assert_eq!(told(&refer(7).unwrap()), (1, 7));
}

#[test]
fn a_model_needs_an_orb_with_priorities() {
    let orb = taut::Orb::builder().build().unwrap();
    let root = orb.root_poa().unwrap();
    let told = [model(SERVERS, 7).into()];
    let outcome = root.create_poa_telling("child", None, &[], &told);
    let expected = (SystemExceptionKind::BadInvOrder, minor::NOT_REAL_TIME);
    assert_eq!(refused(outcome), expected);
}

/// Incarnates objects by the servant of the test.
struct Incarnating<F>(F);

impl<F, S> ServantActivator for Incarnating<F>
where
    F: Fn() -> S + Send + Sync,
    S: Servant,
{
    fn incarnate(
        &self,
        _: &ObjectId,
        _: &Poa,
    ) -> Result<std::sync::Arc<dyn Servant>, ServantManagerError> {
        Ok(std::sync::Arc::new((self.0)()))
    }
}

#[test]
fn objects_on_demand_have_the_priorities_that_references_tell() {
    let served = Served::new(Mode::tcp());
    let policies = [
        USER_ID,
        RequestProcessingPolicy::UseDefaultServant.into(),
        IdUniquenessPolicy::MultipleId.into(),
    ];
    let default = served.poa("default", model(SERVERS, 7), &policies).unwrap();
    default.set_servant(served.servant()).unwrap();
    let policies = [USER_ID, RequestProcessingPolicy::UseServantManager.into()];
    let activated = served
        .poa("activated", model(SERVERS, 7), &policies)
        .unwrap();
    let watcher = std::sync::Arc::clone(&served.watcher);
    let servant = move || crate::common::EchoSkeleton(std::sync::Arc::clone(&watcher));
    let activator = std::sync::Arc::new(Incarnating(servant));
    activated
        .set_servant_manager(ServantManager::Activator(activator))
        .unwrap();
    for poa in [default, activated] {
        for (id, number) in [("a", Some(30_000)), ("b", None), ("a", Some(30_000))] {
            let id = ObjectId::from(id);
            let object = match number {
                Some(number) => {
                    poa.create_reference_with_id_and_priority(&id, ID, priority(number))
                }
                None => poa.create_reference_with_id(&id, ID),
            };
            call(&served, &object.unwrap());
            assert_eq!(served.seen(), served.at(number.unwrap_or(7), &[]));
            // The servant of the other object is to be unique.
            let _ = poa.deactivate_object(&id);
        }
    }
}

/// A client that knows nothing of priorities.
#[test]
fn references_with_priorities_serve_clients_without() {
    let served = Served::new(Mode::tcp());
    let poa = served.poa("of the server", model(SERVERS, 7), &[]).unwrap();
    let object = poa
        .activate_with_priority(served.servant(), priority(20_000))
        .unwrap();
    let text = object.as_object().to_string();
    let client: EchoRef = Mode::tcp().client(&text);
    client.ping().unwrap();
    assert_eq!(
        served.seen(),
        served.at(20_000, &[taut_giop::service_context::id::CODE_SETS])
    );
}

/// Such references were no promises to a predictable POA: it was sealed without the object, and
/// further ones could be made then.
#[test]
fn references_with_priorities_are_promises_that_sealing_counts() {
    let served = Served::new(Mode::tcp());
    let predictable = PredictabilityPolicy::Predictable.into();
    let user = [predictable, USER_ID];
    let user = served.poa("user", model(SERVERS, 7), &user).unwrap();
    let system = served.poa("system", model(SERVERS, 7), &[predictable]);
    let system = system.unwrap();
    let make = |name: &str| {
        user.create_reference_with_id_and_priority(&name.into(), ID, priority(9))
            .map(drop)
    };
    let assign = || {
        system
            .create_reference_with_priority(ID, priority(9))
            .map(drop)
    };
    system.seal().unwrap();
    let sealed = (SystemExceptionKind::BadInvOrder, minor::ADAPTER_SEALED);
    assert_eq!(refused(assign()), sealed);
    make("there").unwrap();
    let missing = user.seal().unwrap_err().missing;
    let poa = "RootPOA/user".to_owned();
    let id = ObjectId::from("there");
    assert_eq!(
        missing,
        [Missing::ActiveObject {
            poa,
            id: id.clone()
        }]
    );
    user.activate_object_with_id(&id, served.servant()).unwrap();
    user.seal().unwrap();
    make("there").unwrap();
    assert_eq!(refused(make("elsewhere")), sealed);
}
