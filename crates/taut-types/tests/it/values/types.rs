//! Value types as the generator would write them.

use taut_cdr::{Decode, Decoder, Encode, Encoder, Result};
use taut_types::value::{
    ConcreteValue, CustomMarshal, DataInputStream, DataOutputStream, DerivesFrom, NoBase, Value,
    ValueDescriptor, ValueObject, ValueType,
};
use taut_types::{MemberVisibility, TCKind, TypeCode, Typed, ValueMember, ValueModifier};

/// `valuetype Node { public long id; public Node left; public Node right; };`
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Node {
    pub(crate) id: i32,
    pub(crate) left: Option<Value<Node>>,
    pub(crate) right: Option<Value<Node>>,
}

/// `valuetype Labelled : truncatable Node { public string label; public Node extra; };`
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Labelled {
    pub(crate) base: Node,
    pub(crate) label: String,
    pub(crate) extra: Option<Value<Node>>,
}

/// `valuetype Strict : Labelled { public double weight; };`
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Strict {
    pub(crate) base: Labelled,
    pub(crate) weight: f64,
}

/// `valuetype Text string;`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text(pub(crate) String);

/// `custom valuetype Blob { };`
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Blob {
    pub(crate) octets: Vec<u8>,
    pub(crate) node: Option<Value<Node>>,
}

/// A type that derives from `Node`, and that `Node`'s IDL does not know.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Stranger {
    pub(crate) base: Node,
    pub(crate) inner: Option<Value<Labelled>>,
}

macro_rules! value_type {
    ($name:ident, $id:literal, bases $bases:expr, sent $sent:expr, known [$($known:ident),*],
     custom $custom:literal, $base:ty, $of_base:expr) => {
        impl ValueType for $name {
            const REPOSITORY_ID: &'static str = $id;
            const KNOWN: &'static [&'static ValueDescriptor] =
                &[$(<$known as ConcreteValue>::DESCRIPTOR),*];

            fn fits(object: &dyn ValueObject) -> bool {
                object.has_part(std::any::TypeId::of::<Self>())
            }
        }

        impl ConcreteValue for $name {
            const BASES: &'static [&'static str] = $bases;
            const SENT: &'static [&'static str] = $sent;
            const CUSTOM: bool = $custom;
            type Base = $base;

            fn base(&self) -> Option<&Self::Base> {
                let of_base: fn(&Self) -> Option<&$base> = $of_base;
                of_base(self)
            }

            fn encode_state(&self, out: &mut Encoder) -> Result<()> {
                self.write(out)
            }

            fn decode_state(input: &mut Decoder<'_>) -> Result<Self> {
                Self::read(input)
            }
        }
    };
}

const NODE: &str = "IDL:t/Node:1.0";
const LABELLED: &str = "IDL:t/Labelled:1.0";

value_type!(Node, "IDL:t/Node:1.0", bases &[], sent &[NODE],
    known [Node, Labelled, Strict], custom false, NoBase, |_| None);
value_type!(Labelled, "IDL:t/Labelled:1.0", bases &[NODE], sent &[LABELLED, NODE],
    known [Labelled, Strict], custom false, Node, |it| Some(&it.base));
value_type!(Strict, "IDL:t/Strict:1.0", bases &[LABELLED, NODE], sent &["IDL:t/Strict:1.0"],
    known [Strict], custom false, Labelled, |it| Some(&it.base));
value_type!(Text, "IDL:t/Text:1.0", bases &[], sent &["IDL:t/Text:1.0"],
    known [Text], custom false, NoBase, |_| None);
value_type!(Blob, "IDL:t/Blob:1.0", bases &["IDL:t/Printable:1.0"], sent &["IDL:t/Blob:1.0"],
    known [Blob], custom true, NoBase, |_| None);
value_type!(Stranger, "IDL:t/Stranger:1.0", bases &[NODE], sent &["IDL:t/Stranger:1.0", NODE],
    known [Stranger], custom false, Node, |it| Some(&it.base));

impl DerivesFrom<Node> for Labelled {}
impl DerivesFrom<Node> for Strict {}
impl DerivesFrom<Labelled> for Strict {}
impl DerivesFrom<Node> for Stranger {}

