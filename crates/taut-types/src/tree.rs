//! Values as trees, for those who show them: what a value in CDR holds, by the
//! names that its TypeCode has.
//!
//! [`TreeReader`] reads the values of one message one after the other, for a
//! value may lead back into those before it.

use std::fmt;

use taut_cdr::{Decoder, INDIRECTION, LongDouble, Result};

use crate::display::{Named, is_empty, label_text};
use crate::engine::{self, Met, read_count};
use crate::node::Node;
use crate::type_code::wire::read_label;
use crate::{TCKind, TypeCode};

/// How deeply values are read; what lies deeper is [`Tree::Deeper`].
const DEPTH: u16 = 32;

/// The most octets of a sequence that are kept.
const MAX_OCTETS: usize = 4_096;

/// A value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Tree {
    /// A value that takes no octets.
    Nothing,
    /// `boolean`
    Boolean(bool),
    /// An unsigned integer, or an octet.
    Unsigned(u64),
    /// A signed integer.
    Signed(i64),
    /// A number that is no integer, as text.
    Number(String),
    /// A character or a string.
    Text(String),
    /// An enumerator's name.
    Enumerator(String),
    /// Octets: as many of them as are kept, and how many there are.
    Octets(Vec<u8>, usize),
    /// The elements of a sequence or an array that were read, and how many there
    /// are.
    List(Vec<Tree>, usize),
    /// The members of a struct or an exception.
    Members(Vec<(String, Tree)>),
    /// A union's discriminator, and its member if one is selected.
    Union(Box<Tree>, Option<(String, Box<Tree>)>),
    /// An Any: the name of its type, and its value.
    Any(String, Box<Tree>),
    /// A TypeCode, as text.
    TypeCode(String),
    /// A reference: its type id, and the tags and data of its profiles.
    Reference(String, Vec<(u32, Vec<u8>)>),
    /// The null value.
    Null,
    /// A value of a value type, or of an abstract interface, by the type's name.
    Value(String),
    /// A value that stands further in front.
    TheSameValue,
    /// A value that is nested too deeply, or beyond the limit, to be read; it was
    /// passed over.
    Deeper,
}

/// Reads the values of one message.
pub struct TreeReader {
    met: Met,
    /// Values that may still be read.
    left: usize,
}

impl TreeReader {
    /// A reader that keeps so many values at most, members and elements counted,
    /// and passes over those beyond.
    pub fn new(max_values: usize) -> Self {
        Self {
            met: Met::default(),
            left: max_values,
        }
    }

    /// Reads a value of this type.
    ///
    /// # Errors
    ///
    /// When it is malformed, or exceeds a limit of the engine.
    pub fn read(&mut self, type_code: &TypeCode, input: &mut Decoder<'_>) -> Result<Tree> {
        self.value(type_code, input, DEPTH)
    }

    fn value(&mut self, type_code: &TypeCode, input: &mut Decoder<'_>, depth: u16) -> Result<Tree> {
        let type_code = type_code.without_aliases();
        if is_empty(&type_code) {
            return Ok(Tree::Nothing);
        }
        let left = self.left.checked_sub(1);
        let (Some(depth), Some(left)) = (depth.checked_sub(1), left) else {
            engine::skip_part(&type_code, input, &mut self.met)?;
            return Ok(Tree::Deeper);
        };
        self.left = left;
        Ok(match type_code.node() {
            Node::Simple(kind) => return self.simple(*kind, &type_code, input, depth),
            Node::String { .. } => Tree::Text(input.read_string()?.into_owned()),
            Node::WString { .. } => Tree::Text(input.read_wstring()?),
            Node::Fixed { digits, scale } => {
                let unscaled = taut_cdr::fixed::decode(*digits, input)?;
                Tree::Number(Decimal(unscaled, *scale).to_string())
            }
            Node::Sequence { element, .. } => {
                let element = type_code.at(*element);
                let count = read_count(&element.graph, element.root, input)?;
                self.elements(&element, count, input, depth)?
            }
            Node::Array { element, length } => {
                self.elements(&type_code.at(*element), *length as usize, input, depth)?
            }
            Node::Enum(it) => {
                let ordinal = input.read_ordinal(it.enumerators.len() as u32)?;
                Tree::Enumerator(label_text(&type_code, i128::from(ordinal)))
            }
            Node::Struct(kind, it) => {
                if *kind == TCKind::Exception {
                    engine::skip_exception_id(&it.name.id, input);
                }
                let members = it.members.iter().map(|member| {
                    let value = self.value(&type_code.at(member.node), input, depth)?;
                    Ok((member.name.to_string(), value))
                });
                Tree::Members(members.collect::<Result<_>>()?)
            }
            Node::Union(it) => {
                let ordinal = read_label(it.discriminator_kind, input)?;
                let label = match it.discriminator_kind {
                    TCKind::Boolean => Tree::Boolean(ordinal != 0),
                    TCKind::ULongLong => Tree::Unsigned(ordinal as u64),
                    TCKind::Enum | TCKind::Char | TCKind::WChar => Tree::Enumerator(label_text(
                        &type_code.at(it.discriminator),
                        i128::from(ordinal),
                    )),
                    _ => Tree::Signed(ordinal),
                };
                let member = match it.case(ordinal) {
                    Some(case) => {
                        let value = self.value(&type_code.at(case.member.node), input, depth)?;
                        Some((case.member.name.to_string(), Box::new(value)))
                    }
                    None => None,
                };
                Tree::Union(Box::new(label), member)
            }
            Node::Interface(TCKind::AbstractInterface, name) => {
                let name = name.name.to_string();
                engine::skip_part(&type_code, input, &mut self.met)?;
                Tree::Value(name)
            }
            Node::Interface(..) => reference(input)?,
            node => {
                let name = node.name().map_or("", |name| &name.name).to_owned();
                let (tag, _) = input.clone().read_tag()?;
                engine::skip_part(&type_code, input, &mut self.met)?;
                match tag {
                    0 => Tree::Null,
                    INDIRECTION => Tree::TheSameValue,
                    _ => Tree::Value(name),
                }
            }
        })
    }
}

