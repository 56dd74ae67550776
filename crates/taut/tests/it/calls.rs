//! Calls between two ORBs over TCP: results, exceptions, references.

#[cfg(feature = "full")]
mod service_contexts;

use std::io::Write;
use std::sync::Arc;
use std::thread;

use crate::common;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{self, Message, RawClient, Request};
use crate::common::wide;
use crate::common::{Echo, EchoError, EchoRef, EchoSkeleton, FAILURE, Misbehaviour, Refused};
use taut::codegen::{Decode, Encode};
use taut::{
    CompletionStatus, Located, NarrowError, PoaError, Reference, Settings, SystemException,
    SystemExceptionKind, Version, minor,
};
use taut_giop::code_set::{CodeSetComponentInfo, CodeSetContext, id};
use taut_giop::component::tag;
use taut_giop::message::ReplyStatus;
use taut_giop::service_context::{self, ServiceContext};

for_each_mode! {
    [tcp, unix, reactor, shared, spinning, unix_reactor, unix_shared] {
        a_call_brings_its_result_in_every_version,
        text_beyond_latin_1_needs_a_negotiated_code_set,
        wide_characters_go_where_a_code_set_is_agreed_for_them,
        wide_characters_without_agreement_are_inv_objref_in_the_client,
        wide_characters_from_a_client_that_announced_nothing_are_bad_param,
        wide_results_without_agreement_are_inv_objref,
        a_servant_that_panics_costs_its_caller_unknown_and_nobody_else_anything,
        oneways_arrive_before_the_next_call,
        malformed_arguments_and_unknown_operations_are_refused_by_name,
        a_user_exception_that_the_operation_does_not_list_is_unknown,
        every_object_answers_for_itself,
        references_travel_and_nil_is_none,
        a_stale_key_is_told_from_a_live_one_in_the_same_slot,
        a_key_of_another_incarnation_or_a_forged_one_finds_nothing,
        the_poa_keeps_servants_and_objects_together,
        a_servant_is_dropped_when_its_last_request_ends,
        many_threads_call_through_one_reference,
        #[cfg(feature = "full")]
        a_holding_manager_makes_requests_wait_and_a_discarding_one_refuses_them,
        messages_arrive_whole_whatever_their_size_and_that_of_fragments,
        requests_and_replies_go_in_fragments_where_that_is_set,
    }
}

fn omg(kind: SystemExceptionKind, minor: u32, completed: CompletionStatus) -> SystemException {
    SystemException::omg(kind, minor, completed)
}

fn a_call_brings_its_result_in_every_version(mode: Mode) {
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        let server = mode.server_with(|settings| settings.wire.giop_version = version);
        let echo = server.client();
        echo.ping().unwrap();
        for text in ["", "x", "Grüße", &"long ".repeat(20_000)] {
            assert_eq!(echo.echo(text).unwrap(), text);
        }
        assert_eq!(
            echo.echo("refuse"),
            Err(EchoError::Refused(Refused {
                why: "asked for".to_owned()
            }))
        );
        assert_eq!(echo.misbehave(Misbehaviour::Fails), Err(FAILURE));
        assert_eq!(echo.as_object().locate().unwrap(), Located::Here);
    }
}

fn text_beyond_latin_1_needs_a_negotiated_code_set(mode: Mode) {
    let server = mode.server();
    assert_eq!(server.client().echo("日本語 €").unwrap(), "日本語 €");

    // GIOP 1.0 cannot negotiate: ISO 8859-1 it is.
    let old = mode.server_with(|settings| settings.wire.giop_version = Version::V1_0);
    let refusal = omg(SystemExceptionKind::DataConversion, 1, CompletionStatus::No);
    assert_eq!(old.client().echo("€"), Err(EchoError::System(refusal)));
    // The connection is as good as before.
    assert_eq!(old.client().echo("é").unwrap(), "é");
}

fn wide_characters_go_where_a_code_set_is_agreed_for_them(mode: Mode) {
    for version in [Version::V1_1, Version::V1_2] {
        let server = mode.server_with(|settings| settings.wire.giop_version = version);
        let object = wide::serve(&server);
        let object = mode.client_with(&object.to_string(), |_| ());
        assert_eq!(
            wide::call(object.as_object()),
            [const { Ok(()) }; 3],
            "{version}"
        );
    }
}

