//! TypeCodes into messages (CORBA 3.3 part 2, 9.3.5.1).

use std::collections::HashMap;

use taut_cdr::{ByteOrder, Encode, Encoder, Error, ErrorKind, Result, WideForm};

use super::TypeCode;
use super::wire::{DefaultLabel, INDIRECTION, write_label};
use super::written;
use crate::TypeCodeLimits;
use crate::graph::Graph;
use crate::node::{Member, Name, Node, NodeIndex};

impl TypeCode {
    /// Appends the TypeCode with this form of a union's default label.
    ///
    /// # Errors
    ///
    /// When it is not complete, is too long, or nests too deeply.
    pub fn encode_as(&self, out: &mut Encoder, label: DefaultLabel) -> Result<()> {
        if !self.is_complete() {
            let kind = ErrorKind::Invalid("a recursive TypeCode is not complete");
            return Err(Error::new(kind, out.position()));
        }
        // The content of an encapsulation does not depend on where it stands.
        let is_usual = self.root == 0
            && out.order() == ByteOrder::NATIVE
            // Where there is no form for wide labels, there are none in what is remembered.
            && (out.wide_form() == WideForm::Octets
                || matches!(out.wide_form(), WideForm::NoCodeSet(_)) && !self.graph.has_wide_labels())
            && label == DefaultLabel::default()
            && self.kind().is_encapsulated();
        if is_usual {
            let again = |parameters: &[u8]| {
                out.write(self.kind() as u32);
                out.write_length(parameters.len())?;
                out.write_bytes(parameters);
                Ok(())
            };
            if let Some(outcome) = written::recall(&self.graph, again) {
                return outcome;
            }
        }
        let mut writer = Writer {
            graph: &self.graph,
            label,
            places: HashMap::new(),
        };
        out.align(4);
        let kind = out.len();
        writer.write(self.root, out, TypeCodeLimits::DEFAULT.nesting)?;
        if is_usual {
            let parameters = &out.as_bytes()[kind + BEFORE_PARAMETERS..];
            written::remember(&self.graph, parameters);
        }
        Ok(())
    }
}

/// Octets of a kind and of the length of an encapsulation.
const BEFORE_PARAMETERS: usize = 8;

impl Encode for TypeCode {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        self.encode_as(out, DefaultLabel::default())
    }
}

struct Writer<'t> {
    graph: &'t Graph,
    label: DefaultLabel,
    /// Where the TypeCodes with complex parameters have been written.
    places: HashMap<NodeIndex, usize>,
}

impl Writer<'_> {
    fn write(&mut self, index: NodeIndex, out: &mut Encoder, levels: u16) -> Result<()> {
        let node = self.graph.node(index);
        out.align(4);
        if let Some(place) = self.places.get(&index) {
            let offset = *place as i64 - (out.len() as i64 + 4);
            let offset = i32::try_from(offset)
                .map_err(|_| Error::new(ErrorKind::TooLong, out.position()))?;
            out.write(INDIRECTION);
            out.write(offset);
            return Ok(());
        }
        let place = out.len();
        out.write(node.kind() as u32);
        match node {
            Node::Simple(_) => {}
            Node::String { bound } | Node::WString { bound } => out.write(*bound),
            Node::Fixed { digits, scale } => {
                out.write(u16::from(*digits));
                out.write(i16::from(*scale));
            }
            _ => {
                let Some(levels) = levels.checked_sub(1) else {
                    let limit = TypeCodeLimits::DEFAULT.nesting;
                    let kind = ErrorKind::NestedTooDeeply { limit };
                    return Err(Error::new(kind, out.position()));
                };
                self.places.insert(index, place);
                out.write_encapsulation(|inner| self.write_parameters(node, inner, levels))?;
            }
        }
        Ok(())
    }

    fn write_parameters(&mut self, node: &Node, out: &mut Encoder, levels: u16) -> Result<()> {
        if let Some(Name { id, name }) = node.name() {
            write_text(id, out)?;
            write_text(name, out)?;
        }
        match node {
            Node::Sequence { element, bound: n } | Node::Array { element, length: n } => {
                self.write(*element, out, levels)?;
                out.write(*n);
            }
            Node::Struct(_, it) => {
                out.write_length(it.members.len())?;
                for member in &it.members {
                    self.write_member(member, out, levels)?;
                }
            }
            Node::Union(it) => {
                self.write(it.discriminator, out, levels)?;
                out.write(it.default_index.map_or(-1, |index| index as i32));
                out.write_length(it.cases.len())?;
                for (index, case) in it.cases.iter().enumerate() {
                    let is_default = it.default_index == Some(index as u32);
                    if is_default && self.label == DefaultLabel::Octet {
                        out.write(0_u8);
                    } else {
                        write_label(it.discriminator_kind, case.label, out)?;
                    }
                    self.write_member(&case.member, out, levels)?;
                }
            }
            Node::Enum(it) => {
                out.write_length(it.enumerators.len())?;
                for enumerator in &it.enumerators {
                    write_text(enumerator, out)?;
                }
            }
            Node::Alias(_, it) => self.write(it.original, out, levels)?,
            Node::Value(_, it) => {
                out.write(it.modifier);
                self.write(it.base, out, levels)?;
                out.write_length(it.members.len())?;
                for one in &it.members {
                    self.write_member(&one.member, out, levels)?;
                    out.write(one.visibility);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn write_member(&mut self, member: &Member, out: &mut Encoder, levels: u16) -> Result<()> {
        write_text(&member.name, out)?;
        self.write(member.node, out, levels)
    }
}

fn write_text(text: &str, out: &mut Encoder) -> Result<()> {
    if text.contains('\0') {
        return Err(Error::new(ErrorKind::NulInString, out.position()));
    }
    out.write_length(text.len() + 1)?;
    out.write_bytes(text.as_bytes());
    out.write_bytes(&[0]);
    Ok(())
}
