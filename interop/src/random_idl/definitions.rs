//! Random types, constants and exceptions.

use std::fmt::Write as _;

use super::{Definition, File, Kind, Numbers};

/// The types without parameters that every ORB has.
const PRIMITIVES: [&str; 14] = [
    "boolean",
    "octet",
    "char",
    "wchar",
    "short",
    "unsigned short",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "any",
    "Object",
];

/// Where a type stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a parameter, a result or an attribute: nothing without a name that has parts.
    Parameter,
    /// In a member or a typedef.
    Member,
}

/// Adds a definition.
pub(super) fn add(file: &mut File, numbers: &mut Numbers) {
    let name = format!("T{}", file.definitions.len());
    let mut needs = Vec::new();
    let (kind, text) = match numbers.below(14) {
        0 => (
            Kind::Bound,
            format!("const unsigned long {name} = {};", numbers.between(1, 5)),
        ),
        1 => (Kind::Constant, constant(&name, numbers)),
        2..=4 => (Kind::Type, typedef(file, numbers, &name, &mut needs)),
        5..=7 => (Kind::Type, structure(file, numbers, &name, &mut needs)),
        8 | 9 => (Kind::Type, union(file, numbers, &name, &mut needs)),
        10 => {
            let count = numbers.between(1, 6);
            let all: Vec<_> = (0..count).map(|index| format!("{name}_{index}")).collect();
            (
                Kind::Enum(count),
                format!("enum {name} {{ {} }};", all.join(", ")),
            )
        }
        11 => (Kind::Exception, exception(file, numbers, &name, &mut needs)),
        12 => (
            Kind::Type,
            recursive_struct(file, numbers, &name, &mut needs),
        ),
        _ => (
            Kind::Type,
            recursive_union(file, numbers, &name, &mut needs),
        ),
    };
    file.push(numbers, Definition::new(name, kind, text, needs));
}

fn constant(name: &str, numbers: &mut Numbers) -> String {
    match numbers.below(5) {
        0 => format!("const double {name} = {}.5;", numbers.below(1_000)),
        1 => format!("const string {name} = \"text {}\";", numbers.below(100)),
        2 => format!("const boolean {name} = TRUE;"),
        3 => format!("const char {name} = 'x';"),
        _ => format!(
            "const long long {name} = -{} + 3 * 2;",
            numbers.between(1, 1_000)
        ),
    }
}

/// A type in a place.
pub(super) fn type_in(
    place: Place,
    file: &File,
    numbers: &mut Numbers,
    needs: &mut Vec<usize>,
) -> String {
    let is_named = |kind| matches!(kind, Kind::Type | Kind::Enum(_) | Kind::Interface);
    match (numbers.below(10), place) {
        (0..=3, _) => numbers.choose(&PRIMITIVES).to_owned(),
        (4, _) => text("string", file, numbers, needs),
        (5, _) => text("wstring", file, numbers, needs),
        (6, Place::Member) => sequence(file, numbers, needs),
        (7, Place::Member) => {
            let digits = numbers.between(1, 31);
            format!("fixed<{digits}, {}>", numbers.below(digits + 1))
        }
        _ => match file.any_of(numbers, is_named) {
            Some(place) => {
                needs.push(place);
                file.named(place)
            }
            None => numbers.choose(&PRIMITIVES).to_owned(),
        },
    }
}

/// A bound: a number or a constant.
fn bound(file: &File, numbers: &mut Numbers, needs: &mut Vec<usize>) -> String {
    let constant = file.any_of(numbers, |kind| kind == Kind::Bound);
    match constant.filter(|_| numbers.one_in(2)) {
        Some(place) => {
            needs.push(place);
            file.named(place)
        }
        None => numbers.between(1, 6).to_string(),
    }
}

fn text(kind: &str, file: &File, numbers: &mut Numbers, needs: &mut Vec<usize>) -> String {
    match numbers.one_in(3) {
        true => format!("{kind}<{}>", bound(file, numbers, needs)),
        false => kind.to_owned(),
    }
}

fn sequence(file: &File, numbers: &mut Numbers, needs: &mut Vec<usize>) -> String {
    let element = type_in(Place::Member, file, numbers, needs);
    match numbers.one_in(3) {
        true => format!("sequence<{element}, {} >", bound(file, numbers, needs)),
        false => format!("sequence<{element} >"),
    }
}

/// The dimensions of a declarator: mostly none.
fn dimensions(file: &File, numbers: &mut Numbers, needs: &mut Vec<usize>) -> String {
    let mut text = String::new();
    if numbers.one_in(6) {
        for _ in 0..numbers.between(1, 2) {
            let _ = write!(text, "[{}]", bound(file, numbers, needs));
        }
    }
    text
}

