//! Types and values as text, close to IDL.

use std::fmt::{self, Formatter};

use taut_cdr::{Decoder, INDIRECTION, LongDouble, WChar};

use crate::engine::{Met, read_count};
use crate::layout::Plan;
use crate::node::{Member, Node};
use crate::type_code::wire::read_label;
use crate::{TCKind, TypeCode};

/// How deeply types and values are written out; what lies deeper is `…`.
const DEPTH: u16 = 32;

/// The definition of the type as IDL has it; types with names are named, not
/// defined, within it.
impl fmt::Display for TypeCode {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = Named(self);
        match self.node() {
            Node::Struct(kind, it) => {
                write!(f, "{} {name} {{", kind.keyword())?;
                write_members(self, it.members.iter(), f)
            }
            Node::Union(it) => {
                write!(
                    f,
                    "union {name} switch ({}) {{",
                    Named(&self.at(it.discriminator))
                )?;
                for (index, case) in it.cases.iter().enumerate() {
                    match self.member_label(index) {
                        Ok(Some(label)) => {
                            f.write_str(" case ")?;
                            write_label(&self.at(it.discriminator), label, f)?;
                            f.write_str(":")?;
                        }
                        _ => f.write_str(" default:")?,
                    }
                    write_declaration(self, &case.member, f)?;
                }
                f.write_str(" }")
            }
            Node::Enum(it) => {
                write!(f, "enum {name} {{")?;
                for (index, enumerator) in it.enumerators.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(f, "{comma} {enumerator}")?;
                }
                f.write_str(" }")
            }
            Node::Alias(TCKind::ValueBox, it) => {
                write!(f, "valuetype {name} {}", Named(&self.at(it.original)))
            }
            Node::Alias(_, it) => write!(f, "typedef {} {name}", Named(&self.at(it.original))),
            Node::Value(kind, it) => {
                write!(f, "{} {name} {{", kind.keyword())?;
                for one in &it.members {
                    f.write_str(if one.visibility == 0 {
                        " private"
                    } else {
                        " public"
                    })?;
                    write_declaration(self, &one.member, f)?;
                }
                f.write_str(" }")
            }
            Node::Interface(kind, _) => write!(f, "{} {name}", kind.keyword()),
            _ => write!(f, "{name}"),
        }
    }
}

impl fmt::Debug for TypeCode {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "TypeCode({self})")
    }
}

/// Writes what a member of this type would be declared with.
pub(crate) fn write_name(type_code: &TypeCode, f: &mut Formatter<'_>) -> fmt::Result {
    name_within(type_code, DEPTH, f)
}

/// Writes a value; where it is malformed, says so and stops.
pub(crate) fn write_value(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    let mut writer = ValueWriter {
        out: f,
        met: Met::default(),
    };
    match writer.value(type_code, input, DEPTH) {
        Ok(()) => Ok(()),
        Err(Stop::Malformed(error)) => write!(f, "<{error}>"),
        Err(Stop::Format) => Err(fmt::Error),
    }
}

/// Whether values take no octets: such types could be wide and deep, and such
/// elements many, beyond all measure.
pub(crate) fn is_empty(type_code: &TypeCode) -> bool {
    matches!(type_code.graph.layout(type_code.root).plan, Plan::Empty)
}

/// A type by its name.
pub(crate) struct Named<'t>(pub(crate) &'t TypeCode);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_name(self.0, f)
    }
}

