//! Random IDL, made of a seed.
//!
//! A [`File`] is a module with definitions of all kinds that can travel, each of which knows the
//! definitions that it needs: so an operation can be taken out of its file with what it needs and
//! nothing else ([`File::only`]), which is how a failing file is shrunk. The same seed makes the same
//! file, always. The build script makes Rust of the same files as the tests.

mod definitions;
mod interfaces;
mod numbers;

use std::fmt::Write as _;

pub use numbers::Numbers;

/// The seed of the first file, unless `TAUT_RANDOM_IDL_SEED` names another.
pub const SEED: u64 = 1;

/// How many files there are, unless `TAUT_RANDOM_IDL_FILES` says another number.
pub const FILES: u64 = 100;

/// Of how many of them Rust is made, unless `TAUT_RANDOM_IDL_COMPILED` says another number: of few,
/// for it is more than a thousand lines of each in each strategy.
pub const COMPILED: u64 = 10;

/// A file: one module.
#[derive(Debug, Clone)]
pub struct File {
    /// The number that it was made of.
    pub seed: u64,
    /// The name of its module.
    pub module: String,
    definitions: Vec<Definition>,
}

/// A definition.
#[derive(Debug, Clone)]
struct Definition {
    name: String,
    /// Whether it stands in the module `inner`.
    is_inner: bool,
    kind: Kind,
    /// Those before it that it names.
    needs: Vec<usize>,
    /// The IDL, but for the body of an interface.
    text: String,
    operations: Vec<Operation>,
}

/// The use of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A constant that can be a bound.
    Bound,
    /// Another constant.
    Constant,
    Type,
    /// An enum of so many enumerators: a type that can be a discriminator.
    Enum(usize),
    Exception,
    Interface,
}

/// An operation or an attribute.
#[derive(Debug, Clone)]
struct Operation {
    name: String,
    text: String,
    needs: Vec<usize>,
}

impl File {
    /// Makes the file of a seed.
    pub fn new(seed: u64) -> Self {
        let mut file = Self {
            seed,
            module: format!("r{seed:06}"),
            definitions: Vec::new(),
        };
        let mut numbers = Numbers::new(seed);
        for _ in 0..numbers.between(5, 12) {
            definitions::add(&mut file, &mut numbers);
        }
        for _ in 0..numbers.between(1, 3) {
            interfaces::add(&mut file, &mut numbers);
        }
        file
    }

    /// Returns the files that the environment asks for, or those that there always are.
    ///
    /// # Errors
    ///
    /// The name of a variable that is no number.
    pub fn all() -> Result<Vec<Self>, String> {
        Self::of_environment("TAUT_RANDOM_IDL_FILES", FILES)
    }

    /// Returns those of which Rust is made: the first ones.
    ///
    /// # Errors
    ///
    /// As [`all`](Self::all).
    pub fn compiled() -> Result<Vec<Self>, String> {
        Self::of_environment("TAUT_RANDOM_IDL_COMPILED", COMPILED)
    }

    fn of_environment(count: &str, otherwise: u64) -> Result<Vec<Self>, String> {
        let number = |name: &str, otherwise| match std::env::var(name) {
            Ok(text) => text
                .parse()
                .map_err(|_| format!("{name}={text} is no number")),
            Err(_) => Ok(otherwise),
        };
        let seed: u64 = number("TAUT_RANDOM_IDL_SEED", SEED)?;
        let count: u64 = number(count, otherwise)?;
        Ok((seed..seed.saturating_add(count)).map(Self::new).collect())
    }

    /// Returns the scoped names of the interfaces.
    pub fn interfaces(&self) -> Vec<String> {
        let all = self.definitions.iter();
        let interfaces = all.filter(|one| one.kind == Kind::Interface);
        interfaces.map(|one| self.scoped(one)).collect()
    }

    /// Returns the IDL.
    pub fn idl(&self) -> String {
        let all: Vec<_> = (0..self.definitions.len()).collect();
        self.render(&all, None)
    }

    /// Returns the IDL of one operation of one interface, named by its scoped name, and of what
    /// it needs. None if there is no such operation.
    pub fn only(&self, interface: &str, operation: &str) -> Option<String> {
        let mut places = 0..self.definitions.len();
        let place = places.find(|&place| self.scoped(&self.definitions[place]) == interface)?;
        // Attributes are called by `_get_` and `_set_`.
        let name = operation
            .trim_start_matches("_get_")
            .trim_start_matches("_set_");
        // The interface itself, and then those that it inherits from.
        let mut owners = vec![place];
        let found = loop {
            let owner = &self.definitions[owners.pop()?];
            match owner.operations.iter().find(|one| one.name == name) {
                Some(found) => break found,
                None => owners.extend(&owner.needs),
            }
        };
        let mut needed = vec![false; self.definitions.len()];
        let mut waiting: Vec<_> = found.needs.iter().copied().chain([place]).collect();
        while let Some(next) = waiting.pop() {
            if !std::mem::replace(&mut needed[next], true) {
                waiting.extend(&self.definitions[next].needs);
            }
        }
        let needed: Vec<_> = (0..needed.len()).filter(|&place| needed[place]).collect();
        Some(self.render(&needed, Some(name)))
    }

    /// The IDL of these definitions, with all operations or those of one name.
    fn render(&self, places: &[usize], operation: Option<&str>) -> String {
        let mut idl = format!("module {} {{\n", self.module);
        for &place in places {
            let one = &self.definitions[place];
            let indent = match one.is_inner {
                true => {
                    idl += "  module inner {\n";
                    "    "
                }
                false => "  ",
            };
            let mut text = one.text.clone();
            if one.kind == Kind::Interface {
                text += " {\n";
                for each in &one.operations {
                    if operation.is_none_or(|name| name == each.name) {
                        let _ = writeln!(text, "  {}", each.text);
                    }
                }
                text += "};";
            }
            for line in text.lines() {
                let _ = writeln!(idl, "{indent}{line}");
            }
            if one.is_inner {
                idl += "  };\n";
            }
        }
        idl + "};\n"
    }

    fn scoped(&self, one: &Definition) -> String {
        let module = &self.module;
        match one.is_inner {
            true => format!("{module}::inner::{}", one.name),
            false => format!("{module}::{}", one.name),
        }
    }

    /// The name by which others call a definition, with a space in front: preprocessors take `<:`
    /// for a bracket.
    fn named(&self, place: usize) -> String {
        format!(" ::{}", self.scoped(&self.definitions[place]))
    }

    /// A definition of one of these kinds, if there is one.
    fn any_of(&self, numbers: &mut Numbers, is_one: impl Fn(Kind) -> bool) -> Option<usize> {
        let all = 0..self.definitions.len();
        let places: Vec<_> = all
            .filter(|&place| is_one(self.definitions[place].kind))
            .collect();
        (!places.is_empty()).then(|| places[numbers.below(places.len())])
    }

    fn push(&mut self, numbers: &mut Numbers, definition: Definition) {
        let is_inner = numbers.one_in(3);
        self.definitions.push(Definition {
            is_inner,
            ..definition
        });
    }
}

impl Definition {
    fn new(name: String, kind: Kind, text: String, needs: Vec<usize>) -> Self {
        Self {
            name,
            is_inner: false,
            kind,
            needs,
            text,
            operations: Vec::new(),
        }
    }
}
