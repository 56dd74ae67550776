//! Random values of any type, as octets, by the type's TypeCode.

use taut::TypeCode;
use taut_cdr::{Encode as _, Encoder, WChar};
use taut_types::TCKind;

/// Levels below which sequences are empty, for a type may contain itself.
const DEPTH_MAX: u32 = 4;

/// Numbers that are the same in every run.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit.max(1)
    }
}

/// Writes a value of the type.
pub(crate) fn write(ty: &TypeCode, numbers: &mut Numbers, depth: u32, out: &mut Encoder) {
    let ty = ty.without_aliases();
    match ty.kind() {
        TCKind::Short | TCKind::UShort => out.write(numbers.next() as u16),
        TCKind::Long | TCKind::ULong | TCKind::Float => out.write(numbers.next() as u32),
        TCKind::LongLong | TCKind::ULongLong | TCKind::Double => out.write(numbers.next()),
        TCKind::LongDouble => {
            out.align(8);
            out.write_bytes(&numbers.next().to_ne_bytes());
            out.write_bytes(&numbers.next().to_ne_bytes());
        }
        TCKind::Boolean => out.write(numbers.below(2) as u8),
        TCKind::Char | TCKind::Octet => out.write(numbers.next() as u8),
        TCKind::WChar => out
            .write_wchar(WChar(numbers.below(0xd000) as u16))
            .unwrap(),
        TCKind::Fixed => fixed(ty.fixed_digits().unwrap(), numbers, out),
        // A TypeCode, and for an `any` a value of it.
        TCKind::Any => {
            out.write(3_u32);
            out.write(numbers.next() as i32);
        }
        TCKind::TypeCode => out.write(numbers.below(2) as u32 + 2),
        // Nil.
        TCKind::ObjectReference => {
            "".encode(out).unwrap();
            out.write(0_u32);
        }
        TCKind::String => text(&ty, numbers).encode(out).unwrap(),
        TCKind::WString => out.write_wstring(&text(&ty, numbers)).unwrap(),
        TCKind::Enum => out.write(numbers.below(ty.member_count().unwrap() as u64) as u32),
        TCKind::Struct | TCKind::Exception => {
            for index in 0..ty.member_count().unwrap() {
                write(&ty.member_type(index).unwrap(), numbers, depth, out);
            }
        }
        TCKind::Union => union(&ty, numbers, depth, out),
        TCKind::Array => {
            for _ in 0..ty.length().unwrap() {
                write(&ty.content_type().unwrap(), numbers, depth, out);
            }
        }
        TCKind::Sequence => {
            let most = match (depth, ty.length().unwrap()) {
                (DEPTH_MAX.., _) => 0,
                (_, 0) => 4,
                (_, bound) => u64::from(bound).min(4),
            };
            let count = numbers.below(most + 1) as u32;
            out.write(count);
            for _ in 0..count {
                write(&ty.content_type().unwrap(), numbers, depth + 1, out);
            }
        }
        kind => panic!("values of {kind:?} are not made here"),
    }
}

fn text(ty: &TypeCode, numbers: &mut Numbers) -> String {
    let most = match ty.length().unwrap() {
        0 => 12,
        bound => u64::from(bound).min(12),
    };
    let length = numbers.below(most + 1);
    let characters = (0..length).map(|_| match numbers.below(8) {
        0 => char::from(numbers.below(96) as u8 + 0xa0),
        _ => char::from(numbers.below(94) as u8 + 0x21),
    });
    characters.collect()
}

fn fixed(digits: u8, numbers: &mut Numbers, out: &mut Encoder) {
    let mut nibbles: Vec<u8> = (0..digits).map(|_| numbers.below(10) as u8).collect();
    if digits.is_multiple_of(2) {
        nibbles.insert(0, 0);
    }
    nibbles.push(if numbers.below(2) == 0 { 0xc } else { 0xd });
    for pair in nibbles.chunks(2) {
        out.write(pair[0] << 4 | pair[1]);
    }
}

fn union(ty: &TypeCode, numbers: &mut Numbers, depth: u32, out: &mut Encoder) {
    let count = ty.member_count().unwrap();
    let labels: Vec<_> = (0..count)
        .map(|index| ty.member_label(index).unwrap())
        .collect();
    // One of the labels, or a number that may be none.
    let chosen = match numbers.below(count as u64 + 1) as usize {
        index if index < count => labels[index],
        _ => None,
    };
    let discriminator = ty.discriminator_type().unwrap().without_aliases();
    let value = chosen.unwrap_or_else(|| match discriminator.kind() {
        TCKind::Boolean => i128::from(numbers.below(2)),
        TCKind::Enum => i128::from(numbers.below(discriminator.member_count().unwrap() as u64)),
        _ => i128::from(numbers.below(100)),
    });
    match discriminator.kind() {
        TCKind::Boolean | TCKind::Char | TCKind::Octet => out.write(value as u8),
        TCKind::Short | TCKind::UShort => out.write(value as u16),
        TCKind::LongLong | TCKind::ULongLong => out.write(value as u64),
        TCKind::WChar => out.write_wchar(WChar(value as u16)).unwrap(),
        _ => out.write(value as u32),
    }
    let member = labels.iter().position(|label| *label == Some(value));
    let member = member.or_else(|| ty.default_index().unwrap());
    if let Some(index) = member {
        write(&ty.member_type(index).unwrap(), numbers, depth, out);
    }
}
