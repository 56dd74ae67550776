//! omniORB's naming service, by Taut's CosNaming stubs and by object URLs.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::process::Command;
use std::time::Duration;

use taut::{ObjectRef, Orb, Reference, SystemExceptionKind, UrlError};
use taut_interop::param_test::{ParamTest, ParamTestRef, serve};
use taut_interop::{OmniNames, Process};
use taut_naming::naming_context::{
    BindContextError, BindError, BindNewContextError, DestroyError, NotFound, NotFoundReason,
    RebindError, ResolveError, UnbindError,
};
use taut_naming::naming_context_ext::ToNameError;
use taut_naming::{
    BindingIterator, BindingType, NameComponent, NamingContext, NamingContextExt,
    NamingContextExtRef, NamingContextRef,
};

const TIME_OUT: Duration = Duration::from_secs(20);

/// The names of one test: an omniNames, an ORB that knows it, and an object.
struct Names {
    service: OmniNames,
    orb: Orb,
    root: NamingContextExtRef,
    object: ObjectRef,
}

impl Names {
    /// None when omniNames is not installed.
    fn start() -> Option<Self> {
        let service = OmniNames::start().unwrap()?;
        let mut arguments = vec![
            "-ORBInitRef".to_owned(),
            format!("NameService={}", service.corbaloc()),
            "-ORBListenEndpoints".to_owned(),
            "iiop://127.0.0.1:0".to_owned(),
        ];
        let orb = Orb::init(&mut arguments).unwrap();
        let root = orb.resolve_initial_references("NameService").unwrap();
        let root = root.narrow().unwrap();
        let object = serve(&orb).unwrap().into_object();
        Some(Self {
            service,
            orb,
            root,
            object,
        })
    }

    /// The object at a URL is the one of this test, and answers.
    fn assert_leads_to_object(&self, url: &str) {
        let found = self.orb.string_to_object(url).unwrap();
        assert_eq!(found, self.object, "{url}");
        let found: ParamTestRef = found.narrow().unwrap();
        assert_eq!(found.test_long(0, &mut 1).unwrap(), (0, 1), "{url}");
    }
}

/// A name of ids and kinds, `id` or `id.kind`, divided by `/`.
fn name(text: &str) -> Vec<NameComponent> {
    let component = |text: &str| {
        let (id, kind) = text.split_once('.').unwrap_or((text, ""));
        NameComponent {
            id: id.to_owned(),
            kind: kind.to_owned(),
        }
    };
    text.split('/').map(component).collect()
}

fn not_found(why: NotFoundReason, rest: &str) -> NotFound {
    NotFound {
        why,
        rest_of_name: name(rest),
    }
}

#[test]
fn objects_are_bound_resolved_rebound_and_unbound() {
    let Some(names) = Names::start() else { return };
    let root = &names.root;
    let other = serve(&names.orb).unwrap().into_object();

    root.bind(&name("one.kind"), Some(&names.object)).unwrap();
    let resolved = root.resolve(&name("one.kind")).unwrap().unwrap();
    assert_eq!(resolved, names.object);
    let resolved: ParamTestRef = resolved.narrow().unwrap();
    assert_eq!(resolved.test_short(0, &mut 1).unwrap(), (0, 1));

    root.rebind(&name("one.kind"), Some(&other)).unwrap();
    let resolved = root.resolve(&name("one.kind")).unwrap();
    assert_eq!(resolved, Some(other.clone()));
    root.rebind(&name("two"), Some(&names.object)).unwrap();

    let context = root.bind_new_context(&name("room")).unwrap().unwrap();
    context.bind(&name("three"), Some(&other)).unwrap();
    assert_eq!(root.resolve_str("room/three").unwrap(), Some(other));
    root.unbind(&name("room/three")).unwrap();
    assert!(root.resolve(&name("room/three")).is_err());
    // The kind is part of the name.
    assert!(root.unbind(&name("one")).is_err());
    root.unbind(&name("one.kind")).unwrap();
    assert!(root.resolve(&name("one.kind")).is_err());

    root.unbind(&name("room")).unwrap();
    context.destroy().unwrap();
    assert!(context.as_object().non_existent().unwrap());
    let gone = context.new_context().unwrap_err();
    assert_eq!(gone.kind, SystemExceptionKind::ObjectNotExist);
}

