//! The checks that a client of `Param_Test` makes, as `param_test.idl`
//! describes them.

use std::thread;
use std::time::{Duration, Instant};

use taut::{
    Char, CompletionStatus, NarrowError, ObjectRef, Reference, SystemException, SystemExceptionKind,
};

use super::for_each_value_operation;
use super::interop::{CallbackRef, ParamTest, ParamTestRef};
use super::param_test::*;
use super::values::{self, REFUSED_MINOR, Value};
use crate::check::{PATIENCE, expect, expect_end, words};
use crate::report::compare;
use crate::{Check, HarnessError, is_equivalent};

const IDL: &str = include_str!("../../idl/param_test.idl");

/// Calls every operation of `target` but `shutdown`, with every value.
///
/// `own` is the reference to the object that `target` speaks for, `callback` a
/// `Callback` that calls the same object.
pub fn check_operations(
    target: &dyn ParamTest,
    own: &ParamTestRef,
    callback: &CallbackRef,
) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut add = |name: &str, outcome| checks.push(Check::new(name, outcome));

    macro_rules! check_values {
        ($($operation:ident: $type:ty, $table:ident;)*) => {$(
            let call = |s1: <$type as Value>::In<'_>, s2: &mut $type| target.$operation(s1, s2);
            add(stringify!($operation), check_value(values::$table(), call));
        )*};
    }
    for_each_value_operation!(check_values);
    add("refused_value", check_refused_value(target));
    add("test_objref", check_references(target, own));
    add("greeting", check_greeting(target));
    add("level", check_level(target));
    add("raise_user", check_user_exceptions(target));
    add("raise_system", check_system_exception(target));
    add("notify", check_oneway(target));
    add("call_back", check_nested_calls(target, callback));
    add("echo", check_large_messages(target));
    checks
}

/// Asks an object of the interface `Param_Test` what every object can be asked.
pub fn check_object(object: &ObjectRef) -> Vec<Check> {
    vec![
        Check::new("is_a", check_is_a(object)),
        Check::new("non_existent", check_exists(object)),
    ]
}

/// Ends the server, and waits until its object cannot be reached.
pub fn check_shutdown(target: &ParamTestRef) -> Check {
    Check::new("shutdown", check_end(target))
}

/// Compares the checks that a client made in a version of GIOP, such as `1.2`,
/// with the list of what is known to fail between this client and this server.
///
/// # Errors
///
/// [`HarnessError::Difference`] names every check that failed and should not
/// have, that passed and is in the list, or that was not made or made twice;
/// [`HarnessError::KnownGaps`] when the list cannot be read.
pub fn compare_with_known_gaps(
    client: &str,
    server: &str,
    version: &str,
    checks: &[Check],
) -> Result<(), HarnessError> {
    compare(client, server, version, checks, IDL, "Param_Test")
}

fn expect_bad_param<T: std::fmt::Debug>(
    minor: u32,
    completed: CompletionStatus,
    result: taut::Result<T>,
) -> Result<(), String> {
    let expected = SystemException::new(SystemExceptionKind::BadParam, minor, completed);
    match result {
        Err(exception) if exception == expected => Ok(()),
        Err(exception) => Err(format!("{exception} instead of {expected}")),
        Ok(value) => Err(format!("{value:?} instead of {expected}")),
    }
}

