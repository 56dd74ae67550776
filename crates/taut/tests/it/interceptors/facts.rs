//! The facts about a request that interceptors may ask for, and where.

#[allow(
    missing_docs,
    dead_code,
    reason = "it stands in no file of its own that would say so, and each test uses a part"
)]
mod generated {
    include!("../../../../taut-build/tests/data/signatures.rs");
}

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use taut::interceptors::{
    ClientPoint, ClientRequestInfo, ClientRequestInterceptor, Interruption, Parameter,
    ParameterMode, ServerPoint, ServerRequestInfo, ServerRequestInterceptor, Signatures as _,
};
use taut::{
    Any, CollocationStrategy, Context, ObjectRef, Orb, Reference, SyncScope, SystemException,
    SystemExceptionKind, TypeCode, Typed, minor,
};

use generated::office::desk::ShiftError;
use generated::office::{Base, Desk, DeskRef, DeskSkeleton, Few, Point, Refused, Tint};

struct Drawer;

impl Base for Drawer {
    fn name(&self) -> taut::Result<String> {
        Ok("drawer".to_owned())
    }
}

impl Desk for Drawer {
    fn colour(&self) -> taut::Result<Tint> {
        Ok(Tint::Green)
    }

    fn set_colour(&self, _: Tint) -> taut::Result<()> {
        Ok(())
    }

    fn shift(&self, by: &Point, count: &mut i32) -> Result<(Few, String), ShiftError> {
        if *count < 0 {
            return Err(Refused {
                why: "below nothing".to_owned(),
            }
            .into());
        }
        *count += 1;
        Ok((vec![*by; 2], "left".to_owned()))
    }

    fn plain(&self) -> taut::Result<()> {
        Ok(())
    }

    fn every(
        &self,
        one: &Any,
        _: Option<&ObjectRef>,
        _: Option<&DeskRef>,
        _: &Context,
    ) -> taut::Result<Any> {
        Ok(one.clone())
    }

    fn tell(&self, _: &str, _: u8) -> taut::Result<()> {
        Ok(())
    }
}

/// The facts that were found at the points, by their names.
type Found = Arc<Mutex<BTreeMap<String, Vec<String>>>>;

/// Runs code of the test at each point.
struct Asking<C, S>(C, S);

impl<C, S> ClientRequestInterceptor for Asking<C, S>
where
    C: Fn(&mut ClientRequestInfo<'_>) + Send + Sync,
    S: Send + Sync,
{
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.0(info);
        Ok(())
    }

    fn receive_reply(&self, info: &mut ClientRequestInfo<'_>) -> taut::Result<()> {
        self.0(info);
        Ok(())
    }

    fn receive_exception(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.0(info);
        Ok(())
    }

    fn receive_other(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.0(info);
        Ok(())
    }
}