#[test]
fn names_are_listed_at_once_and_by_the_iterator() {
    let Some(names) = Names::start() else { return };
    let root = &names.root;
    let mut expected = vec![("room".to_owned(), BindingType::Ncontext)];
    root.bind_new_context(&name("room")).unwrap();
    for i in 0..6 {
        let id = format!("object {i}");
        root.bind(&name(&id), Some(&names.object)).unwrap();
        expected.push((id, BindingType::Nobject));
    }
    expected.sort();
    let sorted = |bindings: Vec<taut_naming::Binding>| {
        let mut list: Vec<_> = bindings
            .into_iter()
            .map(|binding| {
                let [component] = &binding.binding_name[..] else {
                    panic!("{binding:?} has not one component");
                };
                (component.id.clone(), binding.binding_type)
            })
            .collect();
        list.sort();
        list
    };

    let (all, iterator) = root.list(100).unwrap();
    assert_eq!(sorted(all), expected);
    assert_eq!(iterator, None);

    let (mut pieces, iterator) = root.list(2).unwrap();
    let iterator = iterator.unwrap();
    assert_eq!(pieces.len(), 2);
    let (more, piece) = iterator.next_n(3).unwrap();
    assert!(more && piece.len() == 3, "{piece:?}");
    pieces.extend(piece);
    for _ in 0..2 {
        let (more, binding) = iterator.next_one().unwrap();
        assert!(more);
        pieces.push(binding);
    }
    assert_eq!(sorted(pieces), expected);
    assert!(!iterator.next_one().unwrap().0);
    let (more, rest) = iterator.next_n(3).unwrap();
    assert!(!more && rest.is_empty(), "{rest:?}");
    iterator.destroy().unwrap();
    assert!(iterator.as_object().non_existent().unwrap());
}

#[test]
fn refusals_arrive_as_exceptions_with_their_members() {
    let Some(names) = Names::start() else { return };
    let root = &names.root;
    let object = Some(&names.object);
    root.bind(&name("object"), object).unwrap();
    let room = root.bind_new_context(&name("room")).unwrap().unwrap();
    room.bind(&name("inner"), object).unwrap();

    for (asked, why, rest) in [
        ("nobody", NotFoundReason::MissingNode, "nobody"),
        ("object.kind", NotFoundReason::MissingNode, "object.kind"),
        ("room/nobody/x.y", NotFoundReason::MissingNode, "nobody/x.y"),
        ("object/x", NotFoundReason::NotContext, "object/x"),
    ] {
        let expected = not_found(why, rest);
        match root.resolve(&name(asked)) {
            Err(ResolveError::NotFound(found)) => assert_eq!(found, expected, "{asked}"),
            result => panic!("{asked}: {result:?}"),
        }
        match root.unbind(&name(asked)) {
            Err(UnbindError::NotFound(found)) => assert_eq!(found, expected, "{asked}"),
            result => panic!("{asked}: {result:?}"),
        }
    }
    let bound = root.bind(&name("nowhere/x"), object);
    let nowhere = not_found(NotFoundReason::MissingNode, "nowhere/x");
    let refused = matches!(&bound, Err(BindError::NotFound(found)) if *found == nowhere);
    assert!(refused, "{bound:?}");
    let rebound = root.rebind(&name("object/x"), object);
    let no_context = not_found(NotFoundReason::NotContext, "object/x");
    let refused = matches!(&rebound, Err(RebindError::NotFound(found)) if *found == no_context);
    assert!(refused, "{rebound:?}");

    let bound = root.bind(&name("object"), object);
    assert!(
        matches!(bound, Err(BindError::AlreadyBound(_))),
        "{bound:?}"
    );
    let bound = root.bind_new_context(&name("room"));
    let already = matches!(bound, Err(BindNewContextError::AlreadyBound(_)));
    assert!(already, "{bound:?}");
    let plain: NamingContextRef = room.as_object().unchecked_narrow();
    let bound = root.bind_context(&name("object"), Some(&plain));
    let already = matches!(bound, Err(BindContextError::AlreadyBound(_)));
    assert!(already, "{bound:?}");

    let resolved = root.resolve(&[]);
    assert!(
        matches!(resolved, Err(ResolveError::InvalidName(_))),
        "{resolved:?}"
    );
    let bound = root.bind(&[], object);
    assert!(matches!(bound, Err(BindError::InvalidName(_))), "{bound:?}");

    let destroyed = room.destroy();
    assert!(
        matches!(destroyed, Err(DestroyError::NotEmpty(_))),
        "{destroyed:?}"
    );
    room.unbind(&name("inner")).unwrap();
    room.destroy().unwrap();
}