impl Node {
    fn write(&self, out: &mut Encoder) -> Result<()> {
        self.id.encode(out)?;
        self.left.encode(out)?;
        self.right.encode(out)
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self> {
        Ok(Self {
            id: Decode::decode(input)?,
            left: Decode::decode(input)?,
            right: Decode::decode(input)?,
        })
    }
}

impl Labelled {
    fn write(&self, out: &mut Encoder) -> Result<()> {
        self.base.encode_state(out)?;
        self.label.encode(out)?;
        self.extra.encode(out)
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self> {
        Ok(Self {
            base: ConcreteValue::decode_state(input)?,
            label: Decode::decode(input)?,
            extra: Decode::decode(input)?,
        })
    }
}

impl Strict {
    fn write(&self, out: &mut Encoder) -> Result<()> {
        self.base.encode_state(out)?;
        self.weight.encode(out)
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self> {
        Ok(Self {
            base: ConcreteValue::decode_state(input)?,
            weight: Decode::decode(input)?,
        })
    }
}

impl Text {
    fn write(&self, out: &mut Encoder) -> Result<()> {
        self.0.encode(out)
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self> {
        Decode::decode(input).map(Self)
    }
}

impl Stranger {
    fn write(&self, out: &mut Encoder) -> Result<()> {
        self.base.encode_state(out)?;
        self.inner.encode(out)
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self> {
        Ok(Self {
            base: ConcreteValue::decode_state(input)?,
            inner: Decode::decode(input)?,
        })
    }
}

impl Blob {
    fn write(&self, out: &mut Encoder) -> Result<()> {
        self.marshal(&mut DataOutputStream::new(out))
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self> {
        Self::unmarshal(&mut DataInputStream::new(input))
    }
}

/// The octets backwards; then something that `unmarshal` leaves over.
impl CustomMarshal for Blob {
    fn marshal(&self, out: &mut DataOutputStream<'_>) -> Result<()> {
        out.write(&(self.octets.len() as u16))?;
        let backwards: Vec<u8> = self.octets.iter().rev().copied().collect();
        out.write_array(&backwards)?;
        out.write(&self.node)?;
        out.write_wstring("left over")?;
        out.write(&Some(Value::new(Text("this too".to_owned()))))
    }

    fn unmarshal(input: &mut DataInputStream<'_, '_>) -> Result<Self> {
        let count: u16 = input.read()?;
        let mut octets: Vec<u8> = input.read_array(usize::from(count))?;
        octets.reverse();
        let node = input.read()?;
        Ok(Self { octets, node })
    }
}

fn member(name: &str, type_code: TypeCode) -> ValueMember<'_> {
    ValueMember {
        name,
        type_code,
        visibility: MemberVisibility::Public,
    }
}

fn described(
    id: &str,
    modifier: ValueModifier,
    base: Option<&TypeCode>,
    members: &[ValueMember<'_>],
) -> TypeCode {
    let name = id.trim_start_matches("IDL:t/").trim_end_matches(":1.0");
    TypeCode::create_value(TCKind::Value, id, name, modifier, base, members).unwrap()
}

impl Typed for Node {
    fn type_code() -> TypeCode {
        let own = TypeCode::create_recursive(NODE).unwrap();
        let members = [
            member("id", i32::type_code()),
            member("left", own.clone()),
            member("right", own),
        ];
        described(NODE, ValueModifier::None, None, &members)
    }
}

impl Typed for Labelled {
    fn type_code() -> TypeCode {
        let node = Node::type_code();
        let members = [
            member("label", String::type_code()),
            member("extra", node.clone()),
        ];
        described(LABELLED, ValueModifier::Truncatable, Some(&node), &members)
    }
}

impl Typed for Strict {
    fn type_code() -> TypeCode {
        let members = [member("weight", f64::type_code())];
        let base = Labelled::type_code();
        described(
            Self::REPOSITORY_ID,
            ValueModifier::None,
            Some(&base),
            &members,
        )
    }
}

impl Typed for Text {
    fn type_code() -> TypeCode {
        TypeCode::create_value_box(Self::REPOSITORY_ID, "Text", &String::type_code()).unwrap()
    }
}

impl Typed for Blob {
    fn type_code() -> TypeCode {
        described(Self::REPOSITORY_ID, ValueModifier::Custom, None, &[])
    }
}

impl Typed for Stranger {
    fn type_code() -> TypeCode {
        let node = Node::type_code();
        let members = [member("inner", Labelled::type_code())];
        described(
            Self::REPOSITORY_ID,
            ValueModifier::Truncatable,
            Some(&node),
            &members,
        )
    }
}
