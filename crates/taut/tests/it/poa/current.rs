//! `Current`: what a servant may ask of its request.

use std::thread;

use taut::{Current, NoContext, Reference, RequestProcessingPolicy, SystemExceptionKind};

use crate::common::mode::{Mode, for_each_mode};
use crate::poa::house::{ECHO, House, abroad, call, named, omg, probe, shared, skeleton, who};
use crate::poa::keepers::{Activator, Diary};

for_each_mode! {
    [tcp, reactor] {
        a_request_is_known_to_its_own_thread_alone,
        without_a_request_a_servant_raises_what_says_so,
        each_of_nested_calls_has_its_own,
        a_panic_ends_it,
        it_names_the_object_though_the_servant_came_on_demand,
    }
}

fn assert_there_is_none() {
    assert_eq!(Current::poa(), Err(NoContext));
    assert_eq!(Current::object_id(), Err(NoContext));
    assert_eq!(Current::reference(), Err(NoContext));
    assert_eq!(Current::servant().map(drop), Err(NoContext));
}

fn a_request_is_known_to_its_own_thread_alone(mode: Mode) {
    let house = House::in_mode(mode);
    let poa = house.child("child", &[]);
    let own = poa.clone();
    let servant = probe(move |_| {
        assert_eq!(Current::poa()?, own);
        let id = Current::object_id()?;
        assert_eq!(own.reference_to_id(&Current::reference()?)?, id);
        assert_eq!(Current::reference()?.type_id(), ECHO);
        let servant = own.id_to_servant(&id)?;
        assert_eq!(Current::servant()?.identity(), servant.identity());
        thread::spawn(assert_there_is_none).join().unwrap();
        Ok(id.to_string())
    });
    assert_there_is_none();
    let object = poa.activate(skeleton(&servant)).unwrap();
    let id = poa.reference_to_id(object.as_object()).unwrap();
    assert_eq!(who(object.as_object()), id.to_string());
    assert_there_is_none();
}

fn without_a_request_a_servant_raises_what_says_so(mode: Mode) {
    let house = House::in_mode(mode);
    let servant = probe(|_| {
        let outside = thread::spawn(|| -> taut::Result<()> {
            Current::poa()?;
            Ok(())
        });
        outside.join().unwrap()?;
        Ok(String::new())
    });
    let object = house.root.activate(skeleton(&servant)).unwrap();
    let refusal = call(object.as_object(), "").unwrap_err();
    assert_eq!(refusal.kind, SystemExceptionKind::BadInvOrder);
}

fn each_of_nested_calls_has_its_own(mode: Mode) {
    let house = House::in_mode(mode);
    let inner_poa = house.child("inner", &[]);
    let inner = probe(|_| Ok(format!("{}/", Current::poa()?.name())));
    let inner = inner_poa.activate(skeleton(&inner)).unwrap();
    let called = inner.as_object().clone();
    let outer = probe(move |_| {
        let before = Current::object_id()?;
        let answer = call(&called, "")?;
        assert_eq!(Current::object_id()?, before);
        Ok(answer + Current::poa()?.name())
    });
    let outer_poa = house.child("outer", &[]);
    let outer = outer_poa.activate(skeleton(&outer)).unwrap();
    assert_eq!(who(outer.as_object()), "inner/outer");
}

fn a_panic_ends_it(mode: Mode) {
    let house = House::in_mode(mode);
    let object = house.root.activate(skeleton(&named("here"))).unwrap();
    use crate::common::{Echo, Misbehaviour};
    let client = abroad(object.as_object());
    for _ in 0..3 {
        client.misbehave(Misbehaviour::Panics).unwrap_err();
        client.ping().unwrap();
    }
}

fn it_names_the_object_though_the_servant_came_on_demand(mode: Mode) {
    let house = House::in_mode(mode);
    let policies = [RequestProcessingPolicy::UseServantManager.into()];
    let poa = house.child("managed", &policies);
    let activator = Activator::new(&Diary::default(), |_, _| {
        Ok(shared(&probe(|_| Ok(Current::object_id()?.to_string()))))
    });
    poa.set_servant_manager(activator.manager()).unwrap();
    for _ in 0..3 {
        let object = poa.create_reference(ECHO).unwrap();
        let id = poa.reference_to_id(&object).unwrap();
        assert_eq!(who(&object), id.to_string());
        assert_eq!(who(&object), id.to_string());
        poa.deactivate_object(&id).unwrap();
        assert_eq!(who(&object), id.to_string());
    }
    let unknown = omg(SystemExceptionKind::ObjectNotExist, 2);
    poa.destroy(true, true).unwrap();
    assert_eq!(call(&poa.create_reference(ECHO).unwrap(), ""), Err(unknown));
}