impl TreeReader {
    fn simple(
        &mut self,
        kind: TCKind,
        type_code: &TypeCode,
        input: &mut Decoder<'_>,
        depth: u16,
    ) -> Result<Tree> {
        Ok(match kind {
            TCKind::Short => Tree::Signed(input.read::<i16>()?.into()),
            TCKind::UShort => Tree::Unsigned(input.read::<u16>()?.into()),
            TCKind::Long => Tree::Signed(input.read::<i32>()?.into()),
            TCKind::ULong => Tree::Unsigned(input.read::<u32>()?.into()),
            TCKind::LongLong => Tree::Signed(input.read()?),
            TCKind::ULongLong => Tree::Unsigned(input.read()?),
            TCKind::Float => Tree::Number(format!("{:?}", input.read::<f32>()?)),
            TCKind::Double => Tree::Number(format!("{:?}", input.read::<f64>()?)),
            TCKind::LongDouble => Tree::Number(format!("{:?}", input.read::<LongDouble>()?)),
            TCKind::Boolean => Tree::Boolean(input.read_bool()?),
            TCKind::Octet => Tree::Unsigned(input.read::<u8>()?.into()),
            TCKind::Char => Tree::Text(char::from(input.read::<u8>()?).to_string()),
            TCKind::WChar => {
                let unit = input.read_wchar()?.0;
                let character = char::from_u32(unit.into());
                Tree::Text(character.unwrap_or(char::REPLACEMENT_CHARACTER).to_string())
            }
            TCKind::TypeCode => {
                let value: TypeCode = taut_cdr::Decode::decode(input)?;
                Tree::TypeCode(value.to_string())
            }
            TCKind::Any => {
                let held: TypeCode = taut_cdr::Decode::decode(input)?;
                let name = Named(&held).to_string();
                let value = input.nested(|input| self.value(&held, input, depth))?;
                Tree::Any(name, Box::new(value))
            }
            TCKind::Principal => octets(input.read_octets()?),
            _ => {
                engine::skip_part(type_code, input, &mut self.met)?;
                Tree::Nothing
            }
        })
    }

    fn elements(
        &mut self,
        element: &TypeCode,
        count: usize,
        input: &mut Decoder<'_>,
        depth: u16,
    ) -> Result<Tree> {
        if is_empty(element) {
            return Ok(Tree::List(Vec::new(), count));
        }
        match element.without_aliases().kind() {
            TCKind::Octet => return Ok(octets(input.read_bytes(count)?)),
            TCKind::Char => {
                let kept = octets(input.read_bytes(count)?);
                return Ok(match kept {
                    Tree::Octets(octets, count) if octets.len() == count => {
                        Tree::Text(octets.into_iter().map(char::from).collect())
                    }
                    other => other,
                });
            }
            _ => {}
        }
        let mut read = Vec::new();
        for _ in 0..count {
            if self.left == 0 {
                engine::skip_part(element, input, &mut self.met)?;
            } else {
                read.push(self.value(element, input, depth)?);
            }
        }
        Ok(Tree::List(read, count))
    }
}

