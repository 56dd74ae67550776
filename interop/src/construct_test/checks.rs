//! The checks that a client of `Construct_Test` makes, as `construct_test.idl`
//! describes them.

use std::fmt::Debug;

use taut::{CompletionStatus, ObjectRef, Reference, SystemException, SystemExceptionKind};

use super::constructs::construct_test::*;
use super::constructs::{ConstructTest, ConstructTestRef};
use super::values::{self, REFUSED_MINOR};
use crate::check::{expect, expect_end, words};
use crate::report::compare;
use crate::{Check, HarnessError, is_equivalent};

const IDL: &str = include_str!("../../idl/construct_test.idl");

/// Calls every operation of an object with every value, and ends its server.
pub fn check_constructs(target: &ConstructTestRef) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut add = |name: &str, outcome| checks.push(Check::new(name, outcome));

    macro_rules! check_values {
        (
            by_value { $($copied:ident: $copied_type:ty, $copied_table:ident;)* }
            by_reference { $($lent:ident: $lent_type:ty, $lent_in:ty, $lent_table:ident;)* }
        ) => {
            $(
                let table = values::$copied_table();
                add(stringify!($copied), check_value(table, |s1, s2| target.$copied(*s1, s2)));
            )*
            $(
                let table = values::$lent_table();
                add(stringify!($lent), check_value(table, |s1, s2| target.$lent(s1, s2)));
            )*
        };
    }
    super::for_each_construct!(check_values);
    add("test_object", check_objects(target));
    add("raise_fault", check_fault(target));
    add("place", check_place(target));
    add("refused_value", check_refused_value(target));
    add("shutdown", check_end(target));
    checks
}

/// Compares the checks that a client made in a version of GIOP, such as `1.2`,
/// with the list of what is known to fail between this client and this server.
///
/// # Errors
///
/// As of [`compare_with_known_gaps`](crate::param_test::compare_with_known_gaps).
pub fn compare_constructs_with_known_gaps(
    client: &str,
    server: &str,
    version: &str,
    checks: &[Check],
) -> Result<(), HarnessError> {
    compare(client, server, version, checks, IDL, "Construct_Test")
}

fn check_value<T: Clone + PartialEq + Debug>(
    table: &[T],
    call: impl Fn(&T, &mut T) -> taut::Result<(T, T)>,
) -> Result<(), String> {
    let value = |index: usize| &table[index % table.len()];
    for (k, s1) in table.iter().enumerate() {
        let mut s2 = value(k + 1).clone();
        let (result, s3) =
            call(s1, &mut s2).map_err(|exception| format!("{exception} for value {k}"))?;
        for (what, found, expected) in [
            ("result", &result, s1),
            ("s2", &s2, value(k + 2)),
            ("s3", &s3, value(k + 1)),
        ] {
            expect(found == expected, || {
                format!("{what} is {found:?} instead of {expected:?} for value {k}")
            })?;
        }
    }
    Ok(())
}

fn check_objects(target: &ConstructTestRef) -> Result<(), String> {
    let own = target.as_object();
    let is_own = |object: &Option<ObjectRef>| {
        let ior = object.as_ref().map(ObjectRef::ior);
        ior.is_some_and(|ior| is_equivalent(ior, own.ior()))
    };
    let mut s2 = None;
    let (result, s3) = target.test_object(Some(own), &mut s2).map_err(words)?;
    expect(is_own(&result) && s3.is_none() && is_own(&s2), || {
        format!("wrong for value 0: {result:?}, {s2:?}, {s3:?}")
    })?;

    let mut s2 = Some(own.clone());
    let (result, s3) = target.test_object(None, &mut s2).map_err(words)?;
    expect(result.is_none() && is_own(&s3) && s2.is_none(), || {
        format!("wrong for value 1: {result:?}, {s2:?}, {s3:?}")
    })
}

fn check_fault(target: &ConstructTestRef) -> Result<(), String> {
    match target.raise_fault() {
        Err(RaiseFaultError::Fault(fault)) => expect(fault == values::fault(), || {
            format!("wrong members: {fault:?}")
        }),
        result => Err(format!("{result:?} instead of Fault")),
    }
}

fn check_place(target: &ConstructTestRef) -> Result<(), String> {
    for place in [values::Q, values::P] {
        target.set_place(&place).map_err(words)?;
        let found = target.place().map_err(words)?;
        expect(found == place, || format!("{found:?} after {place:?}"))?;
    }
    Ok(())
}

/// The servant must notice values that the rule does not allow.
fn check_refused_value(target: &ConstructTestRef) -> Result<(), String> {
    let value = &values::unions_by_boolean()[0];
    let refused = SystemException::new(
        SystemExceptionKind::BadParam,
        REFUSED_MINOR,
        CompletionStatus::No,
    );
    let result = target.test_union_boolean(value, &mut value.clone());
    expect(result == Err(refused.clone()), || {
        format!("{result:?} instead of {refused}")
    })
}

fn check_end(target: &ConstructTestRef) -> Result<(), String> {
    target.shutdown().map_err(words)?;
    expect_end(target.as_object())
}
