//! The operations of naming contexts, each in every exceptional case, and what comes of it.
//!
//! Each case begins with a fresh context that has an object `object`, a context `room` with an
//! object `inner`, a context `dead` that has been destroyed, and a context `void` of a service
//! that does not answer.

use taut::{ObjectRef, Orb, SystemException};
use taut_naming::naming_context::{
    BindContextError, BindError, BindNewContextError, CannotProceed, DestroyError, NotFound,
    NotFoundReason, RebindContextError, RebindError, ResolveError, UnbindError,
};
use taut_naming::naming_context_ext::{ResolveStrError, ToNameError, ToStringError, ToUrlError};
use taut_naming::{
    BindingIterator, NameComponent, NamingContext, NamingContextExt, NamingContextExtRef,
    NamingContextRef,
};

/// The contexts and objects of a case.
pub(super) struct Fixture {
    pub(super) root: NamingContextExtRef,
    pub(super) context: NamingContextRef,
    pub(super) object: ObjectRef,
    pub(super) dead: NamingContextRef,
}

impl Fixture {
    /// The object is one that answers, for some services ask it.
    pub(super) fn new(orb: &Orb, root: &NamingContextExtRef, object: &ObjectRef) -> Self {
        let context = root.new_context().unwrap().unwrap();
        let object = object.clone();
        let void = orb.string_to_object("corbaloc::127.0.0.1:9/NameService");
        let void: NamingContextRef = void.unwrap().unchecked_narrow();
        context.bind(&name("object"), Some(&object)).unwrap();
        let room = context.bind_new_context(&name("room")).unwrap().unwrap();
        room.bind(&name("inner"), Some(&object)).unwrap();
        let dead = context.bind_new_context(&name("dead")).unwrap().unwrap();
        dead.destroy().unwrap();
        context.bind_context(&name("void"), Some(&void)).unwrap();
        Self {
            root: root.clone(),
            context,
            object,
            dead,
        }
    }
}

/// A name of ids and kinds, `id` or `id.kind`, divided by `/`; empty for the empty name.
pub(super) fn name(text: &str) -> Vec<NameComponent> {
    let component = |text: &str| {
        let (id, kind) = text.split_once('.').unwrap_or((text, ""));
        NameComponent {
            id: id.to_owned(),
            kind: kind.to_owned(),
        }
    };
    match text {
        "" => Vec::new(),
        text => text.split('/').map(component).collect(),
    }
}

fn text(name: &[NameComponent]) -> String {
    let components = name.iter().map(|one| match one.kind.is_empty() {
        true if one.id.is_empty() => ".".to_owned(),
        true => one.id.clone(),
        false => format!("{}.{}", one.id, one.kind),
    });
    components.collect::<Vec<_>>().join("/")
}

/// The end of an operation, in words that can be compared.
pub(super) trait Described {
    fn described(&self) -> String;
}

impl Described for NotFound {
    fn described(&self) -> String {
        let why = match self.why {
            NotFoundReason::MissingNode => "missing_node",
            NotFoundReason::NotContext => "not_context",
            NotFoundReason::NotObject => "not_object",
        };
        format!("NotFound {why} {}", text(&self.rest_of_name))
    }
}

impl Described for CannotProceed {
    fn described(&self) -> String {
        format!("CannotProceed {}", text(&self.rest_of_name))
    }
}

impl Described for SystemException {
    fn described(&self) -> String {
        self.kind.to_string()
    }
}

macro_rules! described {
    ($($error:ident: $($carrying:ident)* / $($plain:ident)*;)*) => {$(
        impl Described for $error {
            fn described(&self) -> String {
                match self {
                    $(Self::$carrying(exception) => exception.described(),)*
                    $(Self::$plain(_) => stringify!($plain).to_owned(),)*
                }
            }
        }
    )*};
}

described! {
    ResolveError: NotFound CannotProceed System / InvalidName;
    ResolveStrError: NotFound CannotProceed System / InvalidName;
    BindError: NotFound CannotProceed System / InvalidName AlreadyBound;
    RebindError: NotFound CannotProceed System / InvalidName;
    BindContextError: NotFound CannotProceed System / InvalidName AlreadyBound;
    RebindContextError: NotFound CannotProceed System / InvalidName;
    BindNewContextError: NotFound CannotProceed System / InvalidName AlreadyBound;
    UnbindError: NotFound CannotProceed System / InvalidName;
    DestroyError: System / NotEmpty;
    ToStringError: System / InvalidName;
    ToNameError: System / InvalidName;
    ToUrlError: System / InvalidAddress InvalidName;
}