/// They went out as UTF-16, which the server may not have.
fn wide_characters_without_agreement_are_inv_objref_in_the_client(mode: Mode) {
    for version in [Version::V1_1, Version::V1_2] {
        let server = mode.server_with(|settings| settings.wire.giop_version = version);
        let object = wide::serve(&server);
        let unoffered = wide::with_components(&object, |components| {
            components.retain(|component| component.tag != tag::CODE_SETS);
        });
        let unsupported = wide::with_components(&object, |components| {
            components.retain(|component| component.tag != tag::ORB_TYPE);
            for component in components {
                if component.tag == tag::CODE_SETS {
                    let mut code_sets = CodeSetComponentInfo::from_component(component).unwrap();
                    code_sets.for_wchar.native = 0;
                    *component = code_sets.to_component().unwrap();
                }
            }
        });
        let (no, yes) = (CompletionStatus::No, CompletionStatus::Yes);
        let unannounced = |completed| omg(SystemExceptionKind::BadParam, 23, completed);
        for (url, minor) in [(unoffered, 2), (unsupported, 1)] {
            let refused = || Err(omg(SystemExceptionKind::InvObjref, minor, no));
            let object = mode.client_with(&url, |_| ());
            let object = object.as_object();
            let expected = [refused(), refused(), Err(unannounced(yes))];
            assert_eq!(wide::call(object), expected, "{version}");
            // The connection is as good as before.
            assert_eq!(object.non_existent(), Ok(false));

            let object = mode.client_with(&url, |settings| settings.wire.assume_utf16 = true);
            let echoed = object.as_object().invoke("echo", wide::write);
            assert_eq!(echoed.unwrap_err(), unannounced(no), "{version}");
        }
    }
}

fn wide_characters_from_a_client_that_announced_nothing_are_bad_param(mode: Mode) {
    let announced = |wchar_tcs| CodeSetContext {
        char_tcs: id::ISO_8859_1,
        wchar_tcs,
    };
    let refused = || omg(SystemExceptionKind::BadParam, 23, CompletionStatus::No);
    for (version, assumes, context, expected) in [
        (Version::V1_2, false, None, Err(refused())),
        (Version::V1_1, false, None, Err(refused())),
        (Version::V1_2, false, Some(announced(0)), Err(refused())),
        (Version::V1_2, false, Some(announced(id::UTF_16)), Ok(())),
        (Version::V1_1, false, Some(announced(id::UTF_16)), Ok(())),
        (Version::V1_2, true, None, Ok(())),
        (Version::V1_1, true, Some(announced(0)), Ok(())),
    ] {
        let server = mode.server_with(|settings| settings.wire.assume_utf16 = assumes);
        let object = wide::serve(&server);
        let mut client = RawClient::connect(&server.orb);
        let data = context.map(|context| context.to_context_data());
        let contexts = data.as_ref().map(|data| ServiceContext {
            id: service_context::id::CODE_SETS,
            data,
        });
        // The announcement holds for the requests that follow.
        for (request_id, contexts) in [(0, contexts.as_slice()), (2, &[])] {
            let request = Request {
                version,
                contexts,
                ..Request::new(request_id, "echo")
            };
            client.send(&request.to(&object, |out| {
                out.set_wide_form(version.wide_form());
                wide::write(out).unwrap();
            }));
            let reply = client.receive_reply(request_id);
            let (status, results) = reply.outcome();
            let mut results = results.with_wide_form(version.wide_form());
            let outcome = match status {
                ReplyStatus::NoException => Ok(wide::read(&mut results).unwrap()),
                _ => Err(SystemException::decode(&mut results).unwrap()),
            };
            let expected = expected.clone().map(|()| wide::TEXT.to_owned());
            assert_eq!(outcome, expected, "{version} {context:?}");
        }
    }
}