fn name_within(type_code: &TypeCode, depth: u16, f: &mut Formatter<'_>) -> fmt::Result {
    let Some(depth) = depth.checked_sub(1) else {
        return f.write_str("…");
    };
    let bounded = |f: &mut Formatter<'_>, keyword: &str, bound: u32| match bound {
        0 => f.write_str(keyword),
        _ => write!(f, "{keyword}<{bound}>"),
    };
    match type_code.node() {
        Node::Simple(kind) => f.write_str(kind.keyword()),
        Node::String { bound } => bounded(f, "string", *bound),
        Node::WString { bound } => bounded(f, "wstring", *bound),
        Node::Fixed { digits, scale } => write!(f, "fixed<{digits}, {scale}>"),
        Node::Sequence { element, bound } => {
            f.write_str("sequence<")?;
            name_within(&type_code.at(*element), depth, f)?;
            match bound {
                0 => f.write_str(">"),
                _ => write!(f, ", {bound}>"),
            }
        }
        Node::Array { .. } => {
            let (mut element, mut lengths) = (type_code.root, Vec::new());
            while let Node::Array {
                element: inner,
                length,
            } = type_code.graph.node(element)
            {
                lengths.push(*length);
                element = *inner;
            }
            name_within(&type_code.at(element), depth, f)?;
            // The outermost dimension comes first.
            lengths
                .iter()
                .try_for_each(|length| write!(f, "[{length}]"))
        }
        Node::Recursive(name) => write!(f, "<{}>", name.id),
        node => match node.name() {
            Some(name) if !name.name.is_empty() => f.write_str(&name.name),
            Some(name) if !name.id.is_empty() => write!(f, "<{}>", name.id),
            _ => write!(f, "<{}>", node.kind().keyword()),
        },
    }
}

fn write_members<'m>(
    owner: &TypeCode,
    members: impl Iterator<Item = &'m Member>,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    for member in members {
        write_declaration(owner, member, f)?;
    }
    f.write_str(" }")
}

fn write_declaration(owner: &TypeCode, member: &Member, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, " {} {};", Named(&owner.at(member.node)), member.name)
}

fn write_label(discriminator: &TypeCode, label: i128, f: &mut Formatter<'_>) -> fmt::Result {
    let discriminator = discriminator.without_aliases();
    match discriminator.kind() {
        TCKind::Boolean => f.write_str(if label == 0 { "FALSE" } else { "TRUE" }),
        TCKind::Char => write!(f, "{:?}", char::from(label as u8)),
        TCKind::WChar => write!(f, "L{:?}", WChar(label as u16)),
        TCKind::Enum => match discriminator.member_name(label as usize) {
            Ok(name) if !name.is_empty() => f.write_str(name),
            _ => write!(f, "{label}"),
        },
        _ => write!(f, "{label}"),
    }
}

/// A discriminator's value, or an enumerator by its name, as text.
pub(crate) fn label_text(discriminator: &TypeCode, label: i128) -> String {
    struct Label<'t>(&'t TypeCode, i128);

    impl fmt::Display for Label<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            write_label(self.0, self.1, f)
        }
    }
    Label(discriminator, label).to_string()
}

/// Why the text ends early.
enum Stop {
    Malformed(taut_cdr::Error),
    Format,
}

impl From<taut_cdr::Error> for Stop {
    fn from(error: taut_cdr::Error) -> Self {
        Self::Malformed(error)
    }
}

impl From<fmt::Error> for Stop {
    fn from(_: fmt::Error) -> Self {
        Self::Format
    }
}

struct ValueWriter<'w, 'f> {
    out: &'w mut Formatter<'f>,
    /// The values so far.
    met: Met,
}