fn check_value<T: Value>(
    table: &[T],
    call: impl Fn(T::In<'_>, &mut T) -> taut::Result<(T, T)>,
) -> Result<(), String> {
    for (k, s1) in table.iter().enumerate() {
        let sent = &table[(k + 1) % table.len()];
        let mut s2 = sent.clone();
        let (result, s3) =
            call(s1.as_in(), &mut s2).map_err(|exception| format!("{exception} for value {k}"))?;
        for (what, is_right) in [
            ("result", result.is_same(s1)),
            ("s2", s2.is_same(&sent.turned())),
            ("s3", s3.is_same(sent)),
        ] {
            expect(is_right, || format!("wrong {what} for value {k}"))?;
        }
    }
    Ok(())
}

/// The servant must notice values that the rule does not allow.
fn check_refused_value(target: &dyn ParamTest) -> Result<(), String> {
    let refused = |result| expect_bad_param(REFUSED_MINOR, CompletionStatus::No, result);
    refused(target.test_short(2, &mut 1).map(|_| ()))?;
    let mut s2 = "b".to_owned();
    refused(target.test_unbounded_string("", &mut s2).map(|_| ()))
}

fn check_references(target: &dyn ParamTest, own: &ParamTestRef) -> Result<(), String> {
    let is_own = |reference: &Option<ParamTestRef>| {
        reference.as_ref().is_some_and(|reference| {
            is_equivalent(reference.as_object().ior(), own.as_object().ior())
        })
    };
    let mut s2 = None;
    let (result, s3) = target.test_objref(Some(own), &mut s2).map_err(words)?;
    expect(is_own(&result), || "wrong result for value 0".to_owned())?;
    expect(s3.is_none(), || "wrong s3 for value 0".to_owned())?;
    expect(is_own(&s2), || "wrong s2 for value 0".to_owned())?;
    let received = s2.ok_or("no s2 for value 0")?;
    let greeting = received.greeting().map_err(words)?;
    expect(greeting == values::GREETING, || {
        "a call on s2 failed".to_owned()
    })?;

    let mut s2 = Some(own.clone());
    let (result, s3) = target.test_objref(None, &mut s2).map_err(words)?;
    expect(result.is_none(), || "wrong result for value 1".to_owned())?;
    expect(is_own(&s3), || "wrong s3 for value 1".to_owned())?;
    expect(s2.is_none(), || "wrong s2 for value 1".to_owned())
}

fn check_greeting(target: &dyn ParamTest) -> Result<(), String> {
    let greeting = target.greeting().map_err(words)?;
    expect(greeting == values::GREETING, || {
        format!("wrong value {greeting:?}")
    })
}

fn check_level(target: &dyn ParamTest) -> Result<(), String> {
    for &value in values::longs() {
        target.set_level(value).map_err(words)?;
        let level = target.level().map_err(words)?;
        expect(level == value, || format!("{level} after {value}"))?;
    }
    target.set_level(0).map_err(words)
}

fn check_user_exceptions(target: &dyn ParamTest) -> Result<(), String> {
    target.raise_user(0).map_err(words)?;
    let no_exception = |name: &str, result| Err(format!("{result:?} instead of {name}"));
    match target.raise_user(1) {
        Err(RaiseUserError::A(a)) => expect((a.code, a.shade) == (i32::MIN, Color::Blue), || {
            format!("wrong members: {a:?}")
        })?,
        result => return no_exception("A", result),
    }
    match target.raise_user(2) {
        Err(RaiseUserError::B(b)) => expect(
            b.why == values::latin1() && b.details == values::long_sequences()[2],
            || format!("wrong members: {b:?}"),
        )?,
        result => return no_exception("B", result),
    }
    match target.raise_user(3) {
        Err(RaiseUserError::Bare(_)) => {}
        result => return no_exception("Bare", result),
    }
    match target.raise_user(4) {
        Err(RaiseUserError::System(exception)) => {
            expect_bad_param::<()>(REFUSED_MINOR, CompletionStatus::No, Err(exception))
        }
        result => no_exception("BAD_PARAM", result),
    }
}

fn check_system_exception(target: &dyn ParamTest) -> Result<(), String> {
    expect_bad_param(42, CompletionStatus::Yes, target.raise_system())
}

fn check_oneway(target: &dyn ParamTest) -> Result<(), String> {
    let before = target.notified().map_err(words)?;
    target.notify("not counted").map_err(words)?;
    for message in values::strings() {
        target.notify(message).map_err(words)?;
    }
    let sent = values::strings().len();
    let started = Instant::now();
    loop {
        let arrived = target.notified().map_err(words)?.wrapping_sub(before) as usize;
        if arrived >= sent || started.elapsed() >= PATIENCE {
            return expect(arrived == sent, || {
                format!("{arrived} messages were counted instead of {sent}")
            });
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn check_nested_calls(target: &dyn ParamTest, callback: &CallbackRef) -> Result<(), String> {
    for n in [0, 1, 3] {
        let result = target.call_back(Some(callback), n).map_err(words)?;
        expect(result == 2 * n + 1, || {
            format!("wrong result {result} for {n}")
        })?;
    }
    for (callback, n) in [(None, 0), (Some(callback), -1)] {
        let result = target.call_back(callback, n);
        expect_bad_param(REFUSED_MINOR, CompletionStatus::No, result)?;
    }
    Ok(())
}

fn check_large_messages(target: &dyn ParamTest) -> Result<(), String> {
    for length in [1 << 20, 15 << 20] {
        let data: Vec<u8> = (0..251).cycle().take(length).collect();
        let echoed = target.echo(&data).map_err(words)?;
        expect(echoed == data, || {
            format!("wrong result of {length} octets")
        })?;
    }
    Ok(())
}

fn check_is_a(object: &ObjectRef) -> Result<(), String> {
    for (id, expected) in [
        ("IDL:taut.test/interop/Param_Test:1.0", true),
        ("IDL:omg.org/CORBA/Object:1.0", true),
        ("IDL:taut.test/interop/Callback:1.0", false),
    ] {
        let answer = object.is_a(id).map_err(words)?;
        expect(answer == expected, || format!("{answer} for {id}"))?;
    }
    match object.narrow::<CallbackRef>() {
        Err(NarrowError::WrongInterface { .. }) => {}
        result => return Err(format!("narrowed to a Callback: {result:?}")),
    }
    object.narrow::<ParamTestRef>().map(|_| ()).map_err(words)
}

fn check_exists(object: &ObjectRef) -> Result<(), String> {
    let gone = object.non_existent().map_err(words)?;
    expect(!gone, || "the object does not exist".to_owned())
}

fn check_end(target: &ParamTestRef) -> Result<(), String> {
    target.shutdown().map_err(words)?;
    expect_end(target.as_object())
}