fn end<T, E: Described>(result: Result<T, E>, shown: impl FnOnce(T) -> String) -> String {
    match result {
        Ok(value) => shown(value),
        Err(error) => error.described(),
    }
}

fn done<T, E: Described>(result: Result<T, E>) -> String {
    end(result, |_| "done".to_owned())
}

/// The operations upon a name.
pub(super) const OF_NAMES: &[&str] = &[
    "resolve",
    "unbind",
    "bind",
    "rebind",
    "bind_context",
    "rebind_context",
    "bind_new_context",
];

/// Carries out an operation upon a name, and says how it ended.
pub(super) fn of_name(fixture: &Fixture, operation: &str, asked: &str) -> String {
    on(fixture, &fixture.context, operation, asked)
}

fn on(fixture: &Fixture, context: &NamingContextRef, operation: &str, asked: &str) -> String {
    let name = name(asked);
    let object = Some(&fixture.object);
    let other = fixture.root.as_base();
    match operation {
        "resolve" => done(context.resolve(&name)),
        "unbind" => done(context.unbind(&name)),
        "bind" => done(context.bind(&name, object)),
        "rebind" => done(context.rebind(&name, object)),
        "bind_context" => done(context.bind_context(&name, Some(&other))),
        "rebind_context" => done(context.rebind_context(&name, Some(&other))),
        "bind_new_context" => done(context.bind_new_context(&name)),
        other => panic!("no operation {other}"),
    }
}

/// A base interface of a reference, by another type.
trait AsBase {
    fn as_base(&self) -> NamingContextRef;
}

impl AsBase for NamingContextExtRef {
    fn as_base(&self) -> NamingContextRef {
        taut::Reference::as_object(self).unchecked_narrow()
    }
}