/// A server that sends them although nothing was agreed.
fn wide_results_without_agreement_are_inv_objref(mode: Mode) {
    let refused = omg(SystemExceptionKind::InvObjref, 2, CompletionStatus::Yes);
    for (assumes, expected) in [(false, Err(refused)), (true, Ok(wide::TEXT.to_owned()))] {
        let listener = mode.listening();
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut stream = listener.accept();
                let request = Message::read(&mut stream).unwrap();
                let answer = raw::reply(request.request_id(), ReplyStatus::NoException, |out| {
                    wide::write(out).unwrap();
                });
                stream.write_all(&answer).unwrap();
                // Until the client has closed.
                Message::read(&mut stream).unwrap_err();
            });
            let object = mode.client_with(&listener.url(), |settings| {
                settings.wire.assume_utf16 = assumes
            });
            let told = object.as_object().invoke("tell", |_| Ok(()));
            assert_eq!(told.unwrap().results(wide::read), expected);
        });
    }
}

fn a_servant_that_panics_costs_its_caller_unknown_and_nobody_else_anything(mode: Mode) {
    let server = mode.server();
    let echo = server.client();
    let exception = echo.misbehave(Misbehaviour::Panics).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::Unknown);
    assert_eq!(exception.completed, CompletionStatus::Maybe);
    assert_eq!(echo.echo("still here").unwrap(), "still here");
    server.client().ping().unwrap();
}

fn oneways_arrive_before_the_next_call(mode: Mode) {
    let server = mode.server();
    let echo = server.client();
    for _ in 0..100 {
        echo.note("n").unwrap();
    }
    assert_eq!(echo.notes().unwrap(), 100);
}

fn malformed_arguments_and_unknown_operations_are_refused_by_name(mode: Mode) {
    let server = mode.server();
    let object = server.client().into_object();
    let refused = object.invoke("fly", |_| Ok(())).unwrap_err();
    assert_eq!(
        refused,
        omg(SystemExceptionKind::BadOperation, 2, CompletionStatus::No)
    );
    let refused = object.invoke("echo", |_| Ok(())).unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::Marshal);
    assert_eq!(
        refused.to_string(),
        format!(
            "MARSHAL: the data ends before its last value does (Taut minor 2), COMPLETED_NO; \
             calling echo on IDL:test/Echo:1.0; raised by {}",
            server.address()
        )
    );
    let refused = object
        .invoke("misbehave", |out| 9_u32.encode(out))
        .unwrap_err();
    assert_eq!(refused.completed, CompletionStatus::No);
}

fn a_user_exception_that_the_operation_does_not_list_is_unknown(mode: Mode) {
    let server = mode.server();
    let object = server.client().into_object();
    let reply = object.invoke("echo", |out| "refuse".encode(out)).unwrap();
    assert_eq!(
        reply.results(|_| Ok(())).unwrap_err(),
        omg(SystemExceptionKind::Unknown, 1, CompletionStatus::Yes)
    );
}

fn every_object_answers_for_itself(mode: Mode) {
    let server = mode.server();
    let object = server.client().into_object();
    assert!(object.is_a("IDL:test/Echo:1.0").unwrap());
    assert!(object.is_a("IDL:omg.org/CORBA/Object:1.0").unwrap());
    assert!(!object.is_a("IDL:test/Other:1.0").unwrap());
    assert!(!object.non_existent().unwrap());
    assert_eq!(object.repository_id().unwrap(), "IDL:test/Echo:1.0");
    assert_eq!(object.component().unwrap(), None);
    assert_eq!(
        object.invoke("_interface", |_| Ok(())).unwrap_err(),
        omg(SystemExceptionKind::IntfRepos, 1, CompletionStatus::No)
    );
    assert!(object.narrow::<EchoRef>().is_ok());

    #[derive(Debug, Clone)]
    struct OtherRef(taut::ObjectRef);
    taut::codegen::reference! { OtherRef: "IDL:test/Other:1.0", bases: [] }
    let error = object.narrow::<OtherRef>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the object is not a IDL:test/Other:1.0; its reference says IDL:test/Echo:1.0"
    );
    assert!(matches!(error, NarrowError::WrongInterface { .. }));
}

