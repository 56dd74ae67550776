//! Values as parts of an explanation.

use taut_explain::{Fact, Value, reference};
use taut_giop::ior::{Ior, TaggedProfile};
use taut_types::tree::Tree;

/// The name of a result that is no parameter.
pub(super) const RETURN_VALUE: &str = "return value";

pub(super) fn fact(name: &str, tree: Tree) -> Fact {
    match name {
        RETURN_VALUE => Fact::new(RETURN_VALUE, shown(tree)),
        _ => Fact::new(name.to_owned(), shown(tree)),
    }
}

/// A value as a part of an explanation.
fn shown(tree: Tree) -> Value {
    match tree {
        Tree::Nothing => Value::Text("nothing".to_owned()),
        Tree::Boolean(value) => Value::Boolean(value),
        Tree::Unsigned(number) => Value::Number(number),
        Tree::Signed(number) => Value::Signed(number),
        Tree::Number(text) | Tree::Enumerator(text) | Tree::TypeCode(text) => Value::Text(text),
        Tree::Text(text) => Value::String(text),
        Tree::Octets(octets, count) if octets.len() == count => Value::Octets(octets),
        Tree::Octets(octets, count) => Value::Facts(vec![
            Fact::number("count", count as u64),
            Fact::new("first octets", Value::Octets(octets)),
        ]),
        Tree::List(elements, count) => {
            let missing = count - elements.len();
            let mut list: Vec<Value> = elements.into_iter().map(shown).collect();
            if missing > 0 {
                list.push(Value::Text(format!("{missing} more")));
            }
            Value::List(list)
        }
        Tree::Members(members) if members.is_empty() => Value::Text("nothing".to_owned()),
        Tree::Members(members) => {
            let facts = members.into_iter();
            Value::Facts(
                facts
                    .map(|(name, tree)| Fact::new(name, shown(tree)))
                    .collect(),
            )
        }
        Tree::Union(label, member) => {
            let mut facts = vec![Fact::new("case", shown(*label))];
            facts.extend(member.map(|(name, tree)| Fact::new(name, shown(*tree))));
            Value::Facts(facts)
        }
        Tree::Any(name, value) => Value::Facts(vec![
            Fact::text("type", name),
            Fact::new("value", shown(*value)),
        ]),
        Tree::Reference(_, profiles) if profiles.is_empty() => Value::Text("nil".to_owned()),
        Tree::Reference(type_id, profiles) => {
            let profiles = profiles.into_iter();
            let profiles = profiles.map(|(tag, data)| TaggedProfile { tag, data });
            let ior = Ior {
                type_id,
                profiles: profiles.collect(),
            };
            Value::Facts(reference(&ior))
        }
        Tree::Null => Value::Text("null".to_owned()),
        Tree::Value(name) => Value::Text(format!("a value of {name}")),
        Tree::TheSameValue => Value::Text("the same value as before".to_owned()),
        _ => Value::Text("…".to_owned()),
    }
}
