//! Unions over `wchar`, which the standard's TypeCodes do not know: labels and
//! discriminators in the forms of the versions of GIOP.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder, ErrorKind, Result, WChar, WideForm};
use taut_types::{Any, DefaultLabel, TypeCode, Typed, UnionMember};

/// `union U switch (wchar) { case L'a': long few; case L'€': octet one; default:
/// string others; };`
fn union() -> TypeCode {
    let member = |label, name, type_code| UnionMember {
        label,
        name,
        type_code,
    };
    TypeCode::create_union(
        "IDL:U:1.0",
        "U",
        &WChar::type_code(),
        &[
            member(Some(i128::from(b'a')), "few", i32::type_code()),
            member(Some(0x20ac), "one", u8::type_code()),
            member(None, "others", String::type_code()),
        ],
    )
    .unwrap()
}

/// The discriminator and the member of such a union.
struct Value<T>(char, T);

impl<T: Encode> Encode for Value<T> {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        WChar::try_from(self.0).unwrap().encode(out)?;
        self.1.encode(out)
    }
}

fn encoder(form: WideForm) -> Encoder {
    let mut out = Encoder::new(ByteOrder::Little);
    out.set_wide_form(form);
    out
}

fn decoder(out: &Encoder, form: WideForm) -> Decoder<'_> {
    Decoder::new(out.as_bytes(), ByteOrder::Little).with_wide_form(form)
}

#[test]
fn type_codes_and_values_travel_in_both_forms() {
    for form in [WideForm::Units, WideForm::Octets] {
        for label in [DefaultLabel::Discriminator, DefaultLabel::Octet] {
            let mut out = encoder(form);
            union().encode_as(&mut out, label).unwrap();
            let mut input = decoder(&out, form);
            assert_eq!(TypeCode::decode(&mut input), Ok(union()), "{form:?}");
            assert_eq!(input.remaining(), 0, "{form:?}, {label:?}");
        }
        for any in [
            Any::with_type(union(), &Value('a', -7_i32)),
            Any::with_type(union(), &Value('€', 7_u8)),
            Any::with_type(union(), &Value('z', "text")),
        ] {
            let any = any.unwrap();
            let mut out = encoder(form);
            any.encode(&mut out).unwrap();
            let mut input = decoder(&out, form);
            assert_eq!(Any::decode(&mut input), Ok(any), "{form:?}");
            assert_eq!(input.remaining(), 0, "{form:?}");
        }
    }
    let euro = Any::with_type(union(), &Value('€', 7_u8)).unwrap();
    assert_eq!(format!("{euro:?}"), "Any(U { L'€': one: 7 })");
}

#[test]
fn giop_1_0_has_no_form_for_them() {
    let mut out = encoder(WideForm::Forbidden);
    let error = union().encode(&mut out).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WideForbidden);
}