fn references_travel_and_nil_is_none(mode: Mode) {
    let server = mode.server();
    let echo = server.client();
    let same = echo.myself().unwrap().unwrap();
    assert_eq!(same, echo);
    same.ping().unwrap();
    *server.servant.myself.lock() = None;
    assert_eq!(echo.myself().unwrap(), None);
}

fn not_exist(minor: u32) -> SystemException {
    let kind = SystemExceptionKind::ObjectNotExist;
    SystemException::new(kind, minor, CompletionStatus::No)
}

fn a_stale_key_is_told_from_a_live_one_in_the_same_slot(mode: Mode) {
    let server = mode.server();
    let old = server.client();
    let id = server.poa.reference_to_id(server.echo.as_object()).unwrap();
    server.poa.deactivate_object(&id).unwrap();
    assert_eq!(
        server.poa.deactivate_object(&id),
        Err(PoaError::ObjectNotActive)
    );
    let gone = not_exist(minor::OBJECT_NOT_ACTIVE);
    assert_eq!(old.ping(), Err(gone.clone()));
    assert!(old.as_object().non_existent().unwrap());
    assert_eq!(old.as_object().locate().unwrap(), Located::Unknown);

    // The new object gets the slot of the old one.
    let new = server
        .poa
        .activate(EchoSkeleton(Arc::clone(&server.servant)))
        .unwrap();
    mode.client(&new.as_object().to_string()).ping().unwrap();
    assert_eq!(old.ping(), Err(gone));
}

fn a_key_of_another_incarnation_or_a_forged_one_finds_nothing(mode: Mode) {
    let server = mode.server();
    let mut ior = server.echo.as_object().ior().clone();
    let data = &mut ior.profiles[0].data;
    let key = data
        .windows(4)
        .position(|octets| octets == b"\0Ta\x01")
        .unwrap();
    let no_poa = omg(SystemExceptionKind::ObjectNotExist, 2, CompletionStatus::No);
    for (octet, gone) in [
        (0, not_exist(minor::UNKNOWN_KEY)),
        (1, not_exist(minor::UNKNOWN_KEY)),
        (3, not_exist(minor::UNKNOWN_KEY)),
        (4, not_exist(minor::EARLIER_LIFE)),
        (12, not_exist(minor::EARLIER_LIFE)),
        (19, not_exist(minor::EARLIER_LIFE)),
        (20, no_poa.clone()),
        (24, no_poa),
        (28, not_exist(minor::OBJECT_NOT_ACTIVE)),
        (32, not_exist(minor::OBJECT_NOT_ACTIVE)),
        (35, not_exist(minor::OBJECT_NOT_ACTIVE)),
    ] {
        let mut forged = server.echo.as_object().ior().clone();
        forged.profiles[0].data[key + octet] ^= 0x40;
        let echo = mode.client(&forged.to_string());
        assert_eq!(echo.ping(), Err(gone), "octet {octet} of the key");
    }
}

fn the_poa_keeps_servants_and_objects_together(mode: Mode) {
    let server = mode.server();
    let skeleton = || EchoSkeleton(Arc::clone(&server.servant));
    let poa = &server.poa;
    assert_eq!(
        poa.activate(skeleton()),
        Err(PoaError::ServantAlreadyActive)
    );
    assert_eq!(poa.servant_to_reference(skeleton()).unwrap(), server.echo);
    let id = poa.servant_to_id(skeleton()).unwrap();
    assert_eq!(poa.reference_to_id(server.echo.as_object()), Ok(id.clone()));
    assert_eq!(poa.id_to_reference(&id).unwrap(), *server.echo.as_object());
    let servant = poa.id_to_servant(&id).unwrap();
    assert_eq!(
        servant.identity(),
        taut::ServantIdentity::of(&server.servant)
    );
    assert_eq!(
        poa.reference_to_servant(server.echo.as_object())
            .unwrap()
            .identity(),
        servant.identity()
    );

    // Asking for the reference of an inactive servant activates it.
    poa.deactivate_object(&id).unwrap();
    assert_eq!(
        poa.id_to_servant(&id).err(),
        Some(PoaError::ObjectNotActive)
    );
    let again = poa.servant_to_reference(skeleton()).unwrap();
    assert_ne!(again, server.echo);
    mode.client(&again.as_object().to_string()).ping().unwrap();

    let elsewhere = mode.server();
    assert_eq!(
        poa.reference_to_id(elsewhere.echo.as_object()),
        Err(PoaError::WrongAdapter)
    );
    assert_eq!(
        poa.deactivate_object(&taut::ObjectId::new(*b"no such id")),
        Err(PoaError::ObjectNotActive)
    );
}