impl ValueWriter<'_, '_> {
    fn value(
        &mut self,
        type_code: &TypeCode,
        input: &mut Decoder<'_>,
        depth: u16,
    ) -> Result<(), Stop> {
        let type_code = type_code.without_aliases();
        let Some(depth) = depth.checked_sub(1) else {
            self.out.write_str("…")?;
            return Ok(crate::engine::skip_part(&type_code, input, &mut self.met)?);
        };
        match type_code.node() {
            _ if is_empty(&type_code) => self.out.write_str("()")?,
            Node::Simple(kind) => return self.simple(*kind, input, depth),
            Node::String { .. } => write!(self.out, "{:?}", input.read_string()?)?,
            Node::WString { .. } => write!(self.out, "L{:?}", input.read_wstring()?)?,
            Node::Fixed { digits, scale } => {
                let unscaled = taut_cdr::fixed::decode(*digits, input)?;
                taut_cdr::fixed::format(unscaled, *scale, self.out)?;
            }
            Node::Sequence { element, .. } => {
                let element = type_code.at(*element);
                let count = read_count(&element.graph, element.root, input)?;
                self.elements(&element, count, input, depth)?;
            }
            Node::Array { element, length } => {
                self.elements(&type_code.at(*element), *length as usize, input, depth)?;
            }
            Node::Enum(it) => {
                let ordinal = input.read_ordinal(it.enumerators.len() as u32)?;
                write_label(&type_code, i128::from(ordinal), self.out)?;
            }
            Node::Struct(kind, it) => {
                if *kind == TCKind::Exception {
                    input.read_string_octets()?;
                }
                self.out.write_str("{")?;
                for (index, member) in it.members.iter().enumerate() {
                    self.out.write_str(if index == 0 { " " } else { ", " })?;
                    write!(self.out, "{}: ", member.name)?;
                    self.value(&type_code.at(member.node), input, depth)?;
                }
                self.out.write_str(" }")?;
            }
            Node::Union(it) => {
                let label = read_label(it.discriminator_kind, input)?;
                self.out.write_str("{ ")?;
                write_label(&type_code.at(it.discriminator), i128::from(label), self.out)?;
                if let Some(case) = it.case(label) {
                    write!(self.out, ": {}: ", case.member.name)?;
                    self.value(&type_code.at(case.member.node), input, depth)?;
                }
                self.out.write_str(" }")?;
            }
            Node::Interface(TCKind::AbstractInterface, _) => {
                crate::engine::skip_part(&type_code, input, &mut self.met)?;
                write!(self.out, "<{}>", Named(&type_code))?;
            }
            Node::Interface(..) => {
                let mut ahead = input.clone();
                crate::engine::skip(&type_code, input)?;
                // The type id is Latin-1 or UTF-8; for people either will do.
                let id = ahead.read_string_octets().unwrap_or_default();
                write!(self.out, "<reference to {}>", String::from_utf8_lossy(id))?;
            }
            _ => {
                let (tag, _) = input.clone().read_tag()?;
                crate::engine::skip_part(&type_code, input, &mut self.met)?;
                match tag {
                    0 => self.out.write_str("null")?,
                    INDIRECTION => self.out.write_str("<the same value>")?,
                    _ => write!(self.out, "<a value of {}>", Named(&type_code))?,
                }
            }
        }
        Ok(())
    }

    fn simple(&mut self, kind: TCKind, input: &mut Decoder<'_>, depth: u16) -> Result<(), Stop> {
        match kind {
            TCKind::Short => write!(self.out, "{}", input.read::<i16>()?)?,
            TCKind::UShort => write!(self.out, "{}", input.read::<u16>()?)?,
            TCKind::Long => write!(self.out, "{}", input.read::<i32>()?)?,
            TCKind::ULong => write!(self.out, "{}", input.read::<u32>()?)?,
            TCKind::LongLong => write!(self.out, "{}", input.read::<i64>()?)?,
            TCKind::ULongLong => write!(self.out, "{}", input.read::<u64>()?)?,
            TCKind::Float => write!(self.out, "{:?}", input.read::<f32>()?)?,
            TCKind::Double => write!(self.out, "{:?}", input.read::<f64>()?)?,
            TCKind::LongDouble => write!(self.out, "{:?}", input.read::<LongDouble>()?)?,
            TCKind::Boolean => write!(self.out, "{}", input.read_bool()?)?,
            TCKind::Octet => write!(self.out, "{}", input.read::<u8>()?)?,
            TCKind::Char => write!(self.out, "{:?}", input.read::<taut_cdr::Char>()?)?,
            TCKind::WChar => write!(self.out, "L{:?}", input.read_wchar()?)?,
            TCKind::TypeCode => {
                let value: TypeCode = taut_cdr::Decode::decode(input)?;
                write!(self.out, "{value}")?;
            }
            TCKind::Any => {
                let held: TypeCode = taut_cdr::Decode::decode(input)?;
                write!(self.out, "Any({} ", Named(&held))?;
                self.value(&held, input, depth)?;
                self.out.write_str(")")?;
            }
            _ => write!(self.out, "{:?}", input.read_octets()?)?,
        }
        Ok(())
    }

    fn elements(
        &mut self,
        element: &TypeCode,
        count: usize,
        input: &mut Decoder<'_>,
        depth: u16,
    ) -> Result<(), Stop> {
        if is_empty(element) && count > 0 {
            self.out.write_str("[…]")?;
            return Ok(());
        }
        self.out.write_str("[")?;
        for index in 0..count {
            if index > 0 {
                self.out.write_str(", ")?;
            }
            self.value(element, input, depth)?;
        }
        self.out.write_str("]")?;
        Ok(())
    }
}
