//! Octets that a peer sends as a TypeCode or Any, whatever they are, take at most four
//! times their own size and 64 KiB.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use taut_cdr::{ByteOrder, Decode, Decoder, Encoder, Result, WideForm};
use taut_types::{Any, TCKind, TypeCode};

/// How many Anys could be read: were all refused, this would prove little.
static SOUND: AtomicUsize = AtomicUsize::new(0);

/// Reads the octets as both; fails when it took too much memory.
fn read(octets: &[u8]) -> std::result::Result<(), TestCaseError> {
    for order in [ByteOrder::Big, ByteOrder::Little] {
        for form in [WideForm::Octets, WideForm::Units] {
            let input = Decoder::new(octets, order).with_wide_form(form);
            bounded("a TypeCode", octets, || {
                let _ = TypeCode::decode(&mut input.clone());
            })?;
            let mut is_sound = false;
            bounded("an Any", octets, || {
                is_sound = Any::decode(&mut input.clone()).is_ok();
            })?;
            SOUND.fetch_add(usize::from(is_sound), Ordering::Relaxed);
        }
    }
    Ok(())
}

fn bounded(
    what: &str,
    octets: &[u8],
    body: impl FnOnce(),
) -> std::result::Result<(), TestCaseError> {
    let taken = counting_allocator::peak(body);
    let allowed = 4 * octets.len() + 64 * 1024;
    prop_assert!(
        taken <= allowed,
        "{what} took {taken} for {} octets",
        octets.len()
    );
    Ok(())
}

/// Anys that omniORB wrote.
fn of_omniorb() -> Vec<Vec<u8>> {
    include_str!("../data/omniorb_anys.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| from_hexadecimal(line.split(' ').nth(2)?))
        .collect()
}

fn from_hexadecimal(digits: &str) -> Option<Vec<u8>> {
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok())
        .collect()
}

/// The description of a TypeCode that an attacker writes.
#[derive(Debug, Clone)]
enum Described {
    Simple(TCKind),
    Text(u32),
    Fixed(u16, i16),
    Name(TCKind),
    List(TCKind, Box<Described>, u32),
    Alias(Box<Described>),
    Enum(usize),
    Struct(Vec<Described>),
    Union(Vec<Described>),
    /// The one that begins so many octets before.
    Indirection(i32),
}

fn described() -> impl Strategy<Value = Described> {
    let leaf = prop_oneof![
        prop::sample::select(
            &[
                TCKind::Void,
                TCKind::Octet,
                TCKind::Double,
                TCKind::Any,
                TCKind::TypeCode,
            ][..]
        )
        .prop_map(Described::Simple),
        any::<u32>().prop_map(Described::Text),
        (0_u16..40, -2_i16..40).prop_map(|(digits, scale)| Described::Fixed(digits, scale)),
        Just(Described::Name(TCKind::ObjectReference)),
        (0_usize..300).prop_map(Described::Enum),
        (-200_i32..0).prop_map(Described::Indirection),
    ];
    leaf.prop_recursive(6, 200, 8, |inner| {
        let inner = || inner.clone();
        let lists = prop::sample::select(&[TCKind::Sequence, TCKind::Array][..]);
        prop_oneof![
            (lists, inner(), 0_u32..5)
                .prop_map(|(kind, of, length)| { Described::List(kind, Box::new(of), length) }),
            inner().prop_map(|of| Described::Alias(Box::new(of))),
            vec(inner(), 0..8).prop_map(Described::Struct),
            (inner(), 0_usize..66).prop_map(|(of, count)| Described::Struct(vec![of; count])),
            vec(inner(), 0..8).prop_map(Described::Union),
        ]
    })
}

impl Described {
    fn write(&self, out: &mut Encoder) -> Result<()> {
        match self {
            Self::Simple(kind) => out.write(*kind as u32),
            Self::Text(bound) => {
                out.write(TCKind::String as u32);
                out.write(*bound);
            }
            Self::Fixed(digits, scale) => {
                out.write(TCKind::Fixed as u32);
                out.write(*digits);
                out.write(*scale);
            }
            Self::Name(kind) => complex(*kind, out, |_| Ok(()))?,
            Self::List(kind, of, length) => {
                out.write(*kind as u32);
                out.write_encapsulation(|out| {
                    of.write(out)?;
                    out.write(*length);
                    Ok(())
                })?;
            }
            Self::Alias(of) => complex(TCKind::Alias, out, |out| of.write(out))?,
            Self::Enum(count) => complex(TCKind::Enum, out, |out| {
                out.write_length(*count)?;
                (0..*count).for_each(|_| out.write(0_u32));
                Ok(())
            })?,
            Self::Struct(members) => complex(TCKind::Struct, out, |out| {
                out.write_length(members.len())?;
                members.iter().try_for_each(|member| {
                    out.write(0_u32);
                    member.write(out)
                })
            })?,
            Self::Union(cases) => complex(TCKind::Union, out, |out| {
                out.write(TCKind::Long as u32);
                out.write(-1_i32);
                out.write_length(cases.len())?;
                (0_u32..).zip(cases).try_for_each(|(label, case)| {
                    out.write(label);
                    out.write(0_u32);
                    case.write(out)
                })
            })?,
            Self::Indirection(offset) => {
                out.write(u32::MAX);
                out.write(offset & !3);
            }
        }
        Ok(())
    }
}

/// A TypeCode with a repository id and without a name.
fn complex(
    kind: TCKind,
    out: &mut Encoder,
    parameters: impl FnOnce(&mut Encoder) -> Result<()>,
) -> Result<()> {
    out.write(kind as u32);
    out.write_encapsulation(|out| {
        out.write_string("IDL:T:1.0")?;
        out.write_string("")?;
        parameters(out)
    })
}

/// Octets of which some are numbers that make trouble.
fn trouble() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => vec(any::<u8>(), 1..8),
        1 => Just(vec![0xff; 4]),
        1 => Just(vec![0x7f, 0xff, 0xff, 0xff]),
        4 => (0_u8..36).prop_map(|kind| vec![0, 0, 0, kind]),
        4 => (0_u8..36).prop_map(|kind| vec![kind, 0, 0, 0]),
    ];
    (vec(piece, 0..60), 1_usize..200).prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

#[test]
fn memory_is_in_proportion_whatever_is_read() {
    // Memory that is claimed once per process does not count.
    let _ = TypeCode::null();
    let runner = |cases| {
        let config = Config {
            failure_persistence: None,
            ..Config::with_cases(cases)
        };
        TestRunner::new(config)
    };
    runner(1_000)
        .run(&trouble(), |octets| read(&octets))
        .unwrap();

    let omniorb = of_omniorb();
    assert!(omniorb.len() > 20, "{}", omniorb.len());
    let changes = vec((any::<Index>(), any::<u8>()), 1..4);
    runner(2_000)
        .run(&(0..omniorb.len(), changes), |(which, changes)| {
            let mut octets = omniorb[which].clone();
            for (at, octet) in changes {
                let at = at.index(octets.len());
                octets[at] = octet;
            }
            read(&octets)
        })
        .unwrap();

    let values = (vec(any::<u8>(), 1..16), 0_usize..20_000);
    runner(1_000)
        .run(&(described(), values), |(described, (value, times))| {
            let mut out = Encoder::new(ByteOrder::Big);
            described.write(&mut out).unwrap();
            read(out.as_bytes())?;
            out.write_bytes(&value.repeat(times));
            read(out.as_bytes())
        })
        .unwrap();
    let sound = SOUND.load(Ordering::Relaxed);
    assert!(sound > 1_000, "{sound}");
}
