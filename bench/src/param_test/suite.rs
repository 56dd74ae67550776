//! Servant and client of `params::Param_Test`. It is there twice, in each of the strategies by
//! which stubs and skeletons marshal; who includes it defines `generated!` before.

use std::io;

use taut::{Char, Orb, OrbBuilder, Reference as _};

use super::{CHARACTERS, ELEMENTS, Type};
use crate::error::BenchError;
use crate::protocol::{self, Calls};
use crate::taut::{LOOPBACK, serve_until_end_of_input};
use idl::params::{
    FixedStruct, NestedStruct, ParamTest, ParamTestRef, ParamTestSkeleton, StrSeq, StructSeq,
    VarStruct,
};

/// The types of `idl/param_test.idl`.
mod idl {
    generated!();
}

/// The result and the out parameter of an operation.
type Outcome<T> = taut::Result<(T, T)>;

/// Copies its in parameter to the other three.
struct Servant;

/// Copies a value to the three places.
fn copied<T: Clone>(from: T, to: &mut T) -> Outcome<T> {
    to.clone_from(&from);
    Ok((from.clone(), from))
}

impl ParamTest for Servant {
    fn test_short(&self, s1: i16, s2: &mut i16) -> Outcome<i16> {
        copied(s1, s2)
    }

    fn test_unbounded_string(&self, s1: &str, s2: &mut String) -> Outcome<String> {
        copied(s1.to_owned(), s2)
    }

    fn test_fixed_struct(&self, s1: &FixedStruct, s2: &mut FixedStruct) -> Outcome<FixedStruct> {
        copied(*s1, s2)
    }

    fn test_strseq(&self, s1: &[String], s2: &mut StrSeq) -> Outcome<StrSeq> {
        copied(s1.to_owned(), s2)
    }

    fn test_var_struct(&self, s1: &VarStruct, s2: &mut VarStruct) -> Outcome<VarStruct> {
        copied(s1.clone(), s2)
    }

    fn test_nested_struct(
        &self,
        s1: &NestedStruct,
        s2: &mut NestedStruct,
    ) -> Outcome<NestedStruct> {
        copied(s1.clone(), s2)
    }

    fn test_struct_sequence(&self, s1: &[VarStruct], s2: &mut StructSeq) -> Outcome<StructSeq> {
        copied(s1.to_owned(), s2)
    }
}

/// The server: prints its reference, then serves until standard input ends.
///
/// # Errors
///
/// [`BenchError::Orb`] when it cannot be set up.
pub(super) fn serve() -> Result<(), BenchError> {
    let orb = Orb::builder()
        .listen(LOOPBACK)
        .and_then(OrbBuilder::build)
        .map_err(BenchError::orb)?;
    let poa = orb.root_poa().map_err(BenchError::orb)?;
    let target = poa
        .activate(ParamTestSkeleton::new(Servant))
        .map_err(BenchError::orb)?;
    poa.manager().activate().map_err(BenchError::orb)?;
    serve_until_end_of_input(&orb, target.as_object());
    Ok(())
}

/// The client of the object with this stringified reference.
///
/// # Errors
///
/// [`BenchError::Orb`] when the object is not there, and those of
/// [`protocol::answer_requests`].
pub(super) fn call(reference: &str) -> Result<(), BenchError> {
    let orb = Orb::builder().build().map_err(BenchError::orb)?;
    let object = orb.string_to_object(reference).map_err(BenchError::orb)?;
    let target = object.narrow().map_err(BenchError::orb)?;
    let caller = Caller {
        target,
        values: Values::new(),
        kind: Type::Short,
    };
    protocol::answer_requests(io::stdin().lock(), io::stdout(), caller)
}

/// Values of each type.
pub(super) struct Values {
    pub(super) short: i16,
    pub(super) string: String,
    pub(super) fixed: FixedStruct,
    pub(super) strings: StrSeq,
    pub(super) variable: VarStruct,
    pub(super) nested: NestedStruct,
    pub(super) structs: StructSeq,
}

impl Values {
    pub(super) fn new() -> Self {
        let string: String = (b'!'..=b'~')
            .cycle()
            .take(CHARACTERS)
            .map(char::from)
            .collect();
        let strings = vec![string.clone(); ELEMENTS];
        let variable = VarStruct {
            dummy1: string.clone(),
            dummy2: string.clone(),
            seq: strings.clone(),
        };
        Self {
            short: 12_345,
            fixed: FixedStruct {
                l: -1,
                c: Char(b'c'),
                s: 2,
                o: 3,
                f: 4.5,
                b: true,
                d: -6.75,
            },
            nested: NestedStruct {
                vs: variable.clone(),
            },
            structs: vec![variable.clone(); ELEMENTS],
            string,
            strings,
            variable,
        }
    }
}

/// Makes calls of one type.
struct Caller {
    target: ParamTestRef,
    values: Values,
    kind: Type,
}

/// Calls with a value in both parameters, and looks whether it comes back in all three places.
fn came_back<T: Clone + PartialEq>(
    value: &T,
    call: impl FnOnce(&T, &mut T) -> Outcome<T>,
) -> Result<(), BenchError> {
    let mut inout = value.clone();
    let (result, out) = call(value, &mut inout).map_err(BenchError::call)?;
    match [result, out, inout].iter().all(|back| back == value) {
        true => Ok(()),
        false => Err(BenchError::call("another value comes back")),
    }
}

impl Calls for Caller {
    fn select(&mut self, kind: &str) -> Result<(), BenchError> {
        self.kind = kind.parse()?;
        Ok(())
    }

    fn call(&mut self) -> Result<(), BenchError> {
        let (target, values) = (&self.target, &self.values);
        match self.kind {
            Type::Short => came_back(&values.short, |s1, s2| target.test_short(*s1, s2)),
            Type::UnboundedString => came_back(&values.string, |s1, s2| {
                target.test_unbounded_string(s1, s2)
            }),
            Type::FixedStruct => {
                came_back(&values.fixed, |s1, s2| target.test_fixed_struct(s1, s2))
            }
            Type::StringSequence => came_back(&values.strings, |s1, s2| target.test_strseq(s1, s2)),
            Type::VariableStruct => {
                came_back(&values.variable, |s1, s2| target.test_var_struct(s1, s2))
            }
            Type::NestedStruct => {
                came_back(&values.nested, |s1, s2| target.test_nested_struct(s1, s2))
            }
            Type::StructSequence => came_back(&values.structs, |s1, s2| {
                target.test_struct_sequence(s1, s2)
            }),
        }
    }
}