fn typedef(file: &File, numbers: &mut Numbers, name: &str, needs: &mut Vec<usize>) -> String {
    let of = match numbers.one_in(2) {
        true => sequence(file, numbers, needs),
        false => type_in(Place::Member, file, numbers, needs),
    };
    format!("typedef {of} {name}{};", dimensions(file, numbers, needs))
}

/// The declaration of a member.
fn member(file: &File, numbers: &mut Numbers, name: &str, needs: &mut Vec<usize>) -> String {
    let of = type_in(Place::Member, file, numbers, needs);
    format!("{of} {name}{};", dimensions(file, numbers, needs))
}

fn members(file: &File, numbers: &mut Numbers, count: usize, needs: &mut Vec<usize>) -> String {
    (0..count).fold(String::new(), |text, index| {
        text + &format!("  {}\n", member(file, numbers, &format!("m{index}"), needs))
    })
}

fn structure(file: &File, numbers: &mut Numbers, name: &str, needs: &mut Vec<usize>) -> String {
    let count = numbers.between(1, 5);
    // Some of numbers alone, which move in bulk.
    let members = match numbers.one_in(3) {
        true => (0..count).fold(String::new(), |text, index| {
            text + &format!("  {} m{index};\n", numbers.choose(&PRIMITIVES[1..12]))
        }),
        false => members(file, numbers, count, needs),
    };
    format!("struct {name} {{\n{members}}};")
}

fn exception(file: &File, numbers: &mut Numbers, name: &str, needs: &mut Vec<usize>) -> String {
    let count = numbers.below(4);
    format!(
        "exception {name} {{\n{}}};",
        members(file, numbers, count, needs)
    )
}

fn recursive_struct(
    file: &File,
    numbers: &mut Numbers,
    name: &str,
    needs: &mut Vec<usize>,
) -> String {
    let count = numbers.between(1, 3);
    let members = members(file, numbers, count, needs);
    format!(
        "struct {name};\ntypedef sequence<{name}> {name}_seq;\n\
         struct {name} {{\n{members}  {name}_seq children;\n}};"
    )
}

fn recursive_union(
    file: &File,
    numbers: &mut Numbers,
    name: &str,
    needs: &mut Vec<usize>,
) -> String {
    let leaf = member(file, numbers, "leaf", needs);
    format!(
        "union {name};\ntypedef sequence<{name}> {name}_seq;\n\
         union {name} switch (long) {{\n  case 0: {name}_seq branches;\n  default: {leaf}\n}};"
    )
}

fn union(file: &File, numbers: &mut Numbers, name: &str, needs: &mut Vec<usize>) -> String {
    let enumeration = file.any_of(numbers, |kind| matches!(kind, Kind::Enum(_)));
    let enumeration = enumeration.filter(|_| numbers.one_in(2));
    let (discriminator, labels): (String, Vec<String>) = match enumeration {
        Some(place) => {
            needs.push(place);
            let named = file.named(place);
            let Kind::Enum(count) = file.definitions[place].kind else {
                unreachable!("an enum was asked for");
            };
            let labels = (0..count).map(|index| format!("{named}_{index}")).collect();
            (named, labels)
        }
        None => plain_labels(numbers),
    };
    let is_exhaustive = enumeration.is_some() || discriminator == "boolean";
    let count = numbers.between(1, labels.len());
    let has_default = numbers.one_in(2) && !(is_exhaustive && count == labels.len());
    let mut cases = String::new();
    for (index, label) in labels.iter().take(count).enumerate() {
        let shares = index > 0 && numbers.one_in(5);
        let end = match shares {
            // It has the member of the next label, if there is one.
            true if index + 1 < count => "\n".to_owned(),
            _ => format!(" {}\n", member(file, numbers, &format!("m{index}"), needs)),
        };
        let _ = write!(cases, "  case {label}:{end}");
    }
    if has_default {
        let _ = writeln!(
            cases,
            "  default: {}",
            member(file, numbers, "other", needs)
        );
    }
    format!("union {name} switch ({discriminator}) {{\n{cases}}};")
}

/// A discriminator that is no enum, with labels of it.
fn plain_labels(numbers: &mut Numbers) -> (String, Vec<String>) {
    let (name, labels): (_, &[&str]) = match numbers.below(8) {
        0 => ("boolean", &["TRUE", "FALSE"]),
        1 => ("char", &["'a'", "'Z'", "'0'"]),
        2 => ("short", &["-32768", "0", "7", "32767"]),
        3 => ("unsigned short", &["0", "65535"]),
        4 => ("long", &["-2147483647", "-1", "0", "2147483647"]),
        5 => ("unsigned long", &["1", "4294967295"]),
        6 => (
            "long long",
            &["-9223372036854775807", "0", "9223372036854775807"],
        ),
        _ => ("unsigned long long", &["0", "9223372036854775808"]),
    };
    (
        name.to_owned(),
        labels.iter().map(|&label| label.to_owned()).collect(),
    )
}
