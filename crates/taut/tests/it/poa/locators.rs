//! Servant locators: a servant for each request.

use std::cell::Cell;
use std::thread;

use taut::{
    Current, IdAssignmentPolicy, Poa, Policy, Reference, RequestProcessingPolicy,
    ServantManagerError, ServantRetentionPolicy, SystemException, SystemExceptionKind,
};

use crate::common::mode::{Mode, for_each_mode};
use crate::common::{Echo, Misbehaviour};
use crate::poa::house::{
    ECHO, House, Stay, abroad, call, named, omg, probe, shared, skeleton, who,
};
use crate::poa::keepers::{Diary, Locator};

for_each_mode! {
    [tcp, reactor] {
        each_request_is_between_preinvoke_and_postinvoke_with_its_cookie,
        what_preinvoke_raises_is_the_callers_and_has_no_postinvoke,
        requests_for_one_object_have_their_own_servants_at_once,
        a_located_servant_knows_whose_part_it_plays,
    }
}

const POLICIES: [Policy; 3] = [
    Policy::IdAssignment(IdAssignmentPolicy::UserId),
    Policy::ServantRetention(ServantRetentionPolicy::NonRetain),
    Policy::RequestProcessing(RequestProcessingPolicy::UseServantManager),
];

fn located(house: &House, locator: Locator) -> Poa {
    let poa = house.child("located", &POLICIES);
    poa.set_servant_manager(locator.manager()).unwrap();
    poa
}

fn object(poa: &Poa, id: &str) -> taut::ObjectRef {
    poa.create_reference_with_id(&id.into(), ECHO).unwrap()
}

thread_local! {
    static PLACE: Cell<u32> = const { Cell::new(0) };
}

fn each_request_is_between_preinvoke_and_postinvoke_with_its_cookie(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let note = diary.clone();
    let poa = located(
        &house,
        Locator::new(&diary, move |id, adapter, _| {
            assert_eq!(adapter.name(), "located");
            let note = note.clone();
            PLACE.set(PLACE.get() + 1);
            let place = PLACE.get();
            let servant = probe(move |text| {
                if text == "fail" {
                    return Err(omg(SystemExceptionKind::NoPermission, 9));
                }
                // The same thread does it all.
                assert_eq!(PLACE.get(), place);
                note.note(format!("serve {text}"));
                Ok(text.to_owned())
            });
            let cookie = (id.as_octets() == b"ada").then(|| Box::new(17_u32) as _);
            Ok((shared(&servant), cookie))
        }),
    );
    let (ada, bob) = (object(&poa, "ada"), object(&poa, "bob"));
    assert_eq!(call(&ada, "1").as_deref(), Ok("1"));
    assert_eq!(call(&bob, "2").as_deref(), Ok("2"));
    abroad(&ada).ping().unwrap();
    assert_eq!(
        diary.read(),
        [
            "preinvoke ada echo",
            "serve 1",
            "postinvoke ada echo Some(17)",
            "preinvoke bob echo",
            "serve 2",
            "postinvoke bob echo None",
            "preinvoke ada ping",
            "serve ",
            "postinvoke ada ping Some(17)",
        ]
    );
    // Also when the servant raises or panics.
    assert_eq!(
        call(&ada, "fail"),
        Err(omg(SystemExceptionKind::NoPermission, 9))
    );
    let panicked = abroad(&bob).misbehave(Misbehaviour::Panics).unwrap_err();
    assert_eq!(panicked.kind, SystemExceptionKind::Unknown);
    assert_eq!(
        diary.read(),
        [
            "preinvoke ada echo",
            "postinvoke ada echo Some(17)",
            "preinvoke bob misbehave",
            "postinvoke bob misbehave None",
        ]
    );
    // And for what every object can.
    assert!(!abroad(&ada).as_object().non_existent().unwrap());
    assert_eq!(
        diary.read(),
        [
            "preinvoke ada _non_existent",
            "postinvoke ada _non_existent Some(17)"
        ]
    );
}

fn what_preinvoke_raises_is_the_callers_and_has_no_postinvoke(mode: Mode) {
    const FAILURE: SystemException = omg(SystemExceptionKind::NoPermission, 4);
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let target = house.root.activate(skeleton(&named("elsewhere"))).unwrap();
    let forward = target.as_object().clone();
    let poa = located(
        &house,
        Locator::new(&diary, move |id, _, _| match id.as_octets() {
            b"forward" => Err(ServantManagerError::ForwardRequest(forward.clone())),
            b"panic" => panic!("the locator was asked to panic"),
            _ => Err(FAILURE.into()),
        }),
    );
    let client = abroad(&object(&poa, "forward"));
    assert_eq!(client.echo("").unwrap(), "elsewhere");
    assert_eq!(client.echo("").unwrap(), "elsewhere");
    assert_eq!(call(&object(&poa, "other"), ""), Err(FAILURE));
    let panicked = call(&object(&poa, "panic"), "").unwrap_err();
    assert_eq!(panicked.kind, SystemExceptionKind::Unknown);
    assert_eq!(
        diary.read(),
        [
            "preinvoke forward echo",
            "preinvoke other echo",
            "preinvoke panic echo",
        ]
    );
}

fn requests_for_one_object_have_their_own_servants_at_once(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let (stay, entered, release) = Stay::new();
    let poa = located(
        &house,
        Locator::new(&diary, move |_, _, _| {
            let stay = stay.clone();
            let servant = probe(move |_| {
                stay.here();
                Ok(String::new())
            });
            Ok((shared(&servant), None))
        }),
    );
    let object = object(&poa, "ada");
    thread::scope(|scope| {
        let calls: Vec<_> = (0..8).map(|_| scope.spawn(|| call(&object, ""))).collect();
        (0..8).for_each(|_| entered.recv().unwrap());
        assert_eq!(diary.count("preinvoke"), 8);
        assert_eq!(diary.count("postinvoke"), 0);
        (0..8).for_each(|_| release.send(()).unwrap());
        calls
            .into_iter()
            .for_each(|call| drop(call.join().unwrap().unwrap()));
    });
    poa.destroy(true, true).unwrap();
    assert_eq!(diary.count("postinvoke"), 8);
}

fn a_located_servant_knows_whose_part_it_plays(mode: Mode) {
    let house = House::in_mode(mode);
    let poa = located(
        &house,
        Locator::new(&Diary::default(), |_, _, _| {
            let servant = probe(|_| {
                let (poa, id) = (Current::poa()?, Current::object_id()?);
                assert_eq!(poa.reference_to_id(&Current::reference()?)?, id);
                Ok(id.to_string())
            });
            Ok((shared(&servant), None))
        }),
    );
    for name in ["ada", "bob", ""] {
        assert_eq!(who(&object(&poa, name)), name);
    }
}