fn octets(octets: &[u8]) -> Tree {
    let kept = octets.len().min(MAX_OCTETS);
    Tree::Octets(octets[..kept].to_vec(), octets.len())
}

fn reference(input: &mut Decoder<'_>) -> Result<Tree> {
    // The type id is Latin-1 or UTF-8; for people either will do.
    let type_id = String::from_utf8_lossy(input.read_string_octets()?).into_owned();
    let count = input.read_count(8)?;
    let profiles = input.read_each(count, 8, |input| {
        Ok((input.read()?, input.read_octets()?.to_vec()))
    })?;
    Ok(Tree::Reference(type_id, profiles))
}

/// A decimal: its digits without the point, and how many stand behind it.
struct Decimal(i128, u8);

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        taut_cdr::fixed::format(self.0, self.1, f)
    }
}

#[cfg(test)]
mod tests {
    use taut_cdr::{ByteOrder, Encoder};

    use super::*;
    use crate::UnionMember;

    fn primitive(kind: TCKind) -> TypeCode {
        TypeCode::primitive(kind).unwrap()
    }

    fn read(type_code: &TypeCode, left: usize, write: impl Fn(&mut Encoder)) -> Tree {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let mut out = Encoder::new(order);
            write(&mut out);
            let mut input = Decoder::new(out.as_bytes(), order);
            let tree = TreeReader::new(left).read(type_code, &mut input).unwrap();
            assert_eq!(input.remaining(), 0);
            if order == ByteOrder::Little {
                return tree;
            }
        }
        unreachable!()
    }

    #[test]
    fn members_have_their_names() {
        let color = TypeCode::create_enum("IDL:Color:1.0", "Color", &["RED", "BLUE"]).unwrap();
        let octets = TypeCode::create_sequence(&primitive(TCKind::Octet), 0).unwrap();
        let members = [
            ("flag", primitive(TCKind::Boolean)),
            ("color", color.clone()),
            ("name", TypeCode::string(0)),
            ("data", octets),
            ("price", TypeCode::create_fixed(3, 2).unwrap()),
        ];
        let type_code = TypeCode::create_struct("IDL:S:1.0", "S", &members).unwrap();
        let tree = read(&type_code, 100, |out| {
            out.write(1_u8);
            out.write(1_u32);
            out.write_string("a").unwrap();
            out.write(2_u32);
            out.write_bytes(&[7, 8, 0x12, 0x3c]);
        });
        let name = |name: &str, tree| (name.to_owned(), tree);
        let expected = Tree::Members(vec![
            name("flag", Tree::Boolean(true)),
            name("color", Tree::Enumerator("BLUE".to_owned())),
            name("name", Tree::Text("a".to_owned())),
            name("data", Tree::Octets(vec![7, 8], 2)),
            name("price", Tree::Number("1.23".to_owned())),
        ]);
        assert_eq!(tree, expected);

        let cases = [UnionMember {
            label: Some(1),
            name: "length",
            type_code: primitive(TCKind::Short),
        }];
        let union = TypeCode::create_union("IDL:U:1.0", "U", &color, &cases).unwrap();
        let tree = read(&union, 100, |out| {
            out.write(1_u32);
            out.write(-2_i16);
        });
        let member = Some(name("length", Tree::Signed(-2)));
        let member = member.map(|(name, tree)| (name, Box::new(tree)));
        let label = Box::new(Tree::Enumerator("BLUE".to_owned()));
        assert_eq!(tree, Tree::Union(label, member));
    }

    #[test]
    fn values_beyond_the_limit_are_counted_and_passed_over() {
        let numbers = TypeCode::create_sequence(&primitive(TCKind::Long), 0).unwrap();
        let write = |out: &mut Encoder| {
            out.write(1_000_u32);
            for number in 0..1_000 {
                out.write(number);
            }
        };
        let Tree::List(read, 1_000) = read(&numbers, 11, write) else {
            panic!("no list");
        };
        assert_eq!(read.len(), 10);
        assert_eq!(read[9], Tree::Signed(9));
    }

    #[test]
    fn hostile_counts_cost_nothing() {
        let empty = TypeCode::create_struct("IDL:E:1.0", "E", &[]).unwrap();
        let many = TypeCode::create_sequence(&empty, 0).unwrap();
        let tree = read(&many, 100, |out| out.write(u32::MAX));
        assert_eq!(tree, Tree::List(Vec::new(), u32::MAX as usize));

        let octets = TypeCode::create_sequence(&primitive(TCKind::Octet), 0).unwrap();
        let mut input = Decoder::new(&[0xff; 8], ByteOrder::Big);
        assert!(TreeReader::new(9).read(&octets, &mut input).is_err());
    }
}