#[test]
fn names_become_text_and_text_becomes_names() {
    let Some(names) = Names::start() else { return };
    let root = &names.root;
    let awkward = [NameComponent {
        id: "a.b/c".to_owned(),
        kind: "k\\".to_owned(),
    }];
    let text = root.to_string(&awkward).unwrap();
    assert_eq!(text, r"a\.b\/c.k\\");
    assert_eq!(root.to_name(&text).unwrap(), awkward);
    let invalid = root.to_name("//");
    assert!(matches!(invalid, Err(ToNameError::InvalidName(_))));
}

#[test]
fn corbaname_urls_lead_through_contexts_and_escapes() {
    let Some(names) = Names::start() else { return };
    let root = &names.root;
    let room = root.bind_new_context(&name("floor.4")).unwrap().unwrap();
    room.bind(&name("printer"), Some(&names.object)).unwrap();
    let awkward = [NameComponent {
        id: "a/b.c\\d %\u{e9}".to_owned(),
        kind: "k#".to_owned(),
    }];
    room.bind(&awkward, Some(&names.object)).unwrap();
    let address = format!("iiop:1.2@127.0.0.1:{}", names.service.port());

    for tail in [
        "#floor.4/printer",
        "/NameService#floor.4/printer",
        "#floor.4/%70rinter",
        "#floor.4/a%5c/b%5c.c%5c%5cd%20%25%c3%a9.k%23",
    ] {
        names.assert_leads_to_object(&format!("corbaname:{address}{tail}"));
    }
    names.assert_leads_to_object("corbaname:rir:#floor.4/printer");
    names.assert_leads_to_object("corbaname:rir:/NameService#floor.4/printer");
    // A name that the service itself puts into a URL resolves.
    let stringified = root.to_string(&name("floor.4/printer")).unwrap();
    assert_eq!(stringified, "floor.4/printer");
    let url = root.to_url(
        &format!(":127.0.0.1:{}", names.service.port()),
        &stringified,
    );
    names.assert_leads_to_object(&url.unwrap());

    let context = names.orb.string_to_object(&format!("corbaname:{address}"));
    let context: NamingContextRef = context.unwrap().narrow().unwrap();
    assert!(context.resolve(&name("floor.4/printer")).is_ok());

    match names.orb.string_to_object("corbaname:rir:#floor.4/nobody") {
        Err(UrlError::NotFound { name }) => assert_eq!(name, "floor.4/nobody"),
        result => panic!("{result:?}"),
    }
}

#[test]
fn what_taut_binds_is_found_by_nameclt_and_the_other_way_round() {
    let Some(names) = Names::start() else { return };
    let Some(nameclt) = test_tools::tool("nameclt") else {
        return;
    };
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&nameclt);
        let root = format!("NameService={}", names.service.corbaloc());
        command.args(["-ORBInitRef", &root]).args(arguments);
        let (lines, status) = Process::start(&mut command)
            .unwrap()
            .finish(TIME_OUT)
            .unwrap();
        assert!(status.success(), "{arguments:?}: {lines:?}");
        lines
    };
    names.root.bind_new_context(&name("room")).unwrap();
    let bound = names
        .root
        .bind(&name("room/taut.object"), Some(&names.object));
    bound.unwrap();
    assert_eq!(run(&["list", "room"]), ["taut.object"]);
    let found = run(&["resolve", "room/taut.object"]);
    let found = names.orb.string_to_object(&found[0]).unwrap();
    assert_eq!(found, names.object);

    run(&["bind", "by_nameclt", &names.object.to_string()]);
    let found = names.root.resolve(&name("by_nameclt")).unwrap();
    assert_eq!(found, Some(names.object.clone()));
}