impl<C, S> ServerRequestInterceptor for Asking<C, S>
where
    C: Send + Sync,
    S: Fn(&mut ServerRequestInfo<'_>) + Send + Sync,
{
    fn receive_request_service_contexts(
        &self,
        info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), Interruption> {
        self.1(info);
        Ok(())
    }

    fn receive_request(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        self.1(info);
        Ok(())
    }

    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> taut::Result<()> {
        self.1(info);
        Ok(())
    }

    fn send_exception(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        self.1(info);
        Ok(())
    }

    fn send_other(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        self.1(info);
        Ok(())
    }
}

/// An ORB that is client and server of a desk, and the desk, also under a key that forwards.
struct House {
    orb: Orb,
    desk: DeskRef,
    moved: DeskRef,
}

fn house<C, S>(collocation: CollocationStrategy, knows_types: bool, client: C, server: S) -> House
where
    C: Fn(&mut ClientRequestInfo<'_>) + Send + Sync + 'static,
    S: Fn(&mut ServerRequestInfo<'_>) + Send + Sync + 'static,
{
    let builder = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .settings(|settings| {
            settings.client.collocation = collocation;
            settings.server.id = "of the desk".to_owned();
        })
        .client_interceptor(Asking(client, ()))
        .server_interceptor(Asking((), server));
    let builder = match knows_types {
        true => builder.signatures_of::<DeskRef>(),
        false => builder,
    };
    let orb = builder.build().unwrap();
    let root = orb.root_poa().unwrap();
    root.manager().activate().unwrap();
    let poa = root.create_poa("inner", Some(root.manager()), &[]).unwrap();
    let id = poa.activate_object(DeskSkeleton::new(Drawer)).unwrap();
    let desk: DeskRef = poa.id_to_reference(&id).unwrap().unchecked_narrow();
    orb.bind_object_key("Desk", desk.as_object());
    let moved = orb
        .string_to_object(&orb.corbaloc("Desk").unwrap())
        .unwrap();
    let moved = moved.unchecked_narrow();
    House { orb, desk, moved }
}

/// Calls that come to every point.
fn call_all(house: &House) {
    let mut count = 1;
    house.moved.shift(&Point::default(), &mut count).unwrap();
    count = -1;
    house.desk.shift(&Point::default(), &mut count).unwrap_err();
}

/// Notes whether something is to be had: it is not, if the exception says that it is out of
/// order.
fn note<T>(all: &mut Vec<(&'static str, bool)>, name: &'static str, outcome: taut::Result<T>) {
    let refused = SystemException::omg(
        SystemExceptionKind::BadInvOrder,
        14,
        taut::CompletionStatus::No,
    );
    let is_refused =
        |error: &SystemException| (error.kind, error.minor) == (refused.kind, refused.minor);
    all.push((name, !outcome.is_err_and(|error| is_refused(&error))));
}

/// The table of a page with this heading: rows of words.
fn table(heading: &str) -> Vec<Vec<String>> {
    let page = include_str!("../../../../../docs/interceptors.md");
    let part = page.split(heading).nth(1).unwrap();
    let rows = part
        .lines()
        .map(str::trim)
        .skip_while(|line| !line.starts_with('|'));
    let rows = rows.take_while(|line| line.starts_with('|'));
    let words = |line: &str| {
        let cells = line.trim_matches('|').split('|');
        cells
            .map(|cell| cell.trim().trim_matches('`').to_owned())
            .collect()
    };
    rows.map(words).collect()
}

/// Compares what was found at the points with a table of the page, in whose head they are.
fn compare(heading: &str, found: &BTreeMap<String, Vec<(&'static str, bool)>>) {
    let table = table(heading);
    let mut compared = 0;
    for row in &table[2..] {
        for (point, cell) in table[0].iter().zip(row).skip(1) {
            let Some(all) = found.get(point) else {
                continue;
            };
            let of_row = all
                .iter()
                .filter(|(name, _)| row[0].split("`, `").any(|one| one == *name));
            for (name, is_there) in of_row {
                assert_eq!(*is_there, cell != "-", "{name} at {point}");
                compared += 1;
            }
        }
    }
    let all: usize = found.values().map(Vec::len).sum();
    assert_eq!(compared, all, "something is not in the table");
}

#[test]
fn what_is_to_be_had_is_what_the_table_of_the_page_says() {
    type All = BTreeMap<String, Vec<(&'static str, bool)>>;
    let (client, server) = (Arc::<Mutex<All>>::default(), Arc::<Mutex<All>>::default());
    let (of_client, of_server) = (Arc::clone(&client), Arc::clone(&server));
    let house = house(
        CollocationStrategy::Off,
        true,
        move |info| {
            let mut all = Vec::new();
            note(&mut all, "request_id", Ok(info.request_id()));
            note(&mut all, "operation", Ok(info.operation().to_owned()));
            note(&mut all, "arguments", info.arguments());
            note(&mut all, "exceptions", info.exceptions());
            note(&mut all, "contexts", info.contexts());
            note(&mut all, "result", info.result());
            note(&mut all, "response_expected", Ok(info.response_expected()));
            note(&mut all, "sync_scope", Ok(info.sync_scope()));
            note(&mut all, "reply_status", info.reply_status());
            note(&mut all, "forward_reference", info.forward_reference());
            note(
                &mut all,
                "get_request_service_context",
                info.get_request_service_context(5),
            );
            note(
                &mut all,
                "get_reply_service_context",
                info.get_reply_service_context(5),
            );
            let context = taut::ServiceContext {
                id: 0x4d59_0001,
                data: Vec::new(),
            };
            note(
                &mut all,
                "add_request_service_context",
                info.add_request_service_context(context, true),
            );
            note(&mut all, "target", Ok(info.target()));
            note(&mut all, "effective_target", Ok(info.effective_target()));
            note(&mut all, "effective_profile", info.effective_profile());
            note(
                &mut all,
                "get_effective_component",
                info.get_effective_component(1),
            );
            note(
                &mut all,
                "get_effective_components",
                info.get_effective_components(1),
            );
            note(&mut all, "received_exception", info.received_exception());
            note(
                &mut all,
                "received_exception_id",
                info.received_exception_id(),
            );
            note(
                &mut all,
                "received_system_exception",
                info.received_system_exception(),
            );
            let point = match info.point() {
                ClientPoint::SendRequest => "send_request",
                ClientPoint::ReceiveReply => "receive_reply",
                ClientPoint::ReceiveException => "receive_exception",
                ClientPoint::ReceiveOther => "receive_other",
                other => panic!("{other:?}"),
            };
            of_client.lock().insert(point.to_owned(), all);
        },
        move |info| {
            let mut all = Vec::new();
            note(&mut all, "request_id", Ok(info.request_id()));
            note(&mut all, "operation", Ok(info.operation().to_owned()));
            note(&mut all, "arguments", info.arguments());
            note(&mut all, "exceptions", info.exceptions());
            note(&mut all, "contexts", info.contexts());
            note(&mut all, "result", info.result());
            note(&mut all, "response_expected", Ok(info.response_expected()));
            note(&mut all, "sync_scope", Ok(info.sync_scope()));
            note(&mut all, "reply_status", info.reply_status());
            note(&mut all, "forward_reference", info.forward_reference());
            note(
                &mut all,
                "get_request_service_context",
                Ok(info.get_request_service_context(5)),
            );
            note(
                &mut all,
                "get_reply_service_context",
                info.get_reply_service_context(5),
            );
            let context = taut::ServiceContext {
                id: 0x4d59_0001,
                data: Vec::new(),
            };
            note(
                &mut all,
                "add_reply_service_context",
                info.add_reply_service_context(context, true),
            );
            note(&mut all, "sending_exception", info.sending_exception());
            note(
                &mut all,
                "sending_exception_id",
                info.sending_exception_id(),
            );
            note(
                &mut all,
                "sending_system_exception",
                info.sending_system_exception(),
            );
            note(&mut all, "object_id", info.object_id());
            note(&mut all, "adapter_id", info.adapter_id());
            note(&mut all, "adapter_name", info.adapter_name());
            note(&mut all, "server_id", Ok(info.server_id().to_owned()));
            note(&mut all, "orb_id", Ok(info.orb_id().to_owned()));
            note(
                &mut all,
                "target_most_derived_interface",
                info.target_most_derived_interface(),
            );
            note(
                &mut all,
                "target_is_a",
                info.target_is_a("IDL:example.org/office/Base:1.0"),
            );
            note(&mut all, "get_server_policy", info.get_server_policy(17));
            let point = match info.point() {
                ServerPoint::ReceiveRequestServiceContexts => "receive_request_service_contexts",
                ServerPoint::ReceiveRequest => "receive_request",
                ServerPoint::SendReply => "send_reply",
                ServerPoint::SendException => "send_exception",
                ServerPoint::SendOther => "send_other",
            };
            of_server.lock().insert(point.to_owned(), all);
        },
    );
    call_all(&house);
    assert_eq!(client.lock().len(), 4);
    assert_eq!(server.lock().len(), 5);
    compare("### On a client", &client.lock());
    compare("### On a server", &server.lock());
    house.orb.shutdown(true).unwrap();
}

fn shown(value: &Any) -> String {
    format!("{value:?}")
}

fn text(parameters: &[Parameter]) -> String {
    let one =
        |parameter: &Parameter| format!("{:?} {}", parameter.mode, shown(&parameter.argument));
    parameters.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn arguments_results_and_exceptions_are_values_of_their_types() {
    for collocation in [CollocationStrategy::Off, CollocationStrategy::ThroughPoa] {
        values(collocation);
    }
}

fn values(collocation: CollocationStrategy) {
    let found = Found::default();
    let (of_client, of_server) = (Arc::clone(&found), Arc::clone(&found));
    let house = house(
        collocation,
        true,
        move |info| {
            let mut all = vec![];
            all.extend(info.arguments().map(|all| text(&all)));
            all.extend(info.result().map(|result| shown(&result)));
            if let Ok(exception) = info.received_exception() {
                all.push(shown(&exception));
                assert_eq!(
                    info.received_exception_id().unwrap(),
                    exception.type_code().id().unwrap()
                );
            }
            of_client.lock().insert(format!("{:?}", info.point()), all);
        },
        move |info| {
            let mut all = vec![];
            all.extend(info.arguments().map(|all| text(&all)));
            all.extend(info.result().map(|result| shown(&result)));
            if let Ok(exception) = info.sending_exception() {
                all.push(shown(&exception));
                assert_eq!(
                    info.sending_exception_id().unwrap(),
                    exception.type_code().id().unwrap()
                );
            }
            of_server.lock().insert(format!("{:?}", info.point()), all);
        },
    );
    let take = || std::mem::take(&mut *found.lock());
    let mut count = 1;
    house
        .desk
        .shift(&Point { x: 1.0, y: 2.5 }, &mut count)
        .unwrap();
    let all = take();
    let point = shown(&Any::new(&Point { x: 1.0, y: 2.5 }).unwrap());
    let null = shown(&Any::null());
    let sent = format!(
        "In {point}, InOut {}, Out {null}",
        shown(&Any::new(&1_i32).unwrap())
    );
    assert_eq!(all["SendRequest"], std::slice::from_ref(&sent));
    assert_eq!(all["ReceiveRequest"], [sent]);
    let left = shown(&Any::with_type(TypeCode::string(5), "left").unwrap());
    let received = format!(
        "In {point}, InOut {}, Out {left}",
        shown(&Any::new(&2_i32).unwrap())
    );
    for place in ["ReceiveReply", "SendReply"] {
        assert_eq!(all[place][0], received, "{place}");
        assert_eq!(all[place].len(), 2);
        assert!(all[place][1].contains("2.5"), "{}", all[place][1]);
    }
    house.desk.plain().unwrap();
    let all = take();
    assert_eq!(all["SendReply"][0], "");
    assert!(all["SendReply"][1].contains("void"), "{all:?}");
    let mut count = -1;
    house.desk.shift(&Point::default(), &mut count).unwrap_err();
    let all = take();
    let refused = Refused {
        why: "below nothing".to_owned(),
    };
    let refused = shown(&Any::new(&refused).unwrap());
    for place in ["ReceiveException", "SendException"] {
        assert_eq!(all[place], std::slice::from_ref(&refused), "{place}");
    }
    let unknown = house
        .desk
        .as_object()
        .invoke("fly", |_| Ok(()))
        .unwrap_err();
    assert_eq!(unknown.kind, SystemExceptionKind::BadOperation);
    let all = take();
    assert!(
        all["ReceiveException"][0].contains("BAD_OPERATION"),
        "{all:?}"
    );
    assert_eq!(all["ReceiveException"], all["SendException"]);
    house.orb.shutdown(true).unwrap();
}

#[test]
fn an_orb_that_knows_no_types_says_so() {
    let found = Found::default();
    let noted = Arc::clone(&found);
    let unavailable = |outcome: taut::Result<()>| {
        let exception = outcome.unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::NoResources);
        assert_eq!(exception.minor, minor::omg(1));
    };
    let house = house(
        CollocationStrategy::Off,
        false,
        move |info| {
            match info.point() {
                ClientPoint::SendRequest => unavailable(info.arguments().map(drop)),
                ClientPoint::ReceiveReply => unavailable(info.result().map(drop)),
                ClientPoint::ReceiveException => {
                    let exception = info.received_exception().unwrap();
                    noted
                        .lock()
                        .insert("exception".to_owned(), vec![shown(&exception)]);
                    assert_eq!(
                        info.received_exception_id().unwrap(),
                        "IDL:example.org/office/Refused:1.0"
                    );
                }
                _ => {}
            }
            unavailable(info.exceptions().map(drop));
        },
        |_| (),
    );
    call_all(&house);
    let exception = &found.lock()["exception"][0];
    assert!(
        exception.contains("UNKNOWN") && exception.contains('3'),
        "{exception}"
    );
    house.orb.shutdown(true).unwrap();
}

#[test]
fn requests_tell_their_objects_and_what_is_waited_for() {
    let found = Found::default();
    let (of_client, of_server) = (Arc::clone(&found), Arc::clone(&found));
    let house = house(
        CollocationStrategy::Off,
        false,
        move |info| {
            let facts = format!(
                "{:?} {} {:?} {}",
                info.point(),
                info.response_expected(),
                info.sync_scope(),
                info.target() == info.effective_target()
            );
            of_client
                .lock()
                .entry("client".to_owned())
                .or_default()
                .push(facts);
        },
        move |info| {
            if info.point() != ServerPoint::ReceiveRequest {
                return;
            }
            let facts = format!(
                "{} {:?} {:?} {} {} {} {:?} {}",
                info.response_expected(),
                info.sync_scope(),
                info.adapter_name().unwrap(),
                info.server_id(),
                info.target_most_derived_interface().unwrap(),
                info.target_is_a("IDL:example.org/office/Base:1.0").unwrap(),
                info.get_server_policy(17).unwrap(),
                info.object_id().unwrap().is_empty() || info.adapter_id().unwrap().is_empty(),
            );
            of_server
                .lock()
                .entry("server".to_owned())
                .or_default()
                .push(facts);
        },
    );
    let object =
        "[\"RootPOA\", \"inner\"] of the desk IDL:example.org/office/Desk:1.0 true Some(0) false";
    house.moved.plain().unwrap();
    let all = std::mem::take(&mut *found.lock());
    assert_eq!(
        all["client"],
        [
            "SendRequest true WithTarget true",
            "ReceiveOther true WithTarget true",
            "SendRequest true WithTarget false",
            "ReceiveReply true WithTarget false",
        ]
    );
    assert_eq!(all["server"], [format!("true WithTarget {object}")]);
    for (scope, expects, seen) in [
        (SyncScope::WithTransport, false, "false WithTransport"),
        (SyncScope::WithServer, true, "false WithServer"),
        (SyncScope::WithTarget, true, "true WithTarget"),
    ] {
        house.desk.with_sync_scope(scope).tell("w", 1).unwrap();
        crate::common::eventually("the servant is called", || {
            found.lock().contains_key("server")
        });
        let all = std::mem::take(&mut *found.lock());
        assert_eq!(
            all["client"][0],
            format!("SendRequest {expects} {scope:?} true")
        );
        assert_eq!(all["server"], [format!("{seen} {object}")]);
    }
    house.orb.shutdown(true).unwrap();
}

#[test]
fn generated_references_tell_the_types_of_their_operations() {
    let all = DeskRef::signatures();
    let find = |name: &str| all.iter().find(|one| one.operation == name).unwrap();
    assert_eq!(all.len(), 7);
    let shift = find("shift");
    let modes: Vec<_> = shift.parameters.iter().map(|(mode, _)| *mode).collect();
    assert_eq!(
        modes,
        [ParameterMode::In, ParameterMode::InOut, ParameterMode::Out]
    );
    assert_eq!(shift.parameters[0].1, Point::type_code());
    assert_eq!(shift.parameters[2].1, TypeCode::string(5));
    assert_eq!(shift.exceptions, [Refused::type_code()]);
    assert_eq!(shift.result, generated::office::few_type_code());
    assert_eq!(find("every").contexts, ["USER*", "TERM"]);
    assert_eq!(find("_get_name").result, String::type_code());
    assert_eq!(
        find("_set_colour").parameters,
        [(ParameterMode::In, Tint::type_code())]
    );
    assert_eq!(find("tell").parameters[0].1, TypeCode::wstring(0));
    let _: Few = Vec::new();
}
