//! The factory, its limits, and what hostile types and values do.

use taut_cdr::{ByteOrder, Decode, Decoder, Encoder};
use taut_types::dyn_any::{DynAnyFactory, FactoryError};
use taut_types::{Any, TCKind, TypeCode};

use super::{make, node, primitive, sequence, structure, union};

#[test]
fn default_values_are_zero_empty_nil_and_the_first() {
    let many = TypeCode::create_array(&primitive(TCKind::Double), 3).unwrap();
    let of = structure(&[
        ("flag", primitive(TCKind::Boolean)),
        ("any", primitive(TCKind::Any)),
        ("kind", primitive(TCKind::TypeCode)),
        ("many", many),
        ("union", union(true)),
        ("node", node()),
        (
            "color",
            TypeCode::create_enum("IDL:t/E:1.0", "E", &["A"]).unwrap(),
        ),
        ("price", TypeCode::create_fixed(5, 2).unwrap()),
        (
            "object",
            TypeCode::create_interface("IDL:t/I:1.0", "I").unwrap(),
        ),
    ]);
    let mut it = make(&of);
    assert_eq!(it.get_boolean(), Ok(false));
    it.next();
    assert_eq!(it.get_any().unwrap(), Any::null());
    it.next();
    assert_eq!(it.get_typecode().unwrap(), TypeCode::null());
    it.next();
    assert_eq!(it.get_double_seq().unwrap(), [0.0; 3]);
    it.next();
    let mut inner = it.current_component().unwrap().unwrap();
    assert_eq!(
        inner.as_union().unwrap().get_discriminator().get_long(),
        Ok(1)
    );
    drop(inner);
    let any = it.to_any().unwrap();
    let again = DynAnyFactory::new().create_dyn_any(&any).unwrap();
    assert!(again.equal(&it));
}

#[test]
fn types_without_values_are_inconsistent() {
    let factory = DynAnyFactory::new();
    let local = TypeCode::create_named(TCKind::LocalInterface, "IDL:t/L:1.0", "L").unwrap();
    let native = TypeCode::create_named(TCKind::Native, "IDL:t/N:1.0", "N").unwrap();
    let open = TypeCode::create_recursive("IDL:t/O:1.0").unwrap();
    for of in [&local, &native, &open, &sequence(&open, 0)] {
        let outcome = factory.create_dyn_any_from_type_code(of);
        assert!(
            matches!(outcome, Err(FactoryError::InconsistentTypeCode(_))),
            "{outcome:?}"
        );
    }
}

#[test]
fn what_a_peer_says_is_large_is_limited() {
    let factory = DynAnyFactory::new();
    let double = primitive(TCKind::Double);
    let huge = TypeCode::create_array(&double, u32::MAX).unwrap();
    let rows = TypeCode::create_array(&TypeCode::create_array(&double, 60_000).unwrap(), 60_000);
    let texts = TypeCode::create_array(&TypeCode::string(0), u32::MAX).unwrap();
    for of in [huge, rows.unwrap(), texts] {
        let outcome = factory.create_dyn_any_from_type_code(&of);
        assert!(
            matches!(outcome, Err(FactoryError::Limit(_))),
            "{outcome:?}"
        );
    }
    let error = factory.with_memory(100);
    let small = TypeCode::create_array(&double, 100).unwrap();
    let error = error.create_dyn_any_from_type_code(&small).unwrap_err();
    assert_eq!(
        error.to_string(),
        "it takes more than 100 octets of memory: raise the limit"
    );
    // The limit is also that of a value that is read of an Any: each boolean is a value.
    let flags = Any::new(&vec![true; 100_000]).unwrap();
    assert!(factory.create_dyn_any(&flags).is_ok());
}

#[test]
fn unknown_derived_values_are_truncated_only_if_that_is_allowed() {
    let mut out = Encoder::new(ByteOrder::Big);
    let node = node();
    taut_cdr::Encode::encode(&node, &mut out).unwrap();
    out.align(4);
    out.write(0x7fff_ff0e_u32);
    out.write(2_u32);
    out.write_string("IDL:t/Unheard:1.0").unwrap();
    out.write_string("IDL:t/DynNode:1.0").unwrap();
    out.align(4);
    for number in [12_i32, 7, 0, 99, -1] {
        out.write(number);
    }
    let octets = out.into_buffer();
    // An Any that is received has lost them already.
    let any = Any::decode(&mut Decoder::new(&octets, ByteOrder::Big)).unwrap();
    let factory = DynAnyFactory::new();
    let mut it = factory.create_dyn_any_without_truncation(&any).unwrap();
    assert_eq!(it.component_count(), 2);
    assert_eq!(it.as_value().unwrap().get_long(), Ok(7));

    let own = Any::with_type(node, &Derived).unwrap();
    let outcome = factory.create_dyn_any_without_truncation(&own);
    assert_eq!(outcome.err(), Some(FactoryError::MustTruncate));
    let truncated = factory.create_dyn_any(&own).unwrap();
    assert!(truncated.equal(&it));
    let both = [any.clone(), own];
    assert!(factory.create_multiple_dyn_anys(&both, false).is_err());
    let made = factory.create_multiple_dyn_anys(&both, true).unwrap();
    assert_eq!(factory.create_multiple_anys(&made).unwrap().len(), 2);
}

/// A value of a type that derives from the node, in this machine's byte order.
struct Derived;

impl taut_cdr::Encode for Derived {
    fn encode(&self, out: &mut Encoder) -> taut_cdr::Result<()> {
        out.write(0x7fff_ff0e_u32);
        out.write(2_u32);
        out.write_string("IDL:t/Unheard:1.0")?;
        out.write_string("IDL:t/DynNode:1.0")?;
        out.align(4);
        for number in [16_i32, 7, 0, 99, 98, -1] {
            out.write(number);
        }
        Ok(())
    }
}