fn a_servant_is_dropped_when_its_last_request_ends(mode: Mode) {
    let server = mode.server();
    let echo = server.client();
    let id = server.poa.reference_to_id(server.echo.as_object()).unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.misbehave(Misbehaviour::Blocks));
        server.entered.recv().unwrap();
        let held = Arc::strong_count(&server.servant);
        server.poa.deactivate_object(&id).unwrap();
        assert_eq!(Arc::strong_count(&server.servant), held);
        server.release.send(()).unwrap();
        call.join().unwrap().unwrap();
    });
    common::eventually("dropping the skeleton", || {
        Arc::strong_count(&server.servant) == 1
    });
}

fn many_threads_call_through_one_reference(mode: Mode) {
    let server = mode.server();
    let echo = server.client();
    thread::scope(|scope| {
        for thread in 0..16 {
            let echo = &echo;
            scope.spawn(move || {
                for call in 0..200 {
                    let text = format!("{thread}/{call}");
                    assert_eq!(echo.echo(&text).unwrap(), text);
                }
            });
        }
    });
}

#[cfg(feature = "full")]
fn a_holding_manager_makes_requests_wait_and_a_discarding_one_refuses_them(mode: Mode) {
    let server = mode.server();
    let echo = server.client();
    let manager = server.poa.manager();
    manager.hold_requests(false).unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.echo("patient"));
        thread::sleep(std::time::Duration::from_millis(50));
        assert!(!call.is_finished());
        manager.activate().unwrap();
        assert_eq!(call.join().unwrap().unwrap(), "patient");
    });
    manager.discard_requests(false).unwrap();
    let discarded = omg(SystemExceptionKind::Transient, 1, CompletionStatus::No);
    assert_eq!(echo.ping(), Err(discarded));
    manager.deactivate(false, false).unwrap();
    let inactive = omg(SystemExceptionKind::ObjectNotExist, 4, CompletionStatus::No);
    assert_eq!(echo.ping(), Err(inactive));
    assert_eq!(
        manager.activate(),
        Err(taut::PoaManagerError::AdapterInactive)
    );
}

fn messages_arrive_whole_whatever_their_size_and_that_of_fragments(mode: Mode) {
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        let settings = |settings: &mut Settings| {
            settings.wire.giop_version = version;
            settings.wire.fragment_size = 100;
        };
        let server = mode.server_with(settings);
        let echo = mode.client_with(&server.ior(), settings);
        for length in [0, 1, 30, 100, 1_000, 20_000] {
            let text = "x".repeat(length);
            assert_eq!(echo.echo(&text).unwrap(), text, "{version}");
            echo.note(&text).unwrap();
        }
        assert_eq!(echo.notes().unwrap(), 6);
    }
}

fn requests_and_replies_go_in_fragments_where_that_is_set(mode: Mode) {
    const SIZE: usize = 100;
    let adjust = |settings: &mut Settings| settings.wire.fragment_size = SIZE;
    let text = "x".repeat(1_000);
    let check = |pieces: Vec<Message>| {
        assert!(pieces.len() > text.len() / SIZE, "{} pieces", pieces.len());
        assert!(pieces.iter().all(|piece| piece.octets.len() <= SIZE));
    };
    let server = mode.server_with(adjust);
    let mut raw = RawClient::connect(&server.orb);
    let request = Request::new(1, "echo");
    raw.send(&request.to(server.echo.as_object(), |out| text.encode(out).unwrap()));
    check(raw::read_pieces(&mut raw.stream));

    let listener = mode.listening();
    let echo = mode.client_with(&listener.url(), adjust);
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.echo(&text));
        let mut stream = listener.accept();
        check(raw::read_pieces(&mut stream));
        drop(stream);
        call.join().unwrap().unwrap_err();
    });
}