/// A case that is not an operation upon a name: what is called, and how it ends.
pub(super) type Case = (&'static str, fn(&Fixture) -> String);

/// How the entries of a list of `how_many` come: how many at once, and with an iterator or not.
fn listed(fixture: &Fixture, how_many: u32) -> String {
    end(fixture.context.list(how_many), |(bindings, iterator)| {
        let iterator = if iterator.is_some() {
            "an iterator"
        } else {
            "nil"
        };
        format!("{} and {iterator}", bindings.len())
    })
}

/// The iterator behind the first entry of four.
fn iterator(fixture: &Fixture) -> taut_naming::BindingIteratorRef {
    fixture.context.list(1).unwrap().1.unwrap()
}

fn flag<T>(more: bool, value: T, shown: impl FnOnce(T) -> String) -> String {
    format!("{more}, {}", shown(value))
}

pub(super) const OTHERS: &[Case] = &[
    ("bind nil", |f| done(f.context.bind(&name("new"), None))),
    ("rebind nil", |f| {
        done(f.context.rebind(&name("object"), None))
    }),
    ("bind_context nil", |f| {
        done(f.context.bind_context(&name("new"), None))
    }),
    ("rebind_context nil", |f| {
        done(f.context.rebind_context(&name("room"), None))
    }),
    ("resolve what is bound to nil", |f| {
        if let Err(error) = f.context.bind(&name("new"), None) {
            return error.described();
        }
        end(f.context.resolve(&name("new")), |object| {
            if object.is_some() { "an object" } else { "nil" }.to_owned()
        })
    }),
    ("new_context of a destroyed context", |f| {
        done(f.dead.new_context())
    }),
    ("list of a destroyed context", |f| done(f.dead.list(1))),
    ("destroy of a destroyed context", |f| done(f.dead.destroy())),
    ("resolve in a destroyed context", |f| {
        on(f, &f.dead, "resolve", "x")
    }),
    ("unbind in a destroyed context", |f| {
        on(f, &f.dead, "unbind", "x")
    }),
    ("bind in a destroyed context", |f| {
        on(f, &f.dead, "bind", "x")
    }),
    ("rebind in a destroyed context", |f| {
        on(f, &f.dead, "rebind", "x")
    }),
    ("bind_new_context in a destroyed context", |f| {
        on(f, &f.dead, "bind_new_context", "x")
    }),
    ("_non_existent of a destroyed context", |f| {
        end(taut::Reference::as_object(&f.dead).non_existent(), |gone| {
            gone.to_string()
        })
    }),
    ("destroy with entries", |f| done(f.context.destroy())),
    ("destroy of the root with entries", |f| {
        let bound = f.root.rebind(&name("entry"), Some(&f.object));
        bound.unwrap();
        done(f.root.destroy())
    }),
    ("list of 0", |f| listed(f, 0)),
    ("list of fewer than there are", |f| listed(f, 3)),
    ("list of as many as there are", |f| listed(f, 4)),
    ("list of more than there are", |f| listed(f, 1000)),
    ("next_n of 0", |f| done(iterator(f).next_n(0))),
    ("next_n of fewer than there are", |f| {
        end(iterator(f).next_n(2), |(more, list)| {
            flag(more, list, |list| list.len().to_string())
        })
    }),
    ("next_n of all the rest", |f| {
        end(iterator(f).next_n(3), |(more, list)| {
            flag(more, list, |list| list.len().to_string())
        })
    }),
    ("next_n at the end", |f| {
        let iterator = iterator(f);
        iterator.next_n(1000).unwrap();
        end(iterator.next_n(1), |(more, list)| {
            flag(more, list, |list| list.len().to_string())
        })
    }),
    ("next_one of the last", |f| {
        let iterator = iterator(f);
        iterator.next_n(2).unwrap();
        end(iterator.next_one(), |(more, _)| more.to_string())
    }),
    ("next_one at the end", |f| {
        let iterator = iterator(f);
        iterator.next_n(1000).unwrap();
        end(iterator.next_one(), |(more, _)| more.to_string())
    }),
    ("next_one of a destroyed iterator", |f| {
        let iterator = iterator(f);
        iterator.destroy().unwrap();
        done(iterator.next_one())
    }),
    ("to_string of no component", |f| done(f.root.to_string(&[]))),
    ("to_string of an empty component", |f| {
        end(f.root.to_string(&[NameComponent::default()]), |text| text)
    }),
    ("to_string with escapes", |f| {
        let component = NameComponent {
            id: "a.b/c".to_owned(),
            kind: "k\\".to_owned(),
        };
        end(f.root.to_string(&[component]), |text| text)
    }),
    ("to_name of nothing", |f| done(f.root.to_name(""))),
    ("to_name of .", |f| components(f, ".")),
    ("to_name of a.", |f| components(f, "a.")),
    ("to_name of .k", |f| components(f, ".k")),
    ("to_name of a.b.c", |f| components(f, "a.b.c")),
    ("to_name of /a", |f| components(f, "/a")),
    ("to_name of a/", |f| components(f, "a/")),
    ("to_name of a//b", |f| components(f, "a//b")),
    (r"to_name of a\", |f| components(f, "a\\")),
    (r"to_name of a\b", |f| components(f, "a\\b")),
    (r"to_name of a\.b\/c.k\\", |f| components(f, r"a\.b\/c.k\\")),
    ("to_url of an address alone", |f| url(f, ":h", "")),
    ("to_url without address", |f| url(f, "", "a")),
    ("to_url with a key", |f| url(f, ":h:99/Key", "a/b.k")),
    ("to_url with escapes", |f| url(f, ":h", "a b%<c")),
    ("to_url with a malformed address", |f| url(f, "h", "a")),
    ("to_url with a malformed port", |f| url(f, ":h:x", "a")),
    ("to_url with a malformed name", |f| url(f, ":h", "a//b")),
    ("resolve_str of nothing", |f| done(f.root.resolve_str(""))),
    ("resolve_str of a//b", |f| done(f.root.resolve_str("a//b"))),
    ("resolve_str of nobody/x", |f| {
        done(f.root.resolve_str("nobody/x"))
    }),
];

fn components(fixture: &Fixture, asked: &str) -> String {
    end(fixture.root.to_name(asked), |name| {
        let components = name.iter().map(|one| format!("({}, {})", one.id, one.kind));
        components.collect::<Vec<_>>().join(" ")
    })
}

fn url(fixture: &Fixture, address: &str, name: &str) -> String {
    end(fixture.root.to_url(address, name), |url| url)
}
